/** Compressed bytes in chunks, and everything that comes out of them. */
import { expect } from 'vitest';
import { SourceFault } from '../../../../src/errors.ts';
import { createPackedCounts, type PackedCounts } from '../../../../src/input/decompress/members.ts';

/** Cuts bytes into chunks of repeating sizes that share one piece of memory, as a reader does, and records when it is closed. */
export function chunked(
  bytes: Uint8Array,
  sizes: readonly number[] = [65_536],
): AsyncIterable<Uint8Array> & { closed: boolean } {
  const memory = new Uint8Array(Math.max(...sizes));
  const source = {
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        let at = 0;
        for (let i = 0; at < bytes.length; i++) {
          const chunk = bytes.subarray(at, at + (sizes[i % sizes.length] as number));
          at += chunk.length;
          memory.fill(0xee);
          memory.set(chunk);
          yield memory.subarray(0, chunk.length);
        }
      } finally {
        source.closed = true;
      }
    },
  };
  return source;
}

export interface Unpacked {
  readonly bytes: Buffer;
  readonly counts: PackedCounts;
  readonly reason?: string;
  readonly fault?: string;
}

type Unpack = (chunks: AsyncIterable<Uint8Array>, counts: PackedCounts) => AsyncIterable<Uint8Array>;

/** Everything that comes out, and the fault at the end. Expects that the source is closed and its counts are right. */
export async function unpackAll(
  unpack: Unpack,
  bytes: Uint8Array,
  sizes?: readonly number[],
): Promise<Unpacked> {
  const source = chunked(bytes, sizes);
  const counts = createPackedCounts();
  const out: Uint8Array[] = [];
  const ending = (): Unpacked => ({ bytes: Buffer.concat(out), counts });
  try {
    for await (const piece of unpack(source, counts)) out.push(Buffer.from(piece));
    expect(counts.memberBytes + counts.paddingBytes).toBe(bytes.length);
    return ending();
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    expect(error.message).toMatch(/compressed byte \d+|zstd/);
    return { ...ending(), reason: error.reason, fault: error.message };
  } finally {
    expect(source.closed).toBe(true);
  }
}
