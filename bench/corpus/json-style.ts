/**
 * The two ways in which real logs are serialised: `JSON.stringify` (no spaces, UTF-8) and Python's
 * `json.dumps` (", " and ": ", everything outside ASCII as \u escapes). Half of the sessions each.
 */

/** How a session's lines are serialised. */
export interface JsonStyle {
  readonly name: 'json.dumps' | 'JSON.stringify';
  readonly comma: string;
  readonly colon: string;
  /** 1 as a float: Python keeps the point, JavaScript does not. */
  readonly oneAsFloat: string;
}

export const javascriptStyle: JsonStyle = {
  name: 'JSON.stringify',
  comma: ',',
  colon: ':',
  oneAsFloat: '1',
};

export const pythonStyle: JsonStyle = {
  name: 'json.dumps',
  comma: ', ',
  colon: ': ',
  oneAsFloat: '1.0',
};

/** JSON values as the generator builds them. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One JSON string, with its quotes. */
export const encodeString = (style: JsonStyle, text: string): string => {
  const plain = JSON.stringify(text);
  return style.name === 'json.dumps' ? plain.replace(/[\u007f-\uffff]/g, escapeUnit) : plain;
};

/** Any value as the style writes it; used for what is built once (tools), not per line. */
export const encodeValue = (style: JsonStyle, value: JsonValue): string => {
  if (typeof value === 'string') return encodeString(style, value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((item: JsonValue) => encodeValue(style, item)).join(style.comma)}]`;
  }
  const pairs = Object.entries(value as Readonly<Record<string, JsonValue>>).map(
    ([key, item]) => `${encodeString(style, key)}${style.colon}${encodeValue(style, item)}`,
  );
  return `{${pairs.join(style.comma)}}`;
};
