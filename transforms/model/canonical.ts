/**
 * Converts messages to their canonical form in a record: role `developer` becomes `system`, and null members are
 * dropped.
 */

import { LETTER_N } from '../json/bytes.ts';
import { type Member, membersOf } from '../json/members.ts';
import { perObject } from '../json/notes.ts';
import { editMembers, replaceValue } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Message } from './element.ts';

const SYSTEM = encode('"system"');
const NULL_BYTES = 4;

/** @param count called with the name of each rule that changes the message */
export function canonical(message: Message, count: (rule: string) => void): Message {
  const changed = changedOf(message);
  if (changed === undefined) return message;
  changed.rules.forEach(count);
  return changed.message;
}

/** Cached, because the conversations of a session share messages. */
const changedOf = perObject((message: Message) => {
  const rules: string[] = [];
  const mapped = developerToSystem(message);
  if (mapped !== message) rules.push('developer-role');
  const bytes = dropNulls(mapped.bytes);
  if (bytes !== mapped.bytes) rules.push('null-fields');
  if (rules.length === 0) return undefined;
  return { message: bytes === mapped.bytes ? mapped : { ...mapped, bytes }, rules };
});

function developerToSystem(message: Message): Message {
  if (message.role !== 'developer') return message;
  return { ...message, bytes: replaceValue(message.bytes, 'role', SYSTEM) as Uint8Array, role: 'system' };
}

/** Drops members whose value (the last one, if a key occurs twice) is null, because trainers fail on nulls. */
function dropNulls(object: Uint8Array): Uint8Array {
  const members = membersOf(object);
  const isNull = ({ valueStart, end }: Member): boolean =>
    end - valueStart === NULL_BYTES && object[valueStart] === LETTER_N;
  if (!members.some(isNull)) return object;
  const nulls = new Set<string>();
  for (const member of members) {
    if (isNull(member)) nulls.add(member.key);
    else nulls.delete(member.key);
  }
  return nulls.size === 0 ? object : editMembers(object, ({ key }) => (nulls.has(key) ? null : undefined));
}
