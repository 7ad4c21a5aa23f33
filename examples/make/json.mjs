// JSON as different loggers write it. The layout, the escapes and the text of a number are part of
// what the examples show, so nothing here goes through the engine's own object or number printing.

const EXACT = Symbol('exact');

/** A number whose text is kept: `exact('1.0')` is written as 1.0, where 1.0 would become 1. */
export const exact = (text) => ({ [EXACT]: text });

/** An object whose keys keep this order; a plain object would sort integer-like keys to the front. */
export const ordered = (...pairs) => new Map(pairs);

const escapeUnit = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** As JavaScript's `JSON.stringify` writes: no white space, non-ASCII as it is. */
export const compact = { comma: ',', colon: ':', string: (text) => JSON.stringify(text) };

/** As Python's `json.dumps` writes by default: spaced, non-ASCII as \u escapes. */
export const python = {
  comma: ', ',
  colon: ': ',
  string: (text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, escapeUnit),
};

/** As Go's `encoding/json` writes by default: no white space, `<`, `>` and `&` escaped. */
export const go = {
  comma: ',',
  colon: ':',
  string: (text) => JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, escapeUnit),
};

/** The JSON text of a value in one of the styles above. Members that are undefined are left out. */
export function stringify(value, style) {
  if (typeof value === 'string') return style.string(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (EXACT in value) return value[EXACT];
  if (Array.isArray(value)) {
    return `[${value.map((item) => stringify(item, style)).join(style.comma)}]`;
  }
  const pairs = value instanceof Map ? [...value] : Object.entries(value);
  const members = pairs
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => style.string(key) + style.colon + stringify(member, style));
  return `{${members.join(style.comma)}}`;
}
