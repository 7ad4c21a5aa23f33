/**
 * Reads back a file that was just written, to compare it with its writer's counts and with the checksum of its bytes.
 * That reveals a write that the system only claimed to make, and a bit that flipped on the way in or out. Files are read
 * synchronously in small pieces, which takes half the time of asynchronous reads, with pauses in which signals are
 * handled.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { crc32 } from '../crc32.ts';
import { ioError, TurnmillError } from '../errors.ts';
import { unzstd } from '../input/decompress/zstd.ts';
import { fileSystem } from './file-system.ts';

/** Bytes that are read at once: they stay in the processor's cache while they are hashed. */
const CHUNK_BYTES = 64 * 1024;
const UNPACKED_BYTES = 256 * 1024;
/** Bytes after which signals are handled. */
const TURN_BYTES = 4 * 1024 * 1024;

export interface ReadBack {
  /** Size and hash of the file. */
  readonly bytes: number;
  readonly sha256: string;
  /** CRC-32 of the same buffers as `sha256`: if it equals the writer's, the hash is that of the intended bytes. */
  readonly crc32: number;
  /** Newlines of the content. For `.gz` and `.zst`, the content is what they unpack to. */
  readonly lines: number;
  readonly contentBytes: number;
  readonly contentCrc32: number;
}

export interface ReadBackOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the decompressed content; a chunk is valid until the callback returns. */
  readonly onContent?: (chunk: Uint8Array) => void;
}

/** Reads files back on another thread. */
export interface FileReader {
  /** @returns undefined if it cannot, for whatever reason */
  readBack(path: string): Promise<ReadBack | undefined>;
}

/**
 * Throws `io` if the file cannot be read or decompressed, `invalid-dataset` if it is not a regular file, and the
 * signal's reason if aborted.
 */
export async function readBack(path: string, { signal, onContent }: ReadBackOptions = {}): Promise<ReadBack> {
  const hash = createHash('sha256');
  const packed = /\.(?:gz|zst)$/.test(path);
  let bytes = 0;
  let checksum = 0;
  let lines = 0;
  let contentBytes = 0;
  let contentChecksum = 0;

  async function* raw(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readChunks(path, { signal })) {
      hash.update(chunk);
      checksum = crc32(chunk, checksum);
      bytes += chunk.length;
      yield chunk;
    }
  }

  async function content(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) {
      contentBytes += chunk.length;
      if (packed) contentChecksum = crc32(chunk, contentChecksum);
      onContent?.(chunk);
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
    }
  }

  /** Copies the chunks: the gunzip stream keeps each one until it is inflated, but `raw` reuses its buffer. */
  async function* copies(): AsyncGenerator<Uint8Array> {
    for await (const chunk of raw()) yield Buffer.from(chunk);
  }

  try {
    if (path.endsWith('.zst')) await content(unzstd(raw()));
    else if (path.endsWith('.gz'))
      await pipeline(copies, createGunzip({ chunkSize: UNPACKED_BYTES }), content, signal ? { signal } : {});
    else await content(raw());
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TurnmillError) throw error;
    throw ioError('read back', path, error);
  }
  const contentCrc32 = packed ? contentChecksum : checksum;
  return { bytes, sha256: hash.digest('hex'), crc32: checksum, lines, contentBytes, contentCrc32 };
}

/** Reads the lines of a file, decompressed. @param take called with each line, without its newline; valid until it returns */
export async function eachLine(path: string, take: (line: Uint8Array) => void): Promise<void> {
  let held: Uint8Array[] = [];
  const onContent = (chunk: Uint8Array): void => {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const last = chunk.subarray(start, end);
      take(held.length === 0 ? last : Buffer.concat([...held, last]));
      held = [];
      start = end + 1;
    }
    if (start < chunk.length) held.push(Buffer.from(chunk.subarray(start)));
  };
  await readBack(path, { onContent });
}

export interface ReadChunksOptions {
  readonly signal?: AbortSignal | undefined;
  /** Number of bytes to read; by default the whole file. */
  readonly most?: number;
}

/**
 * Reads the file in chunks that share one buffer, so that a large dataset leaves no garbage; each chunk is valid until
 * the next one. Throws the system's own errors, and the signal's reason.
 */
export async function* readChunks(
  path: string,
  { signal, most = Number.POSITIVE_INFINITY }: ReadChunksOptions = {},
): AsyncGenerator<Uint8Array> {
  const fd = fileSystem.openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fileSystem.fstatSync(fd, { bigint: true }).isFile())
      throw new TurnmillError('invalid-dataset', `${path} is not a regular file`, { subject: path });
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; at < most; ) {
      if (at % TURN_BYTES < CHUNK_BYTES) await setImmediate();
      signal?.throwIfAborted();
      const count = fileSystem.readSync(fd, buffer, 0, Math.min(CHUNK_BYTES, most - at), at);
      if (count === 0) return;
      at += count;
      yield buffer.subarray(0, count);
    }
  } finally {
    fileSystem.closeSync(fd);
  }
}
