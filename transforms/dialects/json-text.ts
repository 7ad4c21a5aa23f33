/** Values that loggers write as text: a list or an object inside a string is treated as the list or object itself. */
import { JsonView } from '../json/json-view.ts';
import { createPlainScanner, skipBlanks } from '../json/scanner.ts';
import { encode } from '../json/utf8.ts';

const LONE_SURROGATE = /\p{Surrogate}/u;
const BEGINS_JSON = /^\s*[[{]/;
const scanner = createPlainScanner();

/** The value, with a list or object in a string parsed; undefined if it is absent or null. */
export function unpacked(view: JsonView | undefined): JsonView | undefined {
  if (view === undefined || view.type === 'null') return undefined;
  return (view.type === 'string' && jsonIn(view.text() as string)) || view;
}

/** The list or object in a text; undefined if it is neither. */
export function jsonIn(text: string): JsonView | undefined {
  if (!BEGINS_JSON.test(text) || LONE_SURROGATE.test(text)) return undefined; // a lone surrogate has no UTF-8
  const bytes = encode(text);
  const start = skipBlanks(bytes, 0);
  const end = scanner.value(bytes, start, 0);
  return end < 0 || skipBlanks(bytes, end) < bytes.length ? undefined : new JsonView(bytes, start, end);
}

/** Does a text look like truncated JSON? */
export const isCutJson = (text: string): boolean => BEGINS_JSON.test(text) && jsonIn(text) === undefined;
