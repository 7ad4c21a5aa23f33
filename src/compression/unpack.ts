/** A packed source's content. It is unpacked once: what is packed in what was packed is refused by its name. */
import { SourceFault } from '../errors.ts';
import { checkLimits, type DecompressionLimits } from './limits.ts';
import type { PackedCounts } from './packed-counts.ts';
import { type Compression, SNIFF_BYTES, sniff } from './sniff.ts';

export type Packing = Exclude<Compression, 'none'>;

/**
 * Nothing is final until it has ended well.
 * @param chunks each valid until the next one is asked for; closed when this ends, however it ends
 * @param counts filled while reading
 * @throws SourceFault
 */
export async function* unpack(
  packing: Packing,
  chunks: AsyncIterable<Uint8Array>,
  counts: PackedCounts,
  limits: DecompressionLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      read += chunk.length;
      yield chunk;
    }
  }

  let given = 0;
  let head = Buffer.alloc(0);
  for await (const piece of await open(packing, counted(), counts)) {
    given += piece.length;
    checkLimits(limits, packing, given, read);
    if (head.length < SNIFF_BYTES) {
      head = Buffer.concat([head, piece.subarray(0, SNIFF_BYTES - head.length)]);
      refusePacked(head, packing);
    }
    yield piece;
  }
}

/** Late: most sources are plain. */
async function open(
  packing: Packing,
  chunks: AsyncIterable<Uint8Array>,
  counts: PackedCounts,
): Promise<AsyncIterable<Uint8Array>> {
  if (packing === 'gzip') return (await import('./gzip.ts')).gunzip(chunks, counts);
  return (await import('./zstd.ts')).unzstd(chunks, counts);
}

function refusePacked(head: Uint8Array, outer: Packing): void {
  const inner = sniff(head);
  if (inner === 'none') return;
  throw new SourceFault('unsupported-compression', `there is ${inner} inside the ${outer}: unpack it once`);
}
