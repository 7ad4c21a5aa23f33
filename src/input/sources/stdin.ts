/**
 * Reads standard input: a file synchronously, a pipe as its bytes arrive. One buffer is reused: a new one for each
 * chunk of a 10 GB pipe would leave tens of megabytes to the garbage collector.
 */
import { fstatSync, readSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { SourceFault } from '../../errors.ts';

const STDIN = 0;
const BUFFER_BYTES = 256 * 1024;

export interface StdinReader {
  /** Fills the room from its start; returns 0 at the end. Rejects with the signal's reason if the run is stopped. */
  read(room: Uint8Array): number | Promise<number>;
  close(): void;
}

/** Throws the signal's reason if the run has been stopped. */
export function openStdin(signal?: AbortSignal): StdinReader {
  signal?.throwIfAborted();
  const stats = fstatSync(STDIN);
  return stats.isFIFO() || stats.isSocket() ? openPipe(signal) : { read: readNow, close: () => undefined };
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

function openPipe(signal: AbortSignal | undefined): StdinReader {
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let from = 0; // the range of bytes that arrived and were not read yet
  let to = 0;
  let ended = false;
  let fault: unknown;
  let wake: () => void = () => undefined;

  const onread: OnReadOpts = {
    buffer,
    callback(count) {
      from = 0;
      to = count;
      socket.pause(); // until it is read, because the next bytes will overwrite it
      wake();
      return false;
    },
  };
  // the constructor accepts `onread` like connect(); its type omits it
  const options: SocketConstructorOpts & { onread: OnReadOpts } = {
    fd: STDIN,
    readable: true,
    writable: false,
    onread,
  };
  const socket = new Socket(options);
  const end = (error?: unknown): void => {
    ended = true;
    fault ??= error;
    wake();
  };
  socket
    .on('end', () => end())
    .on('close', () => end())
    .on('error', (error) => end(unreadable(error)));
  const abort = (): void => {
    end(signal?.reason);
    socket.destroy();
  };
  signal?.addEventListener('abort', abort, { once: true });
  socket.resume();

  async function bytesCome(): Promise<void> {
    while (from === to && !ended) {
      socket.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    async read(room) {
      signal?.throwIfAborted();
      await bytesCome();
      if (fault !== undefined) throw fault;
      const count = Math.min(to - from, room.length);
      room.set(buffer.subarray(from, from + count));
      from += count;
      return count;
    },
    close() {
      signal?.removeEventListener('abort', abort);
      socket.destroy();
    },
  };
}
