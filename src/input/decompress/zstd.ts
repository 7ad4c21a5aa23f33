/**
 * Unpacks zstd: walks over the frames itself (zstd-frame.ts), and decodes their content with node:zlib if it has zstd,
 * else with the zstd program. The walk finds truncation, trailing data and unsupported frames, with their positions;
 * the decoder checks blocks and checksums.
 */
import { SourceFault, type SourceReason } from '../../errors.ts';
import { ChunkCursor } from './chunk-cursor.ts';
import { type Decoder, decodeWith } from './decoder.ts';
import { MAGIC_BYTES, startsLikeSkippedFrame, startsLikeZstd } from './magic.ts';
import { createPackedCounts, type PackedCounts } from './members.ts';
import { need, nextMember } from './next-member.ts';
import { type FrameFault, walkFrame } from './zstd-frame.ts';
import { startZstdProgram } from './zstd-program.ts';
import { startZstdStream, zlibHasZstd } from './zstd-zlib.ts';

const SKIPPED_HEADER_BYTES = 8;

const REASONS: Readonly<Record<FrameFault, SourceReason>> = {
  damaged: 'corrupt-zstd',
  dictionary: 'unsupported-compression',
  window: 'decompression-limit',
};

/** How to decode the content. */
export interface ZstdDecoding {
  start(): Decoder;
  /** Compressed bytes of frames that share a decoder: a process for each of 10,000 tiny frames would take a minute. */
  readonly runBytes: number;
}

export const WITH_ZLIB: ZstdDecoding = { start: startZstdStream, runBytes: 0 };
export const WITH_PROGRAM: ZstdDecoding = { start: startZstdProgram, runBytes: 4 * 1024 * 1024 };

/**
 * Yields content before its checksum is known: nothing is final until the generator has ended without an error.
 * @param chunks each is valid until the next one is requested; closed in any case
 * @param counts updated while reading
 * @throws SourceFault `corrupt-zstd`, `trailing-data`, `unsupported-compression` (dictionary), `decompression-limit`
 * (window)
 */
export async function* unzstd(
  chunks: AsyncIterable<Uint8Array>,
  counts: PackedCounts = createPackedCounts(),
  decoding: ZstdDecoding = zlibHasZstd() ? WITH_ZLIB : WITH_PROGRAM,
): AsyncGenerator<Uint8Array, void, undefined> {
  const frames = new Frames(chunks, counts);
  try {
    if (!(await frames.begin())) return; // a log without lines, as in gzip.ts
    while (await frames.next()) {
      const run = new FrameRun(frames, decoding.runBytes);
      yield* run.content(decoding.start());
    }
  } finally {
    await frames.close();
  }
}

/** Walks over the frames of a source, one after the other. */
class Frames {
  readonly counts: PackedCounts;
  readonly #cursor: ChunkCursor;
  /** Compressed offset of the current frame. */
  #start = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, counts: PackedCounts) {
    this.#cursor = new ChunkCursor(chunks);
    this.counts = counts;
  }

  /** Compressed bytes taken so far. */
  get taken(): number {
    return this.#cursor.taken();
  }

  get place(): string {
    return `frame ${this.counts.members + 1} at compressed byte ${this.#start}`;
  }

  fault(what: string, reason: SourceReason = 'corrupt-zstd'): SourceFault {
    return new SourceFault(reason, `${this.place}: ${what}`);
  }

  /** Returns whether there is a first byte. */
  begin(): Promise<boolean> {
    return this.#cursor.more();
  }

  close(): Promise<void> {
    return this.#cursor.close();
  }

  /** Skips frames without content. Returns whether there is one with content. */
  async next(): Promise<boolean> {
    const cursor = this.#cursor;
    for (;;) {
      this.#start = cursor.taken();
      if (!(await nextMember(cursor, this.counts, startsLikeZstd))) return false;
      if (!startsLikeSkippedFrame(cursor.rest())) return true;
      await need(cursor, SKIPPED_HEADER_BYTES);
      const header = Buffer.from(cursor.rest().subarray(0, SKIPPED_HEADER_BYTES));
      const whole = header.length === SKIPPED_HEADER_BYTES;
      if (!whole || !(await this.#skip(SKIPPED_HEADER_BYTES + header.readUInt32LE(MAGIC_BYTES))))
        throw this.fault('it ends inside a skippable frame');
      this.counts.memberBytes = cursor.taken();
    }
  }

  /** Takes that many bytes; returns false if fewer are left. */
  async #skip(count: number): Promise<boolean> {
    const cursor = this.#cursor;
    for (let left = count; ; ) {
      const here = Math.min(left, cursor.rest().length);
      cursor.take(here);
      left -= here;
      if (left === 0) return true;
      if (!(await cursor.more())) return false;
    }
  }

  /** Yields the bytes of a frame as they arrive. @returns the size of the content, if the header has it */
  async *frame(): AsyncGenerator<Uint8Array, number | undefined> {
    const cursor = this.#cursor;
    const walk = walkFrame((why, what) => this.fault(what, REASONS[why]));
    while (!walk.ended) {
      if (cursor.rest().length === 0 && !(await cursor.more())) throw this.fault('it ends inside the frame');
      const bytes = cursor.rest();
      const count = walk.take(bytes);
      yield bytes.subarray(0, count);
      cursor.take(count);
    }
    this.counts.members++;
    this.counts.memberBytes = cursor.taken();
    return walk.contentBytes;
  }
}

/** Consecutive frames for one decoder, starting with the current one. */
class FrameRun {
  readonly #frames: Frames;
  readonly #runBytes: number;
  readonly #first: number;
  readonly #place: string;
  /** Size of the content according to the headers, if all of them have it. */
  #declaredBytes: number | undefined = 0;

  constructor(frames: Frames, runBytes: number) {
    this.#frames = frames;
    this.#runBytes = runBytes;
    this.#first = frames.counts.members + 1;
    this.#place = frames.place;
  }

  async *content(decoder: Decoder): AsyncGenerator<Uint8Array, void> {
    let yielded = 0;
    for await (const piece of decodeWith(decoder, this.#packed(), (what) => this.#fault(what))) {
      yielded += piece.length;
      yield piece;
    }
    if (this.#declaredBytes !== undefined && yielded !== this.#declaredBytes)
      throw this.#fault(`it has ${yielded} bytes, but the header says ${this.#declaredBytes}`);
  }

  async *#packed(): AsyncGenerator<Uint8Array> {
    const frames = this.#frames;
    const from = frames.taken;
    do {
      const declared = yield* frames.frame();
      if (this.#declaredBytes !== undefined)
        this.#declaredBytes = declared === undefined ? undefined : this.#declaredBytes + declared;
    } while (frames.taken - from < this.#runBytes && (await frames.next()));
  }

  #fault(what: string): SourceFault {
    const { members } = this.#frames.counts;
    const where = members > this.#first ? `${this.#place} or one of those up to ${members}` : this.#place;
    return new SourceFault('corrupt-zstd', `${where}: ${what}`);
  }
}
