/**
 * Serialises in the two styles of real logs: `JSON.stringify` (no spaces, UTF-8) and Python's `json.dumps` (", " and ": ", everything
 * outside ASCII as \u escapes). Half of the sessions use each.
 */

/** A growing buffer: `bytes[0 .. length)` is written, the rest is spare capacity. */
export interface ByteTape {
  bytes: Buffer;
  length: number;
}

/** Creates an empty tape. */
export const byteTape = (capacity: number): ByteTape => ({
  bytes: Buffer.allocUnsafeSlow(capacity),
  length: 0,
});

const reserve = (tape: ByteTape, extraBytes: number): void => {
  const needed = tape.length + extraBytes;
  if (needed <= tape.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, tape.bytes.length * 2));
  tape.bytes.copy(grown, 0, 0, tape.length);
  tape.bytes = grown;
};

/** Appends `source[start .. end)`. */
export const appendBytes = (tape: ByteTape, source: Buffer, start = 0, end: number = source.length): void => {
  if (end <= start) return;
  reserve(tape, end - start);
  source.copy(tape.bytes, tape.length, start, end);
  tape.length += end - start;
};

/** Appends ASCII text (keys, punctuation, ids). Corrupts any other characters. */
export const appendAscii = (tape: ByteTape, text: string): void => {
  reserve(tape, text.length);
  tape.length += tape.bytes.write(text, tape.length, 'latin1');
};

/** The serialisation of a session's lines. */
export interface JsonStyle {
  readonly name: 'json.dumps' | 'JSON.stringify';
  readonly comma: string;
  readonly colon: string;
  /** The float 1: Python writes 1.0, JavaScript writes 1. */
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

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Encodes a JSON string, including its quotes. */
export const encodeString = (style: JsonStyle, text: string): string => {
  const plain = JSON.stringify(text);
  return style.name === 'json.dumps' ? plain.replace(/[\u007f-\uffff]/g, escapeUnit) : plain;
};

/** Encodes any JSON value. Slow: used for values built once (tools), not for each line. */
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
