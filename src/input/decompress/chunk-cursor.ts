/** A position in a stream of chunks: peek at the next bytes, take some of them, request more. */

export interface ChunkCursor {
  /** Bytes delivered and not yet taken; valid until `more`. */
  rest(): Uint8Array;
  take(count: number): void;
  /** Number of bytes taken so far. */
  taken(): number;
  /** Appends the next chunk to `rest`; returns false at the end. */
  more(): Promise<boolean>;
  /** Closes the stream, even if it has not been read to its end. */
  close(): Promise<void>;
}

/** @param chunks each is valid until the next one is requested */
export function createChunkCursor(chunks: AsyncIterable<Uint8Array>): ChunkCursor {
  const source = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  let taken = 0;

  return {
    rest: () => rest,
    taken: () => taken,
    take(count) {
      rest = rest.subarray(count);
      taken += count;
    },
    async more() {
      const kept = rest.length > 0 ? Buffer.from(rest) : undefined; // a copy, because the chunk's memory may be reused
      for (;;) {
        const next = await source.next();
        if (next.done === true) {
          rest = kept ?? rest;
          return false;
        }
        if (next.value.length === 0) continue;
        rest = kept === undefined ? next.value : Buffer.concat([kept, next.value]);
        return true;
      }
    },
    async close() {
      await source.return?.();
    },
  };
}
