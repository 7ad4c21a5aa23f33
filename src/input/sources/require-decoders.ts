/** Before anything is read: can everything that is listed be unpacked here? */
import { compressionNamed } from '../decompress/sniff.ts';
import type { SourceRef } from './source.ts';

/** @throws TurnmillError `unavailable` when a listed source needs a program that is not there, or does not answer */
export async function requireDecoders(sources: readonly SourceRef[]): Promise<void> {
  const packed = sources.find(({ name }) => compressionNamed(name) === 'zstd');
  if (packed === undefined) return;
  const { requireZstd } = await import('../decompress/require-zstd.ts'); // late: most sources are plain
  requireZstd(packed.name);
}
