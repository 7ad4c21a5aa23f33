/** Is a file still the one that an earlier run read? By its proof (stamp.ts); the file is read only where that holds a checksum. */
import { type BigIntStats, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { SourceFault } from '../errors.ts';
import { openFile } from './file.ts';
import type { SourceRef } from './source.ts';
import { isSettled, stampOf, withChecksum } from './stamp.ts';

const CHUNK_BYTES = 256 * 1024;

/** The file's proof as of now, or undefined: it is another one, has changed, or nobody can tell. */
export function proofIfUnchanged(ref: SourceRef, proof: string): string | undefined {
  if (ref.path === undefined || proof === '') return undefined;
  const path = Buffer.from(ref.path, 'latin1');
  const stats = statIfPossible(path);
  if (stats === undefined) return undefined;
  const stamp = stampOf(stats);
  if (proof === stamp) return proof;
  if (!proof.startsWith(`${stamp}:`) || checkedProof(ref, path) !== proof) return undefined;
  return isSettled(stats) ? stamp : proof;
}

/** Whatever is wrong with it, whoever reads it will say. */
function statIfPossible(path: Buffer): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function checkedProof(ref: SourceRef, path: Uint8Array): string | undefined {
  try {
    const file = openFile(path, !ref.name.includes('/'));
    try {
      const room = Buffer.allocUnsafe(CHUNK_BYTES);
      let checksum = 0;
      for (let count = file.read(room); count > 0; count = file.read(room))
        checksum = crc32(room.subarray(0, count), checksum);
      file.verify();
      return withChecksum(file.stamp, checksum);
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof SourceFault) return undefined;
    throw error;
  }
}
