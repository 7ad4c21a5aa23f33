/** Edits JSON objects and arrays by splicing their bytes: whatever an edit does not change keeps its bytes. */
import { pooled } from './keep.ts';
import { elementsOf, type Member, membersOf } from './members.ts';
import { encode } from './utf8.ts';

/** An edit of one member: a new JSON text, `null` to drop it, undefined to keep it. */
export type MemberEdit = (member: Member, index: number) => Uint8Array | null | undefined;

/** A part of JSON text, and the bytes that replace it. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly by: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** Replaces the parts, which must be in order; returns the same object if there are none. */
export function spliced(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  if (splices.length === 0) return bytes;
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end, by } of splices) {
    pieces.push(bytes.subarray(from, start), by);
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return concat(pieces);
}

/** The object with its members edited; the same object if nothing changes. */
export function editMembers(object: Uint8Array, edit: MemberEdit): Uint8Array {
  let isFirst = true; // no member before this one was kept
  const splices = membersOf(object).flatMap((member, i, members): Splice | readonly Splice[] => {
    const by = edit(member, i);
    if (by === null) {
      // drop the comma before it too, or the comma after it if no member before it was kept
      const before = isFirst ? undefined : members[i - 1];
      const after = isFirst ? members[i + 1] : undefined;
      return { start: before?.end ?? member.start, end: after?.start ?? member.end, by: NOTHING };
    }
    isFirst = false;
    return by === undefined ? [] : { start: member.valueStart, end: member.end, by };
  });
  return spliced(object, splices);
}

/** The object without the members for which `drop` returns true; the same object if there are none. */
export function dropMembers(object: Uint8Array, drop: (member: Member) => boolean): Uint8Array {
  return editMembers(object, (member) => (drop(member) ? null : undefined));
}

/** The object with the value of the last member `key` replaced, the one that counts; undefined if there is none. */
export function replaceValue(object: Uint8Array, key: string, json: Uint8Array): Uint8Array | undefined {
  const member = membersOf(object).findLast((one) => one.key === key);
  return member && spliced(object, [{ start: member.valueStart, end: member.end, by: json }]);
}

/** The object with one more member at its end. It must have a member already. */
export function addMember(object: Uint8Array, key: string, json: Uint8Array): Uint8Array {
  const last = membersOf(object).at(-1) as Member;
  return concat([
    object.subarray(0, last.end),
    encode(`,${JSON.stringify(key)}:`),
    json,
    object.subarray(last.end),
  ]);
}

/** The array with its elements edited (undefined keeps an element); the same object if nothing changes. */
export function editElements(
  array: Uint8Array,
  edit: (element: Uint8Array, index: number) => Uint8Array | undefined,
): Uint8Array {
  const splices = elementsOf(array).flatMap((element, i): Splice | readonly Splice[] => {
    const by = edit(element, i);
    const start = element.byteOffset - array.byteOffset;
    return by === undefined ? [] : { start, end: start + element.length, by };
  });
  return spliced(array, splices);
}

/** Joins the pieces in a new array. */
export function concat(pieces: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  const whole = pooled(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
