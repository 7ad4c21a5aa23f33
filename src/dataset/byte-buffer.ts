/**
 * Gathers bytes for one larger write. It grows by doubling, and copies its input: a record may be a slice of a worker's
 * message, and must not keep that whole message alive.
 */

const MIN_CAPACITY = 4096;
/** Most bytes that one UTF-16 code unit takes in UTF-8. */
export const MAX_UTF8_BYTES = 3;

export class ByteBuffer {
  #memory = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory that the buffer occupies. */
  get capacity(): number {
    return this.#memory.length;
  }

  append(bytes: Uint8Array): void {
    this.#makeRoom(this.#length + bytes.length);
    this.#memory.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Appends the text in UTF-8. */
  appendText(text: string): void {
    this.#makeRoom(this.#length + text.length * MAX_UTF8_BYTES);
    this.#length += this.#memory.write(text, this.#length);
  }

  /** A view, valid until the next `append`. */
  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }

  /** Empties it and keeps the memory. */
  clear(): void {
    this.#length = 0;
  }

  /** Empties it and frees the memory; views taken before stay valid. */
  release(): void {
    this.#memory = Buffer.alloc(0);
    this.#length = 0;
  }

  #makeRoom(needed: number): void {
    if (needed <= this.#memory.length) return;
    let capacity = Math.max(this.#memory.length, MIN_CAPACITY);
    while (capacity < needed) capacity *= 2;
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.#memory.copy(larger, 0, 0, this.#length);
    this.#memory = larger;
  }
}
