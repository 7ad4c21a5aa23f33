/** Edits of a JSON object by splicing its bytes: members that are not named keep their bytes. */
import { elementsOf, type Member, membersOf } from './members.ts';
import { encode } from './utf8.ts';

/** An edit of one member: a new JSON text, `null` to drop it, undefined to keep it. */
export type MemberEdit = (member: Member, index: number) => Uint8Array | null | undefined;

/** The object with its members edited; the same bytes object when nothing changed. */
export function editMembers(object: Uint8Array, edit: MemberEdit): Uint8Array {
  const members = membersOf(object);
  const edits = members.map(edit);
  if (edits.every((edited) => edited === undefined)) return object;

  const first = members[0] as Member;
  const last = members[members.length - 1] as Member;
  const pieces: Uint8Array[] = [object.subarray(0, first.start)];
  let written = 0;
  members.forEach((member, i) => {
    const edited = edits[i];
    if (edited === null) return;
    const before = members[i - 1];
    if (written++ > 0 && before !== undefined) pieces.push(object.subarray(before.end, member.start));
    if (edited === undefined) pieces.push(object.subarray(member.start, member.end));
    else pieces.push(object.subarray(member.start, member.valueStart), edited);
  });
  pieces.push(object.subarray(last.end));
  return concat(pieces);
}

/** The object without the members that `drop` names. */
export function dropMembers(object: Uint8Array, drop: (member: Member) => boolean): Uint8Array {
  return editMembers(object, (member) => (drop(member) ? null : undefined));
}

/** The object with the value of `key` replaced: the effective (last) one; undefined when it has no such member. */
export function replaceValue(object: Uint8Array, key: string, json: Uint8Array): Uint8Array | undefined {
  const at = membersOf(object).findLastIndex((member) => member.key === key);
  if (at < 0) return undefined;
  return editMembers(object, (_member, index) => (index === at ? json : undefined));
}

/** The object with one more member at its end. The object has at least one. */
export function addMember(object: Uint8Array, key: string, json: Uint8Array): Uint8Array {
  const last = membersOf(object).at(-1) as Member;
  return concat([
    object.subarray(0, last.end),
    encode(`,${JSON.stringify(key)}:`),
    json,
    object.subarray(last.end),
  ]);
}

/** The array with its elements edited (undefined leaves one); the same bytes object when nothing changed. */
export function editElements(
  array: Uint8Array,
  edit: (element: Uint8Array, index: number) => Uint8Array | undefined,
): Uint8Array {
  const elements = elementsOf(array);
  const edits = elements.map(edit);
  if (edits.every((edited) => edited === undefined)) return array;
  const pieces: Uint8Array[] = [];
  let end = 0;
  elements.forEach((element, i) => {
    const start = element.byteOffset - array.byteOffset;
    pieces.push(array.subarray(end, start), edits[i] ?? element);
    end = start + element.length;
  });
  pieces.push(array.subarray(end));
  return concat(pieces);
}

/** One array of all the bytes. */
export function concat(pieces: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const { buffer, byteOffset } = Buffer.allocUnsafe(length); // small ones share a block
  const whole = new Uint8Array(buffer, byteOffset, length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
