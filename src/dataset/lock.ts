/**
 * One run per destination, by two locks that the kernel frees with the process, so that there is no stale lock and no process id
 * to guess about. An abstract Unix socket named after the destination's real path is free of files and reaches as far as a
 * network namespace; a socket on the volume itself reaches every container that sees it (volume-lock.ts). Linux only:
 * elsewhere there is no lock, and two runs with one destination are the caller's care (the commit's rename still lets
 * only one of them in).
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ioError } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { codeOf } from './fs-faults.ts';
import { checkRoomForParts, locate, type Place } from './place.ts';
import { lockedBy, VolumeLock } from './volume-lock.ts';

/** Takes the destination's lock; the result gives it back. Throws `locked` when another run holds it. */
export async function acquireLock(out: string): Promise<() => Promise<void>> {
  const place = locate(out);
  checkRoomForParts(out, place);
  if (process.platform !== 'linux') return async () => {};
  const server = await listenByName(place);
  let volume: VolumeLock;
  try {
    volume = await VolumeLock.acquire(place);
  } catch (error) {
    await close(server);
    throw error;
  }
  let released: Promise<void> | undefined;
  return () => {
    released ??= volume.release().finally(() => close(server));
    return released;
  };
}

async function listenByName(place: Place): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ path: `\0turnmill-${sha256(place.path)}`, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw ioError('lock', place.path, error);
    throw lockedBy(place);
  }
  server.on('error', () => {}); // of a connection that was given up
  server.unref();
  return server;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
