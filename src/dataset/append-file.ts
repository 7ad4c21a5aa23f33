/**
 * A new file that bytes are only appended to. `park` releases its descriptor until the next call, so that a few
 * descriptors serve any number of files; on reopening it checks that the file is still the same. A failed fsync is
 * final: the kernel may have dropped the pages, so a second one would report success wrongly.
 */
import { crc32 } from 'node:zlib';
import { TurnmillError } from '../errors.ts';
import { closeFile, type Identity, identityOf, openAgain, openNew, syncFile, writeAll } from './fs-calls.ts';

export interface AppendFile {
  readonly path: string;
  /** Bytes handed to the system. */
  readonly bytes: number;
  /** CRC-32 of the bytes before they went to the system: what the file must hold. */
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
export function createAppendFile(path: string, { mode = 0o666 }: { mode?: number } = {}): AppendFile {
  let fd: number | undefined = openNew(path, mode);
  const created: Identity = identityOf(fd, path);
  let bytes = 0;
  let checksum = 0;
  let syncedBytes = -1;
  let failure: unknown;

  /** Makes the file unusable once a call has failed. */
  function attempt(call: () => void): void {
    if (failure !== undefined) throw failure;
    try {
      call();
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  function descriptor(): number {
    fd ??= reopen();
    return fd;
  }

  function reopen(): number {
    const again = openAgain(path);
    const now = identityOf(again, path);
    if (now.dev === created.dev && now.ino === created.ino && now.size === BigInt(bytes)) return again;
    closeFile(again, path);
    throw new TurnmillError('io', `${path} was changed by another process while it was written`, {
      subject: path,
    });
  }

  function release(): void {
    if (fd === undefined) return;
    const last = fd;
    fd = undefined;
    closeFile(last, path);
  }

  return {
    path,
    get bytes() {
      return bytes;
    },
    get crc32() {
      return checksum;
    },
    write: (more) =>
      attempt(() => {
        checksum = crc32(more, checksum);
        writeAll(descriptor(), more, path);
        bytes += more.length;
      }),
    park: () => attempt(release),
    sync: () =>
      attempt(() => {
        if (syncedBytes === bytes) return;
        syncFile(descriptor(), path);
        syncedBytes = bytes;
      }),
    close: () =>
      attempt(() => {
        release();
        failure = new Error(`${path} is closed`);
      }),
    abandon() {
      try {
        release();
      } catch {
        // The run has already failed for a better reason.
      }
      failure ??= new Error(`${path} is closed`);
    },
  };
}
