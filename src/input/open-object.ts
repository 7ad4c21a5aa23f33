/**
 * Opens objects of a store. Objects are read one after the other, and the next ones are prefetched, because a request
 * takes a hundred times as long as reading a small object.
 */
import { ByteWindow } from '../object-store/byte-window.ts';
import { objectClient } from '../object-store/client.ts';
import type { S3Options } from '../object-store/options.ts';
import { RangedReader } from '../object-store/ranged-reader.ts';
import { parseObjectUrl } from '../object-store/url.ts';
import { type Compression, compressionNamed, SNIFF_BYTES, sniff } from './decompress/sniff.ts';
import { MAX_TRIES } from './decompress/unpack.ts';
import { identityOfObject } from './fingerprint.ts';
import {
  afterHead,
  chunksOf,
  type ObjectOpener,
  type SourceOptions,
  type SourceReader,
  unpacked,
} from './source-reader.ts';
import { isObject, type ObjectRef, type SourceRef } from './sources/source.ts';

type Packed = Omit<SourceReader, 'read' | 'close' | 'compression'> & {
  readonly compression: Exclude<Compression, 'none'>;
};

export class ObjectFetcher implements ObjectOpener {
  readonly #s3: S3Options;
  readonly #window: ByteWindow;
  /** Prefetched readers, by path. */
  readonly #begun = new Map<string, RangedReader>();

  /** @param windowBytes most bytes to prefetch */
  constructor(s3: S3Options, windowBytes: number) {
    this.#s3 = s3;
    this.#window = new ByteWindow(windowBytes);
  }

  /** Starts to fetch the sources that will be opened next, in this order, as far as there is room for them. */
  expect(refs: Iterable<SourceRef>): void {
    for (const ref of refs) {
      if (this.#begun.size >= this.#s3.inFlight - 1) return;
      if (!isObject(ref) || this.#begun.has(ref.path)) continue;
      const reader = readerOf(ref, this.#window);
      if (!reader.prefetch()) return;
      this.#begun.set(ref.path, reader);
    }
  }

  /** @throws SourceFault, TurnmillError */
  async open(ref: ObjectRef, options: SourceOptions): Promise<SourceReader> {
    const isSparse = options.sparse === true;
    const object = this.#begun.get(ref.path) ?? readerOf(ref, this.#window, isSparse);
    this.#begun.delete(ref.path);
    try {
      return await this.#readerFor(ref, object, options, isSparse);
    } catch (error) {
      object.close();
      throw error;
    }
  }

  /** Stops prefetching objects that are no longer wanted. */
  close(): void {
    for (const reader of this.#begun.values()) reader.close();
    this.#begun.clear();
  }

  async #readerFor(
    ref: ObjectRef,
    object: RangedReader,
    options: SourceOptions,
    isSparse: boolean,
  ): Promise<SourceReader> {
    const head = await headOf(object, ref.sizeBytes);
    const named = compressionNamed(ref.name);
    const compression = sniff(head, named, ref.name);
    const identity = identityOfObject(ref);
    const shared = {
      misnamed: named !== undefined && named !== compression,
      identity,
      fingerprint: () => identity,
      readBytes: () => object.readBytes,
      verify: () => undefined, // every request names the ETag
    };
    let read = afterHead<number | Promise<number>>(head, (room) => object.read(room));
    if (compression === 'none')
      return {
        ...shared,
        compression,
        read: (room) => read(room),
        rewind() {
          object.rewind();
          read = (room) => object.read(room);
        },
        ...(isSparse && {
          readAt: (position, room) =>
            position < head.length ? head.copy(room, 0, position) : object.readAt(position, room),
        }),
        close: () => object.close(),
      };
    return this.#packedReader(ref, object, read, { ...shared, compression }, options);
  }

  /** Returns a reader that fetches the object again, with a new request, each time it is unpacked. */
  #packedReader(
    ref: ObjectRef,
    first: RangedReader,
    read: SourceReader['read'],
    shared: Packed,
    options: SourceOptions,
  ): SourceReader {
    let object = first;
    let isFirst = true;
    const chunks = (): AsyncIterable<Uint8Array> => {
      if (isFirst) {
        isFirst = false;
        return chunksOf(read);
      }
      object.close();
      const next = readerOf(ref, this.#window);
      object = next;
      return chunksOf((room) => next.read(room));
    };
    const packing = shared.compression;
    const content = unpacked({ packing, chunks, tries: MAX_TRIES, limits: options });
    return {
      ...shared,
      ...content,
      readBytes: () => object.readBytes,
      async close() {
        await content.close();
        object.close();
      },
    };
  }
}

function readerOf(ref: ObjectRef, window: ByteWindow, isSparse: boolean = false): RangedReader {
  const place = parseObjectUrl(Buffer.from(ref.path, 'latin1').toString('utf8'));
  const { etag, sizeBytes } = ref;
  return new RangedReader(objectClient(ref.s3), { ...place, etag, sizeBytes }, window, isSparse);
}

/** Opens an object for reading its bytes as they are stored, packed or not. */
export function openStored(
  ref: ObjectRef,
): Pick<SourceReader, 'verify'> & Pick<RangedReader, 'read' | 'close'> {
  const reader = readerOf(ref, new ByteWindow(ref.s3.window));
  return { read: (room) => reader.read(room), verify: () => undefined, close: () => reader.close() };
}

/** Opens one object without prefetching. */
export function openObject(ref: ObjectRef, options: SourceOptions): Promise<SourceReader> {
  return new ObjectFetcher(ref.s3, ref.s3.window).open(ref, options);
}

async function headOf(object: RangedReader, sizeBytes: number): Promise<Buffer> {
  const head = Buffer.alloc(Math.min(SNIFF_BYTES, sizeBytes));
  for (let have = 0; have < head.length; ) have += await object.read(head.subarray(have));
  return head;
}
