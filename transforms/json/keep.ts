/**
 * Copies bytes that must outlive their line. Small copies share blocks, because allocating memory for each would take
 * longer than copying. A block lives as long as one of its pieces does, so big pieces get their own memory.
 */

/** Copies `bytes[start, end)`. (`slice` of a Buffer would be a view.) */
export function copyOf(bytes: Uint8Array, start = 0, end: number = bytes.length): Uint8Array {
  const copy = new Uint8Array(end - start);
  copy.set(bytes.subarray(start, end));
  return copy;
}

/** Sizes of blocks for bytes that live shortly, and for those that are kept; one is told from the other by its size. */
const PASSING_BYTES = 16 * 1024;
const KEPT_BYTES = 32 * 1024;
const OWN_FROM_BYTES = 4 * 1024;

/** Most bytes that a UTF-16 unit takes in UTF-8. */
const MAX_UNIT_BYTES = 3;
const encoder = new TextEncoder();
/** Node's own method: it takes any Uint8Array. */
const { utf8Write } = Buffer.prototype as unknown as {
  utf8Write(this: Uint8Array, text: string, at: number, room: number): number;
};

/** Blocks of memory that small pieces share. */
class Blocks {
  #block = new Uint8Array(0);
  #used = 0;
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  take(length: number): Uint8Array {
    if (length >= OWN_FROM_BYTES) return new Uint8Array(length);
    this.#makeRoom(length);
    const piece = new Uint8Array(this.#block.buffer, this.#used, length);
    this.#used += length;
    return piece;
  }

  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const copy = this.take(end - start);
    copy.set(bytes.subarray(start, end));
    return copy;
  }

  encode(text: string): Uint8Array {
    const room = text.length * MAX_UNIT_BYTES;
    if (room >= OWN_FROM_BYTES) return encoder.encode(text);
    this.#makeRoom(room);
    return this.take(utf8Write.call(this.#block, text, this.#used, room));
  }

  #makeRoom(length: number): void {
    if (this.#used + length <= this.#block.length) return;
    this.#block = new Uint8Array(this.#size);
    this.#used = 0;
  }
}

const passing = new Blocks(PASSING_BYTES);

/** New bytes, in blocks with other bytes that are soon copied again. */
export const pooled = (length: number): Uint8Array => passing.take(length);

/** Like `copyOf`, for bytes that are soon copied again. */
export const pooledCopy = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  passing.copy(bytes, start, end);

/** UTF-8 of a string without lone surrogates, in new bytes that are soon copied again. */
export const pooledText = (text: string): Uint8Array => passing.encode(text);

/** Are the bytes in a block with others that live shortly, as in Node's pool of buffers? Keeping them would keep the block. */
export const isPassing = ({ buffer: { byteLength } }: Uint8Array): boolean =>
  byteLength === PASSING_BYTES || byteLength === Buffer.poolSize;

/** @returns a function that copies `bytes[start, end)` */
export function createKeeper(): (bytes: Uint8Array, start: number, end: number) => Uint8Array {
  const blocks = new Blocks(KEPT_BYTES);
  return (bytes, start, end) => blocks.copy(bytes, start, end);
}
