/** The calls of an assistant message, read once for all checks and reports that ask. */
import type { Message } from '../element.ts';
import { valueBytes } from '../json/members.ts';
import { skipBlanks } from '../json/scanner.ts';
import { type ToolCall, toolCallsOf } from '../message.ts';
import { perMessage } from '../per-message.ts';

const NO_CALLS: readonly ToolCall[] = [];
const LETTER_N = 0x6e;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** `toolCallsOf`, remembered as long as the message lives. */
export const knownToolCalls: typeof toolCallsOf = perMessage(toolCallsOf);

/** The calls in the `tool_calls` list of an assistant message; none for another role or a value that is no list. */
export function assistantCalls(message: Message): readonly ToolCall[] {
  if (message.role !== 'assistant') return NO_CALLS;
  const calls = knownToolCalls(message);
  return calls === undefined || calls === 'not-a-list' ? NO_CALLS : calls;
}

/** Has the message a `tool_calls` list that is not empty? Told without reading the calls. */
export function hasCalls(message: Message): boolean {
  const list = valueBytes(message.bytes, 'tool_calls');
  return list?.[0] === OPEN_ARRAY && list[skipBlanks(list, 1)] !== CLOSE_ARRAY;
}

/** Does the message hold a `function_call` (OpenAI's form before `tool_calls`) that is not null? */
export const hasFunctionCall: (message: Message) => boolean = perMessage((message) => {
  const bytes = valueBytes(message.bytes, 'function_call');
  return bytes !== undefined && bytes[0] !== LETTER_N;
});
