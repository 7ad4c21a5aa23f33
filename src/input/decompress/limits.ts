/**
 * Limits the decompressed size of a packed source and, above a size that no small file reaches, its ratio to the bytes
 * read. Logs are repetitive, so a high ratio alone means nothing (docs/contributing/decisions/0009-limits.md).
 */
import { SourceFault } from '../../errors.ts';
import type { Packing } from './sniff.ts';

export interface DecompressionLimits {
  readonly maxDecompressed: number;
  /** Undefined for the default of the packing. */
  readonly maxRatio: number | undefined;
}

export const UNLIMITED: DecompressionLimits = {
  maxDecompressed: Number.POSITIVE_INFINITY,
  maxRatio: Number.POSITIVE_INFINITY,
};

/** The highest ratio of deflate is 1,032, and logs reach 4 to 30; that of zstd is 32,000, and logs reach 62 to thousands. */
export const DEFAULT_RATIOS: Readonly<Record<Packing, number>> = { gzip: 200, zstd: 10_000 };
/** Below this size any ratio is allowed. */
export const RATIO_FROM_BYTES: number = 256 * 1024 * 1024;

/** @returns how many bytes `read` packed bytes may decompress to */
export function allowedBytes(limits: DecompressionLimits, packing: Packing, read: number): number {
  const { maxDecompressed, maxRatio = DEFAULT_RATIOS[packing] } = limits;
  return Math.min(maxDecompressed, Math.max(RATIO_FROM_BYTES, Math.floor(maxRatio * read)));
}

/**
 * @param written decompressed bytes so far
 * @param read packed bytes so far
 * @throws SourceFault `decompression-limit`
 */
export function checkLimits(
  limits: DecompressionLimits,
  packing: Packing,
  written: number,
  read: number,
): void {
  if (written <= allowedBytes(limits, packing, read)) return;
  const { maxDecompressed, maxRatio = DEFAULT_RATIOS[packing] } = limits;
  if (written > maxDecompressed) refuse(`it unpacks to more than ${maxDecompressed} bytes`);
  refuse(`it unpacks to more than ${RATIO_FROM_BYTES} bytes and more than ${maxRatio} times its size`);
}

function refuse(what: string): never {
  throw new SourceFault('decompression-limit', `${what} (see --max-decompressed, --max-ratio)`);
}
