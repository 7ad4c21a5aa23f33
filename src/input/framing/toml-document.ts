/**
 * Framing of TOML decks: every sample of `[[samples]]` or `[samples.ID]` becomes a `Line` whose bytes are its JSON
 * text, for the dialect `samples`, and whose origin is its position in the deck. smol-toml checks and parses the whole
 * document, so its size is limited (docs/contributing/decisions/0005-whole-documents.md).
 */

import { createHash } from 'node:crypto';
import { parse, TomlDate, TomlError } from 'smol-toml';
import type { Line, Origin, Rejection } from '../../../transforms/model/element.ts';
import type { Framer, FramingCounts } from './framer.ts';
import { type TomlHeader, tomlHeaders } from './toml-headers.ts';
import { tomlExcess } from './toml-limits.ts';

/** Limited, because the parser holds the whole document and all its values in memory. */
export const MAX_TOML_BYTES: number = 64 * 1024 * 1024;
const ROOM_BYTES = 64 * 1024;
const BOM = '\ufeff';
const BOM_BYTES = 3;
const SAMPLES = 'samples';
const DIALECT = 'samples';

/** The part of the document that contains a sample, without the BOM. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** Place of an inline table, which has no header. */
const NOWHERE: Place = { start: 0, end: 0 };

export class TomlFramer implements Framer {
  readonly #source: string;
  readonly #mostBytes: number;
  readonly #maxElements: number;
  readonly #hash = createHash('sha256');
  readonly #pieces: Buffer[] = [];
  #room = Buffer.alloc(0);
  #bytes = 0;
  #bomBytes = 0;
  #lineBytes = 0;
  #lines = 0;

  /** @param source name of the source, for the origins; `line` is the number of the sample, from 1 */
  constructor(source: string, maxLine: number, maxElements: number) {
    this.#source = source;
    this.#mostBytes = Math.min(maxLine, MAX_TOML_BYTES);
    this.#maxElements = maxElements;
  }

  space(): Uint8Array {
    this.#room = Buffer.allocUnsafe(ROOM_BYTES);
    return this.#room;
  }

  filled(count: number): readonly [] {
    const piece = this.#room.subarray(0, count);
    this.#bytes += count;
    if (this.#bytes <= this.#mostBytes) this.#pieces.push(piece);
    else for (const bytes of [...this.#pieces.splice(0), piece]) this.#hash.update(bytes);
    return [];
  }

  *end(): Generator<Line | Rejection> {
    if (this.#bytes > this.#mostBytes)
      yield this.#rejectAll(
        'line-too-long',
        `${this.#bytes} bytes, the limit for TOML is ${this.#mostBytes}`,
      );
    else if (this.#bytes > 0) yield* this.#read();
  }

  counts(): FramingCounts {
    return {
      bytes: this.#bytes,
      bomBytes: this.#bomBytes,
      lineBytes: this.#lineBytes,
      terminatorBytes: this.#bytes - this.#bomBytes - this.#lineBytes,
      lines: this.#lines,
      crlf: 0,
      noFinalNewline: false,
    };
  }

  *#read(): Generator<Line | Rejection> {
    const whole = Buffer.concat(this.#pieces);
    this.#bomBytes = whole.toString('utf8', 0, BOM_BYTES) === BOM ? BOM_BYTES : 0;
    const text = whole.subarray(this.#bomBytes);
    const samples = samplesOf(parseToml(text, this.#maxElements));
    if ('reason' in samples) {
      this.#hash.update(text);
      yield this.#rejectAll(samples.reason, samples.detail);
      return;
    }
    const places = placesOf(samples, tomlHeaders(text), text.length);
    const placeOf = (index: number): Place => places[index] ?? NOWHERE;
    const inOrder = samples.values.map((_, index) => index);
    for (const index of inOrder.sort((a, b) => placeOf(a).start - placeOf(b).start)) {
      const place = placeOf(index);
      const created = { raw: text.subarray(place.start, place.end), dialect: DIALECT };
      const bytes = Buffer.from(jsonOf(samples, index));
      yield { kind: 'line', origin: this.#nextOrigin(place), bytes, created };
    }
  }

  #nextOrigin({ start, end }: Place): Origin {
    this.#lines++;
    this.#lineBytes += end - start;
    return {
      source: this.#source,
      line: this.#lines,
      offset: this.#bomBytes + start,
      length: end - start,
    };
  }

  #rejectAll(reason: string, detail: string): Rejection {
    const origin = this.#nextOrigin({ start: 0, end: this.#bytes - this.#bomBytes });
    const sha256 = this.#hash.digest('hex');
    return { kind: 'rejection', scope: 'line', stage: 'framing', reason, detail, origin, sha256 };
  }
}

/** The parsed samples of a deck, and the ids of those that are named tables. */
interface Samples {
  readonly ids: readonly string[] | undefined;
  readonly values: readonly unknown[];
}

interface Fault {
  readonly reason: string;
  readonly detail: string;
}

interface Parsed {
  readonly document: Readonly<Record<string, unknown>>;
}

/** Parses a document; whole numbers become bigint. @param maxElements limit of `tomlExcess` */
export function parseToml(bytes: Buffer, maxElements: number): Parsed | Fault {
  const excess = tomlExcess(bytes, maxElements);
  if (excess !== undefined) return { reason: 'too-many-elements', detail: `the deck has ${excess}` };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { reason: 'invalid-utf8', detail: 'not UTF-8' };
  }
  try {
    return { document: parse(text, { integersAsBigInt: true }) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return { reason: 'invalid-toml', detail: `line ${error.line}, column ${error.column}: ${what}` };
  }
}

function samplesOf(parsed: Parsed | Fault): Samples | Fault {
  if ('reason' in parsed) return parsed;
  const { samples } = parsed.document;
  if (Array.isArray(samples)) return { ids: undefined, values: samples };
  if (typeof samples !== 'object' || samples === null)
    return { reason: 'bad-sample', detail: 'the document has neither [[samples]] nor [samples.ID]' };
  return { ids: Object.keys(samples), values: Object.values(samples) };
}

/** Formats a sample as JSON. One that is a named table gets its name as its id. */
function jsonOf({ ids, values }: Samples, index: number): string {
  const [id, sample] = [ids?.[index], values[index]];
  return jsonOfToml(id !== undefined && isTable(sample) && !('id' in sample) ? { id, ...sample } : sample);
}

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Finds the place of each sample: from its first header to the next header of anything else. Undefined for an inline table. */
function placesOf(
  { ids, values }: Samples,
  headers: Iterable<TomlHeader>,
  length: number,
): readonly (Place | undefined)[] {
  const places: (Place | undefined)[] = values.map(() => undefined);
  const indexes = ids && new Map(ids.map((id, index) => [id, index]));
  let current = -1; // the sample of the current headers
  let arrays = 0; // number of [[samples]] so far
  let start = 0;
  const close = (end: number): void => {
    if (current >= 0) places[current] ??= { start, end }; // a table that is reopened keeps its first place
  };
  let before = ''; // most headers repeat the one before, especially `[[samples]]`
  let path: readonly [string | undefined, string | undefined] = [undefined, undefined];
  for (const { text, at } of headers) {
    if (text !== before) path = pathOf(text);
    before = text;
    const [first, second] = path;
    const isNew = first === SAMPLES && second === undefined && text.startsWith('[[');
    const owner =
      first !== SAMPLES
        ? -1
        : isNew
          ? arrays++
          : indexes === undefined
            ? current
            : (indexes.get(second ?? '') ?? -1);
    if (owner === current && !isNew) continue;
    close(at);
    current = owner;
    start = at;
  }
  close(length);
  return places;
}

/** A header whose first two keys have no quotes. */
const BARE_KEYS = /^\[\[?[ \t]*([\w-]+)[ \t]*(?:\]|\.[ \t]*([\w-]+)[ \t]*[.\]])/;

/** Returns the first two keys of a header. */
function pathOf(header: string): readonly [first: string | undefined, second: string | undefined] {
  const bare = BARE_KEYS.exec(header);
  if (bare !== null) return [bare[1], bare[2]];
  const [entry] = Object.entries(parse(header) as Record<string, object>);
  if (entry === undefined) return [undefined, undefined];
  const [first, inner] = entry;
  return [first, Array.isArray(inner) ? undefined : Object.keys(inner)[0]];
}

/** Formats a value as JSON. Whole numbers keep all their digits; values that JSON lacks (dates, nan, inf) become strings. */
export function jsonOfToml(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return jsonOfFloat(value);
  if (value instanceof TomlDate) return JSON.stringify(value.toISOString());
  if (Array.isArray(value)) return `[${value.map(jsonOfToml).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${jsonOfToml(item)}`);
  return `{${members.join(',')}}`;
}

/** Formats a float so that it remains a float: 1.0 does not become 1. */
function jsonOfFloat(value: number): string {
  if (!Number.isFinite(value))
    return JSON.stringify(String(value).replace('Infinity', 'inf').replace('NaN', 'nan'));
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
