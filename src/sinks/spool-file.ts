/** A file of length-prefixed blocks, written once and read back once: what is held of a source until it counts. */
import { ioError } from '../errors.ts';
import { fileSystem as fs } from './file-system.ts';
import { writeAll } from './fs-calls.ts';

export interface SpoolFile {
  write(block: Uint8Array): void;
  /** The blocks in the order in which they were written. */
  read(): Generator<Buffer>;
  /** Frees the space. */
  close(): void;
}

const PREFIX_BYTES = 8;

/** Makes the file, which must not exist, and takes its name away at once: it is gone with the process. */
export function openSpoolFile(path: string): SpoolFile {
  const fd = attempt('make', path, () => fs.openSync(path, 'wx+', 0o600));
  attempt('unlink', path, () => fs.unlinkSync(path));
  let length = 0;

  function readAt(position: number, count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count);
    for (let have = 0; have < count; ) {
      const got = attempt('read', path, () => fs.readSync(fd, bytes, have, count - have, position + have));
      if (got === 0) throw ioError('read', path, new Error('it is shorter than what was written'));
      have += got;
    }
    return bytes;
  }

  return {
    write(block) {
      const prefix = Buffer.alloc(PREFIX_BYTES);
      prefix.writeBigUInt64LE(BigInt(block.length));
      writeAll(fd, prefix, path);
      writeAll(fd, block, path);
      length += PREFIX_BYTES + block.length;
    },
    *read() {
      for (let at = 0; at < length; ) {
        const size = Number(readAt(at, PREFIX_BYTES).readBigUInt64LE());
        yield readAt(at + PREFIX_BYTES, size);
        at += PREFIX_BYTES + size;
      }
    },
    close: () => attempt('close', path, () => fs.closeSync(fd)),
  };
}

function attempt<T>(doing: string, path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw ioError(doing, path, error);
  }
}
