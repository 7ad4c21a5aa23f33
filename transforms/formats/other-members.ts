/** Rule `members-dropped`: reports members of messages that a format cannot hold. */
import { membersOf } from '../json/members.ts';
import type { Message } from '../model/element.ts';
import { legacyCallOf, REASONING_MEMBERS } from '../model/message.ts';
import type { Report } from './tool-arguments.ts';

const RESULTS: ReadonlySet<string> = new Set(['tool', 'function']);
const ANY_ROLE: ReadonlySet<string> = new Set(['role', 'content', 'name']);
const ASSISTANT_MEMBERS: ReadonlySet<string> = new Set([...REASONING_MEMBERS, 'tool_calls', 'function_call']);

/** Reports all such messages in one finding. @param place the part of the record that has no such members: `a step` */
export function reportOtherMembers(messages: readonly Message[], place: string, report: Report): void {
  const losing = messages.flatMap((message, at) => {
    const isHeld = (key: string): boolean => {
      if (ANY_ROLE.has(key)) return key !== 'name' || RESULTS.has(message.role);
      if (RESULTS.has(message.role)) return key === 'tool_call_id';
      if (message.role !== 'assistant' || !ASSISTANT_MEMBERS.has(key)) return false;
      return key !== 'function_call' || legacyCallOf(message) !== undefined;
    };
    return membersOf(message.bytes).every(({ key }) => isHeld(key)) ? [] : [at];
  });
  if (losing.length === 0) return;
  const which = `messages[${losing[0]}]${losing.length > 1 ? ` and ${losing.length - 1} more` : ''}`;
  const message = `${which} has members that ${place} has no place for: left out`;
  report({ rule: 'members-dropped', severity: 'WARNING', message });
}
