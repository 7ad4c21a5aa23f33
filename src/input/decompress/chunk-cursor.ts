/** A position in a stream of chunks: peek at the next bytes, take some of them, request more. */
export class ChunkCursor {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #taken = 0;

  /** @param chunks each is valid until the next one is requested */
  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Bytes delivered and not yet taken; valid until `more`. */
  rest(): Uint8Array {
    return this.#rest;
  }

  take(count: number): void {
    this.#rest = this.#rest.subarray(count);
    this.#taken += count;
  }

  /** Number of bytes taken so far. */
  taken(): number {
    return this.#taken;
  }

  /** Appends the next chunk to `rest`; returns false at the end. */
  async more(): Promise<boolean> {
    const kept = this.#rest.length > 0 ? Buffer.from(this.#rest) : undefined; // a copy, because the chunk's memory may be reused
    for (;;) {
      const next = await this.#chunks.next();
      if (next.done === true) {
        this.#rest = kept ?? this.#rest;
        return false;
      }
      if (next.value.length === 0) continue;
      this.#rest = kept === undefined ? next.value : Buffer.concat([kept, next.value]);
      return true;
    }
  }

  /** Closes the stream, even if it has not been read to its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
