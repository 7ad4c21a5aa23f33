/** The time of an entry from its JSON value, and the error text for one that cannot be read. */
import { QUOTE } from '../json/bytes.ts';
import { decode, parseString } from '../json/utf8.ts';
import { parseEpoch, parseTimestamp } from '../model/timestamp.ts';

/** A value with only these characters is a time, valid or not; anything else may be content. */
const SHOWN = /^[\d\-:.,+TZ ]{0,40}$/;
const NAMES: Readonly<Record<string, string>> = {
  '{': 'an object',
  '[': 'an array',
  t: 'a boolean',
  f: 'a boolean',
};

/** Parses the value in `bytes[start, end)` to nanoseconds since 1970; undefined if it is not a time. */
export function timeIn(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  if (bytes[start] === QUOTE) return parseTimestamp(parseString(bytes, start, end));
  return parseEpoch(decode(bytes.subarray(start, end)));
}

/** Does the same for a value in its own array. */
export function timeOf(json: Uint8Array): bigint | undefined {
  return timeIn(json, 0, json.length);
}

/** Why a member is not a time: shows the value unless it may be content, in which case its type and length. */
export function unreadableTime(name: string, json: Uint8Array): string {
  return `${name} is not a readable time: ${shown(json)}`;
}

function shown(json: Uint8Array): string {
  const first = String.fromCharCode(json[0] as number);
  if (first === 'n') return 'null';
  if (first === '"') {
    const text = parseString(json, 0, json.length);
    return SHOWN.test(text) ? `"${text}"` : `a string of ${count(text.length, 'character')}`;
  }
  const kind = NAMES[first];
  if (kind !== undefined) return `${kind} of ${count(json.length, 'byte')}`;
  const text = decode(json);
  return SHOWN.test(text) ? text : `a number of ${count(text.length, 'character')}`;
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
