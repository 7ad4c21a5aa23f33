/**
 * Compares the first object of a source that no dialect recognises with those of known programs, so that its rejection
 * says what the log is and what to do instead.
 */
import type { ObjectMembers } from '../dialects/dialect.ts';
import { OPEN_OBJECT } from '../json/bytes.ts';
import { membersOf } from '../json/members.ts';
import { textOfValue } from '../model/message.ts';
import { firstOf, UNREAD_LOGS, type UnreadLog } from './unread-log-list.ts';

/** Members of an answer of an API, or of a body that is sent to one, that hold a page of objects. */
const PAGES = ['data', 'results', 'traces', 'events', 'spans'] as const;

/** Says what an unrecognised source is and what to do; undefined if its first object is not that of a known log. */
export function unreadLogAdvice(first: ObjectMembers): string | undefined {
  const rows = PAGES.flatMap((key) => firstOf(first.get(key)) ?? []);
  const found = [first, ...rows.map(objectIn)].map(unreadLog).find((one) => one !== undefined);
  return found && `this is ${found.what}: ${found.advice}`;
}

function unreadLog(first: ObjectMembers): UnreadLog | undefined {
  const type = textOfValue(first.get('type'));
  return UNREAD_LOGS.find(
    ({ keys, type: pattern, test }) =>
      keys.every((key) => first.has(key)) &&
      (pattern === undefined || (type !== undefined && pattern.test(type))) &&
      (test === undefined || test(first)),
  );
}

/** The members of an object; none for any other value. */
const objectIn = (value: Uint8Array): ObjectMembers =>
  new Map(
    value[0] === OPEN_OBJECT
      ? membersOf(value).map(({ key, valueStart, end }) => [key, value.subarray(valueStart, end)])
      : [],
  );
