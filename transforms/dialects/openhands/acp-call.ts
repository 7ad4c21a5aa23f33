/** Calls of an agent that OpenHands runs by the Agent Client Protocol. Each is logged several times, as the client sees it. */

import type { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import { callBlock } from '../fold/assistant-draft.ts';
import { objectOf, toolMessage } from '../shared/build-messages.ts';
import { type Part, textOrParts } from '../shared/content-parts.ts';
import { isTrue, present, textOf } from '../shared/logged-values.ts';
import { noted, RESULT_ERROR } from '../shared/reading-notes.ts';
import type { EventContent } from './event-content.ts';

/** The protocol says what kind of tool it is, not its name. */
const UNKNOWN = 'other';
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed']);

export function readAcpCall(event: JsonView): EventContent {
  const id = event.get('tool_call_id')?.text();
  if (id === undefined) return { kind: 'bad', detail: 'tool_call_id is missing' };
  const [input, title] = [event.get('raw_input'), event.get('title')];
  const args = present(input)
    ? textOf(input)
    : inString(objectOf(title?.type === 'string' ? [['title', title.copy()]] : []));
  const name = event.get('tool_kind')?.text() ?? UNKNOWN;
  const status = event.get('status')?.text() ?? '';
  const notes = status === 'failed' || isTrue(event.get('is_error')) ? [RESULT_ERROR] : [];
  const result = ENDED.has(status) ? noted(toolMessage(id, outputOf(event)), notes) : undefined;
  return {
    kind: 'answer',
    name: `acp ${id}`,
    blocks: [callBlock(id, name, args)],
    callId: id,
    changes: ['action-as-call'],
    isPartial: !present(input),
    ...(result !== undefined && { result }),
  };
}

/** The output of the tool, which the protocol lets be any JSON, or else the blocks that the client showed. */
function outputOf(event: JsonView): Uint8Array {
  const output = event.get('raw_output');
  if (present(output)) return textOf(output);
  const parts = (event.get('content')?.elements() ?? []).map((block): Part => {
    const text = block.get('content')?.get('text');
    return { text: text?.type === 'string' ? text.copy() : inString(block.copy()) };
  });
  return parts.length === 0 ? NO_TEXT : textOrParts(parts);
}
