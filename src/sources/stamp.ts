/**
 * What tells a file from what it was: its number, size, and the times of its bytes and of its entry, in nanoseconds. The clock of
 * a file system has steps: a second write within one leaves the times as they are. So a file that was written to
 * shortly before it was read has its checksum beside them (docs/decisions/0026-update.md).
 */
import type { BigIntStats } from 'node:fs';

/** The coarsest step of a file system's clock in use. */
const CLOCK_STEP_MS = 2000;

/** The entry's time (ctime) shows what the other (mtime) can be made to hide. */
export function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

export function sizeOfStamp(stamp: string): number {
  return Number(stamp.split(':')[1]);
}

/** Will every later write show in the times? */
export function isSettled({ ctimeMs }: BigIntStats): boolean {
  return Date.now() - Number(ctimeMs) > CLOCK_STEP_MS;
}

export function withChecksum(stamp: string, checksum: number): string {
  return `${stamp}:${checksum.toString(16)}`;
}

/** Without the checksum; undefined of an empty proof. */
export function stampOfProof(proof: string): string | undefined {
  return proof === '' ? undefined : proof.split(':').slice(0, 4).join(':');
}
