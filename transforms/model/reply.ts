/**
 * Removes empty replies, because there is nothing to learn from them (docs/conversion.md), and adds the role assistant
 * to replies without a role.
 */

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
import { type Member, membersOf, walkElements } from '../json/members.ts';
import { skipBlanks } from '../json/scanner.ts';
import { concat, replaceValue } from '../json/splice.ts';
import { trustingScanner } from '../json/trusting-scanner.ts';
import { encode, parseString } from '../json/utf8.ts';
import type { Entry, Message, ReadingNote, RepairName } from './element.ts';
import { firstVisible, REASONING_MEMBERS, stringValue } from './message.ts';
import { isBlank } from './white-space.ts';

/** Members that make a message non-empty, including reasoning under other names than `REASONING_MEMBERS`. */
const CONTENT_MEMBERS: ReadonlySet<string> = new Set([
  'content',
  ...['tool_calls', 'function_call', 'refusal', 'audio'],
  ...[...REASONING_MEMBERS, 'reasoning', 'reasoning_details', 'thinking_blocks'],
]);
const ASSISTANT = encode('"assistant"');
const ROLE_MEMBER = encode('"role":"assistant",');
const REPLY_ROLE: readonly RepairName[] = ['reply-role'];

/**
 * Whether the message has no content, calls, reasoning, refusal or audio. Null, blank text, empty lists and a content
 * of blank texts count as none.
 */
export function isEmptyReply(reply: Message): boolean {
  if (firstVisible(reply) !== undefined) return false; // the most common case
  const { bytes } = reply;
  const last = new Map<string, Member>(); // if a key occurs twice, the last one counts
  for (const member of membersOf(bytes)) if (CONTENT_MEMBERS.has(member.key)) last.set(member.key, member);
  for (const member of last.values()) if (isFilled(bytes, member)) return false;
  return true;
}

function isFilled(bytes: Uint8Array, { key, valueStart, end }: Member): boolean {
  const first = bytes[valueStart];
  if (first === LETTER_N) return false;
  if (first === QUOTE) {
    const next = bytes[valueStart + 1] as number;
    const isVisible = next > SPACE && next < DELETE && next !== QUOTE && next !== BACKSLASH;
    return isVisible || !isBlank(parseString(bytes, valueStart, end));
  }
  if (first !== OPEN_ARRAY) return true;
  if (key === 'content') return !holdsBlankTextsOnly(bytes.subarray(valueStart, end));
  return bytes[skipBlanks(bytes, valueStart + 1)] !== CLOSE_ARRAY;
}

/** Whether all parts are blank texts. The walk ends at the first other part, for which the visitor returns -1. */
function holdsBlankTextsOnly(list: Uint8Array): boolean {
  const end = walkElements(list, 0, trustingScanner, (_number, start) => {
    const after = trustingScanner.value(list, start, 1);
    return isBlankText(list.subarray(start, after)) ? after : -1;
  });
  return end >= 0;
}

function isBlankText(part: Uint8Array): boolean {
  if (part[0] !== OPEN_OBJECT || stringValue(part, 'type') !== 'text') return false;
  const text = stringValue(part, 'text');
  return text !== undefined && isBlank(text);
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

/** Adds findings to the entry's reply; to its last message if it has no reply. */
export function withNotes(entry: Entry, notes: readonly ReadingNote[] = []): Entry {
  const { messages, reply } = entry;
  const last = reply ?? messages.at(-1);
  if (last === undefined || notes.length === 0) return entry;
  const noted: Message = { ...last, notes: [...(last.notes ?? []), ...notes] };
  return reply === undefined
    ? { ...entry, messages: [...messages.slice(0, -1), noted] }
    : { ...entry, reply: noted };
}

/** Adds the role before the other members, or replaces a role that is null, empty or not a string. */
function withRole(reply: Message): Message {
  const { bytes } = reply;
  const json =
    replaceValue(bytes, 'role', ASSISTANT) ?? concat([bytes.subarray(0, 1), ROLE_MEMBER, bytes.subarray(1)]);
  return { ...reply, bytes: json, role: 'assistant' };
}
