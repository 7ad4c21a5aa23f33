/**
 * Timestamps as exact nanoseconds since 1970: RFC 3339 text with T, t or a space and an optional zone (without its colon or its minutes too,
 * after a space, or as UTC; with a comma before the fraction), a date alone, ten or thirteen digits of epoch time, or a JSON number of epoch seconds (below 1e11),
 * milliseconds, microseconds or nanoseconds (above the milliseconds and microseconds of the year 10000), never as a double.
 */
import type { Tree } from './tree.ts';

const STAMP =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:[Zz]| ?UTC| ?([+-])([0-9]{2})(?::?([0-9]{2}))?(?: UTC)?)?$/;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const EPOCH_AS_TEXT = /^([0-9]{10}|[0-9]{13})(\.[0-9]+)?$/;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const NS = 1_000_000_000n;
const MAX_SECONDS = 253_402_300_799n;

function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

export function isCalendarDate(year: number, month: number, day: number): boolean {
  return year >= 1 && day >= 1 && day <= daysInMonth(year, month);
}

function epochDays(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.round(date.getTime() / 86_400_000);
}

function fromText(text: string): bigint | undefined {
  if (EPOCH_AS_TEXT.test(text)) return fromNumber(text);
  const m = STAMP.exec(DATE.test(text) ? `${text}T00:00:00Z` : text);
  if (m === null) return undefined;
  const part = (i: number): number => Number(m[i] ?? '0');
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [zoneHour, zoneMinute] = [part(9), part(10)];
  if (!isCalendarDate(part(1), part(2), part(3))) return undefined;
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return undefined;
  const zone = (m[8] === '-' ? -1 : 1) * (zoneHour * 3600 + zoneMinute * 60);
  const seconds = epochDays(part(1), part(2), part(3)) * 86_400 + hour * 3600 + minute * 60 + second - zone;
  return BigInt(seconds) * NS + BigInt((m[7] ?? '').slice(0, 9).padEnd(9, '0'));
}

/** The number times 10^shift, truncated; undefined far outside of every calendar. */
function scaled(text: string, shift: number): bigint | undefined {
  const m = NUMBER.exec(text);
  if (m === null) return undefined;
  const digits = `${m[2]}${m[3] ?? ''}`.replace(/^0+(?=[0-9])/, '');
  if (digits === '0') return 0n;
  const exponent = Number(m[4] ?? '0') - (m[3] ?? '').length + shift;
  if (digits.length + exponent > 40) return undefined;
  if (digits.length + exponent <= 0) return m[1] === '-' ? -1n : 0n;
  const whole = exponent >= 0 ? BigInt(digits) * 10n ** BigInt(exponent) : BigInt(digits.slice(0, exponent));
  return m[1] === '-' ? -whole : whole;
}

function fromNumber(text: string): bigint | undefined {
  const asSeconds = scaled(text, 9);
  if (asSeconds === undefined || asSeconds < 0n) return undefined;
  const end = MAX_SECONDS + 1n;
  const limits = [100_000_000_000n, end * 1000n, end * 1_000_000n];
  const unit = limits.findIndex((limit) => asSeconds < limit * NS);
  const ns = scaled(text, unit < 0 ? 0 : 9 - 3 * unit);
  return ns === undefined || ns / NS > MAX_SECONDS ? undefined : ns;
}

/** Nanoseconds since 1970, or undefined if the value is not a timestamp. */
export function timestampNs(tree: Tree | undefined): bigint | undefined {
  if (tree?.kind === 'string') return fromText(tree.value);
  return tree?.kind === 'number' ? fromNumber(tree.text) : undefined;
}

/** The UTC date, YYYY-MM-DD. */
export function utcDate(ns: bigint): string {
  const seconds = ns >= 0n ? ns / NS : -((-ns + NS - 1n) / NS);
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
}
