/** Checks, before anything is read, that everything listed can be unpacked here. */
import { compressionNamed } from '../decompress/sniff.ts';
import type { SourceRef } from './source.ts';

/** @throws TurnmillError `unavailable` if a listed source needs a program that is missing or does not answer */
export async function requireDecoders(sources: readonly SourceRef[]): Promise<void> {
  const packed = sources.find(({ name }) => compressionNamed(name) === 'zstd');
  if (packed === undefined) return;
  const { requireZstd } = await import('../decompress/require-zstd.ts'); // loaded late: most sources are plain
  requireZstd(packed.name);
}
