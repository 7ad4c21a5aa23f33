/** A working file that has no name, so that it disappears with the process: it is appended to, and read at any place. */
import { io, ioError } from '../errors.ts';
import { fileSystem as fs } from './file-system.ts';
import { writeAll } from './fs-calls.ts';

export class UnlinkedFile {
  /** The name that it had, for messages. */
  readonly path: string;
  readonly #fd: number;
  #bytes = 0;

  /** Creates the file, which must not exist, and unlinks it immediately. */
  constructor(path: string) {
    this.path = path;
    this.#fd = this.#attempt('make', () => fs.openSync(path, 'wx+', 0o600));
    this.#attempt('unlink', () => fs.unlinkSync(path));
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#bytes;
  }

  append(bytes: Uint8Array): void {
    writeAll(this.#fd, bytes, this.path);
    this.#bytes += bytes.length;
  }

  /** Fills `into` with the bytes from a position on. Throws `io` if the file is shorter. */
  read(position: number, into: Uint8Array): void {
    for (let filled = 0; filled < into.length; ) {
      const count = this.#attempt('read', () =>
        fs.readSync(this.#fd, into, filled, into.length - filled, position + filled),
      );
      if (count === 0)
        throw ioError('read', this.path, new Error('it is shorter than what was written to it'));
      filled += count;
    }
  }

  /** Closes the file, which frees its disk space. */
  close(): void {
    this.#attempt('close', () => fs.closeSync(this.#fd));
  }

  #attempt<T>(doing: string, call: () => T): T {
    return io(doing, this.path, call);
  }
}
