/**
 * Writes values in FunctionGemma's syntax: strings between `<escape>`, keys without quotes, numbers as logged. Works on
 * the JSON text, so that no number is rounded and no duplicate key is lost.
 */

import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { walkElements, walkMembers } from '../json/members.ts';
import { textScanner } from '../json/plain-scanner.ts';
import { valueIn } from '../json/respace.ts';
import { decode, encode, parseString } from '../json/utf8.ts';
import type { Note, ValueRule } from './gemma-rules.ts';

const ESCAPE = '<escape>';
const CONTROL_TOKEN =
  /<(?:escape|(?:start|end)_of_turn|(?:start|end)_function_(?:declaration|call|response)|bos|eos|pad|unk|(?:start|end)_of_image)>/;
const NOT_BARE = /[:,{}[\]\p{Cc}]/u;
const EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;
/** Largest exponent of a number that is written without it; those of 64-bit floats are smaller. */
const MAX_ZEROS = 1000;

/** Returns the text. Reports it if it contains a control token. */
export function plain(text: string, note: Note<ValueRule>): string {
  if (CONTROL_TOKEN.test(text)) note('control-token-in-content');
  return text;
}

/** Writes a string value. */
export function escaped(text: string, note: Note<ValueRule>): string {
  return `${ESCAPE}${plain(text, note)}${ESCAPE}`;
}

/** Returns a name or key, which is written without quotes. Reports characters that would end it. */
export function bare(text: string, note: Note<ValueRule>): string {
  if (NOT_BARE.test(text)) note('key-not-bare');
  return plain(text, note);
}

/** Writes a JSON object as `{k:v}`, with its keys sorted case-insensitively; nested keys keep their order. */
export function sortedObject(json: Uint8Array, note: Note<ValueRule>): string {
  const members: (readonly [key: string, value: string])[] = [];
  walkMembers(json, 0, textScanner, (start, keyEnd, valueStart) => {
    const pieces: string[] = [];
    const end = writeValue(json, valueStart, pieces, note);
    members.push([parseString(json, start, keyEnd), pieces.join('')]);
    return end;
  });
  const written = sortedByKey(members, ([key]) => key.toLowerCase()).map(
    ([key, value]) => `${bare(key, note)}:${value}`,
  );
  return `{${written.join(',')}}`;
}

/** Sorts items by the code points of their keys; items with equal keys keep their order. */
export function sortedByKey<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items
    .map((item) => ({ item, key: encode(keyOf(item)) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ item }) => item);
}

/** Writes any JSON value; keys keep their order. */
export function valueText(json: Uint8Array, note: Note<ValueRule>): string {
  const pieces: string[] = [];
  writeValue(json, 0, pieces, note);
  return pieces.join('');
}

/** @returns the index after the value */
function writeValue(json: Uint8Array, at: number, pieces: string[], note: Note<ValueRule>): number {
  const first = json[at];
  if (first === OPEN_OBJECT) {
    let separator = '{';
    const end = walkMembers(json, at, textScanner, (start, keyEnd, valueStart) => {
      pieces.push(separator, bare(parseString(json, start, keyEnd), note), ':');
      separator = ',';
      return writeValue(json, valueStart, pieces, note);
    });
    pieces.push(separator === '{' ? '{}' : '}');
    return end;
  }
  if (first === OPEN_ARRAY) {
    pieces.push('[');
    const end = walkElements(json, at, textScanner, (number, start) => {
      if (number > 0) pieces.push(',');
      return writeValue(json, start, pieces, note);
    });
    pieces.push(']');
    return end;
  }
  const end = textScanner.value(json, at, 1);
  if (first === QUOTE) pieces.push(escaped(parseString(json, at, end), note));
  else {
    const text = decode(json.subarray(at, end));
    pieces.push(text.includes('.') ? plainNumber(text, note) : text);
  }
  return end;
}

/** Writes a number without its exponent: keeps the digits and moves the point. Returns any other text unchanged. */
export function plainNumber(text: string, note: Note<ValueRule>): string {
  const parts = EXPONENT.exec(text);
  if (parts === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent] = parts;
  if (Math.abs(Number(exponent)) > MAX_ZEROS) {
    note('number-out-of-range');
    return text;
  }
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const before =
    digits
      .slice(0, Math.max(point, 0))
      .padEnd(point, '0')
      .replace(/^0+(?=\d)/, '') || '0';
  const after = point < 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  return `${sign}${before}${after === '' ? '' : '.'}${after}`;
}

/** The JSON text of an object in a text; undefined if the text is anything else. */
export function objectIn(text: string): Uint8Array | undefined {
  return /^[ \t\r\n]*\{/.test(text) ? valueIn(text) : undefined;
}
