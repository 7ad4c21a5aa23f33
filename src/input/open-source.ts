/** The bytes of one source, whatever it is: a plain file's at once, anything else's when they come. */

import { SourceFault } from '../errors.ts';
import type { DecompressionLimits } from './decompress/limits.ts';
import { createMembers, type Members } from './decompress/members.ts';
import { createPackedCounts, type PackedCounts } from './decompress/packed-counts.ts';
import { type Compression, compressionNamed, SNIFF_BYTES, sniff } from './decompress/sniff.ts';
import { MOST_TRIES, type Unpacking, unpack } from './decompress/unpack.ts';
import { type OpenFile, openFile } from './sources/file.ts';
import type { SourceRef } from './sources/source.ts';
import { openStdin } from './sources/stdin.ts';
import { StreamReader } from './sources/stream-reader.ts';

export interface SourceReader {
  readonly compression: Compression;
  /** Of a packed source, as far as it was read. */
  readonly packed?: PackedCounts;
  /** Of gzip: the member that a byte of the content came out of. */
  readonly memberAt?: Members['at'];
  /** Does the file's name say something else than its first bytes? */
  readonly misnamed: boolean;
  /** Of a file: tells it from what it was or will be. */
  readonly stamp?: string;
  /** Of a file, after it was read: the same for a run to come, where it can be told. */
  readonly proof?: () => string | undefined;
  /** Of a plain file: its first bytes, read already. `read` begins with them, so they must stay until it has given them out. */
  readonly head?: Uint8Array;
  /** Fills the room from its start; 0 at the end of the source. Throws (or rejects with) SourceFault. */
  read(room: Uint8Array): number | Promise<number>;
  /** The same from a place of its own, which moves nothing; of a file that is not packed. */
  readonly readAt?: OpenFile['readAt'];
  /** Bytes taken from the file or the pipe so far. */
  readBytes(): number;
  /** At the end: is the source still what it was when it was opened? Throws SourceFault. @param strictly see OpenFile */
  verify(strictly?: boolean): void;
  /** Of a plain file: goes back to its start. What frames it has to begin again, with the head. */
  readonly rewind?: () => void;
  /** Of a file: may it have been rewritten, at its size, since it was opened? */
  readonly isTouched?: () => boolean;
  /** Of a file: it once more, from its start. It takes the place of this reader, which is then neither read nor closed. */
  readonly again?: () => Promise<SourceReader>;
  close(): Promise<void> | void;
}

/** How a source is read. */
export interface SourceOptions extends DecompressionLimits {
  /** Take a SHA-256 of every file. */
  readonly checksum?: boolean;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * A file is open at once; it throws (or rejects with) SourceFault.
 * @param signal stops the waiting for standard input or a stream
 * @param first room for the first bytes of a file, at least SNIFF_BYTES; with more of it, fewer reads are needed
 */
export function openSource(
  ref: SourceRef,
  options: SourceOptions,
  signal?: AbortSignal,
  first: Buffer = Buffer.alloc(SNIFF_BYTES),
): SourceReader | Promise<SourceReader> {
  const { name, path, stream } = ref;
  if (stream !== undefined) return openPulled(new StreamReader(name, stream, signal), options, name);
  if (path === undefined) return openPulled(openStdin(signal), options);
  const { checksum } = options;
  const file = openFile(Buffer.from(path, 'latin1'), {
    follow: !name.includes('/'),
    expected: ref,
    checksum,
  });
  try {
    return readerOf(file, name, options, first);
  } catch (error) {
    file.close();
    throw error;
  }
}

function readerOf(file: OpenFile, name: string, options: SourceOptions, first: Buffer): SourceReader {
  const named = compressionNamed(name);
  const head = headOf(file, first);
  const compression = sniff(head, named);
  const misnamed = named !== undefined && named !== compression;
  const again = async (): Promise<SourceReader> => readerOf(file.again(), name, options, first);
  return compression === 'none'
    ? plainReader(file, head, misnamed, again)
    : packedReader(file, options, compression, misnamed, again);
}

/** A literal: an object that is put together by spreading costs a run over small files a tenth more. */
function plainReader(
  file: OpenFile,
  head: Buffer,
  misnamed: boolean,
  again: () => Promise<SourceReader>,
): SourceReader {
  let given = 0; // of the head
  return {
    compression: 'none',
    misnamed,
    stamp: file.stamp,
    proof: () => file.proof(),
    head,
    read(room) {
      if (given === head.length) return file.read(room);
      const count = head.copy(room, 0, given);
      given += count;
      return count;
    },
    rewind() {
      file.rewind(head);
      given = 0;
    },
    readAt: (position, room) => file.readAt(position, room),
    readBytes: () => file.readBytes,
    verify: (strictly) => file.verify(strictly),
    isTouched: () => file.isTouched(),
    again,
    close: () => file.close(),
  };
}

function packedReader(
  file: OpenFile,
  options: SourceOptions,
  packing: Unpacking['packing'],
  misnamed: boolean,
  again: () => Promise<SourceReader>,
): SourceReader {
  const chunks = (): AsyncIterable<Uint8Array> => wholeFile(file);
  const content = unpacked({ packing, chunks, tries: MOST_TRIES, limits: options });
  return {
    ...content,
    misnamed,
    stamp: file.stamp,
    proof: () => file.proof(),
    readBytes: () => file.readBytes,
    verify: (strictly) => file.verify(strictly),
    isTouched: () => file.isTouched(),
    async again() {
      await content.close();
      return again();
    },
    async close() {
      await content.close();
      file.close();
    },
  };
}

/** Reads the first bytes of a file into `first`: all of it, or as much as tells what it is. */
function headOf(file: OpenFile, first: Buffer): Buffer {
  let have = 0;
  while (have < Math.min(SNIFF_BYTES, file.sizeBytes)) have += file.read(first.subarray(have));
  return first.subarray(0, have);
}

/** The content of what is packed, as reads. */
function unpacked(
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

/** All of it, as often as it is asked for: what was read before is read again. Each chunk is valid until the next one is asked for. */
async function* wholeFile(file: OpenFile): AsyncGenerator<Uint8Array> {
  const room = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, file.sizeBytes)));
  for (let at = 0; at < file.sizeBytes; ) {
    const known = file.readBytes - at;
    const count = known > 0 ? file.readAt(at, room.subarray(0, known)) : file.read(room);
    if (count === 0)
      throw new SourceFault('changed-while-read', `it ended after ${at} of ${file.sizeBytes} bytes`);
    at += count;
    yield room.subarray(0, count);
  }
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

/** What comes, in chunks. Each is valid until the next one is asked for. */
async function* chunksOf(read: (room: Uint8Array) => number | Promise<number>): AsyncGenerator<Uint8Array> {
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

/** What is read once, as it comes. */
interface PulledInput {
  read(room: Uint8Array): number | Promise<number>;
  close(): Promise<void> | void;
}

/**
 * Standard input or a stream: what is packed is known by its magic bytes here too, however small the first chunks are.
 * @param name what a stream is called; undefined for standard input
 */
async function openPulled(
  input: PulledInput,
  limits: DecompressionLimits,
  name?: string,
): Promise<SourceReader> {
  let bytes = 0;
  async function take(room: Uint8Array): Promise<number> {
    const count = await input.read(room);
    bytes += count;
    return count;
  }
  try {
    const first = Buffer.alloc(SNIFF_BYTES);
    let have = 0;
    for (let count = -1; have < SNIFF_BYTES && count !== 0; have += count)
      count = await take(first.subarray(have));
    const head = first.subarray(0, have);
    const read = afterHead(head, take);
    const named = name === undefined ? undefined : compressionNamed(name);
    const compression = sniff(head, named);
    const misnamed = named !== undefined && named !== compression;
    const shared = { misnamed, readBytes: () => bytes, verify: () => undefined };
    if (compression === 'none') return { ...shared, compression, read, close: async () => input.close() };
    const unpacking = { packing: compression, chunks: () => chunksOf(read), tries: 1, limits };
    const content = unpacked(unpacking);
    return {
      ...shared,
      ...content,
      async close() {
        await content.close();
        await input.close();
      },
    };
  } catch (error) {
    await input.close();
    throw error;
  }
}
