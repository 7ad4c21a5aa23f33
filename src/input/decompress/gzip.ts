/**
 * Gunzip with its own loop over the members, because node:zlib loses a member after NULs, and fails on padding that
 * spans chunks. Checks the CRC-32 and the length of every member, and reports leftover bytes with their position. A cut
 * exactly between two members cannot be detected here; only the file's size reveals it.
 */
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { SourceFault } from '../../errors.ts';
import { type ChunkCursor, createChunkCursor } from './chunk-cursor.ts';
import { MAGIC_BYTES, startsLikeGzip } from './magic.ts';
import { createPackedCounts, type Members, type PackedCounts } from './members.ts';
import { nextMember } from './next-member.ts';

const TRAILER_BYTES = 8;

/**
 * Yields content before the checksum of its member is known: nothing is final until the generator has ended without an
 * error.
 * @param chunks each is valid until the next one is requested; closed in any case
 * @param counts updated while reading
 * @param members records where each member begins
 * @returns chunks that own their memory
 * @throws SourceFault `corrupt-gzip`, with the number of the member from 1 and where it begins; `trailing-data`
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  counts: PackedCounts = createPackedCounts(),
  members?: Members,
): AsyncGenerator<Uint8Array, void, undefined> {
  const cursor = createChunkCursor(chunks);
  let start = 0;
  let size = 0;
  let yielded = 0;
  const fault: Fault = (what, cause) =>
    new SourceFault(
      'corrupt-gzip',
      `member ${counts.members + 1} at compressed byte ${start}: ${what}`,
      cause,
    );
  try {
    if (!(await cursor.more())) throw fault('it is empty');
    do {
      members?.begin(counts.members + 1, yielded);
      size = yield* member(cursor, size > WHOLE_BYTES, fault);
      yielded += size;
      start = cursor.taken();
      counts.members++;
      counts.memberBytes = start;
    } while (await nextMember(cursor, counts, startsLikeGzip, MAGIC_BYTES));
  } finally {
    await cursor.close();
  }
}

/**
 * Yields the content of a member.
 * @param large whether it is probably too large to be inflated in one call
 * @returns the length of the content
 */
async function* member(
  cursor: ChunkCursor,
  large: boolean,
  fault: Fault,
): AsyncGenerator<Uint8Array, number, undefined> {
  await takeHeader(cursor, fault);
  const whole = large || cursor.rest().length === 0 ? undefined : inflateWhole(cursor, fault);
  if (whole !== undefined) {
    await takeTrailer(cursor, crc32(whole), whole.length, fault);
    if (whole.length > 0) yield whole;
    return whole.length;
  }
  let crc = 0;
  let size = 0;
  for await (const piece of inflatePieces(cursor, fault)) {
    crc = crc32(piece, crc);
    size += piece.length;
    yield piece;
  }
  await takeTrailer(cursor, crc, size, fault);
  return size;
}

async function takeHeader(cursor: ChunkCursor, fault: Fault): Promise<void> {
  for (;;) {
    const length = gzipHeaderLength(cursor.rest());
    if (typeof length === 'string') throw fault(length);
    if (length > 0) return cursor.take(length);
    if (!(await cursor.more())) throw fault('it ends inside its header');
  }
}

async function takeTrailer(cursor: ChunkCursor, crc: number, size: number, fault: Fault): Promise<void> {
  while (cursor.rest().length < TRAILER_BYTES) {
    if (!(await cursor.more())) throw fault('it ends inside its trailer');
  }
  const bytes = cursor.rest();
  const trailer = new DataView(bytes.buffer, bytes.byteOffset, TRAILER_BYTES);
  if (trailer.getUint32(0, true) !== crc) throw fault('the checksum of its content is wrong');
  if (trailer.getUint32(4, true) !== size % 2 ** 32) throw fault('the length of its content is wrong');
  cursor.take(TRAILER_BYTES);
}

const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;
const FIXED_BYTES = 10;
/** The format does not limit the length of names, but a header is held in memory as a whole. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * Parses the header of a gzip member (RFC 1952 §2.3) for its length and validity; its fields are not needed.
 * @param bytes the header, as far as it is available
 * @returns the header's length in bytes, 0 if more bytes are needed, or a text that says why it is invalid
 */
export function gzipHeaderLength(bytes: Uint8Array): number | string {
  if (bytes.length > 0 && bytes[0] !== 0x1f) return 'not a gzip header';
  if (bytes.length > 1 && bytes[1] !== 0x8b) return 'not a gzip header';
  if (bytes.length < FIXED_BYTES) return 0;
  const flags = bytes[3] as number;
  if (bytes[2] !== 8) return 'unknown compression method';
  if ((flags & RESERVED) !== 0) return 'reserved header flags are set';

  let end = FIXED_BYTES;
  if (flags & FEXTRA) {
    if (bytes.length < end + 2) return 0;
    end += 2 + (bytes[end] as number) + 256 * (bytes[end + 1] as number);
  }
  for (const flag of [FNAME, FCOMMENT]) {
    if ((flags & flag) === 0) continue;
    const nul = bytes.indexOf(0, end);
    if (nul < 0) return bytes.length > MAX_HEADER_BYTES ? 'the header does not end' : 0;
    end = nul + 1;
  }
  if (flags & FHCRC) {
    if (bytes.length < end + 2) return 0;
    const stored = (bytes[end] as number) + 256 * (bytes[end + 1] as number);
    if ((crc32(bytes.subarray(0, end)) & 0xffff) !== stored) return 'the header checksum is wrong';
    end += 2;
  }
  return bytes.length < end ? 0 : end;
}

/** Creates the error for an invalid deflate stream from a description and zlib's own error. */
export type Fault = (what: string, cause?: unknown) => SourceFault;

/** Most bytes that `inflateWhole` returns. Limits the memory, and the wasted work for larger files. */
export const WHOLE_BYTES: number = 1024 * 1024;
const WHOLE_CHUNK_BYTES = 32 * 1024;
const PIECE_BYTES = 256 * 1024;

/**
 * Inflates one raw deflate stream from a stream of chunks, and takes exactly its bytes. Small streams that have already
 * arrived are inflated in one call, which takes microseconds; others piece by piece on the thread pool (`inflatePieces`),
 * in bounded memory at any ratio.
 * @returns the stream's content, or undefined if it is larger than `WHOLE_BYTES` or has not fully arrived
 */
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
