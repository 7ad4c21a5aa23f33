/** Checks, before anything is read, that all sources can be unpacked on this machine. */
import { compressionNamed } from '../decompress/sniff.ts';
import type { SourceRef } from './source.ts';

/** @throws TurnmillError `unavailable` if a source needs a program that is missing or does not answer */
export async function requireDecoders(sources: Iterable<SourceRef>): Promise<void> {
  for (const { name } of sources) {
    if (compressionNamed(name) !== 'zstd') continue;
    const { requireZstd } = await import('../decompress/require-zstd.ts'); // loaded late: most sources are plain
    requireZstd(name);
    return;
  }
}
