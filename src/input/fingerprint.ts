/**
 * Detects whether a file has changed by its inode, size, mtime and ctime in nanoseconds. These times may lag: the clock
 * of a file system has steps, and a write through a mapped file changes them only when the kernel writes its pages back.
 * A file that changed shortly before it was read therefore also gets a checksum (docs/contributing/decisions/0013-update.md).
 *
 * A fingerprint is `INODE:SIZE:MTIME:CTIME`, followed by `:CHECKSUM` if the times alone do not prove the file
 * unchanged, or by `::CHECKSUM` if they do and the checksum was taken for `--checksum`. The fingerprint of an object is
 * its identity, `s3:ETAG:SIZE`: the store assigns a new ETag to new content. The fingerprint of a folder is
 * `dir:HASH:SIZE`, with a hash of the identities of its files.
 */
import type { BigIntStats } from 'node:fs';

/**
 * Linux writes a changed page back after 30 s (`vm.dirty_expire_centisecs`), and looks every 5 s
 * (`vm.dirty_writeback_centisecs`). Until then, a program that has mapped the file may write to it again without
 * changing the times. This also covers the coarsest clock of a file system in use, 2 s.
 */
const UNSETTLED_MS = 35_000;

const OBJECT = 's3:';
const FOLDER = 'dir:';

/** Number of hexadecimal digits. */
const SHA256_LENGTH = 64;

/** Returns the identity of a file. It includes ctime, because programs can set mtime back. */
export function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

export function identityOfObject({ etag, sizeBytes }: { etag: string; sizeBytes: number }): string {
  return `${OBJECT}${etag}:${sizeBytes}`;
}

/** Returns the identity of a folder that is one source. @param hash hash of the identities of its files */
export function identityOfFolder(hash: string, sizeBytes: number): string {
  return `${FOLDER}${hash}:${sizeBytes}`;
}

export function sizeInIdentity(identity: string): number {
  const isComputed = identity.startsWith(OBJECT) || identity.startsWith(FOLDER);
  if (isComputed) return Number(identity.slice(identity.lastIndexOf(':') + 1));
  const at = identity.indexOf(':') + 1;
  const end = identity.indexOf(':', at);
  return at === 0 ? Number.NaN : Number(identity.slice(at, end < 0 ? undefined : end));
}

/** Returns whether every later write will change the times. */
export function isSettled({ ctimeMs }: BigIntStats): boolean {
  return Date.now() - Number(ctimeMs) > UNSETTLED_MS;
}

export function fingerprintOf(identity: string, checksum: string, settled: boolean): string {
  return settled ? `${identity}::${checksum}` : `${identity}:${checksum}`;
}

export interface Fingerprint {
  readonly identity: string;
  readonly sizeBytes: number;
  /** Whether the times of the identity prove that the file is unchanged. */
  readonly isSettled: boolean;
  readonly checksum: string | undefined;
  /** Whether the checksum is a SHA-256, which proves the content regardless of the times. */
  readonly provesContent: boolean;
}

/** Parses a fingerprint; undefined for an empty one, which proves nothing. */
export function parseFingerprint(fingerprint: string): Fingerprint | undefined {
  if (fingerprint === '') return undefined;
  if (fingerprint.startsWith(OBJECT)) {
    const sizeBytes = sizeInIdentity(fingerprint);
    return { identity: fingerprint, sizeBytes, isSettled: true, checksum: undefined, provesContent: true };
  }
  if (fingerprint.startsWith(FOLDER)) {
    const sizeBytes = sizeInIdentity(fingerprint);
    return { identity: fingerprint, sizeBytes, isSettled: true, checksum: undefined, provesContent: false };
  }
  const parts = fingerprint.split(':');
  const identity = parts.slice(0, 4).join(':');
  const checksum = parts.at(5) ?? parts.at(4);
  return {
    identity,
    sizeBytes: sizeInIdentity(identity),
    isSettled: parts.length !== 5,
    checksum,
    provesContent: checksum?.length === SHA256_LENGTH,
  };
}

/** Returns the fingerprint without its checksum; undefined for an empty one. */
export function identityIn(fingerprint: string): string | undefined {
  return parseFingerprint(fingerprint)?.identity;
}
