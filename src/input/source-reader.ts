/** Interface of every open source, and the parts that readers of files, pipes and objects share. */

import type { DecompressionLimits } from './decompress/limits.ts';
import { createMembers, type Members } from './decompress/members.ts';
import { createPackedCounts, type PackedCounts } from './decompress/packed-counts.ts';
import type { Compression } from './decompress/sniff.ts';
import { type Unpacking, unpack } from './decompress/unpack.ts';
import type { ObjectRef, SourceRef } from './sources/source.ts';

export interface SourceReader {
  readonly compression: Compression;
  /** Counts of a packed source, as far as it was read. */
  readonly packed?: PackedCounts | undefined;
  /** Returns the gzip member that a byte of the content came out of. */
  readonly memberAt?: Members['at'] | undefined;
  /** Does the file's name say something else than its first bytes? */
  readonly misnamed: boolean;
  /** Tells a file or an object from what it was or will be. */
  readonly identity?: string;
  /** The fingerprint of a file that was read, for a later run; undefined where there is none. */
  readonly fingerprint?: () => string | undefined;
  /** The first bytes of a plain file, read already. `read` begins with them, so they must stay until it has given them out. */
  readonly head?: Uint8Array;
  /** Fills the room from its start; 0 at the end of the source. Throws (or rejects with) SourceFault. */
  read(room: Uint8Array): number | Promise<number>;
  /** The same from a place of its own, of a file or a sparse object that is not packed. It moves the place at which `read` of an object goes on. */
  readonly readAt?: (position: number, room: Uint8Array) => number | Promise<number>;
  /** Bytes taken from the file or the pipe so far. */
  readBytes(): number;
  /** At the end: is the source still what it was when it was opened? Throws SourceFault. @param strictly see OpenFile */
  verify(strictly?: boolean): void;
  /** Goes back to the start of a file; a packed one is unpacked again. The framer has to begin again, with the head. */
  readonly rewind?: () => Promise<void> | void;
  /** May the file have been rewritten, at its size, since it was opened? */
  readonly isTouched?: () => boolean;
  /** Opens the file once more, from its start. The new reader takes the place of this one, which is then neither read nor closed. */
  readonly again?: () => Promise<SourceReader>;
  close(): Promise<void> | void;
}

/** Opens objects of a store, and fetches ahead those that come next. */
export interface ObjectOpener {
  /** The sources that will be opened next, in this order. */
  expect(refs: Iterable<SourceRef>): void;
  open(ref: ObjectRef, options: SourceOptions): Promise<SourceReader>;
  close(): void;
}

/** How a source is read. */
export interface SourceOptions extends DecompressionLimits {
  /** Take a SHA-256 of every file. */
  readonly checksum?: boolean;
  /** Places will be read, in their order, and not all of it. */
  readonly sparse?: boolean;
  /** Where objects of a store are fetched ahead. */
  readonly objects?: ObjectOpener;
}

export const CHUNK_BYTES: number = 256 * 1024;

/** The content of what is packed, as reads. */
export function unpacked(
  unpacking: Omit<Unpacking, 'counts' | 'members'>,
): Pick<SourceReader, 'compression' | 'packed' | 'memberAt' | 'read'> & { close(): Promise<void> } {
  const counts = createPackedCounts();
  const members = unpacking.packing === 'gzip' ? createMembers() : undefined;
  const content = pull(unpack({ ...unpacking, counts, members }));
  return {
    compression: unpacking.packing,
    packed: counts,
    ...(members && { memberAt: members.at }),
    read: content.read,
    close: content.close,
  };
}

/** Gives out the head that was looked at, then what `read` gives. */
export function afterHead<T extends number | Promise<number>>(
  head: Buffer,
  read: (room: Uint8Array) => T,
): (room: Uint8Array) => number | T {
  let given = 0;
  return (room) => {
    if (given === head.length) return read(room);
    const count = head.copy(room, 0, given);
    given += count;
    return count;
  };
}

/** Gives the bytes in chunks. Each is valid until the next one is asked for. */
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

/** Chunks of any size as reads into a room of any size. */
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
