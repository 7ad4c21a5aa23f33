/** Reads logged values: tests for null, and parses lists and objects that a logger wrote as JSON in a string. */

import { JsonView } from '../../json/json-view.ts';
import { textScanner } from '../../json/plain-scanner.ts';
import { inString } from '../../json/respace.ts';
import { skipBlanks } from '../../json/scanner.ts';
import { encode, latin1, textPieces } from '../../json/utf8.ts';

const LONE_SURROGATE = /\p{Surrogate}/gu;
const BEGINS_JSON = /^\s*[[{]/;
/** A longer string is decoded only if its first bytes may begin a list or an object. */
const LONG_BYTES = 1024 * 1024;
const FIRST_BYTES = 1024;
const ESCAPED_BLANK = /\\[nrt]/g;
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
  return (view?.type === 'string' && jsonInString(view)) || view;
}

/** As `structured`, but undefined for null too. */
export function unpacked(view: JsonView | undefined): JsonView | undefined {
  return present(view) ? structured(view) : undefined;
}

function jsonInString(view: JsonView): JsonView | undefined {
  if (view.length <= LONG_BYTES) return jsonIn(view.text() as string);
  const { bytes } = view;
  if (!BEGINS_JSON.test(latin1(bytes.subarray(1, FIRST_BYTES)).replaceAll(ESCAPED_BLANK, '')))
    return undefined;
  return jsonOf(utf8OfString(bytes));
}

/** The list or object in a JSON text; undefined for anything else. */
export function jsonIn(text: string): JsonView | undefined {
  return BEGINS_JSON.test(text) ? jsonOf(utf8Of(text)) : undefined;
}

/** The text of a JSON string as UTF-8, which is never longer than the JSON. */
function utf8OfString(json: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(json.length);
  let length = 0;
  for (const piece of textPieces(json)) {
    const encoded = utf8Of(piece);
    bytes.set(encoded, length);
    length += encoded.length;
  }
  return bytes.subarray(0, length);
}

const utf8Of = (text: string): Uint8Array =>
  encode(text.isWellFormed() ? text : text.replace(LONE_SURROGATE, escaped));

function jsonOf(bytes: Uint8Array): JsonView | undefined {
  const start = skipBlanks(bytes, 0);
  const end = textScanner.value(bytes, start, 0);
  return end < 0 || skipBlanks(bytes, end) < bytes.length ? undefined : new JsonView(bytes, start, end);
}

/** A lone surrogate cannot be encoded as UTF-8, so it becomes the escape of the same character. */
const escaped = (surrogate: string): string => `\\u${surrogate.charCodeAt(0).toString(16)}`;

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
