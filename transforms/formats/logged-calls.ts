/**
 * The calls of a message (`tool_calls`, or the old `function_call`), for formats that write calls in another syntax.
 */
import type { Message } from '../model/element.ts';
import { legacyCallOf, toolCallsOf } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import type { FormatFinding } from './format.ts';
import type { Report } from './tool-arguments.ts';

export function loggedCalls(message: Message, where: string, report: Report): readonly ToolCall[] {
  const calls = toolCallsOf(message);
  if (calls === 'not-a-list') report(malformed(`${where}.tool_calls`));
  else if (calls !== undefined && calls.length > 0) return calls;
  const legacy = legacyCallOf(message);
  return legacy === undefined ? [] : [legacy];
}

export function malformed(where: string): FormatFinding {
  const message = `${where} is not a call of a named function: left out`;
  return { rule: 'malformed-call', severity: 'ERROR', message, rejects: true };
}
