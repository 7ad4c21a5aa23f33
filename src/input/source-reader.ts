/** The interface of every open source, and the code that readers of files, pipes and objects share. */

import type { DecompressionLimits } from './decompress/limits.ts';
import { createMembers, createPackedCounts, type Members, type PackedCounts } from './decompress/members.ts';
import type { Compression } from './decompress/sniff.ts';
import { type Unpacking, unpack } from './decompress/unpack.ts';
import type { ObjectRef, SourceRef } from './sources/source.ts';

export interface SourceReader {
  readonly compression: Compression;
  /** Counts of a packed source, as far as it has been read. */
  readonly packed?: PackedCounts | undefined;
  /** Finds the gzip member that a byte of the content came from. */
  readonly memberAt?: Members['at'] | undefined;
  /** Whether the file's name implies another compression than its first bytes. */
  readonly misnamed: boolean;
  /** Identifies the version of a file or an object. */
  readonly identity?: string;
  /** Returns the fingerprint of a file that was read, for a later run; undefined if there is none. */
  readonly fingerprint?: () => string | undefined;
  /** First bytes of a plain file, already read. `read` returns them first; they must be kept until then. */
  readonly head?: Uint8Array;
  /** Fills `room` from its start; returns 0 at the end of the source. Throws (or rejects with) SourceFault. */
  read(room: Uint8Array): number | Promise<number>;
  /**
   * Reads at a position, from a file or a sparse object that is not packed. For an object, `read` continues from there.
   */
  readonly readAt?: (position: number, room: Uint8Array) => number | Promise<number>;
  /** Bytes taken from the file or the pipe so far. */
  readBytes(): number;
  /**
   * Checks at the end that the source has not changed since it was opened. Throws SourceFault.
   * @param strictly as for `OpenFile.verify`
   */
  verify(strictly?: boolean): void;
  /** Goes back to the start of a file; a packed one is unpacked again. The framer has to start again, with the head. */
  readonly rewind?: () => Promise<void> | void;
  /** Returns whether the file may have been rewritten, without changing its size, since it was opened. */
  readonly isTouched?: () => boolean;
  /**
   * Opens the file once more, from its start. The new reader replaces this one, which must then be neither read nor
   * closed.
   */
  readonly again?: () => Promise<SourceReader>;
  close(): Promise<void> | void;
}

/** Opens objects of a store, and prefetches the next ones. */
export interface ObjectOpener {
  /** Announces the sources that will be opened next, in this order. */
  expect(refs: Iterable<SourceRef>): void;
  open(ref: ObjectRef, options: SourceOptions): Promise<SourceReader>;
  close(): void;
}

export interface SourceOptions extends DecompressionLimits {
  /** Whether to compute the SHA-256 of every file. */
  readonly checksum?: boolean;
  /** Whether only some places will be read, in order. */
  readonly sparse?: boolean;
  /** Prefetches objects of a store. */
  readonly objects?: ObjectOpener;
}

export const CHUNK_BYTES: number = 256 * 1024;

/** The members of a reader that depend on the packing. */
interface Unpacked extends Pick<SourceReader, 'compression' | 'packed' | 'memberAt' | 'read'> {
  /** Unpacks the source again, from its start. */
  rewind(): Promise<void>;
  close(): Promise<void>;
}

/** Wraps unpacked content as a reader. */
export function unpacked(unpacking: Omit<Unpacking, 'counts' | 'members'>): Unpacked {
  const counts = createPackedCounts();
  let members: Members | undefined;
  const begin = (): Pull => {
    members = unpacking.packing === 'gzip' ? createMembers() : undefined;
    return pull(unpack({ ...unpacking, counts, members }));
  };
  let content = begin();
  return {
    compression: unpacking.packing,
    packed: counts,
    memberAt: members && ((offset) => members?.at(offset)),
    read: (room) => content.read(room),
    async rewind() {
      await content.close();
      Object.assign(counts, createPackedCounts());
      content = begin();
    },
    close: () => content.close(),
  };
}

/** Returns a function that reads the bytes of `head`, which were read before, and then those of `read`. */
export function afterHead<T extends number | Promise<number>>(
  head: Buffer,
  read: (room: Uint8Array) => T,
): (room: Uint8Array) => number | T {
  let returned = 0;
  return (room) => {
    if (returned === head.length) return read(room);
    const count = head.copy(room, 0, returned);
    returned += count;
    return count;
  };
}

/** Yields the bytes in chunks. Each is valid until the next one is requested. */
export async function* chunksOf(
  read: (room: Uint8Array) => number | Promise<number>,
): AsyncGenerator<Uint8Array> {
  const room = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let count = await read(room); count > 0; count = await read(room)) yield room.subarray(0, count);
}

interface Pull {
  read(room: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** Lets chunks of any size be read into memory of any size. */
function pull(chunks: AsyncGenerator<Uint8Array>): Pull {
  let chunk: Uint8Array = new Uint8Array(0);
  return {
    async read(room) {
      while (chunk.length === 0) {
        const next = await chunks.next();
        if (next.done === true) return 0;
        chunk = next.value;
      }
      const count = Math.min(chunk.length, room.length);
      room.set(chunk.subarray(0, count));
      chunk = chunk.subarray(count);
      return count;
    },
    async close() {
      await chunks.return(undefined);
    },
  };
}
