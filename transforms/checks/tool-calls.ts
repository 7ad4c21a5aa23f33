/**
 * Reports malformed entries of `tool_calls` in the conversation, however the format wrote them. Runs on records,
 * because it skips formats that write calls as text (inline-tags.ts checks these).
 */

import { eachCall } from '../model/assistant-calls.ts';
import type { Message, WrittenRecord } from '../model/element.ts';
import type { ToolCall } from '../model/tool-call.ts';
import type { Found, RecordCheck } from './check.ts';
import { isInline } from './inline-tags.ts';

/** The rule that a call violates, and the rest of the message. */
function faultOf(call: ToolCall): readonly [rule: string, what: string] | undefined {
  if (!call.isObject) return ['tool-call-not-object', 'is not an object'];
  if (call.function === undefined) return ['tool-call-no-function', 'has no function object'];
  if (!call.name) return ['tool-call-no-name', 'has no function name'];
  return undefined;
}

function checkMessage(message: Message, index: number): readonly Found[] {
  const where = `messages[${index}].tool_calls`;
  const found: Found[] = [];
  const problem = eachCall(message, (call, i) => {
    const [rule, what] = faultOf(call) ?? [];
    if (rule !== undefined) found.push({ rule, severity: 'ERROR', message: `${where}[${i}] ${what}` });
  });
  if (problem !== undefined)
    found.push({ rule: 'tool-calls-not-a-list', severity: 'ERROR', message: `${where} is not a list` });
  return found;
}

function* check(record: WrittenRecord): Generator<Found> {
  if (isInline(record)) return;
  const { messages } = record.conversation;
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i] as Message;
    if (message.role === 'assistant') yield* checkMessage(message, i);
  }
}

const toolCalls: RecordCheck = {
  name: 'tool-calls',
  summary: 'Assistant messages whose tool_calls are malformed (formats that keep tool_calls).',
  rules: ['tool-calls-not-a-list', 'tool-call-not-object', 'tool-call-no-function', 'tool-call-no-name'],
  on: 'record',
  check,
};

export default toolCalls;
