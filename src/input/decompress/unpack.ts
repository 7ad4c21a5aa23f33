/** Unpacks one layer of compression; packed data inside packed data is rejected by name. */
import { SourceFault } from '../../errors.ts';
import { DECODER_KILLED } from './decoder.ts';
import { allowedBytes, checkLimits, type DecompressionLimits } from './limits.ts';
import { createPackedCounts, type Members, type PackedCounts } from './members.ts';
import { type Packing, SNIFF_BYTES, sniff } from './sniff.ts';

/** Attempts before a killed decoder becomes a rejection. */
export const MAX_TRIES = 3;

export interface Unpacking {
  readonly packing: Packing;
  /** Returns its bytes from the beginning; each chunk is valid until the next one is requested. Closed in any case. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  /** Number of times `chunks` may be called. */
  readonly tries: number;
  /** Updated while reading. */
  readonly counts: PackedCounts;
  /** Records where each gzip member begins. */
  readonly members?: Members | undefined;
  readonly limits: DecompressionLimits;
}

/**
 * Yields the content. Nothing is final until the generator has ended without an error.
 * @throws SourceFault
 */
export async function* unpack(unpacking: Unpacking): AsyncGenerator<Uint8Array, void, undefined> {
  let yielded = 0;
  for (let left = unpacking.tries; ; ) {
    let at = 0;
    try {
      for await (const piece of unpackOnce(unpacking)) {
        const known = Math.min(piece.length, yielded - at); // already yielded by the previous attempt
        at += piece.length;
        if (known === piece.length) continue;
        yielded = at;
        yield piece.subarray(known);
      }
      return;
    } catch (error) {
      left--;
      if (left === 0 || (error as Error).cause !== DECODER_KILLED) throw error;
      Object.assign(unpacking.counts, createPackedCounts());
    }
  }
}

async function* unpackOnce({
  packing,
  chunks,
  counts,
  members,
  limits,
}: Unpacking): AsyncGenerator<Uint8Array> {
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks()) {
      read += chunk.length;
      yield chunk;
    }
  }

  let written = 0;
  let head = Buffer.alloc(0);
  for await (const piece of await open(packing, counted(), counts, members)) {
    if (head.length < SNIFF_BYTES) {
      head = Buffer.concat([head, piece.subarray(0, SNIFF_BYTES - head.length)]);
      refusePacked(head, packing);
    }
    const readNow = read; // more may be read while the piece is used
    // cuts at the exact byte of the limit, because the pieces of decoders vary
    yield piece.subarray(0, allowedBytes(limits, packing, readNow) - written);
    written += piece.length;
    checkLimits(limits, packing, written, readNow);
  }
}

/** Loads the decoder on demand: most sources are plain. */
async function open(
  packing: Packing,
  chunks: AsyncIterable<Uint8Array>,
  counts: PackedCounts,
  members: Members | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  if (packing === 'gzip') return (await import('./gzip.ts')).gunzip(chunks, counts, members);
  return (await import('./zstd.ts')).unzstd(chunks, counts);
}

function refusePacked(head: Uint8Array, outer: Packing): void {
  const inner = sniff(head);
  if (inner === 'none') return;
  throw new SourceFault(
    'unsupported-compression',
    `the ${outer} data contains ${inner} data: unpack the file once`,
  );
}
