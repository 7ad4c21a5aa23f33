/** Opens a source of any kind. A plain file is read synchronously, anything else as its bytes arrive. */

import { SourceFault } from '../errors.ts';
import type { DecompressionLimits } from './decompress/limits.ts';
import { compressionNamed, SNIFF_BYTES, sniff } from './decompress/sniff.ts';
import { MAX_TRIES, type Unpacking } from './decompress/unpack.ts';
import { isFolder, openFolder } from './open-folder.ts';
import {
  afterHead,
  CHUNK_BYTES,
  chunksOf,
  type SourceOptions,
  type SourceReader,
  unpacked,
} from './source-reader.ts';
import { type OpenFile, openFile } from './sources/file.ts';
import { isObject, type SourceRef } from './sources/source.ts';
import { openStdin, type PulledInput } from './sources/stdin.ts';
import { StreamReader } from './sources/stream-reader.ts';

/**
 * Opens a file synchronously. Throws (or rejects with) SourceFault.
 * @param signal ends the waiting for standard input or a stream
 * @param first memory for the first bytes of a file, at least SNIFF_BYTES; with more, fewer reads are needed
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
  // each file needs its own memory, because its head has to be kept until it is read
  if (isFolder(ref)) return openFolder(ref, (part) => openSource(part, options, signal));
  if (isObject(ref))
    return (
      options.objects?.open(ref, options) ?? loadObjects().then(({ openObject }) => openObject(ref, options))
    );
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

/** Loaded on demand, because most runs read only files. */
const loadObjects = (): Promise<typeof import('./open-object.ts')> => import('./open-object.ts');

function readerOf(file: OpenFile, name: string, options: SourceOptions, first: Buffer): SourceReader {
  const named = compressionNamed(name);
  const head = headOf(file, first);
  const compression = sniff(head, named, name);
  const misnamed = named !== undefined && named !== compression;
  const again = async (): Promise<SourceReader> => readerOf(file.again(), name, options, first);
  return compression === 'none'
    ? plainReader(file, head, misnamed, again)
    : packedReader(file, options, compression, misnamed, again);
}

/** Uses one object literal: composing the object with spreads makes a run over small files a tenth slower. */
function plainReader(
  file: OpenFile,
  head: Buffer,
  misnamed: boolean,
  again: () => Promise<SourceReader>,
): SourceReader {
  let returned = 0; // bytes of the head returned so far
  return {
    compression: 'none',
    misnamed,
    identity: file.identity,
    fingerprint: () => file.fingerprint(),
    head,
    read(room) {
      if (returned === head.length) return file.read(room);
      const count = head.copy(room, 0, returned);
      returned += count;
      return count;
    },
    rewind() {
      file.rewind(head);
      returned = 0;
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
  const content = unpacked({ packing, chunks: () => wholeFile(file), tries: MAX_TRIES, limits: options });
  return {
    ...content,
    misnamed,
    identity: file.identity,
    fingerprint: () => file.fingerprint(),
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

/** Reads the first bytes of a file into `first`: the whole file, or enough to recognise it. */
function headOf(file: OpenFile, first: Buffer): Buffer {
  let length = 0;
  while (length < Math.min(SNIFF_BYTES, file.sizeBytes)) length += file.read(first.subarray(length));
  return first.subarray(0, length);
}

/** Yields the whole file from its start. Each chunk is valid until the next one is requested. */
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

/**
 * Opens standard input or a stream. Recognises packed data by its magic number, even if the first chunks are tiny.
 * @param name name of a stream; undefined for standard input
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
    let length = 0;
    for (let count = -1; length < SNIFF_BYTES && count !== 0; length += count)
      count = await take(first.subarray(length));
    const head = first.subarray(0, length);
    const read = afterHead(head, take);
    const named = name === undefined ? undefined : compressionNamed(name);
    const compression = sniff(head, named, name);
    const misnamed = named !== undefined && named !== compression;
    const shared = { misnamed, readBytes: () => bytes, verify: () => undefined };
    if (compression === 'none') return { ...shared, compression, read, close: async () => input.close() };
    const unpacking = { packing: compression, chunks: () => chunksOf(read), tries: 1, limits };
    const { rewind: _once, ...content } = unpacked(unpacking);
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
