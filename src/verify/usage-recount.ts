/**
 * The tool usage of each group, counted again from the records themselves. Only records of format `chat`
 * hold the messages as they were counted, and a name that stood beside a definition's `function` is in no record.
 */
import { asObject, asText, type JsonObject } from './json-value.ts';

export interface GroupUsage {
  calls: number;
  clientTurns: number;
  assistantTurns: number;
  withTools: number;
}

/** By group. */
export type UsageRecount = Map<string, GroupUsage>;

const TAG = '<tool_call>';

export function recount(usage: UsageRecount, group: string, { messages }: JsonObject): void {
  const sums = usage.get(group) ?? {
    calls: 0,
    clientTurns: 0,
    assistantTurns: 0,
    withTools: 0,
  };
  usage.set(group, sums);
  let turn = '';
  let hasCalls = false; // in this turn
  for (const message of listOf(messages)) {
    const { role } = message;
    if (role === 'tool' || role === 'function') continue;
    const speaker = role === 'assistant' ? role : role === 'system' || role === 'user' ? 'client' : 'other';
    if (speaker !== turn) {
      if (speaker === 'client') sums.clientTurns += 1;
      if (speaker === 'assistant') sums.assistantTurns += 1;
      hasCalls = false;
    }
    turn = speaker;
    const calls = speaker === 'assistant' ? callsIn(message) : 0;
    sums.calls += calls;
    if (calls > 0 && !hasCalls) sums.withTools += 1;
    hasCalls ||= calls > 0;
  }
}

/** As a row of the report has them. */
export function columnsOf({ calls, clientTurns, assistantTurns, withTools }: GroupUsage): string {
  return [calls, clientTurns, assistantTurns, withTools].join();
}

function callsIn({ tool_calls: calls, function_call: legacy, content }: JsonObject): number {
  if (Array.isArray(calls) && calls.length > 0) return calls.length;
  if (legacy !== undefined && legacy !== null) return 1;
  const parts = listOf(content).filter(({ type, text }) => type === 'text' && asText(text) !== undefined);
  const text = asText(content) ?? parts.map((part) => part.text).join('');
  return text.split(TAG).length - 1;
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((item) => asObject(item) ?? {}) : [];
}
