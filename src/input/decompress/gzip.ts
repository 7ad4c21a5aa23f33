/**
 * Gunzip with its own loop over the members, because node:zlib loses a member after NULs, and fails on padding that
 * spans chunks. Checks the CRC-32 and the length of every member, and reports leftover bytes with their position. A cut
 * exactly between two members cannot be detected here; only the file's size reveals it.
 */
import { crc32 } from '../../crc32.ts';
import { SourceFault } from '../../errors.ts';
import { ChunkCursor } from './chunk-cursor.ts';
import { type Fault, inflatePieces, inflateWhole, WHOLE_BYTES } from './inflate.ts';
import { startsLikeGzip } from './magic.ts';
import { createPackedCounts, type Members, type PackedCounts } from './members.ts';
import { nextMember } from './next-member.ts';

const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;
const FIXED_BYTES = 10;
/** The format does not limit the length of names, but a header is held in memory as a whole. */
const MAX_HEADER_BYTES = 1024 * 1024;
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
  const cursor = new ChunkCursor(chunks);
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
    if (!(await cursor.more())) return; // a rotation leaves such files: a log without lines
    do {
      members?.begin(counts.members + 1, yielded);
      size = yield* member(cursor, size > WHOLE_BYTES, fault);
      yielded += size;
      start = cursor.taken();
      counts.members++;
      counts.memberBytes = start;
    } while (await nextMember(cursor, counts, startsLikeGzip));
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
  while (cursor.rest().length < TRAILER_BYTES)
    if (!(await cursor.more())) throw fault('it ends inside its trailer');
  const bytes = cursor.rest();
  const trailer = new DataView(bytes.buffer, bytes.byteOffset, TRAILER_BYTES);
  if (trailer.getUint32(0, true) !== crc) throw fault('the checksum of its content is wrong');
  if (trailer.getUint32(4, true) !== size % 2 ** 32) throw fault('the length of its content is wrong');
  cursor.take(TRAILER_BYTES);
}

/**
 * Parses the header of a member (RFC 1952 §2.3) for its length and validity; its fields are not needed.
 * @param bytes the header, as far as it is available
 * @returns the header's length in bytes, 0 if more bytes are needed, or a text that says why it is invalid
 */
function gzipHeaderLength(bytes: Uint8Array): number | string {
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
