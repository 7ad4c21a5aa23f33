/**
 * Where a thread's time goes (`--profile`): one clock, and at every moment one segment that it runs for. A segment that is entered inside
 * another one is not counted to the outer one, so the segments of a thread add up to its whole time, by counters and not by samples.
 */

/** Milliseconds by segment, and bytes; summed when there are several threads. */
export interface ProfileFigures {
  readonly ms: Readonly<Record<string, number>>;
  readonly bytes: Readonly<ProfileBytes>;
}

export interface ProfileBytes {
  /** Taken from files and pipes, as they are (compressed). */
  read: number;
  /** Cut into lines. */
  framed: number;
  /** Bytes of parsed lines that were recognised as known. */
  compared: number;
  /** Bytes of parsed lines that were scanned. */
  scanned: number;
}

export interface Profile {
  readonly bytes: ProfileBytes;
  /** From now on the time is that of `segment`. Returns the one that it was until now. */
  enter(segment: string): string;
  /** The same items; the time in which they are made is that of `segment`. */
  each<T>(segment: string, items: Iterable<T>): Iterable<T>;
  eachLater<T>(segment: string, items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T>;
  /** Adds those of another thread. */
  add(figures: ProfileFigures): void;
  /** The figures since the last time. */
  take(): ProfileFigures;
}

/** Segments that are no stage: those before the stages, and those after them, as a table shows them. */
export const FIRST_SEGMENTS: readonly string[] = ['list', 'read', 'frame'];
export const LAST_SEGMENTS: readonly string[] = ['collect', 'record', 'sync', 'read-back', 'wait', 'other'];

/** @param start the segment that the thread is in now */
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
