/** Reads logged values: tests for null, and parses lists and objects that a logger wrote as JSON in a string. */

import { BACKSLASH, LETTER_U, OPEN_ARRAY, OPEN_OBJECT, SPACE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { textScanner } from '../../json/plain-scanner.ts';
import { inString, quote } from '../../json/respace.ts';
import { skipBlanks } from '../../json/scanner.ts';
import { unquote } from '../../json/unquote.ts';
import { encode } from '../../json/utf8.ts';

const BEGINS_JSON = /^\s*[[{]/;
/** The letters of escapes that are white space. */
const BLANK_LETTERS: ReadonlySet<number | undefined> = new Set([...'nrt'].map((one) => one.charCodeAt(0)));
const TRUE = 't'.charCodeAt(0);

/** Whether there is a value other than null. */
export const present = (view: JsonView | undefined): view is JsonView =>
  view !== undefined && view.type !== 'null';

/** The first of these members that is present and not null. */
export function firstOf(view: JsonView | undefined, ...keys: readonly string[]): JsonView | undefined {
  for (const key of keys) {
    const value = view?.get(key);
    if (present(value)) return value;
  }
  return undefined;
}

export const isTrue = (view: JsonView | undefined): boolean => view?.bytes[0] === TRUE;

/** The value; for a string that holds a list or an object as JSON, that list or object. */
export function structured(view: JsonView | undefined): JsonView | undefined {
  return (view?.type === 'string' && mayHoldJson(view) && view.inner(jsonInString)) || view;
}

/** As `structured`, but undefined for null too. */
export function unpacked(view: JsonView | undefined): JsonView | undefined {
  return present(view) ? structured(view) : undefined;
}

/** May a string hold a list or an object? White space, or an escape, may be before that. */
function mayHoldJson({ bytes }: JsonView): boolean {
  for (let p = 1; ; p++) {
    const byte = bytes[p] as number;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return true;
    if (byte === BACKSLASH) {
      const letter = bytes[++p];
      if (letter === LETTER_U) return true;
      if (!BLANK_LETTERS.has(letter)) return false;
    } else if (byte !== SPACE) return false; // other white space is escaped
  }
}

const jsonInString = ({ bytes }: JsonView): JsonView | undefined => jsonOf(unquote(bytes));

/** The list or object in a JSON text; undefined for anything else. */
export function jsonIn(text: string): JsonView | undefined {
  return BEGINS_JSON.test(text) ? jsonOf(utf8Of(text)) : undefined;
}

const utf8Of = (text: string): Uint8Array =>
  text.isWellFormed() ? encode(text) : unquote(encode(quote(text)));

function jsonOf(bytes: Uint8Array): JsonView | undefined {
  const start = skipBlanks(bytes, 0);
  if (bytes[start] !== OPEN_OBJECT && bytes[start] !== OPEN_ARRAY) return undefined;
  const end = textScanner.value(bytes, start, 0);
  return end < 0 || skipBlanks(bytes, end) < bytes.length ? undefined : new JsonView(bytes, start, end);
}

/** Whether a text begins like JSON but is not valid, so that it was probably truncated. */
export const isCutJson = (text: string): boolean => BEGINS_JSON.test(text) && jsonIn(text) === undefined;

/** The value as a JSON string: a string stays, anything else becomes a string with its JSON text. */
export function textOf(value: JsonView): Uint8Array {
  return value.type === 'string' ? value.copy() : inString(value.bytes);
}

/** As `textOf`, but a string is not copied: valid only as long as the value. */
export function textBytes(value: JsonView): Uint8Array {
  return value.type === 'string' ? value.bytes : inString(value.bytes);
}
