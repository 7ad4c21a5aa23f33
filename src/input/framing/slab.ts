/**
 * The slab: the memory that sources are read into and framed in, reused from source to source. Bytes that are not framed
 * yet move to its front; it grows only for a giant line, and shrinks again with the next source.
 */

const SLAB_BYTES = 1024 * 1024;
const MIN_ROOM_BYTES = 128 * 1024;

/** A framing buffer; pass the same one to the framers of all sources. */
export interface Slab {
  readonly bytes: Uint8Array;
  /** Changes its size and keeps as much of its content as fits. */
  resize(bytes: number): void;
}

/** Allocates memory of this size with as much of the slab's content as fits. */
export type SlabMemory = (bytes: number) => Uint8Array;

/** @param memory by default, Node's buffers @param onGrow called before it grows for a giant line */
export function createSlab(memory: SlabMemory = createHeapMemory(), onGrow?: () => void): Slab {
  let bytes = memory(SLAB_BYTES);
  return {
    get bytes() {
      return bytes;
    },
    resize(size) {
      if (size > SLAB_BYTES) onGrow?.();
      bytes = memory(size);
    },
  };
}

function createHeapMemory(): SlabMemory {
  let bytes = new Uint8Array(0);
  return (size) => {
    const { buffer } = Buffer.allocUnsafeSlow(size);
    const next = new Uint8Array(buffer, 0, size);
    next.set(bytes.subarray(0, size));
    bytes = next;
    return next;
  };
}

/** Frees the memory of a slab that had grown for a giant line. */
export function shrinkSlab(slab: Slab): void {
  if (slab.bytes.length > SLAB_BYTES) slab.resize(SLAB_BYTES);
}

/**
 * Returns whether there is room for a read of useful size after the first `have` bytes, of which those before `from` are
 * no longer needed. A slab that has grown is not filled to its end: memory that was never touched costs nothing.
 */
export function hasRoom(slab: Slab, from: number, have: number): boolean {
  const { length } = slab.bytes;
  if (length > SLAB_BYTES && from > have - from) return false;
  return length - have >= MIN_ROOM_BYTES;
}

/** Returns the space for the next read. It is limited, so that a slab that has grown is touched only as far as needed. */
export function roomOf(slab: Slab, have: number): Uint8Array {
  return slab.bytes.subarray(have, have + SLAB_BYTES);
}

/**
 * Moves the bytes from `from` to `have` to the front, and doubles the slab if they would fill it.
 * @param mostBytes length of the longest content that is ever kept: the slab does not grow much beyond it
 */
export function keepFrom(slab: Slab, from: number, have: number, mostBytes: number): void {
  const needed = have - from + MIN_ROOM_BYTES;
  slab.bytes.copyWithin(0, from, have);
  if (needed <= slab.bytes.length) return;
  let size = slab.bytes.length * 2;
  while (size < needed) size *= 2;
  const enough = mostBytes + 2 * MIN_ROOM_BYTES;
  // goes straight to the final size if that is near, because every step is a copy
  slab.resize(Math.max(needed, size * 1.5 > enough ? enough : size));
}
