/**
 * Measures how a thread spends its time (`--profile`): one clock, and one current segment at any time. Time in a nested
 * segment does not count for the outer one, so the segments of a thread add up to its whole time. It measures every
 * segment instead of sampling.
 */

/** Milliseconds by segment, and numbers of bytes; summed over all threads. */
export interface ProfileFigures {
  readonly ms: Readonly<Record<string, number>>;
  readonly bytes: Readonly<ProfileBytes>;
}

export interface ProfileBytes {
  /** Bytes read from files and pipes, before decompression. */
  read: number;
  /** Bytes cut into lines. */
  framed: number;
  /** Bytes of lines that the stages parsed and recognised as known text. */
  compared: number;
  /** Bytes of lines that the stages parsed and had to scan. */
  scanned: number;
}

export interface Profile {
  readonly bytes: ProfileBytes;
  /** Starts counting time for `segment`. Returns the previous segment. */
  enter(segment: string): string;
  /** Yields the items, and counts the time that producing them takes for `segment`. */
  each<T>(segment: string, items: Iterable<T>): Iterable<T>;
  eachLater<T>(segment: string, items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T>;
  /** Adds the figures of another thread. */
  add(figures: ProfileFigures): void;
  /** Returns the figures since the last call. */
  take(): ProfileFigures;
}

/** Segments besides the stages: those before the stages and those after them, in the order of the table. */
export const FIRST_SEGMENTS: readonly string[] = ['list', 'read', 'frame', 'shortcut'];
export const LAST_SEGMENTS: readonly string[] = ['collect', 'record', 'sync', 'read-back', 'wait', 'other'];

/** @param start the current segment of the thread */
export function createProfile(start: string): Profile {
  const bytes: ProfileBytes = { read: 0, framed: 0, compared: 0, scanned: 0 };
  let ms: Record<string, number> = {};
  let segment = start;
  let since = performance.now();

  function enter(next: string): string {
    const before = segment;
    const now = performance.now();
    ms[before] = (ms[before] ?? 0) + (now - since);
    since = now;
    segment = next;
    return before;
  }

  return {
    bytes,
    enter,
    *each(inside, items) {
      let outside = enter(inside);
      try {
        for (const item of items) {
          enter(outside);
          yield item;
          outside = enter(inside);
        }
      } finally {
        enter(outside);
      }
    },
    async *eachLater(inside, items) {
      let outside = enter(inside);
      try {
        for await (const item of items) {
          enter(outside);
          yield item;
          outside = enter(inside);
        }
      } finally {
        enter(outside);
      }
    },
    add(figures) {
      addTo(ms, figures.ms);
      addTo(bytes, figures.bytes);
    },
    take() {
      enter(segment);
      const taken = { ms, bytes: { ...bytes } };
      ms = {};
      bytes.read = bytes.framed = bytes.compared = bytes.scanned = 0;
      return taken;
    },
  };
}

function addTo<K extends string>(sums: Record<K, number>, more: Readonly<Record<K, number>>): void {
  for (const name of Object.keys(more) as K[]) sums[name] = (sums[name] ?? 0) + more[name];
}
