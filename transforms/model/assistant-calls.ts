/** The calls of a message, read once for all checks and reports. */

import { CLOSE_ARRAY, LETTER_N, OPEN_ARRAY } from '../json/bytes.ts';
import { valueSpan } from '../json/members.ts';
import { perObject } from '../json/notes.ts';
import { skipBlanks } from '../json/scanner.ts';
import type { Message } from './element.ts';
import { toolCallsOf, walkToolCalls } from './message.ts';
import type { ToolCall } from './tool-call.ts';

const NO_CALLS: readonly ToolCall[] = [];

/** Messages with more calls are read again each time: cached calls take more memory than the message. */
const MAX_KNOWN = 1000;

const fewCalls = perObject((message: Message): ReturnType<typeof toolCallsOf> | 'many' => {
  const calls: ToolCall[] = [];
  const problem = walkToolCalls(message, (call) => calls.push(call) <= MAX_KNOWN);
  if (problem !== undefined) return problem === 'absent' ? undefined : problem;
  return calls.length > MAX_KNOWN ? 'many' : calls;
});

/** `toolCallsOf`, cached for the lifetime of the message. */
export const knownToolCalls: typeof toolCallsOf = (message) => {
  const calls = fewCalls(message);
  return calls === 'many' ? toolCallsOf(message) : calls;
};

/** The calls in the `tool_calls` list of an assistant message; none for another role or a value that is not a list. */
export function assistantCalls(message: Message): readonly ToolCall[] {
  if (message.role !== 'assistant') return NO_CALLS;
  const calls = knownToolCalls(message);
  return calls === undefined || calls === 'not-a-list' ? NO_CALLS : calls;
}

/**
 * Visits the calls of a message one by one, so that long lists are never in memory as a whole.
 * @returns `not-a-list` if `tool_calls` is something else; undefined if it is a list, null or absent
 */
export function eachCall(
  message: Message,
  visit: (call: ToolCall, index: number) => void,
): 'not-a-list' | undefined {
  const calls = fewCalls(message);
  if (calls === 'not-a-list') return calls;
  let index = 0;
  if (calls === 'many') walkToolCalls(message, (call) => visit(call, index++));
  else if (calls !== undefined) for (; index < calls.length; index++) visit(calls[index] as ToolCall, index);
  return undefined;
}

/** Visits the calls of an assistant message, as `eachCall`; none for another role. */
export function eachAssistantCall(message: Message, visit: (call: ToolCall, index: number) => void): void {
  if (message.role === 'assistant') eachCall(message, visit);
}

/** Does the message have a `tool_calls` list that is not empty? Does not read the calls. */
export function hasCalls(message: Message): boolean {
  const { bytes } = message;
  const list = valueSpan(bytes, 'tool_calls')?.valueStart;
  if (list === undefined || bytes[list] !== OPEN_ARRAY) return false;
  return bytes[skipBlanks(bytes, list + 1)] !== CLOSE_ARRAY;
}

/** Does the message have a `function_call` (OpenAI's form before `tool_calls`) that is not null? */
export const hasFunctionCall: (message: Message) => boolean = perObject((message: Message) => {
  const span = valueSpan(message.bytes, 'function_call');
  return span !== undefined && message.bytes[span.valueStart] !== LETTER_N;
});
