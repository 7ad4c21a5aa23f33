/**
 * Calls and results in the first form of the chat completions API, a `function_call` and the role `function`, which no
 * template reads: written as `tool_calls` and the role `tool`. They have no ids, and a result has the name of its function.
 */
import { membersOf } from '../json/members.ts';
import { concat, dropMembers, replaceValue, spliced } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { legacyCallOf } from '../model/message.ts';

const CALLS = encode('"tool_calls":[{"type":"function","function":');
const CLOSE = encode('}]');
const TOOL = encode('"tool"');

/** Returns the same object for a message that does not change. */
export function oldCallsAsNew(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    if (message.role === 'assistant') return withNewCall(message);
    const bytes = message.role === 'function' ? replaceValue(message.bytes, 'role', TOOL) : undefined;
    return bytes === undefined ? message : { bytes, role: 'tool' };
  });
}

function withNewCall(message: Message): Message {
  const call = legacyCallOf(message);
  if (!call?.name) return message;
  const bytes = dropMembers(message.bytes, ({ key }) => key === 'tool_calls'); // null or an empty list
  const old = membersOf(bytes).findLast(({ key }) => key === 'function_call');
  if (old === undefined) return message;
  const by = concat([CALLS, call.bytes, CLOSE]);
  return { bytes: spliced(bytes, [{ start: old.start, end: old.end, by }]), role: message.role };
}
