/**
 * `--out -`: writes records to standard output in batches of 64 KiB, each after at most 50 ms, so that records of a slow
 * source arrive soon. A full pipe pauses the run; if the reader goes away, the error is `broken-pipe` (exit 141, without
 * a message). Files and devices are written directly, because Node's own stream loses the rest of a short write.
 */
import type { Writable } from 'node:stream';
import { ioError, TurnmillError } from '../errors.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { fileSystem } from './file-system.ts';
import { writeAll } from './fs-calls.ts';
import { codeOf } from './fs-faults.ts';
import { NEWLINE } from './line-file.ts';

const BATCH_BYTES = 64 * 1024;
const MAX_WAIT_MS = 50;
const SUBJECT = 'standard output';

type Target = Writable & { readonly fd?: number };

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
  done(): boolean;
}

/** Its methods throw or reject with `broken-pipe` or `io`; after the first failure, all of them do. */
export class StdoutSink {
  readonly #stream: Target;
  readonly #batch = new ByteBuffer();
  readonly #direct: number | undefined;
  #records = 0;
  #bytes = 0;
  #inFlight = 0;
  #failure: TurnmillError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waiting: Waiter[] = [];

  constructor(stream: Target = process.stdout) {
    this.#stream = stream;
    this.#direct = directDescriptor(stream);
    // Never removed: a late error must not become an uncaught one.
    stream.on('error', (error) => this.#fail(error));
    stream.on('close', () => this.#fail(new Error('it was closed')));
    stream.on('drain', () => this.#settle());
  }

  get records(): number {
    return this.#records;
  }

  /** Bytes of records, newlines included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Copies the record and adds a newline. If it returns a promise, await it before the next call. */
  write(record: Uint8Array): Promise<void> | undefined {
    const batch = this.#batch;
    batch.append(record);
    batch.append(NEWLINE);
    this.#records += 1;
    this.#bytes += record.length + 1;
    if (batch.length >= BATCH_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), MAX_WAIT_MS);
    return this.#until(() => !this.#stream.writableNeedDrain);
  }

  /** Resolves when the system has accepted everything. The stream stays open. */
  async end(): Promise<void> {
    this.#flush();
    await this.#until(() => this.#inFlight === 0);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#failure || this.#batch.length === 0) return;
    const chunk = this.#batch.bytes();
    this.#batch.release();
    if (this.#direct === undefined) this.#send(chunk);
    else this.#writeTo(this.#direct, chunk);
  }

  #send(chunk: Uint8Array): void {
    this.#inFlight += 1;
    this.#stream.write(chunk, (error) => {
      this.#inFlight -= 1;
      if (error) this.#fail(error);
      else this.#settle();
    });
  }

  #writeTo(descriptor: number, chunk: Uint8Array): void {
    try {
      writeAll(descriptor, chunk, SUBJECT);
    } catch (error) {
      this.#fail(error instanceof TurnmillError ? error.cause : error);
    }
  }

  #fail(cause: unknown): void {
    const gone = `the reader of ${SUBJECT} is gone`;
    this.#failure ??=
      codeOf(cause) === 'EPIPE'
        ? new TurnmillError('broken-pipe', gone, { subject: SUBJECT, cause })
        : ioError('write to', SUBJECT, cause);
    this.#settle();
  }

  /** Resolves the promises whose condition is met, or rejects all of them after a failure. */
  #settle(): void {
    const still: Waiter[] = [];
    for (const waiter of this.#waiting) {
      if (this.#failure) waiter.reject(this.#failure);
      else if (waiter.done()) waiter.resolve();
      else still.push(waiter);
    }
    this.#waiting = still;
  }

  #until(done: () => boolean): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    if (done()) return undefined;
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject, done }));
  }
}

/**
 * Returns the descriptor of a regular file or of a device such as /dev/full; undefined for a pipe, a socket or a
 * terminal, which are left to the stream.
 */
function directDescriptor(stream: { readonly fd?: number; readonly isTTY?: boolean }): number | undefined {
  if (stream.fd === undefined || stream.isTTY) return undefined;
  const stats = fileSystem.fstatSync(stream.fd, { bigint: true });
  return stats.isFile() || stats.isCharacterDevice() ? stream.fd : undefined;
}
