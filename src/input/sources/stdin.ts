/**
 * Reads standard input: a file synchronously, a pipe as its bytes arrive. One buffer is reused, because a new one for
 * each chunk of a 10 GB pipe would leave tens of megabytes of garbage.
 */
import { fstatSync, readSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { SourceFault } from '../../errors.ts';

const STDIN = 0;
const BUFFER_BYTES = 256 * 1024;

/** An input that can be read only once, as its bytes arrive. */
export interface PulledInput {
  /** Fills `room` from its start; returns 0 at the end. Rejects with the signal's reason if the run is stopped. */
  read(room: Uint8Array): number | Promise<number>;
  close(): Promise<void> | void;
}

/** Throws the signal's reason if the run has been stopped. */
export function openStdin(signal?: AbortSignal): PulledInput {
  signal?.throwIfAborted();
  const stats = fstatSync(STDIN);
  return stats.isFIFO() || stats.isSocket()
    ? new PipeReader(signal)
    : { read: readNow, close: () => undefined };
}

function readNow(room: Uint8Array): number {
  try {
    return readSync(STDIN, room);
  } catch (error) {
    throw unreadable(error);
  }
}

const unreadable = (error: unknown): SourceFault =>
  new SourceFault(
    'unreadable',
    `cannot read standard input: ${(error as NodeJS.ErrnoException).code}`,
    error,
  );

class PipeReader implements PulledInput {
  readonly #signal: AbortSignal | undefined;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  readonly #socket: Socket;
  /** The range of the buffer that has arrived and was not read yet. */
  #from = 0;
  #to = 0;
  #ended = false;
  #fault: unknown;
  #wake: () => void = () => undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    const onread: OnReadOpts = { buffer: this.#buffer, callback: (count) => this.#arrive(count) };
    // the constructor accepts `onread` as connect() does, but its type omits it
    const options: SocketConstructorOpts & { onread: OnReadOpts } = {
      fd: STDIN,
      readable: true,
      writable: false,
      onread,
    };
    this.#socket = new Socket(options);
    this.#socket
      .on('end', () => this.#end())
      .on('close', () => this.#end())
      .on('error', (error) => this.#end(unreadable(error)));
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#socket.resume();
  }

  async read(room: Uint8Array): Promise<number> {
    this.#signal?.throwIfAborted();
    await this.#waitForBytes();
    if (this.#fault !== undefined) throw this.#fault;
    const count = Math.min(this.#to - this.#from, room.length);
    room.set(this.#buffer.subarray(this.#from, this.#from + count));
    this.#from += count;
    return count;
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#socket.destroy();
  }

  #arrive(count: number): boolean {
    this.#from = 0;
    this.#to = count;
    this.#socket.pause(); // until the buffer was read, because the next bytes overwrite it
    this.#wake();
    return false;
  }

  #end(error?: unknown): void {
    this.#ended = true;
    this.#fault ??= error;
    this.#wake();
  }

  readonly #abort = (): void => {
    this.#end(this.#signal?.reason);
    this.#socket.destroy();
  };

  async #waitForBytes(): Promise<void> {
    while (this.#from === this.#to && !this.#ended) {
      this.#socket.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
