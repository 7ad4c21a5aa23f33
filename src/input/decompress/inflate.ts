/**
 * Inflates one raw deflate stream from a stream of chunks, and takes exactly its bytes. Small streams that have already
 * arrived are inflated in one call, which takes microseconds; others piece by piece on the thread pool, in bounded
 * memory at any ratio.
 */
import { createInflateRaw, inflateRawSync } from 'node:zlib';
import type { SourceFault } from '../../errors.ts';
import type { ChunkCursor } from './chunk-cursor.ts';

/** Creates the error for an invalid deflate stream from a description and zlib's own error. */
export type Fault = (what: string, cause?: unknown) => SourceFault;

/** Most bytes that `inflateWhole` returns. Limits the memory, and the wasted work for larger files. */
export const WHOLE_BYTES: number = 1024 * 1024;
const WHOLE_CHUNK_BYTES = 32 * 1024;
const PIECE_BYTES = 256 * 1024;

/** @returns the stream's content, or undefined if it is larger than `WHOLE_BYTES` or has not fully arrived */
export function inflateWhole(cursor: ChunkCursor, fault: Fault): Buffer | undefined {
  try {
    const options = { info: true, chunkSize: WHOLE_CHUNK_BYTES, maxOutputLength: WHOLE_BYTES };
    // the types of Node omit what `info` returns
    const result = inflateRawSync(cursor.rest(), options) as unknown as WithInfo;
    cursor.take(result.engine.bytesWritten);
    return result.buffer;
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

/** Yields pieces of at most a few hundred KiB, one ahead of the consumer, up to the end of the deflate stream. */
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
      if (cursor.rest().length > 0) return; // the stream has ended, so the next bytes are not part of it
    }
  } finally {
    inflate.destroy();
  }
}
