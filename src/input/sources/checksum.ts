/** Checksums of streaming bytes: CRC-32 for a quick comparison, SHA-256 if the content alone decides. */
import { createHash } from 'node:crypto';
import { crc32 } from '../../crc32.ts';

export type ChecksumKind = 'crc32' | 'sha256';

export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  /** Returns the checksum in hexadecimal; no bytes may follow. */
  digest(): string;
}

export function createChecksum(kind: ChecksumKind): RunningChecksum {
  if (kind === 'crc32') {
    let sum = 0;
    return {
      update(bytes) {
        sum = crc32(bytes, sum);
      },
      digest: () => sum.toString(16),
    };
  }
  const hash = createHash('sha256');
  let digest: string | undefined;
  return {
    update: (bytes) => void hash.update(bytes),
    digest() {
      digest ??= hash.digest('hex');
      return digest;
    },
  };
}
