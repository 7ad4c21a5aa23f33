/**
 * One run per destination: an abstract Unix socket named after its real path. The kernel frees it with the process,
 * so there is no stale lock and no process id to guess about (reliability.md §1.2, F035). Scope: one host and one
 * network namespace. Linux only: elsewhere there is no lock, and two runs with one destination are the caller's care
 * (the commit's rename still lets only one of them in).
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ioError, TurnmillError } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { codeOf } from './fs-faults.ts';
import { locate } from './place.ts';

/** Takes the destination's lock; the result gives it back. Throws `locked` when another run holds it. */
export async function acquireLock(out: string): Promise<() => Promise<void>> {
  const { path } = locate(out);
  if (process.platform !== 'linux') return async () => {};
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ path: `\0turnmill-${sha256(path)}`, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw ioError('lock', path, error);
    throw new TurnmillError('locked', `another run is writing ${path}`, { subject: path, cause: error });
  }
  server.on('error', () => {}); // Of a connection that nobody should make.
  server.unref();
  let released: Promise<void> | undefined;
  return () => {
    released ??= new Promise((resolve) => server.close(() => resolve()));
    return released;
  };
}
