/**
 * zstd in node:zlib, for versions of Node that have it (22.15, 23.8, 24). A stream decodes one frame, and stops silently
 * after it.
 */
import zlib from 'node:zlib';
import { createWaker, type Decoder } from './decoder.ts';

/** Functions of zlib that the types of Node 20 lack. */
interface ZlibWithZstd {
  createZstdDecompress(options: { chunkSize: number }): ReturnType<typeof zlib.createGunzip>;
  zstdCompressSync(
    bytes: Uint8Array,
    options: { params: Record<number, number>; pledgedSrcSize: number },
  ): Uint8Array;
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_c_checksumFlag: number };
}
const { createZstdDecompress, zstdCompressSync, constants } = zlib as unknown as ZlibWithZstd;

const LEVEL = 3;
const PIECE_BYTES = 256 * 1024;

export function zlibHasZstd(): boolean {
  return 'createZstdDecompress' in zlib;
}

/** Compresses to one frame. Requires `zlibHasZstd`. */
export function packWithZlib(bytes: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 };
  return zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length });
}

/** Starts a stream for one frame. Requires `zlibHasZstd`. */
export function startZstdStream(): Decoder {
  const stream = createZstdDecompress({ chunkSize: PIECE_BYTES });
  const { nextEvent, wake } = createWaker();
  let ending: string | undefined;
  let yielded = 0;
  const finish = (result: string): void => {
    ending ??= result;
    wake();
  };
  stream.on('readable', wake);
  stream.on('error', (error) => finish(error.message));
  stream.on('end', () => finish(stream.bytesWritten === yielded ? '' : 'it ended before its frame did'));
  return {
    write(bytes, taken) {
      yielded += bytes.length;
      stream.write(bytes, () => {
        taken();
        wake();
      });
    },
    end: () => void stream.end(),
    read: () => stream.read() as Buffer | null,
    ending: () => ending,
    nextEvent,
    close: async () => void stream.destroy(),
  };
}
