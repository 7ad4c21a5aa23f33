/** The members of a JSON object as spans of its bytes. */
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, QUOTE } from './bytes.ts';
import { ReturnOverride } from './notes.ts';
import { skipBlanks, type ValueScanner } from './scanner.ts';
import { trustingScanner } from './trusting-scanner.ts';
import { knownText, parseString, spells } from './utf8.ts';

/** One member; the indexes point into the object's bytes. */
export interface Member {
  /** The decoded key. */
  readonly key: string;
  /** Index of the key's opening quote. */
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

export type ValueSpan = Pick<Member, 'valueStart' | 'end'>;

/** Does the JSON string in `[start, end)`, quotes included, spell this ASCII key, escaped or not? */
export function isKey(bytes: Uint8Array, start: number, end: number, key: string): boolean {
  if (end - start - 2 <= key.length) return spells(bytes, start + 1, end - 1, key);
  for (let p = start + 1; p < end; p++)
    if (bytes[p] === BACKSLASH) return parseString(bytes, start, end) === key;
  return false;
}

/**
 * Receives the key's span (quotes included), the index of its value and the bytes; returns the index after the value,
 * or -1 if the scanner failed in it.
 */
export type MemberVisitor = (
  keyStart: number,
  keyEnd: number,
  valueStart: number,
  bytes: Uint8Array,
) => number;

/**
 * Receives the number of an element, its index and the bytes; returns the index after the element, or -1 if the scanner
 * failed in it.
 */
export type ElementVisitor = (number: number, start: number, bytes: Uint8Array) => number;

/**
 * Walks the members of the object that opens at `at`, validating as it goes.
 * @returns the index after the object, or -1 if it is not valid: `scanner.failedAt` is the position
 */
export function walkMembers(
  bytes: Uint8Array,
  at: number,
  scanner: ValueScanner,
  visit: MemberVisitor,
): number {
  let p = skipBlanks(bytes, at + 1);
  if (bytes[p] === CLOSE_OBJECT) return p + 1;
  for (let left = scanner.maxElements; ; left--) {
    if (bytes[p] !== QUOTE || left === 0) return scanner.fail(p);
    const keyEnd = scanner.string(bytes, p);
    if (keyEnd < 0) return -1;
    const colon = skipBlanks(bytes, keyEnd);
    if (bytes[colon] !== COLON) return scanner.fail(colon);
    p = visit(p, keyEnd, skipBlanks(bytes, colon + 1), bytes);
    if (p < 0) return -1;
    p = skipBlanks(bytes, p);
    if (bytes[p] === CLOSE_OBJECT) return p + 1;
    if (bytes[p] !== COMMA) return scanner.fail(p);
    p = skipBlanks(bytes, p + 1);
  }
}

/**
 * Remembers the members of long-lived objects, so that they are not walked again. Not a note (notes.ts), because the
 * code for notes is fast while it sees objects of few shapes, and byte arrays would add two.
 */
class Walked extends ReturnOverride {
  readonly #members: readonly Member[];

  constructor(object: Uint8Array, members: readonly Member[]) {
    super(object);
    this.#members = members;
  }

  static membersOf(object: Uint8Array): readonly Member[] | undefined {
    return #members in object ? (object as unknown as Walked).#members : undefined;
  }
}

/** Remembering the members of a shorter object would take many times its bytes, and its walk is short. */
const MIN_REMEMBERED_BYTES = 64;

/**
 * Remembers the members of an object, unless it is short or they are known. Its bytes must never change.
 * @param list lists them without spare capacity; called only if they are remembered
 */
export function rememberMembers(object: Uint8Array, list: () => readonly Member[]): void {
  if (object.length >= MIN_REMEMBERED_BYTES && Walked.membersOf(object) === undefined)
    new Walked(object, list());
}

/** The members of a valid object, in order. `object` is its JSON text, from brace to brace. */
export function membersOf(object: Uint8Array): readonly Member[] {
  const known = Walked.membersOf(object);
  if (known !== undefined) return known;
  const members: Member[] = [];
  walkMembers(object, 0, trustingScanner, (start, keyEnd, valueStart) => {
    const end = trustingScanner.value(object, valueStart, 1);
    members.push({ key: knownText(object, start, keyEnd), start, valueStart, end });
    return end;
  });
  return members;
}

/** Like `membersOf`, and remembers them, for an object that several stages look into. Its bytes must never change. */
export function keptMembersOf(object: Uint8Array): readonly Member[] {
  rememberMembers(object, () => membersOf(object).slice()); // a list that grows takes at least seventeen places
  return membersOf(object);
}

/** Span of a member's value in the object: the last one with that key, as in JSON.parse; undefined if absent. */
export function valueSpan(object: Uint8Array, key: string): ValueSpan | undefined {
  const members = Walked.membersOf(object);
  if (members !== undefined) {
    for (let i = members.length - 1; i >= 0; i--) if (members[i]?.key === key) return members[i];
    return undefined;
  }
  let found: ValueSpan | undefined;
  walkMembers(object, 0, trustingScanner, (start, keyEnd, valueStart) => {
    const end = trustingScanner.value(object, valueStart, 1);
    if (isKey(object, start, keyEnd, key)) found = { valueStart, end };
    return end;
  });
  return found;
}

/**
 * Index of the value of the first member with that key; -1 if there is none. A walk ends there, because the value may be
 * a giant one.
 */
export function valueAt(object: Uint8Array, key: string): number {
  const members = Walked.membersOf(object);
  if (members !== undefined) return members.find((member) => member.key === key)?.valueStart ?? -1;
  let found = -1;
  walkMembers(object, 0, trustingScanner, (start, end, value) => {
    if (!isKey(object, start, end, key)) return trustingScanner.value(object, value, 1);
    found = value;
    return -1;
  });
  return found;
}

/** The decoded string in `bytes[start, end)`; undefined if the value is not a string. */
export function textAt(bytes: Uint8Array, start: number, end: number): string | undefined {
  return bytes[start] === QUOTE ? knownText(bytes, start, end) : undefined;
}

/** The JSON text of a member's value: the last one with that key; undefined if absent. */
export function valueBytes(object: Uint8Array, key: string): Uint8Array | undefined {
  const span = valueSpan(object, key);
  return span && object.subarray(span.valueStart, span.end);
}

/** The JSON texts of several members' values in one walk, in the order of `keys`. */
export function valuesOf(object: Uint8Array, keys: readonly string[]): (Uint8Array | undefined)[] {
  const found = new Array<Uint8Array | undefined>(keys.length).fill(undefined);
  const members = Walked.membersOf(object);
  if (members !== undefined) {
    for (const { key, valueStart, end } of members) {
      const i = keys.indexOf(key);
      if (i >= 0) found[i] = object.subarray(valueStart, end);
    }
    return found;
  }
  walkMembers(object, 0, trustingScanner, (start, keyEnd, valueStart) => {
    const end = trustingScanner.value(object, valueStart, 1);
    for (let i = 0; i < keys.length; i++)
      if (isKey(object, start, keyEnd, keys[i] as string)) found[i] = object.subarray(valueStart, end);
    return end;
  });
  return found;
}

/**
 * Walks the elements of the array that opens at `at`, validating as it goes.
 * @returns the index after the array, or -1 if it is not valid: `scanner.failedAt` is the position
 */
export function walkElements(
  bytes: Uint8Array,
  at: number,
  scanner: ValueScanner,
  visit: ElementVisitor,
): number {
  let p = skipBlanks(bytes, at + 1);
  if (bytes[p] === CLOSE_ARRAY) return p + 1;
  for (let number = 0; ; number++) {
    if (number === scanner.maxElements) return scanner.fail(p);
    p = visit(number, p, bytes);
    if (p < 0) return -1;
    p = skipBlanks(bytes, p);
    if (bytes[p] === CLOSE_ARRAY) return p + 1;
    if (bytes[p] !== COMMA) return scanner.fail(p);
    p = skipBlanks(bytes, p + 1);
  }
}

/** The JSON texts of the elements of a valid array, from bracket to bracket. */
export function elementsOf(array: Uint8Array): readonly Uint8Array[] {
  const elements: Uint8Array[] = [];
  walkElements(array, 0, trustingScanner, (_number, start) => {
    const end = trustingScanner.value(array, start, 1);
    elements.push(array.subarray(start, end));
    return end;
  });
  return elements;
}
