/** Values of a log: those that are absent or null, and lists and objects that a logger wrote as text. */
import { createTextScanner } from '../json/elements.ts';
import { JsonView } from '../json/json-view.ts';
import { inString } from '../json/respace.ts';
import { skipBlanks } from '../json/scanner.ts';
import { encode } from '../json/utf8.ts';

const LONE_SURROGATE = /\p{Surrogate}/gu;
const BEGINS_JSON = /^\s*[[{]/;
const TRUE = 't'.charCodeAt(0);
const scanner = createTextScanner();

/** Is there a value other than null? */
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

/** The value, with a list or object in a string parsed. */
export function structured(view: JsonView | undefined): JsonView | undefined {
  return (view?.type === 'string' && jsonIn(view.text() as string)) || view;
}

/** As `structured`, but undefined for null too. */
export function unpacked(view: JsonView | undefined): JsonView | undefined {
  return present(view) ? structured(view) : undefined;
}

/** The list or object in a text; undefined if it is neither. */
export function jsonIn(text: string): JsonView | undefined {
  if (!BEGINS_JSON.test(text)) return undefined;
  const bytes = encode(text.replace(LONE_SURROGATE, escaped));
  const start = skipBlanks(bytes, 0);
  const end = scanner.value(bytes, start, 0);
  return end < 0 || skipBlanks(bytes, end) < bytes.length ? undefined : new JsonView(bytes, start, end);
}

/** A lone surrogate has no UTF-8; as an escape it is the same character of the same string. */
const escaped = (surrogate: string): string => `\\u${surrogate.charCodeAt(0).toString(16)}`;

/** Does a text look like truncated JSON? */
export const isCutJson = (text: string): boolean => BEGINS_JSON.test(text) && jsonIn(text) === undefined;

/** A JSON string: the value itself, or its JSON text. */
export function textOf(value: JsonView): Uint8Array {
  return value.type === 'string' ? value.copy() : inString(value.bytes);
}
