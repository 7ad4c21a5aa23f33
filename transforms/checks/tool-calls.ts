/**
 * Are the entries of `tool_calls` well formed (conversion.md §9)? On rows, because with calls inlined the record has no
 * `tool_calls`: the inline rules stand in for these. What is looked at is the conversation, whatever the format made of it.
 */
import type { Message, Row } from '../element.ts';
import type { ToolCall } from '../message.ts';
import { knownToolCalls } from './assistant-calls.ts';
import type { Found, RowCheck } from './check.ts';
import { isInline } from './inline-format.ts';

function checkCall(call: ToolCall, where: string): Found | undefined {
  const error = (rule: string, what: string): Found => ({
    rule,
    severity: 'ERROR',
    message: `${where} ${what}`,
  });
  if (!call.isObject) return error('tool-call-not-object', 'is not an object');
  if (call.function === undefined) return error('tool-call-no-function', 'has no function object');
  if (!call.name) return error('tool-call-no-name', 'has no function name');
  return undefined;
}

function* checkMessage(message: Message, index: number): Generator<Found> {
  const where = `messages[${index}].tool_calls`;
  const calls = knownToolCalls(message);
  if (calls === undefined) return;
  if (calls === 'not-a-list') {
    yield { rule: 'tool-calls-not-a-list', severity: 'ERROR', message: `${where} is not a list` };
    return;
  }
  for (const [i, call] of calls.entries()) {
    const found = checkCall(call, `${where}[${i}]`);
    if (found !== undefined) yield found;
  }
}

function* check(row: Row): Generator<Found> {
  if (isInline(row)) return;
  for (const [index, message] of row.conversation.messages.entries()) {
    if (message.role === 'assistant') yield* checkMessage(message, index);
  }
}

const toolCalls: RowCheck = {
  name: 'tool-calls',
  summary: 'Assistant messages whose tool_calls are malformed (formats that keep tool_calls).',
  rules: ['tool-calls-not-a-list', 'tool-call-not-object', 'tool-call-no-function', 'tool-call-no-name'],
  on: 'row',
  check,
};

export default toolCalls;
