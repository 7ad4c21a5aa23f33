/**
 * Limits what a packed source may give: its size after decompression and, beyond a size that no small file reaches,
 * its ratio to the bytes that were read. Logs repeat themselves, so the ratio alone says nothing
 * (docs/decisions/0009-limits.md).
 */
import { SourceFault } from '../../errors.ts';
import type { Packing } from './sniff.ts';

export interface DecompressionLimits {
  readonly maxDecompressedBytes: number;
  /** Undefined: that of the packing. */
  readonly maxRatio: number | undefined;
}

export const UNLIMITED: DecompressionLimits = {
  maxDecompressedBytes: Number.POSITIVE_INFINITY,
  maxRatio: Number.POSITIVE_INFINITY,
};

/** Deflate reaches 1,032, logs 4 to 30. zstd reaches 32,000, logs 62 to some thousand. */
export const DEFAULT_RATIOS: Readonly<Record<Packing, number>> = { gzip: 200, zstd: 10_000 };
/** Up to here any ratio is fine. */
export const RATIO_FROM_BYTES: number = 256 * 1024 * 1024;

/** @returns how many bytes may come out after `read` bytes went in */
export function allowedBytes(limits: DecompressionLimits, packing: Packing, read: number): number {
  const { maxDecompressedBytes, maxRatio = DEFAULT_RATIOS[packing] } = limits;
  return Math.min(maxDecompressedBytes, Math.max(RATIO_FROM_BYTES, Math.floor(maxRatio * read)));
}

/**
 * @param given bytes that came out so far
 * @param read bytes that went in so far
 * @throws SourceFault `decompression-limit`
 */
export function checkLimits(
  limits: DecompressionLimits,
  packing: Packing,
  given: number,
  read: number,
): void {
  if (given <= allowedBytes(limits, packing, read)) return;
  const { maxDecompressedBytes, maxRatio = DEFAULT_RATIOS[packing] } = limits;
  if (given > maxDecompressedBytes) refuse(`it unpacks to more than ${maxDecompressedBytes} bytes`);
  refuse(`it unpacks to more than ${RATIO_FROM_BYTES} bytes and more than ${maxRatio} times its size`);
}

function refuse(what: string): never {
  throw new SourceFault('decompression-limit', `${what} (see --max-decompressed, --max-ratio)`);
}
