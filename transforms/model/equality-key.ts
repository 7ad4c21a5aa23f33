/**
 * Maps JSON values to strings that are equal exactly if the values are equal: the order of keys is ignored, and 1.0 equals 1.
 * Uses an explicit stack, because JSON in a string may be nested a million levels deep.
 */
import { isObject } from './message.ts';

/** Texts with a number that JSON.parse may round, as it does with ids of 64 bits. */
const LONG_NUMBER = /[\d.]{16}|\d[eE][-+]?\d{3}/;
const QUOTE_OR_NUMBER = /"|-?\d[\d.eE+-]*/g;

/**
 * JSON.parse, but a number that it would round becomes a text with all its digits, so that it equals no other number.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseExactly(json: string): unknown {
  const value: unknown = JSON.parse(json);
  if (!LONG_NUMBER.test(json)) return value;
  const pieces: string[] = [];
  let done = 0;
  const tokens = QUOTE_OR_NUMBER;
  tokens.lastIndex = 0;
  for (let token = tokens.exec(json); token !== null; token = tokens.exec(json)) {
    if (token[0] === '"') tokens.lastIndex = textEnd(json, tokens.lastIndex);
    else {
      const exact = decimalOf(token[0]);
      if (exact === decimalOf(`${Number(token[0])}`)) continue;
      pieces.push(json.slice(done, token.index), `"\\u0000${exact}"`);
      done = tokens.lastIndex;
    }
  }
  return done === 0 ? value : JSON.parse(pieces.join('') + json.slice(done));
}

/** The index after the string whose first character is at `start`. */
function textEnd(json: string, start: number): number {
  for (let at = start; ; ) {
    const end = json.indexOf('"', at);
    let escapes = 0;
    while (json[end - 1 - escapes] === '\\') escapes++;
    at = end + 1;
    if (escapes % 2 === 0) return at;
  }
}

/** A decimal number as its digits, without zeros around them, and a power of ten. */
function decimalOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let first = 0;
  let end = digits.length;
  while (digits[first] === '0') first++;
  if (first === end) return '0';
  while (digits[end - 1] === '0') end--;
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - end);
  return `${mantissa.startsWith('-') ? '-' : ''}${digits.slice(first, end)}e${power}`;
}

/** Pieces that are joined at once: kept apart, those of a long list take more memory than its text. */
const MAX_PIECES = 4096;

/** @param value result of parseExactly, or of JSON.parse */
export function equalityKey(value: unknown): string {
  let key = '';
  const pieces: string[] = [];
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    pieces.push(keyOf(todo.pop(), todo));
    if (pieces.length === MAX_PIECES) key += pieces.splice(0).join('');
  }
  return key + pieces.join('');
}

/** A number that is equal for equal values, and usually differs for others; takes a tenth of the time of the key. */
export function equalityDigest(value: unknown): number {
  let digest = 0;
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    const next = todo.pop();
    if (typeof next === 'string') digest += textDigest(next);
    else if (typeof next === 'number')
      digest += (next * 1009) | 0; // -0 counts as 0
    else if (Array.isArray(next)) {
      digest += 7 + next.length;
      for (const item of next) todo.push(item);
    } else if (isObject(next)) {
      for (const key of Object.keys(next)) {
        digest += 13 * textDigest(key);
        todo.push(next[key]);
      }
    } else digest += next === null ? 3 : next === true ? 5 : 11;
    digest |= 0;
  }
  return digest;
}

const textDigest = (text: string): number => {
  const { length } = text;
  return length === 0
    ? 1
    : length * 31 + text.charCodeAt(0) * 7 + text.charCodeAt(length >> 1) * 17 + text.charCodeAt(length - 1);
};

/** Every piece starts with its length, so that the pieces of one value cannot be mistaken for those of another. */
function keyOf(value: unknown, todo: unknown[]): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) todo.push(value[i]);
    return `[${value.length}:`;
  }
  if (!isObject(value)) return `${value};`; // -0 is written as 0
  const keys = Object.keys(value).sort();
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    todo.push(value[key], key);
  }
  return `{${keys.length}:`;
}
