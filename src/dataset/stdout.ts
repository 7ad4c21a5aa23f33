/**
 * `--out -`: records to standard output, batched to 64 KiB, but none waits longer than 50 ms, so that a slow pipe still sees
 * them come. A full pipe holds the run back; a reader that went away is `broken-pipe` (exit 141, quiet).
 * A file or device is written by ourselves: Node's own stream for them loses the rest of a short write.
 */
import type { Writable } from 'node:stream';
import { ioError, TurnmillError } from '../errors.ts';
import { createByteBuffer } from './byte-buffer.ts';
import { fileSystem } from './file-system.ts';
import { writeAll } from './fs-calls.ts';
import { codeOf } from './fs-faults.ts';
import { NEWLINE } from './line-file.ts';

const BATCH_BYTES = 64 * 1024;
const LONGEST_WAIT_MS = 50;
const SUBJECT = 'standard output';

export interface StdoutSink {
  readonly records: number;
  /** Newlines included. */
  readonly bytes: number;
  /** Copies the record and a newline. A promise means: wait for it before the next one. */
  write(record: Uint8Array): Promise<void> | undefined;
  /** Resolves when the system has taken everything. The stream stays open. */
  end(): Promise<void>;
}

/** Throws or rejects with `broken-pipe` or `io`; after that every call does. */
export function createStdoutSink(stream: Writable & { readonly fd?: number } = process.stdout): StdoutSink {
  const batch = createByteBuffer();
  const direct = directDescriptor(stream);
  let records = 0;
  let bytes = 0;
  let inFlight = 0;
  let failure: TurnmillError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let waiting: { resolve(): void; reject(error: unknown): void; done(): boolean }[] = [];

  function fail(error: unknown): void {
    const fault =
      codeOf(error) === 'EPIPE'
        ? new TurnmillError('broken-pipe', `the reader of ${SUBJECT} is gone`, {
            subject: SUBJECT,
            cause: error,
          })
        : ioError('write to', SUBJECT, error);
    failure ??= fault;
    settle();
  }

  function settle(): void {
    const still: typeof waiting = [];
    for (const waiter of waiting) {
      if (failure) waiter.reject(failure);
      else if (waiter.done()) waiter.resolve();
      else still.push(waiter);
    }
    waiting = still;
  }

  function until(done: () => boolean): Promise<void> | undefined {
    if (failure) return Promise.reject(failure);
    if (done()) return undefined;
    return new Promise((resolve, reject) => waiting.push({ resolve, reject, done }));
  }

  function send(chunk: Uint8Array): void {
    inFlight += 1;
    stream.write(chunk, (error) => {
      inFlight -= 1;
      if (error) fail(error);
      else settle();
    });
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (failure || batch.length === 0) return;
    const chunk = batch.bytes();
    batch.release();
    if (direct === undefined) send(chunk);
    else attempt(() => writeAll(direct, chunk, SUBJECT));
  }

  function attempt(call: () => void): void {
    try {
      call();
    } catch (error) {
      fail(error instanceof TurnmillError ? error.cause : error);
    }
  }

  // Never taken off again: an error that comes late must not be an uncaught one.
  stream.on('error', fail);
  stream.on('close', () => fail(new Error('it was closed')));
  stream.on('drain', settle);

  return {
    get records() {
      return records;
    },
    get bytes() {
      return bytes;
    },
    write(record) {
      batch.append(record);
      batch.append(NEWLINE);
      records += 1;
      bytes += record.length + 1;
      if (batch.length >= BATCH_BYTES) flush();
      else timer ??= setTimeout(flush, LONGEST_WAIT_MS);
      return until(() => !stream.writableNeedDrain);
    },
    async end() {
      flush();
      await until(() => inFlight === 0);
    },
  };
}

/** Of a regular file or a device such as /dev/full; a pipe, a socket or a terminal is the stream's. */
function directDescriptor(stream: { readonly fd?: number; readonly isTTY?: boolean }): number | undefined {
  if (stream.fd === undefined || stream.isTTY) return undefined;
  const stats = fileSystem.fstatSync(stream.fd, { bigint: true });
  return stats.isFile() || stats.isCharacterDevice() ? stream.fd : undefined;
}
