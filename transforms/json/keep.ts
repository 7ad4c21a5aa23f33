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

/** New bytes with any content. Small ones lie in blocks of Node's buffer pool, which live as long as one of their pieces. */
export function pooled(length: number): Uint8Array {
  const { buffer, byteOffset } = Buffer.allocUnsafe(length);
  return new Uint8Array(buffer, byteOffset, length);
}

/** Like `copyOf`, in the pool: for bytes that are soon copied again. */
export function pooledCopy(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const copy = pooled(end - start);
  copy.set(bytes.subarray(start, end));
  return copy;
}

const BLOCK_BYTES = 32 * 1024;
const OWN_FROM_BYTES = 4 * 1024;

/** @returns a function that copies `bytes[start, end)` */
export function createKeeper(): (bytes: Uint8Array, start: number, end: number) => Uint8Array {
  let block = new Uint8Array(0);
  let used = 0;
  return (bytes, start, end) => {
    const length = end - start;
    if (length >= OWN_FROM_BYTES) return copyOf(bytes, start, end);
    if (used + length > block.length) {
      block = new Uint8Array(BLOCK_BYTES);
      used = 0;
    }
    const copy = block.subarray(used, used + length);
    copy.set(bytes.subarray(start, end));
    used += length;
    return copy;
  };
}
