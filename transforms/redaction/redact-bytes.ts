/** Replaces the values that a scan found by placeholders. */
import { BACKSLASH, QUOTE } from '../json/bytes.ts';
import { PlainEscapes } from './plain-escapes.ts';
import { eachRepeat, MIN_REPEATED_BYTES } from './repeats.ts';
import type { Rule } from './rule.ts';
import type { SecretScan } from './scan.ts';
import { afterEscape, type Span } from './span.ts';

/** Creates the placeholder of a value; undefined if it stays. */
type NameValue = (rule: Rule, value: string) => string | undefined;

export interface Redacted {
  /** The same array if nothing was found. */
  readonly bytes: Uint8Array;
  /** How many values each rule replaced, by name. */
  readonly counts: ReadonlyMap<string, number>;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** Replaces each value, also where its record repeats it without the name or the anchor that made it known. */
export function redactBytes(
  bytes: Uint8Array,
  scan: SecretScan,
  rules: readonly Rule[],
  name: NameValue,
): Redacted {
  const original = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const plain = new PlainEscapes(original);
  const buffer = plain.bytes;
  const found = scan.find(buffer);
  if (found.length === 0) return { bytes, counts: NOTHING };
  const apart = merged(found);
  const repeated = repeatedIn(buffer, apart);
  const spans = repeated.length === 0 ? apart : merged([...apart, ...repeated]);
  const counts = new Map<string, number>();
  const pieces: Uint8Array[] = [];
  const placeholders = new Map<string, Uint8Array>();
  let done = 0;
  for (const { start, end, rule: index } of spans) {
    const quotes = quotesFor(buffer, start, end);
    if (quotes === undefined) continue;
    const rule = rules[index] as Rule;
    const placeholder = name(rule, buffer.toString('latin1', start, end));
    if (placeholder === undefined) continue;
    const from = plain.original(start);
    if (from > done) pieces.push(original.subarray(done, from));
    const text = quotes + placeholder + quotes;
    const piece = placeholders.get(text) ?? Buffer.from(text, 'latin1');
    placeholders.set(text, piece);
    pieces.push(piece);
    counts.set(rule.name, (counts.get(rule.name) ?? 0) + 1);
    done = plain.original(end);
  }
  if (pieces.length === 0) return { bytes, counts: NOTHING };
  pieces.push(original.subarray(done));
  return { bytes: Buffer.concat(pieces), counts };
}

/** Joins spans that overlap; the first rule of the list decides their kind. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else {
      const rule = Math.min(last.rule, span.rule);
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end), rule };
    }
  }
  return result;
}

/** Returns all places of the values. Short ones and those without a digit are left out: they may be the name of a member. */
function repeatedIn(bytes: Buffer, found: readonly Span[]): Span[] {
  const values = new Map<string, number>();
  for (const { start, end, rule } of found) {
    const value = bytes.toString('latin1', start, end);
    values.set(value, Math.min(values.get(value) ?? rule, rule));
  }
  const repeated = [...values.keys()].filter(
    (value) => value.length >= MIN_REPEATED_BYTES && /\d/.test(value),
  );
  const spans: Span[] = [];
  eachRepeat(bytes, repeated, (value, start) => {
    const rule = values.get(value);
    if (rule !== undefined && afterEscape(bytes, start) === start)
      spans.push({ start, end: start + value.length, rule });
  });
  return spans;
}

/**
 * Returns the quotation marks that the placeholder needs: none, except for a number that is the value of a member, which
 * gets those of the member's name, escaped as deep as they are. Undefined for a number in an array, whose depth is not known.
 */
function quotesFor(bytes: Uint8Array, start: number, end: number): string | undefined {
  for (let at = start; at < end; at++)
    if ((bytes[at] as number) < 0x30 || (bytes[at] as number) > 0x39) return '';
  let before = start - 1;
  while (bytes[before] === 0x20) before--;
  if (bytes[before] === 0x3a) {
    before--;
    while (bytes[before] === 0x20) before--;
    if (bytes[before] !== QUOTE) return '';
    let backslashes = 0;
    while (bytes[before - 1 - backslashes] === BACKSLASH) backslashes++;
    return `${'\\'.repeat(backslashes)}"`;
  }
  for (let back = 0; back < 200 && isOfList(bytes[before]); back++, before--);
  return bytes[before] === 0x5b ? undefined : '';
}

const isOfList = (byte = 0): boolean => byte === 0x20 || byte === 0x2c || (byte >= 0x2d && byte <= 0x39);
