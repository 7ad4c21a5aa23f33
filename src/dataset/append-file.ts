/**
 * A new file that is only appended to. `park` releases its descriptor until the next call, so that a few descriptors
 * serve any number of files; reopening checks that the file is still the same. A failed fsync is final: the kernel may
 * have dropped the pages, so a second fsync could report success wrongly.
 */
import { crc32 } from '../crc32.ts';
import { TurnmillError } from '../errors.ts';
import type { FileIdentity } from '../input/sources/source.ts';
import { closeFile, identityOf, openAgain, openNew, syncFile, writeAll } from './fs-calls.ts';

export interface AppendFile {
  readonly path: string;
  /** Bytes handed to the system. */
  readonly bytes: number;
  /** CRC-32 of the bytes that were handed to the system, for comparison with the file. */
  readonly crc32: number;
  write(bytes: Uint8Array): void;
  /** Releases the descriptor; the next call that needs one reopens the file. */
  park(): void;
  /** Syncs everything written so far to the disk. */
  sync(): void;
  close(): void;
  /** Closes without reporting errors, for a run that failed. */
  abandon(): void;
}

/** Creates the file, which must not exist. `mode` is narrowed by the umask. */
export function createAppendFile(path: string, mode = 0o666): AppendFile {
  return new DiskFile(path, mode);
}

class DiskFile implements AppendFile {
  readonly path: string;
  readonly #created: FileIdentity;
  /** Undefined while the file is parked or closed. */
  #fd: number | undefined;
  #bytes = 0;
  #crc32 = 0;
  #syncedBytes = -1;
  #failure: unknown;

  constructor(path: string, mode: number) {
    this.path = path;
    this.#fd = openNew(path, mode);
    this.#created = identityOf(this.#fd, path);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get crc32(): number {
    return this.#crc32;
  }

  write(bytes: Uint8Array): void {
    this.#attempt(() => {
      this.#crc32 = crc32(bytes, this.#crc32);
      writeAll(this.#descriptor(), bytes, this.path);
      this.#bytes += bytes.length;
    });
  }

  park(): void {
    this.#attempt(() => this.#release());
  }

  sync(): void {
    this.#attempt(() => {
      if (this.#syncedBytes === this.#bytes) return;
      syncFile(this.#descriptor(), this.path);
      this.#syncedBytes = this.#bytes;
    });
  }

  close(): void {
    this.#attempt(() => {
      this.#release();
      this.#failure = this.#closed();
    });
  }

  abandon(): void {
    try {
      this.#release();
    } catch {
      // The run has already failed; the error that ended it is the one to report.
    }
    this.#failure ??= this.#closed();
  }

  /** Makes the file unusable once a call has failed. */
  #attempt(call: () => void): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      call();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  #descriptor(): number {
    this.#fd ??= this.#reopen();
    return this.#fd;
  }

  #reopen(): number {
    const { path } = this;
    const fd = openAgain(path);
    const now = identityOf(fd, path);
    const created = this.#created;
    if (now.dev === created.dev && now.ino === created.ino && now.size === BigInt(this.#bytes)) return fd;
    closeFile(fd, path);
    throw new TurnmillError('io', `${path} was changed by another process while it was written`, {
      subject: path,
    });
  }

  #release(): void {
    if (this.#fd === undefined) return;
    const fd = this.#fd;
    this.#fd = undefined;
    closeFile(fd, this.path);
  }

  #closed(): Error {
    return new Error(`${this.path} is closed`);
  }
}
