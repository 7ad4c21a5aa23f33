/**
 * Gathers bytes for one larger write. It grows by doubling, and copies its input: a record may be a slice of a worker's
 * message, and must not keep that whole message alive.
 */

const MIN_CAPACITY = 4096;
/** Most bytes that one UTF-16 code unit takes in UTF-8. */
export const MAX_UTF8_BYTES = 3;

export interface ByteBuffer {
  readonly length: number;
  /** Bytes of memory that the buffer occupies. */
  readonly capacity: number;
  append(bytes: Uint8Array): void;
  /** Appends the text in UTF-8. */
  appendText(text: string): void;
  /** A view, valid until the next `append`. */
  bytes(): Uint8Array;
  /** Empties it and keeps the memory. */
  clear(): void;
  /** Empties it and frees the memory; views taken before stay valid. */
  release(): void;
}

export function createByteBuffer(): ByteBuffer {
  let memory = Buffer.alloc(0);
  let length = 0;

  function grow(needed: number): void {
    let capacity = Math.max(memory.length, MIN_CAPACITY);
    while (capacity < needed) capacity *= 2;
    const larger = Buffer.allocUnsafeSlow(capacity);
    memory.copy(larger, 0, 0, length);
    memory = larger;
  }

  return {
    get length() {
      return length;
    },
    get capacity() {
      return memory.length;
    },
    append(bytes) {
      if (length + bytes.length > memory.length) grow(length + bytes.length);
      memory.set(bytes, length);
      length += bytes.length;
    },
    appendText(text) {
      const most = length + text.length * MAX_UTF8_BYTES;
      if (most > memory.length) grow(most);
      length += memory.write(text, length);
    },
    bytes: () => memory.subarray(0, length),
    clear() {
      length = 0;
    },
    release() {
      memory = Buffer.alloc(0);
      length = 0;
    },
  };
}
