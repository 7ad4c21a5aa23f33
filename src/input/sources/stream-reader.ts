/**
 * Reads a stream that the caller provides, chunk by chunk, and closes it if it is not read to its end.
 */
import { setImmediate } from 'node:timers/promises';
import { types } from 'node:util';
import { SourceFault, systemCode, TurnmillError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import { type Closable, closeStream } from './stream-source.ts';

/** Consecutive empty chunks before the event loop gets a turn: if all were ready immediately, they would starve it. */
const EMPTY_CHUNKS = 1024;
const NO_BYTES = new Uint8Array(0);

/** The methods of an iterator that a `for await` loop uses. */
interface Chunks {
  next(): Promise<IteratorResult<unknown>>;
  return?(): Promise<unknown>;
}

/** The methods of a web stream's reader that are used here. */
interface WebReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(): Promise<unknown>;
}

export class StreamReader {
  readonly #name: string;
  readonly #stream: AsyncIterable<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  #chunks: Chunks | undefined;
  /** Rest of the last chunk. */
  #chunk: Uint8Array = NO_BYTES;
  #takenBytes = 0;
  #waiting = false;
  #over = false;
  #fault: SourceFault | undefined;
  #stop: (reason: unknown) => void = () => undefined;

  constructor(name: string, stream: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.#name = name;
    this.#stream = stream;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  /**
   * Fills `room` completely, except at the end of the stream, so that reads do not depend on the chunks; returns 0 after
   * that. Throws an error of the stream only after everything before it has been returned.
   * @throws SourceFault `unreadable`; TurnmillError `usage` for chunks that are not bytes; the signal's reason
   */
  async read(room: Uint8Array): Promise<number> {
    let length = 0;
    while (length < room.length && (this.#chunk.length > 0 || (await this.#advance()))) {
      const count = Math.min(this.#chunk.length, room.length - length);
      room.set(this.#chunk.subarray(0, count), length);
      this.#chunk = this.#chunk.subarray(count);
      length += count;
    }
    if (length === 0 && this.#fault !== undefined) throw this.#fault;
    return length;
  }

  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#chunk = NO_BYTES;
    if (this.#over) return;
    this.#over = true;
    // a generator cannot end while it is waiting itself; a stream can be closed from outside
    if (this.#waiting) closeStream(this.#stream as Closable);
    const returned = this.#chunks?.return?.().catch(() => undefined);
    if (!this.#waiting) await returned;
  }

  readonly #abort = (): void => this.#stop(this.#signal?.reason);

  /** Gets the next chunk that is not empty. Returns false at the end, and after an error. */
  async #advance(): Promise<boolean> {
    for (let empty = 0; !this.#over; ) {
      const chunk = await this.#next();
      if (chunk === undefined) break;
      if (!types.isUint8Array(chunk)) throw this.#notBytes(chunk);
      this.#chunk = chunk;
      this.#takenBytes += chunk.length;
      if (chunk.length > 0) return true;
      if (++empty % EMPTY_CHUNKS === 0) await setImmediate();
    }
    return false;
  }

  async #next(): Promise<unknown> {
    this.#signal?.throwIfAborted();
    try {
      const { done, value } = await this.#pull();
      if (done !== true) return value ?? null;
      this.#over = true;
    } catch (error) {
      this.#signal?.throwIfAborted();
      this.#over = true;
      this.#fault = this.#unreadable(error);
    }
    return undefined;
  }

  /** Resolves to the next result; rejects if the run is stopped first. */
  #pull(): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#stop = reject;
      this.#chunks ??= chunksOf(this.#stream);
      const next = Promise.resolve(this.#chunks.next());
      this.#waiting = true;
      next
        .finally(() => {
          this.#waiting = false;
        })
        .then(resolve, reject);
    });
  }

  /** Reports only the error's code or name, because its text may contain data that was read. */
  #unreadable(error: unknown): SourceFault {
    const what = error instanceof Error ? (systemCode(error) ?? error.name) : 'no Error was thrown';
    return new SourceFault(
      'unreadable',
      `the stream failed after ${this.#takenBytes} bytes: ${printable(what)}`,
      error,
    );
  }

  #notBytes(chunk: unknown): TurnmillError {
    const what = typeof chunk === 'object' ? (chunk?.constructor?.name ?? 'object') : typeof chunk;
    const hint = what === 'string' ? '; a stream of Node must not have an encoding' : '';
    const name = printable(this.#name);
    return new TurnmillError(
      'usage',
      `the stream ${name} yielded a chunk of type ${printable(what)} instead of a Uint8Array${hint}`,
      { subject: name },
    );
  }
}

/** Uses the reader of a web stream, which can be cancelled while it waits, unlike the iterator. */
function chunksOf(stream: AsyncIterable<Uint8Array>): Chunks {
  const { getReader } = stream as { readonly getReader?: () => WebReader };
  if (getReader === undefined) return stream[Symbol.asyncIterator]() as Chunks;
  const reader = getReader.call(stream);
  return {
    next: async () => (await reader.read()) as IteratorResult<unknown>,
    return: () => reader.cancel(),
  };
}
