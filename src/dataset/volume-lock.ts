/**
 * Admits one run per destination among all processes that see its volume, in any container. The lock is a folder beside
 * the destination, `.NAME.lock-RUN`, with a listening Unix socket. If a connection to it succeeds, its run is alive;
 * the kernel refuses the connection once the process has ended, in whatever way. The folder is beside the staging
 * folder, not in it, because it must outlive the renames of a publication.
 *
 * Every run creates its socket first and then looks for others, so if two start at the same time, at least one sees the
 * other. The holder of the lock has a file `held` in its folder. While both are waiting, the one with the higher id
 * gives up, and the other one waits for that: the one with the higher id may have looked before the other existed, and
 * may already be the holder.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnmillError } from '../errors.ts';
import type { FileIdentity } from '../input/sources/source.ts';
import { BOOT_RECORD, isOfOtherBoot, recordBoot } from './boot.ts';
import {
  closeFile,
  lstatIfAny,
  makeDirectory,
  openFolder,
  openNew,
  removeEmptyDirectory,
  removeTree,
  setMode,
  unlinkIfAny,
} from './fs-calls.ts';
import { codeOf } from './fs-faults.ts';
import { type Place, runsWith, siblingPath } from './place.ts';

const SOCKET = 'socket';
const HELD = 'held';
/** Other runs, perhaps of other users, must be able to connect; a connection reveals nothing. */
const OPEN_TO_ALL = 0o755;
/** Longest path of a socket (`sun_path`, without its final zero byte). */
const MAX_PATH_BYTES = 107;
/** Errors that are ignored here: the next step of the run fails for the same reason, with a better message. */
const CANNOT_MAKE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'ENOTDIR', 'ENOENT']);
/** Connection errors that mean the process is gone. After any other error, it counts as alive. */
const DEAD = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTDIR', 'ENOTSOCK', 'ENXIO']);
const POLL_MS = 20;
const PATIENCE_MS = 10_000;

type State = 'dead' | 'other-boot' | 'waiting' | 'held';

export class VolumeLock {
  readonly #place: Place;
  readonly #runId = randomBytes(8).toString('hex');
  #server: Server | undefined;
  /** Descriptor of this folder, open while a path through it is needed. */
  #fd: number | undefined;
  /** Identity of the socket file. */
  #identity: FileIdentity | undefined;

  private constructor(place: Place) {
    this.#place = place;
  }

  /**
   * Takes the lock. On a file system without sockets, only looks for other holders.
   * @throws TurnmillError `locked` if another run holds it
   */
  static async acquire(place: Place): Promise<VolumeLock> {
    const lock = new VolumeLock(place);
    try {
      await lock.#announce();
      await lock.#contend();
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async release(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
    if (this.#fd !== undefined) closeFile(this.#fd, this.#folder());
    this.#fd = undefined;
    this.#removeOwn();
  }

  /**
   * Removes the files by name, because listing them would need a descriptor. A file that cannot be removed does no harm:
   * the next run removes it.
   */
  #removeOwn(): void {
    const folder = this.#folder();
    try {
      for (const name of [SOCKET, HELD, BOOT_RECORD]) unlinkIfAny(join(folder, name));
      if (lstatIfAny(folder) !== undefined) removeEmptyDirectory(folder);
    } catch (error) {
      if (!(error instanceof TurnmillError)) throw error;
    }
  }

  #folder(runId: string = this.#runId): string {
    return siblingPath(this.#place, 'lock', runId);
  }

  /** Creates the folder and the socket in it. */
  async #announce(): Promise<void> {
    const folder = this.#folder();
    try {
      makeDirectory(folder, OPEN_TO_ALL);
      setMode(folder, OPEN_TO_ALL);
      recordBoot(folder);
    } catch (error) {
      if (!CANNOT_MAKE.has(codeOf(error))) throw error;
      return;
    }
    const server = createServer((socket) => socket.destroy());
    try {
      this.#fd = folderIfLong(folder);
      const path = socketPath(folder, this.#fd);
      server.listen({ path, exclusive: true, readableAll: true, writableAll: true });
      await once(server, 'listening');
    } catch {
      this.#removeOwn(); // this file system has no sockets
      return;
    }
    server.on('error', () => {}); // a client may drop its connection
    server.unref();
    this.#server = server;
    this.#identity = lstatIfAny(join(folder, SOCKET));
  }

  async #contend(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    const open = new Set(runsWith(this.#place, ['lock']).filter((run) => run !== this.#runId));
    for (const run of open) {
      let state = await this.#stateOf(run);
      while (state === 'waiting' && this.#isBefore(run) && performance.now() < deadline) {
        await sleep(POLL_MS);
        state = await this.#stateOf(run);
      }
      if (state === 'waiting' || state === 'held') throw lockedBy(this.#place);
      if (state === 'other-boot') open.delete(run);
    }
    this.#hold();
    for (const run of open) this.#remove(run);
  }

  #isBefore(run: string): boolean {
    return this.#server !== undefined && this.#runId < run;
  }

  /**
   * Becomes the holder: from here on, every other run gives up.
   * @throws TurnmillError `locked` if the previous holder removed the socket before it was listening
   */
  #hold(): void {
    if (this.#server === undefined) return;
    const path = join(this.#folder(), HELD);
    try {
      closeFile(openNew(path, 0o644), path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw lockedBy(this.#place);
      throw error;
    }
    const now = lstatIfAny(join(this.#folder(), SOCKET));
    if (now === undefined || now.dev !== this.#identity?.dev || now.ino !== this.#identity.ino)
      throw lockedBy(this.#place);
  }

  async #stateOf(run: string): Promise<State> {
    const folder = this.#folder(run);
    if (await isAlive(folder)) return lstatIfAny(join(folder, HELD)) === undefined ? 'waiting' : 'held';
    return isOfOtherBoot(folder) ? 'other-boot' : 'dead';
  }

  #remove(run: string): void {
    try {
      removeTree(this.#folder(run));
    } catch (error) {
      // The next run tries again.
      if (!(error instanceof TurnmillError)) throw error;
    }
  }
}

export function lockedBy({ path }: Pick<Place, 'path'>): TurnmillError {
  return new TurnmillError('locked', `another run is writing ${path}`, { subject: path });
}

/** Returns whether a process is listening on the folder's socket. */
async function isAlive(folder: string): Promise<boolean> {
  let fd: number | undefined;
  try {
    fd = folderIfLong(folder);
    const socket = connect({ path: socketPath(folder, fd) });
    try {
      await once(socket, 'connect');
    } finally {
      socket.on('error', () => {});
      socket.destroy();
    }
    return true;
  } catch (error) {
    return !DEAD.has(codeOf(error));
  } finally {
    if (fd !== undefined) closeFile(fd, folder);
  }
}

/**
 * Opens the folder if its path is too long for a socket. Changing the working directory instead would affect the whole
 * process.
 */
function folderIfLong(folder: string): number | undefined {
  return Buffer.byteLength(join(folder, SOCKET)) > MAX_PATH_BYTES ? openFolder(folder) : undefined;
}

function socketPath(folder: string, fd: number | undefined): string {
  return join(fd === undefined ? folder : `/proc/self/fd/${fd}`, SOCKET);
}
