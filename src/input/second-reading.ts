/**
 * Reads some places of a source once more, in order: a late rejection needs the hash of its bytes, which are gone by
 * then. A plain file is read only at those places, a packed one up to the last of them.
 */
import { createHash } from 'node:crypto';
import { SourceFault } from '../errors.ts';
import { UNLIMITED } from './decompress/limits.ts';
import { openSource } from './open-source.ts';
import type { SourceReader } from './source-reader.ts';
import { isObject, type SourceRef } from './sources/source.ts';

/** The bytes at a place, and their hash. */
export interface Stretch {
  /** SHA-256 of all bytes, hexadecimal. */
  readonly sha256: string;
  /** Undefined if there are more than the caller wants to keep. */
  readonly bytes?: Uint8Array;
  /** Gzip member in which the bytes begin. */
  readonly member?: number;
}

export interface SecondReading {
  /**
   * Reads the bytes at a place. Returns undefined if the source ends before the last of them, or cannot be read. A source
   * that is packed, or in a store, is opened anew if the place is before an earlier one.
   * @param keepBytes returns the bytes too if there are no more than this
   */
  take(offset: number, length: number, keepBytes: number): Promise<Stretch | undefined>;
  close(): Promise<void>;
}

interface Range {
  /** Whether offsets must not decrease. */
  readonly isForward: boolean;
  /** Fills `room` from its start with the bytes at an offset; returns 0 at the end. */
  readAt(offset: number, room: Uint8Array): number | Promise<number>;
  /** Finds the gzip member of a byte that was read. */
  readonly memberAt?: SourceReader['memberAt'];
  /** Checks that the source has not changed since it was opened. Throws SourceFault. */
  readonly verify: SourceReader['verify'];
  close(): Promise<void> | void;
}

const ROOM_BYTES = 256 * 1024;

/**
 * Opens a source for a second reading.
 * @param identity identity that the file must have; undefined for any
 * @returns undefined if the source cannot be read again
 */
export async function readAgain(
  ref: SourceRef,
  identity: string | undefined,
): Promise<SecondReading | undefined> {
  let range = await undefinedOnFault(() => openRange(ref, identity));
  if (range === undefined) return undefined;
  const room = Buffer.allocUnsafe(ROOM_BYTES);
  let end = 0;

  async function take(offset: number, length: number, keepBytes: number): Promise<Stretch | undefined> {
    if (offset < end && range?.isForward === true) {
      await range.close();
      range = await openRange(ref, identity);
    }
    if (range === undefined) return undefined;
    end = offset + length;
    const hash = createHash('sha256');
    const kept = length <= keepBytes ? Buffer.alloc(length) : undefined;
    for (let done = 0; done < length; ) {
      const wanted = room.subarray(0, Math.min(room.length, length - done));
      const count = await range.readAt(offset + done, wanted);
      if (count === 0) return undefined;
      hash.update(wanted.subarray(0, count));
      kept?.set(wanted.subarray(0, count), done);
      done += count;
    }
    range.verify();
    const member = range.memberAt?.(offset);
    return {
      sha256: hash.digest('hex'),
      ...(kept && { bytes: kept }),
      ...(member !== undefined && { member }),
    };
  }

  return {
    take: (offset, length, keepBytes) => undefinedOnFault(() => take(offset, length, keepBytes)),
    close: async () => range?.close(),
  };
}

async function undefinedOnFault<T>(call: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof SourceFault) return undefined;
    throw error;
  }
}

async function openRange(ref: SourceRef, identity: string | undefined): Promise<Range | undefined> {
  if (ref.path === undefined) return undefined;
  // no limits, because the first reading has already reached these places
  const reader = await openSource(ref, { ...UNLIMITED, sparse: true });
  if (identity !== undefined && reader.identity !== identity) {
    await reader.close();
    return undefined;
  }
  const { readAt, verify, close } = reader;
  if (readAt !== undefined) return { isForward: isObject(ref), readAt, verify, close };
  let at = 0;
  const skipped = Buffer.allocUnsafe(ROOM_BYTES);
  return {
    isForward: true,
    async readAt(offset, room) {
      while (at < offset) {
        const count = await reader.read(skipped.subarray(0, Math.min(skipped.length, offset - at)));
        if (count === 0) return 0;
        at += count;
        reader.memberAt?.(at); // earlier places are not requested again
      }
      const count = await reader.read(room);
      at += count;
      return count;
    },
    ...(reader.memberAt && { memberAt: reader.memberAt }),
    verify,
    close,
  };
}
