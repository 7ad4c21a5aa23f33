/**
 * Parses timestamps to exact nanoseconds since 1970: RFC 3339 with any fraction and common variants (a comma before the
 * fraction; a zone without a colon or without minutes, after a blank, or written as UTC; only a date; UTC if there is no
 * zone), and numbers as epoch seconds, milliseconds (from 1e11), microseconds (from 2.5e14) or nanoseconds (from
 * 2.5e17); also the dates of MongoDB's exports. Does not use Date, which rounds and rejects second 60.
 */

import { COLON, OPEN_OBJECT, QUOTE, ZERO } from '../json/bytes.ts';
import { decode, parseString } from '../json/utf8.ts';

const STAMP =
  /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:[Zz]| ?UTC| ?[+-]\d\d(?::?\d\d)?(?: UTC)?)?)?$/;
/**
 * An epoch as text, with the number of digits of current epochs. Other numbers may be compact dates: 20260101,
 * 20260101120000.
 */
const EPOCH_TEXT = /^(?:\d{10}|\d{13}|\d{16}|\d{19})(?:\.\d+)?$/;
/** A date in the extended JSON of MongoDB: as text, or as epoch milliseconds. */
const EXPORTED_DATE =
  /^\{\s*"\$date"\s*:\s*(?:"([^"\\]*)"|(\d+)|\{\s*"\$numberLong"\s*:\s*"(\d+)"\s*\})\s*\}$/;
const MAX_DATE_BYTES = 100;
const DATE_LENGTH = 10;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

const NINE = 0x39;

const NS_PER_SECOND = 1_000_000_000n;
const NS_PER_MILLISECOND = 1_000_000n;
const NS_PER_MICROSECOND = 1000n;
const NS_PER_DAY = 86_400n * NS_PER_SECOND;
const MILLISECONDS_FROM = 100_000_000_000n;

/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799n;
/** From here on epochs are microseconds (of 1978 or later): as milliseconds they would be after the year 9999. */
const MICROSECONDS_FROM = (LAST_SECOND + 1n) * 1000n;
const NANOSECONDS_FROM = MICROSECONDS_FROM * 1000n;

/** Days of each month, except in leap years. */
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days from 1970-01-01 to a date of the Gregorian calendar; undefined if there is no such day. */
export function dayNumber(year: number, month: number, day: number): number | undefined {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month < 1 || month > 12 || day < 1) return undefined;
  if (day > (MONTH_DAYS[month - 1] as number) + (isLeap && month === 2 ? 1 : 0)) return undefined;
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Parses a timestamp, a date or an epoch written as text to nanoseconds since 1970; undefined for anything else. */
export function parseTimestamp(text: string): bigint | undefined {
  if (!STAMP.test(text)) return EPOCH_TEXT.test(text) ? parseEpoch(text) : undefined;
  const days = dayNumber(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
  if (text.length === DATE_LENGTH) return days === undefined ? undefined : BigInt(days) * NS_PER_DAY;
  const hour = number(text, 11, 13);
  const minute = number(text, 14, 16);
  const second = number(text, 17, 19);
  if (days === undefined || hour > 23 || minute > 59 || second > 60) return undefined;
  const zoneAt = text[19] === '.' || text[19] === ',' ? endOfDigits(text, 20) : 19;
  const offset = zoneMinutes(text, zoneAt);
  if (offset === undefined) return undefined;
  const seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
  return BigInt(seconds) * NS_PER_SECOND + BigInt(nanoseconds(text, 20, zoneAt));
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (text.charCodeAt(end) >= ZERO && text.charCodeAt(end) <= NINE) end++;
  return end;
}

/** The number in `text[start, end)`. Creates no substring, because every entry has a timestamp. */
function number(text: string, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) value = value * 10 + text.charCodeAt(i) - ZERO;
  return value;
}

/** Nanoseconds of the fraction `text[start, end)`; digits after the ninth are dropped. */
function nanoseconds(text: string, start: number, end: number): number {
  const last = Math.min(end, start + 9);
  return start >= last ? 0 : number(text, start, last) * 10 ** (start + 9 - last);
}

/** Offset in minutes of the zone at `at`; 0 for UTC or no zone, undefined if it is not valid. */
function zoneMinutes(text: string, at: number): number | undefined {
  const signAt = text[at] === ' ' ? at + 1 : at;
  if (text[signAt] !== '+' && text[signAt] !== '-') return 0;
  const hours = number(text, signAt + 1, signAt + 3);
  const minutesAt = text.charCodeAt(signAt + 3) === COLON ? signAt + 4 : signAt + 3;
  const minutes = number(text, minutesAt, Math.min(endOfDigits(text, minutesAt), minutesAt + 2));
  if (hours > 23 || minutes > 59) return undefined;
  return (text[signAt] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** Parses the text of a JSON number to nanoseconds since 1970; undefined outside the years 1970 to 9999. */
export function parseEpoch(text: string): bigint | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match as unknown as string[];
  const shift = Number(exponent);
  // the decimal number as digits and the position of its point
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  const point = digits.length - fraction.length + shift;
  if (sign === '-' || point > 21) return undefined;
  const padded = point < 0 ? '0'.repeat(Math.min(-point, 20)) + digits : digits;
  const at = Math.max(point, 0);
  const units = BigInt(padded.slice(0, at).padEnd(at, '0') || '0');
  const nanos = BigInt(padded.slice(at, at + 9).padEnd(9, '0'));
  const unit = unitOf(units);
  const time = units * unit + (nanos * unit) / NS_PER_SECOND;
  return time >= (LAST_SECOND + 1n) * NS_PER_SECOND ? undefined : time;
}

/** Nanoseconds per unit of an epoch, by its magnitude. */
function unitOf(units: bigint): bigint {
  if (units < MILLISECONDS_FROM) return NS_PER_SECOND;
  if (units < MICROSECONDS_FROM) return NS_PER_MILLISECOND;
  return units < NANOSECONDS_FROM ? NS_PER_MICROSECOND : 1n;
}

/** Caches the last day, because sessions usually come day by day. */
let lastDay = { start: 0n, date: '1970-01-01' };

/** The UTC date `YYYY-MM-DD` of a time in ns since 1970. */
export function utcDate(timestamp: bigint): string {
  if (timestamp < lastDay.start || timestamp >= lastDay.start + NS_PER_DAY) {
    const rest = timestamp % NS_PER_DAY;
    const start = timestamp - rest - (rest < 0n ? NS_PER_DAY : 0n);
    lastDay = { start, date: new Date(Number(start / NS_PER_MILLISECOND)).toISOString().slice(0, 10) };
  }
  return lastDay.date;
}

/** A time in ns since 1970 as RFC 3339 in UTC, with 0, 3, 6 or 9 digits after the second, as needed. */
export function utcTimestamp(timestamp: bigint): string {
  const rest = timestamp % NS_PER_SECOND;
  const nanos = rest < 0n ? rest + NS_PER_SECOND : rest;
  const second = new Date(Number((timestamp - nanos) / NS_PER_MILLISECOND)).toISOString().slice(0, -5);
  const digits = String(nanos)
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  return digits === '' ? `${second}Z` : `${second}.${digits}Z`;
}

/** A value of only these characters may be shown in a message; anything else could be content. */
const SHOWN = /^[\d\-:.,+TZ ]{0,40}$/;
const NAMES: ReadonlyMap<string, string> = new Map([
  ['{', 'an object'],
  ['[', 'an array'],
  ['t', 'a boolean'],
  ['f', 'a boolean'],
]);

/** Parses the value in `bytes[start, end)` to nanoseconds since 1970; undefined if it is not a time. */
export function timeIn(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  if (bytes[start] === QUOTE) return parseTimestamp(parseString(bytes, start, end));
  if (bytes[start] === OPEN_OBJECT)
    return end - start > MAX_DATE_BYTES ? undefined : dateIn(bytes, start, end);
  return parseEpoch(decode(bytes.subarray(start, end)));
}

/** Parses a date as MongoDB exports it (`{"$date": "2026-01-13T22:14:03Z"}`). */
function dateIn(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  const [, text, epoch, long] = EXPORTED_DATE.exec(decode(bytes.subarray(start, end))) ?? [];
  if (text !== undefined) return parseTimestamp(text);
  const digits = epoch ?? long;
  return digits === undefined ? undefined : parseEpoch(digits);
}

/** `timeIn` for the JSON text of one value. */
export function timeOf(json: Uint8Array): bigint | undefined {
  return timeIn(json, 0, json.length);
}

/** The message for a member that is not a time. Contains only the type and length of a value that could be content. */
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
  const kind = NAMES.get(first);
  if (kind !== undefined) return `${kind} of ${count(json.length, 'byte')}`;
  const text = decode(json);
  return SHOWN.test(text) ? text : `a number of ${count(text.length, 'character')}`;
}

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
