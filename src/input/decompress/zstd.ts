/**
 * Unpacks zstd: walks over the frames itself (zstd-frame.ts) and has their content decoded by node:zlib, where it has zstd, or
 * by the zstd program. Truncation, trailing data, and what is refused show in the walk, with their place; the decoder checks
 * blocks and checksums.
 */
import { SourceFault, type SourceReason } from '../../errors.ts';
import { createChunkCursor } from './chunk-cursor.ts';
import { type Decoder, decodeWith } from './decoder.ts';
import { MAGIC_BYTES, startsLikeSkippedFrame, startsLikeZstd } from './magic.ts';
import { need, nextMember } from './next-member.ts';
import { createPackedCounts, type PackedCounts } from './packed-counts.ts';
import { type FrameRefusal, walkFrame } from './zstd-frame.ts';
import { startZstdProgram } from './zstd-program.ts';
import { startZstdStream, zlibHasZstd } from './zstd-zlib.ts';

const SKIPPED_HEADER_BYTES = 8;

const REASONS: Readonly<Record<FrameRefusal, SourceReason>> = {
  damaged: 'corrupt-zstd',
  dictionary: 'unsupported-compression',
  window: 'decompression-limit',
};

/** How the content is decoded. */
export interface ZstdDecoding {
  start(): Decoder;
  /** One decoder gets frames until they have so many bytes: a process for each of 10,000 tiny ones would take a minute. */
  readonly runBytes: number;
}

export const WITH_ZLIB: ZstdDecoding = { start: startZstdStream, runBytes: 0 };
export const WITH_PROGRAM: ZstdDecoding = { start: startZstdProgram, runBytes: 4 * 1024 * 1024 };

/**
 * Content comes out before its checksum is known: nothing is final until the generator has ended well.
 * @param chunks each valid until the next one is asked for; closed when this ends, however it ends
 * @param counts filled while reading
 * @throws SourceFault `corrupt-zstd`, `trailing-data`, `unsupported-compression` (dictionary), `decompression-limit` (window)
 */
export async function* unzstd(
  chunks: AsyncIterable<Uint8Array>,
  counts: PackedCounts = createPackedCounts(),
  decoding: ZstdDecoding = zlibHasZstd() ? WITH_ZLIB : WITH_PROGRAM,
): AsyncGenerator<Uint8Array, void, undefined> {
  const cursor = createChunkCursor(chunks);
  let start = 0; // of the frame in hand
  let promised: number | undefined; // bytes of the run's content, where all its headers tell
  const place = (): string => `frame ${counts.members + 1} at compressed byte ${start}`;
  const fault = (what: string, reason: SourceReason = 'corrupt-zstd'): SourceFault =>
    new SourceFault(reason, `${place()}: ${what}`);

  /** Takes the given number of bytes; false if fewer are left. */
  async function skip(count: number): Promise<boolean> {
    for (let left = count; ; ) {
      const here = Math.min(left, cursor.rest().length);
      cursor.take(here);
      left -= here;
      if (left === 0) return true;
      if (!(await cursor.more())) return false;
    }
  }

  /** Passes over frames to be skipped; true when one with content comes. */
  async function nextFrame(): Promise<boolean> {
    for (;;) {
      start = cursor.taken();
      if (!(await nextMember(cursor, counts, startsLikeZstd, MAGIC_BYTES))) return false;
      if (!startsLikeSkippedFrame(cursor.rest())) return true;
      await need(cursor, SKIPPED_HEADER_BYTES);
      const header = Buffer.from(cursor.rest().subarray(0, SKIPPED_HEADER_BYTES));
      const whole = header.length === SKIPPED_HEADER_BYTES;
      if (!whole || !(await skip(SKIPPED_HEADER_BYTES + header.readUInt32LE(MAGIC_BYTES))))
        throw fault('it ends inside a skippable frame');
      counts.memberBytes = cursor.taken();
    }
  }

  /** The bytes of a frame with content, as they come. */
  async function* frame(): AsyncGenerator<Uint8Array> {
    const walk = walkFrame((why, what) => fault(what, REASONS[why]));
    while (!walk.ended) {
      if (cursor.rest().length === 0 && !(await cursor.more())) throw fault('it ends inside the frame');
      const bytes = cursor.rest();
      const count = walk.take(bytes);
      yield bytes.subarray(0, count);
      cursor.take(count);
    }
    promised =
      promised === undefined || walk.contentBytes === undefined ? undefined : promised + walk.contentBytes;
    counts.members++;
    counts.memberBytes = cursor.taken();
  }

  /** Those of as many frames as one decoder gets. */
  async function* run(): AsyncGenerator<Uint8Array> {
    const from = cursor.taken();
    do yield* frame();
    while (cursor.taken() - from < decoding.runBytes && (await nextFrame()));
  }

  try {
    if (!(await cursor.more())) throw fault('it is empty');
    while (await nextFrame()) {
      const first = counts.members + 1;
      const where = place();
      const ofRun = (what: string): SourceFault => {
        const which = counts.members > first ? `${where} or one of those up to ${counts.members}` : where;
        return new SourceFault('corrupt-zstd', `${which}: ${what}`);
      };
      let given = 0;
      promised = 0;
      for await (const piece of decodeWith(decoding.start(), run(), ofRun)) {
        given += piece.length;
        yield piece;
      }
      if (promised !== undefined && given !== promised)
        throw ofRun(`it has ${given} bytes, but the header says ${promised}`);
    }
  } finally {
    await cursor.close();
  }
}
