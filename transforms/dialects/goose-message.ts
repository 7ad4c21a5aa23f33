/** Reads one message of a goose session: texts, thoughts, calls, and in user messages the results of calls. */

import type { JsonView } from '../json/json-view.ts';
import type { Message, ReadingNote } from '../model/element.ts';
import { contentOfParts, listOfParts, mcpPart } from './content-parts.ts';
import type { ReadContext } from './dialect-spec.ts';
import { blockOfPart, type FoldBlock, sealedBlock } from './fold/draft.ts';
import { isTrue, present, textOf } from './logged-values.ts';
import { callJson, makeMessage, toolMessage } from './made-messages.ts';
import { noted, RESULT_ERROR } from './reading-notes.ts';

const REQUESTS: ReadonlySet<string> = new Set(['toolRequest', 'frontendToolRequest']);
const FALSE = 'f'.charCodeAt(0);

export function isGooseMessage(message: JsonView): boolean {
  return message.get('role')?.type === 'string' && message.get('content')?.type === 'array';
}

/** Was it hidden from the model? */
export function isHidden(message: JsonView): boolean {
  return message.get('metadata')?.get('agentVisible')?.bytes[0] === FALSE;
}

/** @param name of the assistant message, if it is one */
export function foldGooseMessage(message: JsonView, name: string, { fold }: ReadContext): void {
  const role = message.get('role')?.text() ?? '';
  const blocks = message.get('content')?.elements() ?? [];
  const notes: ReadingNote[] = [];
  if (role === 'assistant') {
    fold.amend(
      name,
      blocks.flatMap((block) => blockOf(block, notes)),
      'add',
      { notes },
    );
    return;
  }
  const isResult = (block: JsonView): boolean => block.get('type')?.text() === 'toolResponse';
  for (const block of blocks.filter(isResult)) {
    const { callId, result } = resultOf(block);
    fold.answer(callId, result);
  }
  const parts = blocks.filter((block) => !isResult(block)).map((block) => mcpPart(block, notes));
  if (parts.length === 0) return;
  const isTurn = role === 'user' && parts.length === blocks.length;
  fold.add(makeMessage(role, [['content', contentOfParts(parts)]]), { isTurn, notes });
}

function blockOf(block: JsonView, notes: ReadingNote[]): readonly FoldBlock[] {
  const type = block.get('type')?.text() ?? '';
  if (REQUESTS.has(type)) return [callOf(block)];
  const thinking = block.get('thinking');
  if (type === 'thinking' && thinking?.type === 'string' && thinking.text() !== '')
    return [{ kind: 'thought', text: thinking.copy() }];
  const data = block.get('data') ?? block.get('signature');
  if (type.toLowerCase().endsWith('thinking') && data?.type === 'string') return [sealedBlock(data.copy())];
  return [blockOfPart(mcpPart(block, notes))];
}

/** A call is wrapped in `{status, value}`. */
function callOf(block: JsonView): FoldBlock {
  const id = block.get('id')?.text();
  const envelope = block.get('toolCall');
  const call = envelope?.get('value') ?? envelope;
  const args = call?.get('arguments');
  const written = present(args) ? textOf(args) : undefined;
  return { kind: 'call', id, json: callJson(id, call?.get('name')?.text(), written) };
}

/** So is a result: a list of parts, an object with such a list, or an error. */
function resultOf(block: JsonView): { readonly callId: string | undefined; readonly result: Message } {
  const callId = block.get('id')?.text();
  const envelope = block.get('toolResult');
  const value = envelope?.get('value') ?? envelope;
  const error = envelope?.get('error');
  const list = value?.type === 'array' ? value : value?.get('content');
  const isError = present(error) || isTrue(value?.get('isError'));
  const notes: ReadingNote[] = isError ? [RESULT_ERROR] : [];
  const parts = (list?.elements() ?? []).map((part) => mcpPart(part, notes));
  const content = error?.type === 'string' ? error.copy() : listOfParts(parts);
  return { callId, result: noted(toolMessage(callId, content), notes) };
}
