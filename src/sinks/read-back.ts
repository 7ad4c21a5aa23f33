/**
 * Reads a file that was just written, to compare it with what its writer counted: a write that the system claims and
 * did not make shows here (F025). Asynchronous, so that a signal is heard while a large dataset is read.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ioError } from '../errors.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface ReadBack {
  /** Of the file. */
  readonly bytes: number;
  readonly sha256: string;
  /** Newlines and bytes of the content, decompressed when it is gzip. */
  readonly lines: number;
  readonly contentBytes: number;
}

/** Throws `io` when it cannot be read or decompressed; the signal's reason when it is aborted. */
export async function readBack(
  path: string,
  { gzip = false, signal }: { gzip?: boolean; signal?: AbortSignal } = {},
): Promise<ReadBack> {
  const hash = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  let contentBytes = 0;

  async function* raw(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }

  async function content(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) {
      contentBytes += chunk.length;
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
    }
  }

  const source = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const options = signal ? { signal } : {};
  try {
    if (gzip) await pipeline(source, raw, createGunzip({ chunkSize: CHUNK_BYTES }), content, options);
    else await pipeline(source, raw, content, options);
  } catch (error) {
    signal?.throwIfAborted();
    throw ioError('read back', path, error);
  }
  return { bytes, sha256: hash.digest('hex'), lines, contentBytes };
}
