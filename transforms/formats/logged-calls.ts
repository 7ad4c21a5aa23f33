/**
 * The calls of a message (`tool_calls`, or the old `function_call`), for formats that write calls in another syntax.
 */
import type { Message } from '../model/element.ts';
import { legacyCallOf, toolCallsOf } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import type { FormatFinding, Report } from './format.ts';
import { fatal } from './shared-rules.ts';

export function loggedCalls(message: Message, where: string, report: Report): readonly ToolCall[] {
  const calls = toolCallsOf(message);
  if (calls === 'not-a-list') report(malformed(`${where}.tool_calls`));
  else if (calls !== undefined && calls.length > 0) return calls;
  const legacy = legacyCallOf(message);
  return legacy === undefined ? [] : [legacy];
}

export const malformed = (where: string): FormatFinding =>
  fatal('malformed-call', `${where} is not a call of a named function: left out`);
