/**
 * Encrypted reasoning that Gemini's and xAI's models send with an answer of the chat completions API: signatures in its
 * calls or in the members of its provider, `encrypted_content`, and `reasoning_opaque` of GitHub Copilot.
 */

import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, keptMembersOf, type Member, membersOf } from '../json/members.ts';
import { perObject } from '../json/notes.ts';
import { editElements, editMembers } from '../json/splice.ts';
import type { Message } from './element.ts';

/** Part of the names of all members of a call with a signature. */
const MARK = Buffer.from('thought_signature');
const SIGNATURES: ReadonlySet<string> = new Set([
  'thought_signature',
  'thought_signatures',
  'encrypted_content',
  'reasoning_opaque',
]);
/** Objects that may hold them, in a message or a call. */
const HOLDERS: ReadonlySet<string> = new Set(['extra_content', 'provider_specific_fields', 'google']);

/** Whether an answer may have signatures. */
export const mayBeSigned: (message: Message) => boolean = perObject(
  ({ bytes, role }: Message) =>
    role === 'assistant' &&
    keptMembersOf(bytes).some(({ key, valueStart, end }) => {
      if (key !== 'tool_calls') return HOLDERS.has(key) || SIGNATURES.has(key);
      return Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, end - valueStart).includes(MARK);
    }),
);

/** The signatures of an answer, as JSON strings. @param message JSON text */
export function signaturesIn(message: Uint8Array): readonly Uint8Array[] {
  return membersOf(message).flatMap((member) => {
    const value = valueIn(message, member);
    if (member.key === 'tool_calls' && value[0] === OPEN_ARRAY) return elementsOf(value).flatMap(inObject);
    return ofMember(member, value);
  });
}

const valueIn = (object: Uint8Array, { valueStart, end }: Member): Uint8Array =>
  object.subarray(valueStart, end);

const inObject = (object: Uint8Array): readonly Uint8Array[] =>
  object[0] === OPEN_OBJECT
    ? membersOf(object).flatMap((member) => ofMember(member, valueIn(object, member)))
    : [];

function ofMember({ key }: Member, value: Uint8Array): readonly Uint8Array[] {
  if (HOLDERS.has(key)) return inObject(value);
  if (!SIGNATURES.has(key)) return [];
  return (value[0] === OPEN_ARRAY ? elementsOf(value) : [value]).filter(
    (one) => one[0] === QUOTE && one.length > 2,
  );
}

/** The answer without its signatures, and without objects that held nothing else; the same object if it has none. */
export function withoutSignatures(message: Message): Message {
  if (!mayBeSigned(message)) return message;
  const bytes = editMembers(message.bytes, (member) => {
    const value = valueIn(message.bytes, member);
    if (member.key !== 'tool_calls' || value[0] !== OPEN_ARRAY) return unsignedMember(member, value);
    return editElements(value, (call) => (call[0] === OPEN_OBJECT ? unsigned(call) : undefined));
  });
  return bytes.length === message.bytes.length ? message : { ...message, bytes };
}

const unsigned = (object: Uint8Array): Uint8Array =>
  editMembers(object, (member) => unsignedMember(member, valueIn(object, member)));

/** The value without signatures; null if it has nothing else, undefined if it has none. */
function unsignedMember(member: Member, value: Uint8Array): Uint8Array | null | undefined {
  if (ofMember(member, value).length === 0) return undefined;
  if (!HOLDERS.has(member.key)) return null;
  const rest = unsigned(value);
  return membersOf(rest).length === 0 ? null : rest;
}
