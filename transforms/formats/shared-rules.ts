/** The findings of formats, and the rules that several formats share. */
import { membersOf } from '../json/members.ts';
import type { Conversation, Message } from '../model/element.ts';
import { isRole } from '../model/known-roles.ts';
import { legacyCallOf, type MessageText, REASONING_MEMBERS } from '../model/message.ts';
import { isEmptyReply } from '../model/reply.ts';
import type { Format, FormatFinding, Report } from './format.ts';

const RESULTS: ReadonlySet<string> = new Set(['tool', 'function']);
const ANY_ROLE: ReadonlySet<string> = new Set(['role', 'content', 'name']);
const ASSISTANT_MEMBERS: ReadonlySet<string> = new Set([...REASONING_MEMBERS, 'tool_calls', 'function_call']);

export function fatal(rule: string, message: string): FormatFinding {
  return { rule, severity: 'ERROR', message, rejects: true };
}

export function warning(rule: string, message: string): FormatFinding {
  return { rule, severity: 'WARNING', message };
}

/** A list of findings, and the function that adds to it. */
export function collectFindings(): { readonly findings: readonly FormatFinding[]; readonly report: Report } {
  const findings: FormatFinding[] = [];
  return { findings, report: (finding) => findings.push(finding) };
}

/** Reports what is true of several messages in one finding. @param at their indexes */
export function warnOf(at: readonly number[], rule: string, problem: string, report: Report): void {
  if (at.length === 0) return;
  const others = at.length > 1 ? ` and ${at.length - 1} more` : '';
  report(warning(rule, `messages[${at[0]}]${others} has ${problem}`));
}

/**
 * Rule `members-dropped`: reports messages with members that the format cannot hold.
 * @param place the part of the record that has no such members: `a step`
 */
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
  warnOf(losing, 'members-dropped', `members that ${place} has no place for: left out`, report);
}

/** The problem that rule `parts-joined` reports. */
export const PARTS_JOINED = 'a content of several parts: written as one text';

/** Reports parts of a content that become one text, and parts that are left out. */
export function reportParts({ otherParts, isJoined }: MessageText, where: string, report: Report): void {
  if (otherParts) report(warning('non-text-part', `${where} has parts that are not text: left out`));
  if (isJoined) report(warning('parts-joined', `${where} has ${PARTS_JOINED}`));
}

/**
 * Reports the first message whose role no consumer knows: rule `unknown-role` of formats that write messages as they are,
 * for consumers that refuse any other role.
 */
export function reportUnknownRoles(messages: readonly Message[], report: Report): void {
  const at = messages.findIndex(({ role }) => !isRole(role));
  if (at < 0) return;
  report(fatal('unknown-role', `messages[${at}] has a role that is none of those that consumers know`));
}

/**
 * Rule `no-answer`: the conversation has no answer of the model to learn from, neither a text nor a call. A thought
 * alone is none. Formats for trainers reject it by default; others write it.
 */
export const NO_ANSWER = 'no-answer';
const NOTHING_TO_LEARN = 'the conversation has no assistant message to learn from';

/** The finding about a conversation without an answer; undefined if it has one, or is a grader's sample. */
export function findNoAnswer(
  { messages, sample }: Conversation,
  { rules, needsAnswer }: Format,
): FormatFinding | undefined {
  if (!rules.includes(NO_ANSWER) || (sample !== undefined && needsAnswer !== true)) return undefined;
  if (messages.some((message) => message.role === 'assistant' && !isEmptyReply(message))) return undefined;
  return (needsAnswer === true ? fatal : warning)(NO_ANSWER, NOTHING_TO_LEARN);
}

/**
 * Returns the index of the last answer, and reports messages after it, which the format leaves out. Returns -1, with a
 * finding that rejects the session, if there is none.
 * @param answers for each message, whether it is an assistant message that is not empty
 */
export function lastAnswer(answers: readonly boolean[], report: Report): number {
  const last = answers.lastIndexOf(true);
  if (last < 0) {
    report(fatal('unanswered-end', NOTHING_TO_LEARN));
  } else if (last < answers.length - 1) {
    report(unansweredEnd(last + 1, answers.length));
  }
  return last;
}

/** @param at index of the first message that is left out, of `count` messages */
export function unansweredEnd(at: number, count: number): FormatFinding {
  const which = `messages[${at}] ${at === count - 1 ? 'has' : 'and the messages after it have'}`;
  return warning('unanswered-end', `${which} no answer: left out`);
}
