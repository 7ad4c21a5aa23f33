/** Rule `members-dropped`: reports members of messages that a format cannot hold. */
import { membersOf } from '../json/members.ts';
import type { Conversation, Message } from '../model/element.ts';
import { isRole } from '../model/known-roles.ts';
import { legacyCallOf, type MessageText, REASONING_MEMBERS } from '../model/message.ts';
import { isEmptyReply } from '../model/reply.ts';
import type { Format, FormatFinding } from './format.ts';
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

/** The problem that rule `parts-joined` reports. */
export const PARTS_JOINED = 'a content of several parts: written as one text';

/** Reports parts of a content that become one text, and parts that are left out. */
export function reportParts({ otherParts, isJoined }: MessageText, where: string, report: Report): void {
  const warn = (rule: string, problem: string): void =>
    report({ rule, severity: 'WARNING', message: `${where} has ${problem}` });
  if (otherParts) warn('non-text-part', 'parts that are not text: left out');
  if (isJoined) warn('parts-joined', PARTS_JOINED);
}

/**
 * Reports the first message whose role no consumer knows: rule `unknown-role` of formats that write messages as they are,
 * for consumers that refuse any other role.
 */
export function reportUnknownRoles(messages: readonly Message[], report: Report): void {
  const at = messages.findIndex(({ role }) => !isRole(role));
  if (at < 0) return;
  const message = `messages[${at}] has a role that is none of those that consumers know`;
  report({ rule: 'unknown-role', severity: 'ERROR', message, rejects: true });
}

/**
 * Rule `no-answer`: the conversation has no answer of the model to learn from, neither a text nor a call. A thought
 * alone is none. Formats for trainers reject it by default; others write it.
 */
export const NO_ANSWER = 'no-answer';

/** The finding about a conversation without an answer; undefined if it has one, or is a grader's sample. */
export function findNoAnswer(
  { messages, sample }: Conversation,
  { rules, needsAnswer }: Format,
): FormatFinding | undefined {
  if (!rules.includes(NO_ANSWER) || (sample !== undefined && needsAnswer !== true)) return undefined;
  if (messages.some((message) => message.role === 'assistant' && !isEmptyReply(message))) return undefined;
  const found = { rule: NO_ANSWER, message: 'the conversation has no assistant message to learn from' };
  return needsAnswer === true
    ? { ...found, severity: 'ERROR', rejects: true }
    : { ...found, severity: 'WARNING' };
}

/** Finds the model's last answer for formats that teach it. Reports conversations that do not end in an answer. */

/**
 * Returns the index of the last answer, and reports messages after it, which the format leaves out. Returns -1, with a
 * finding that rejects the session, if there is none.
 * @param answers for each message, whether it is an assistant message that is not empty
 */
export function lastAnswer(answers: readonly boolean[], report: Report): number {
  const last = answers.lastIndexOf(true);
  if (last < 0) {
    const message = 'the conversation has no assistant message to learn from';
    report({ rule: 'unanswered-end', severity: 'ERROR', message, rejects: true });
  } else if (last < answers.length - 1) {
    report(unansweredEnd(last + 1, answers.length));
  }
  return last;
}

/** @param at index of the first message that is left out, of `count` messages */
export function unansweredEnd(at: number, count: number): FormatFinding {
  const which = `messages[${at}] ${at === count - 1 ? 'has' : 'and the messages after it have'}`;
  return { rule: 'unanswered-end', severity: 'WARNING', message: `${which} no answer: left out` };
}
