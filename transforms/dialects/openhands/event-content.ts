/** The content of an event of OpenHands, and code that both versions of its log share. */

import type { JsonView } from '../../json/json-view.ts';
import { oneLine } from '../../json/one-line.ts';
import { concat } from '../../json/splice.ts';
import { NO_TEXT, parseJson } from '../../json/utf8.ts';
import type { Message, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import type { LineReason } from '../../model/reasons.ts';
import type { FoldBlock } from '../fold/assistant-draft.ts';
import { present } from '../shared/logged-values.ts';
import { INTERRUPT } from '../shared/reading-notes.ts';

interface Facts {
  readonly notes?: readonly ReadingNote[];
  /** Rules that rewrote the message. */
  readonly changes?: readonly string[];
}

/** The contribution of one event to the conversation. */
export type EventContent =
  | { readonly kind: 'system'; readonly text: Uint8Array; readonly tools: readonly ToolDefinition[] }
  | (Facts & { readonly kind: 'message'; readonly message: Message; readonly isTurn?: boolean })
  | (Facts & {
      readonly kind: 'answer';
      /** The id that all events of one answer share. */
      readonly name: string | undefined;
      readonly blocks: readonly FoldBlock[];
      readonly callId?: string | undefined;
      /** The result of that call, where the event has it. */
      readonly result?: Message;
      /** Whether an earlier event of the answer may have more. */
      readonly isPartial?: boolean;
      readonly meta?: Meta;
    })
  | { readonly kind: 'result'; readonly callId: string | undefined; readonly message: Message }
  | { readonly kind: 'condensation'; readonly json: JsonView }
  /** A finding about the conversation so far, and the fate of its line. */
  | { readonly kind: 'noted'; readonly note: ReadingNote; readonly fate: string }
  | { readonly kind: 'client' }
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'bad'; readonly detail: string; readonly reason?: LineReason };

export const INTERRUPTED: EventContent = { kind: 'noted', note: INTERRUPT, fate: 'interrupt-mark' };

/** The id, a number or a string, as a string. */
export function idText(id: JsonView | undefined): string | undefined {
  if (!present(id)) return undefined;
  return id.type === 'number' ? String(id.parsed()) : id.text();
}

/** Members with the words before and after an output. */
const AROUND = ['prefix', 'suffix'];

/**
 * The output of a command, a JSON string, between the words that its metadata adds for the model: that the output is of
 * an earlier command, that the command still runs, how it ended. They are not repeated if the output has them.
 */
export function surrounded(output: Uint8Array, metadata: JsonView | undefined): Uint8Array {
  if (metadata?.type !== 'object' || !AROUND.some((key) => metadata.textOf(key))) return output;
  const said = String(parseJson(output));
  const [before = NO_TEXT, after = NO_TEXT] = AROUND.map((key) => {
    const words = metadata.get(key);
    return words?.type === 'string' && !said.includes(words.text() ?? '') ? words.copy() : NO_TEXT;
  });
  return concat([before.subarray(0, -1), output.subarray(1, -1), after.subarray(1)]);
}

/** The tool definitions in a list, except those without a name. */
export function definitionsIn(tools: JsonView | undefined): readonly ToolDefinition[] {
  return (tools?.elements() ?? []).flatMap((tool): readonly ToolDefinition[] => {
    const inner = tool.get('function');
    const definition = inner?.type === 'object' ? inner : tool;
    const name = definition.get('name')?.text();
    return name ? [{ bytes: oneLine(definition.copy()), name }] : [];
  });
}
