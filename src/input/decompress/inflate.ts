/**
 * One raw deflate stream out of a stream of chunks, taking exactly its bytes. Two ways: at once for what is small and
 * already there (some microseconds), or piece by piece on the thread pool, in bounded memory whatever the ratio.
 */
import { createInflateRaw, inflateRawSync } from 'node:zlib';
import type { SourceFault } from '../../errors.ts';
import type { ChunkCursor } from './chunk-cursor.ts';

/** Makes the error for bytes that are no deflate stream: what is wrong, and zlib's own error. */
export type Fault = (what: string, cause?: unknown) => SourceFault;

/** The most that `inflateWhole` gives; it bounds the memory, and the wasted work when a file is larger. */
export const WHOLE_BYTES: number = 1024 * 1024;
const WHOLE_CHUNK_BYTES = 32 * 1024;
const PIECE_BYTES = 256 * 1024;

/** @returns the stream's content, or undefined when it is larger than `WHOLE_BYTES` or not yet there to its end */
export function inflateWhole(cursor: ChunkCursor, fault: Fault): Buffer | undefined {
  try {
    const options = { info: true, chunkSize: WHOLE_CHUNK_BYTES, maxOutputLength: WHOLE_BYTES };
    // with `info` it returns this, which its types do not say
    const made = inflateRawSync(cursor.rest(), options) as unknown as WithInfo;
    cursor.take(made.engine.bytesWritten);
    return made.buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR' || code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw fault(message, error);
  }
}

interface WithInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Yields pieces of some hundred KiB at most, one ahead of the consumer, and ends when the deflate stream does. */
export async function* inflatePieces(
  cursor: ChunkCursor,
  fault: Fault,
): AsyncGenerator<Uint8Array, void, undefined> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  let failure: Error | undefined;
  let written = false;
  let wake = (): void => {};
  inflate.on('readable', () => wake());
  inflate.on('error', (error) => {
    failure = error;
    wake();
  });
  try {
    for (;;) {
      if (cursor.rest().length === 0 && !(await cursor.more())) throw fault('it ends inside its data');
      const before = inflate.bytesWritten;
      written = false;
      inflate.write(cursor.rest(), () => {
        written = true;
        wake();
      });
      for (;;) {
        const piece = inflate.read() as Buffer | null;
        if (piece !== null) yield piece;
        else if (failure !== undefined) throw fault(failure.message, failure);
        else if (written) break;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
      cursor.take(inflate.bytesWritten - before);
      if (cursor.rest().length > 0) return; // it wants nothing of what follows its end
    }
  } finally {
    inflate.destroy();
  }
}
