/**
 * Admits one run per destination, by two locks that the kernel releases when the process ends, so that no lock is ever
 * stale. An abstract Unix socket, named after the destination's real path, needs no file and covers a network
 * namespace; a socket on the volume itself covers every container that sees the volume (volume-lock.ts). On Linux only:
 * elsewhere there is no lock, and the caller must not start two runs for one destination (the rename at the commit still
 * lets only one of them through).
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ioError } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { codeOf } from './fs-faults.ts';
import { checkRoomForSiblings, locate, type Place } from './place.ts';
import { lockedBy, VolumeLock } from './volume-lock.ts';

/** Takes the destination's lock and returns a function that releases it. Throws `locked` when another run holds it. */
export async function acquireLock(out: string): Promise<() => Promise<void>> {
  const place = locate(out);
  checkRoomForSiblings(out, place);
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
  server.on('error', () => {}); // a client may drop its connection
  server.unref();
  return server;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
