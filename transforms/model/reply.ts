/**
 * Removes replies that are empty or only a thought, because there is nothing to learn from them (docs/cleaning.md),
 * and adds the role assistant to replies without a role.
 */

import { noted } from '../dialects/shared/reading-notes.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  DELETE,
  LETTER_N,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from '../json/bytes.ts';
import { keptMembersOf, type Member, type ValueSpan, walkElements } from '../json/members.ts';
import { skipBlanks } from '../json/scanner.ts';
import { concat, replaceValue } from '../json/splice.ts';
import { trustingScanner } from '../json/trusting-scanner.ts';
import { encode, parseString } from '../json/utf8.ts';
import type { Entry, Message, ReadingNote, RepairName } from './element.ts';
import { firstVisible, isReasoningMember, stringValue } from './message.ts';
import { isSameMessage } from './message-key.ts';
import { isBlank } from './white-space.ts';

/** Members that make a message an answer. */
const ANSWER_MEMBERS: ReadonlySet<string> = new Set([
  ...['content', 'tool_calls', 'function_call', 'refusal', 'audio'],
]);
/** Types of the parts of a content that are reasoning: of the Messages API, Mistral and others. */
export const THOUGHT_PARTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking', 'reasoning']);
const ASSISTANT = encode('"assistant"');
const ROLE_MEMBER = encode('"role":"assistant",');
const REPLY_ROLE: readonly RepairName[] = ['reply-role'];

/** How much a message of the model says: something besides its reasoning, only its reasoning, or nothing. */
export type Saying = 'answer' | 'thought' | 'nothing';

/**
 * A message is an answer if it has content, calls, a refusal or audio. Null, blank text, empty lists and a content of
 * blank texts count as none; a `<think>` block and parts with reasoning are reasoning.
 */
export function sayingOf(reply: Message): Saying {
  const first = firstVisible(reply);
  if (first !== undefined && first !== '<') return 'answer'; // the most common case
  const { bytes } = reply;
  const last = new Map<string, Member>(); // if a key occurs twice, the last one counts
  for (const member of keptMembersOf(bytes))
    if (ANSWER_MEMBERS.has(member.key) || isReasoningMember(member.key)) last.set(member.key, member);
  let saying: Saying = 'nothing';
  for (const member of last.values()) {
    const said = member.key === 'content' ? sayingOfContent(bytes, member) : isFilled(bytes, member);
    if (said === 'answer' || (said === true && ANSWER_MEMBERS.has(member.key))) return 'answer';
    if (said === 'thought' || said === true) saying = 'thought';
  }
  return saying;
}

/** Whether it is a message of the model that has only reasoning. */
export function isLoneThought(message: Message): boolean {
  if (message.role !== 'assistant') return false;
  keptMembersOf(message.bytes); // walked once, also for the checks and the format
  return sayingOf(message) === 'thought';
}

/** Whether the message is not an answer: a thought alone is none. */
export const isEmptyReply = (reply: Message): boolean => sayingOf(reply) !== 'answer';

function isFilled(bytes: Uint8Array, { valueStart, end }: ValueSpan): boolean {
  const first = bytes[valueStart];
  if (first === LETTER_N) return false;
  if (first === QUOTE) {
    const next = bytes[valueStart + 1] as number;
    const isVisible = next > SPACE && next < DELETE && next !== QUOTE && next !== BACKSLASH;
    return isVisible || !isBlank(parseString(bytes, valueStart, end));
  }
  return first !== OPEN_ARRAY || bytes[skipBlanks(bytes, valueStart + 1)] !== CLOSE_ARRAY;
}

function sayingOfContent(bytes: Uint8Array, span: ValueSpan): Saying {
  const content = bytes.subarray(span.valueStart, span.end);
  if (content[0] === OPEN_ARRAY) return sayingOfParts(content);
  if (!isFilled(bytes, span)) return 'nothing';
  return content[0] === QUOTE && isThoughtOnly(content) ? 'thought' : 'answer';
}

/** The walk ends at the first part that is neither a blank text nor reasoning: for it the visitor returns -1. */
function sayingOfParts(list: Uint8Array): Saying {
  let saying: Saying = 'nothing';
  const end = walkElements(list, 0, trustingScanner, (_number, start) => {
    const after = trustingScanner.value(list, start, 1);
    const part = list.subarray(start, after);
    if (part[0] !== OPEN_OBJECT) return -1;
    const type = stringValue(part, 'type') ?? '';
    if (THOUGHT_PARTS.has(type)) saying = 'thought';
    else if (type !== 'text' || !isBlank(stringValue(part, 'text') ?? '-')) return -1;
    return after;
  });
  return end < 0 ? 'answer' : saying;
}

/** Most bytes of white space that may follow a thought. */
const MAX_REST_BYTES = 256;
export const OPEN_THOUGHT = '<think>';
export const CLOSE_THOUGHT = '</think>';
const THOUGHT_END = encode(CLOSE_THOUGHT);

/** Whether a JSON string is a `<think>` block and nothing else. */
function isThoughtOnly(json: Uint8Array): boolean {
  const end = Buffer.from(json.buffer, json.byteOffset, json.length).lastIndexOf(THOUGHT_END);
  if (end < 0 || json.length - end > MAX_REST_BYTES) return false;
  return afterThought(parseString(json, 0, json.length)) === '';
}

/** The text after a `<think>` block at its beginning; undefined if there is none. */
export function afterThought(text: string): string | undefined {
  const start = text.trimStart();
  const end = start.startsWith(OPEN_THOUGHT) ? start.indexOf(CLOSE_THOUGHT) : -1;
  return end < 0 ? undefined : start.slice(end + CLOSE_THOUGHT.length).trimStart();
}

/**
 * Removes an empty reply, and adds the role assistant to a reply without a role (repair `reply-role`). Returns the same
 * object if neither is needed.
 */
export function settleReply(entry: Entry): Entry {
  const { reply } = entry;
  if (reply === undefined) return entry;
  if (isEmptyReply(reply))
    return { ...withNotes({ ...entry, reply: undefined }, reply.notes), emptyReply: true };
  return reply.role === '' ? { ...entry, reply: withRole(reply), repairs: REPLY_ROLE } : entry;
}

/**
 * Leaves out the last message of a request if it is the answer: some programs log the list to which they have added it. Of
 * the two, the one with reasoning stays.
 */
export function withoutRepeat(entry: Entry): Entry {
  const { messages, reply } = entry;
  const last = messages.at(-1);
  if (reply === undefined || last?.role !== 'assistant' || !isSameMessage(last, reply)) return entry;
  const isFuller = keptMembersOf(reply.bytes).some(({ key }) => isReasoningMember(key));
  return {
    ...entry,
    messages: messages.slice(0, -1),
    reply: isFuller ? reply : noted(last, reply.notes ?? []),
  };
}

/** Refuses an entry without any message if its answer was not understood: nothing else carries the finding. */
function withFault(entry: Entry, notes: readonly ReadingNote[]): Entry {
  const fault = notes.find(({ severity }) => severity === 'ERROR');
  return fault === undefined || entry.refused !== undefined
    ? entry
    : { ...entry, refused: { reason: 'unknown-content', detail: fault.message } };
}

/** Adds findings to the entry's reply; to its last message if it has no reply. */
export function withNotes(entry: Entry, notes: readonly ReadingNote[] = []): Entry {
  const { messages, reply } = entry;
  const last = reply ?? messages.at(-1);
  if (notes.length === 0) return entry;
  if (last === undefined) return withFault(entry, notes);
  const carrier = noted(last, notes);
  return reply === undefined
    ? { ...entry, messages: [...messages.slice(0, -1), carrier] }
    : { ...entry, reply: carrier };
}

/** Adds the role before the other members, or replaces a role that is null, empty or not a string. */
function withRole(reply: Message): Message {
  const { bytes } = reply;
  const json =
    replaceValue(bytes, 'role', ASSISTANT) ?? concat([bytes.subarray(0, 1), ROLE_MEMBER, bytes.subarray(1)]);
  return { ...reply, bytes: json, role: 'assistant' };
}
