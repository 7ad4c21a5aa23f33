/**
 * Packs the places of a session's entries into a few bytes each: varints of the differences between neighbours, which may be
 * negative, because gathered lines are ordered by time.
 */
import type { Entry, EntryLog, Fate, Origin } from './element.ts';
import { MAX_VARINT_BYTES, putVarint, signedOf, unsignedOf, VarintReader } from './varints.ts';

export interface EntryLogWriter {
  add(place: Readonly<Place> | Origin): void;
  /** Returns the log so far and starts a new one. */
  take(): EntryLog;
}

/** Where an entry is in its source. */
export type Place = Pick<Origin, 'line' | 'offset' | 'length'>;

const EMPTY = new Uint8Array(0);
/** Enough for a few entries; V8 keeps typed arrays of this size in its heap. */
const FIRST_BYTES = 48;
const PLACE_BYTES = 3 * MAX_VARINT_BYTES;

export function createEntryLog(): EntryLogWriter {
  let packed = EMPTY;
  let used = 0;
  let count = 0;
  let line = 0;
  let offset = 0;

  function put(value: number): void {
    used = putVarint(packed, used, value);
  }

  return {
    add(place) {
      if (packed.length - used < PLACE_BYTES) {
        const grown = new Uint8Array(Math.max(FIRST_BYTES, packed.length * 2));
        grown.set(packed.subarray(0, used));
        packed = grown;
      }
      put(unsignedOf(place.line - line));
      put(unsignedOf(place.offset - offset));
      put(place.length);
      ({ line, offset } = place);
      count++;
    },
    take() {
      const log: EntryLog = { count, packed: packed.slice(0, used) };
      packed = EMPTY;
      used = count = line = offset = 0;
      return log;
    },
  };
}

/** Yields the same fate for every line of an entry. */
export function* fatesOf(entry: Entry, fate: Fate['fate']): Generator<Fate> {
  const { origin, sessionId, timestamp, lines } = entry;
  if (lines === undefined) yield { kind: 'fate', fate, origin, sessionId, timestamp };
  else {
    for (const place of placesOf(lines))
      yield { kind: 'fate', fate, origin: { source: origin.source, ...place }, sessionId, timestamp };
  }
}

/** Yields the places in a log, in order. */
export function* placesOf({ packed, count }: EntryLog): Generator<Place> {
  const from = new VarintReader(packed);
  let line = 0;
  let offset = 0;
  for (let i = 0; i < count; i++) {
    line += signedOf(from.number());
    offset += signedOf(from.number());
    yield { line, offset, length: from.number() };
  }
}
