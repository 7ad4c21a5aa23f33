/**
 * Checks by its fingerprint (fingerprint.ts) whether a file is still the one that a previous run read. Reads the file
 * only if its times do not prove that, or if the content has to be compared anyway.
 */
import { type BigIntStats, statSync } from 'node:fs';
import { ifPossible, SourceFault } from '../errors.ts';
import { fingerprintOf, identityOf, identityOfObject, isSettled, parseFingerprint } from './fingerprint.ts';
import { type FolderRef, identityNow, isFolder } from './open-folder.ts';
import { type ChecksumKind, createChecksum } from './sources/checksum.ts';
import { openFile } from './sources/file.ts';
import { isObject, type SourceRef } from './sources/source.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * Returns the file's current fingerprint, or undefined if it is another file, has changed, or cannot be compared.
 * @param byContent compare only the content; returns undefined for a fingerprint without a SHA-256
 */
export function fingerprintIfUnchanged(
  ref: SourceRef,
  fingerprint: string,
  byContent = false,
): string | undefined {
  const before = parseFingerprint(fingerprint);
  if (ref.path === undefined || before === undefined) return undefined;
  if (isObject(ref)) return fingerprint === identityOfObject(ref) ? fingerprint : undefined; // the listing is enough
  if (isFolder(ref)) return byContent ? undefined : folderIfUnchanged(ref, fingerprint);
  const stats = statIfPossible(ref);
  if (stats === undefined) return undefined;
  if (byContent) {
    const sizeIsSame = stats.size === BigInt(before.sizeBytes);
    if (!before.provesContent || !sizeIsSame) return undefined;
  } else {
    if (before.identity !== identityOf(stats)) return undefined;
    if (before.isSettled) return fingerprint;
  }
  const now = measure(ref, before.provesContent ? 'sha256' : 'crc32');
  if (now === undefined || now.checksum !== before.checksum) return undefined;
  if (!byContent && now.identity !== before.identity) return undefined;
  const settled = isSettled(stats);
  return settled && !before.provesContent ? now.identity : fingerprintOf(now.identity, now.checksum, settled);
}

function folderIfUnchanged(ref: FolderRef, fingerprint: string): string | undefined {
  try {
    return identityNow(ref).identity === fingerprint ? fingerprint : undefined;
  } catch (error) {
    if (error instanceof SourceFault) return undefined;
    throw error;
  }
}

/** Ignores errors: opening the file will report them. */
function statIfPossible({ path = '', dev, ino }: SourceRef): BigIntStats | undefined {
  const stats = ifPossible(() => statSync(Buffer.from(path, 'latin1'), { bigint: true }));
  const isListed = ino === undefined || (stats?.ino === ino && stats?.dev === dev);
  return isListed ? stats : undefined;
}

interface Measured {
  readonly identity: string;
  readonly checksum: string;
}

function measure(ref: SourceRef, kind: ChecksumKind): Measured | undefined {
  try {
    const file = openFile(Buffer.from(ref.path ?? '', 'latin1'), {
      follow: !ref.name.includes('/'),
      expected: ref,
    });
    try {
      const room = Buffer.allocUnsafe(CHUNK_BYTES);
      const checksum = createChecksum(kind);
      for (let count = file.read(room); count > 0; count = file.read(room))
        checksum.update(room.subarray(0, count));
      file.verify();
      return { identity: file.identity, checksum: checksum.digest() };
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof SourceFault) return undefined;
    throw error;
  }
}
