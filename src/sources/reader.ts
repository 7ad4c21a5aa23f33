/** The bytes of one source, whatever it is: a plain file's at once, anything else's when they come. */
import { SNIFF_BYTES, sniff } from '../compression/sniff.ts';
import { openFile } from './file.ts';
import type { SourceRef } from './source.ts';
import { openStdin } from './stdin.ts';

export interface SourceReader {
  readonly compression: 'none' | 'gzip';
  /** Of a file: tells it from what it was or will be. */
  readonly stamp?: string;
  /** Fills the room from its start; 0 at the end of the source. Throws (or rejects with) SourceFault. */
  read(room: Uint8Array): number | Promise<number>;
  /** Bytes taken from the file or the pipe so far. */
  readBytes(): number;
  /** At the end: is the source still what it was when it was opened? Throws SourceFault. */
  verify(): void;
  close(): Promise<void>;
}

const CHUNK_BYTES = 256 * 1024;
/** Late: most sources are plain. */
const loadGzip = (): Promise<typeof import('../compression/gzip.ts')> => import('../compression/gzip.ts');

/** @param signal stops the waiting for standard input */
export async function openSource(ref: SourceRef, signal?: AbortSignal): Promise<SourceReader> {
  if (ref.path === undefined) return openStdinReader(signal);
  return openFileReader(Buffer.from(ref.path, 'latin1'), !ref.name.includes('/'));
}

async function openFileReader(path: Uint8Array, follow: boolean): Promise<SourceReader> {
  const file = openFile(path, follow);
  const shared = { stamp: file.stamp, readBytes: (): number => file.readBytes, verify: file.verify };
  try {
    const head = Buffer.alloc(Math.min(SNIFF_BYTES, file.sizeBytes));
    for (let have = 0; have < head.length; ) have += file.read(head.subarray(have));
    const rest = sniff(head) === 'gzip' ? undefined : file;
    if (rest !== undefined) {
      const read = afterHead(head, (room) => rest.read(room));
      return { ...shared, compression: 'none', read, close: async () => file.close() };
    }
    const { gunzip } = await loadGzip();
    const chunks = pull(
      gunzip(
        chunksOf(
          afterHead(head, (room) => file.read(room)),
          file.sizeBytes,
        ),
      ),
    );
    const close = async (): Promise<void> => {
      await chunks.close();
      file.close();
    };
    return { ...shared, compression: 'gzip', read: chunks.read, close };
  } catch (error) {
    file.close();
    throw error;
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

/** The bytes in chunks. Each is valid until the next one is asked for. */
async function* chunksOf(
  read: (room: Uint8Array) => number | Promise<number>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  const room = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK_BYTES, sizeBytes)));
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

/** Standard input: gzip is known by its magic bytes here too, however small the pipe's first chunks are. */
async function openStdinReader(signal: AbortSignal | undefined): Promise<SourceReader> {
  const input = openStdin(signal);
  let bytes = 0;
  async function read(room: Uint8Array): Promise<number> {
    const count = await input.read(room);
    bytes += count;
    return count;
  }
  const first = Buffer.alloc(SNIFF_BYTES);
  let have = 0;
  for (let count = -1; have < SNIFF_BYTES && count !== 0; have += count)
    count = await read(first.subarray(have));
  const rest = afterHead(first.subarray(0, have), read);
  const shared = { readBytes: () => bytes, verify: () => undefined };
  if (sniff(first.subarray(0, have)) === 'none') {
    return { ...shared, compression: 'none', read: rest, close: async () => input.close() };
  }
  const { gunzip } = await loadGzip();
  const chunks = pull(gunzip(chunksOf(rest, CHUNK_BYTES)));
  const close = async (): Promise<void> => {
    await chunks.close();
    input.close();
  };
  return { ...shared, compression: 'gzip', read: chunks.read, close };
}
