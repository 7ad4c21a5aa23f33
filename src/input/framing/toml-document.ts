/**
 * Framing of TOML decks: every sample of `[[samples]]` or `[samples.ID]` becomes a `Line` whose bytes are its JSON
 * text, for the dialect `samples`; its origin is its position in the deck. smol-toml checks and parses the whole
 * document, so its size is limited (docs/decisions/0005-whole-documents.md).
 */
import { createHash } from 'node:crypto';
import { parse, TomlError } from 'smol-toml';
import type { Line, Origin, Rejection } from '../../../transforms/model/element.ts';
import type { Framer } from './framer.ts';
import { tomlCrowd } from './toml-crowd.ts';
import { type TomlHeader, tomlHeaders } from './toml-headers.ts';
import { jsonOfToml } from './toml-json.ts';

/** The parser holds the whole document and all its values. */
export const MOST_TOML_BYTES: number = 64 * 1024 * 1024;
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

/** @param source name of the source, for the origins; `line` is the number of the sample, from 1 */
export function createTomlFramer(source: string, maxLineBytes: number, maxElements: number): Framer {
  const most = Math.min(maxLineBytes, MOST_TOML_BYTES);
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  let room = Buffer.alloc(0);
  let bytes = 0;
  let bomBytes = 0;
  let lineBytes = 0;
  let lines = 0;

  function nextOrigin({ start, end }: Place): Origin {
    lines++;
    lineBytes += end - start;
    return { source, line: lines, offset: bomBytes + start, length: end - start };
  }

  function rejectAll(reason: string, detail: string): Rejection {
    const origin = nextOrigin({ start: 0, end: bytes - bomBytes });
    const sha256 = hash.digest('hex');
    return { kind: 'rejection', scope: 'line', stage: 'framing', reason, detail, origin, sha256 };
  }

  function* read(): Generator<Line | Rejection> {
    const whole = Buffer.concat(pieces);
    bomBytes = whole.toString('utf8', 0, BOM_BYTES) === BOM ? BOM_BYTES : 0;
    const text = whole.subarray(bomBytes);
    const crowd = tomlCrowd(text, maxElements);
    const document =
      crowd === undefined
        ? parseToml(text)
        : { reason: 'too-many-elements', detail: `the deck has ${crowd}` };
    if ('reason' in document) {
      hash.update(text);
      yield rejectAll(document.reason, document.detail);
      return;
    }
    const { samples } = document;
    const places = placesOf(samples, tomlHeaders(text), text.length);
    const placeOf = (index: number): Place => places[index] ?? NOWHERE;
    const inOrder = samples.values.map((_, index) => index);
    for (const index of inOrder.sort((a, b) => placeOf(a).start - placeOf(b).start)) {
      const place = placeOf(index);
      const origin = { raw: text.subarray(place.start, place.end), dialect: DIALECT };
      yield {
        kind: 'line',
        origin: nextOrigin(place),
        bytes: Buffer.from(jsonOf(samples, index)),
        created: origin,
      };
    }
  }

  return {
    space() {
      room = Buffer.allocUnsafe(ROOM_BYTES);
      return room;
    },
    filled(count) {
      bytes += count;
      if (bytes <= most) pieces.push(room.subarray(0, count));
      else for (const piece of [...pieces.splice(0), room.subarray(0, count)]) hash.update(piece);
      return [];
    },
    *end() {
      if (bytes > most) yield rejectAll('line-too-long', `${bytes} bytes, the limit for TOML is ${most}`);
      else if (bytes > 0) yield* read();
    },
    counts: () => ({
      bytes,
      bomBytes,
      lineBytes,
      terminatorBytes: bytes - bomBytes - lineBytes,
      lines,
      crlf: 0,
      noFinalNewline: false,
    }),
  };
}

/** The parsed samples of a deck, and the ids of those that are named tables. */
interface Samples {
  readonly ids: readonly string[] | undefined;
  readonly values: readonly unknown[];
}

type Parsed = { readonly samples: Samples } | { readonly reason: string; readonly detail: string };

function parseToml(bytes: Uint8Array): Parsed {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { reason: 'invalid-utf8', detail: 'not UTF-8' };
  }
  try {
    const { samples } = parse(text, { integersAsBigInt: true }) as { readonly samples?: unknown };
    if (Array.isArray(samples)) return { samples: { ids: undefined, values: samples } };
    if (typeof samples !== 'object' || samples === null) {
      return { reason: 'bad-sample', detail: 'the document has neither [[samples]] nor [samples.ID]' };
    }
    return { samples: { ids: Object.keys(samples), values: Object.values(samples) } };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return { reason: 'invalid-toml', detail: `line ${error.line}, column ${error.column}: ${what}` };
  }
}

function jsonOf({ ids, values }: Samples, index: number): string {
  const value = values[index];
  return ids === undefined ? jsonOfToml(value) : withId(ids[index] as string, value);
}

/** Adds the id of a sample that is a named table. */
function withId(id: string, sample: unknown): string {
  const isTable = typeof sample === 'object' && sample !== null && !Array.isArray(sample);
  return jsonOfToml(isTable && !('id' in sample) ? { id, ...sample } : sample);
}

/** Finds each sample: from its first header to the next header of something else. Undefined for an inline table. */
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
  let before = ''; // most headers come in a row, `[[samples]]` above all
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

/** The first two keys of a header. */
function pathOf(header: string): readonly [first: string | undefined, second: string | undefined] {
  const bare = BARE_KEYS.exec(header);
  if (bare !== null) return [bare[1], bare[2]];
  const [entry] = Object.entries(parse(header) as Record<string, object>);
  if (entry === undefined) return [undefined, undefined];
  const [first, inner] = entry;
  return [first, Array.isArray(inner) ? undefined : Object.keys(inner)[0]];
}
