/**
 * The folder for replayed logs: created beside its destination under another name, and renamed once it is complete. It
 * contains rejected lines unchanged, so only its owner may read it.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { type AppendFile, createAppendFile } from '../dataset/append-file.ts';
import { isOfOtherBoot } from '../dataset/boot.ts';
import {
  lstatIfAny,
  makeDirectory,
  removeTree,
  rename,
  syncDirectory,
  unlinkIfAny,
} from '../dataset/fs-calls.ts';
import { createLineFile, type LineFile } from '../dataset/line-file.ts';
import { acquireLock } from '../dataset/lock.ts';
import { checkOverlap } from '../dataset/overlap.ts';
import { createPackedLineFile } from '../dataset/packed-line-file.ts';
import { packingNamed } from '../dataset/packing.ts';
import { locate, type Place, runsWith, siblingPath } from '../dataset/place.ts';
import type { QuarantineSource } from '../dataset/schema/quarantine.ts';
import { TurnmillError } from '../errors.ts';
import { sha256 } from '../sha256.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Longest name that is written in hexadecimal: twice as many characters and a suffix fit into every file system. */
const MAX_HEX_BYTES = 100;

export interface ReplayTarget {
  /** Opens a log of lines, which is packed if its name implies that. */
  open(name: string): LineFile;
  /** Opens a file for any bytes. */
  openCopy(name: string): AppendFile;
  /** Removes a file again. */
  remove(name: string): void;
  /** Renames the folder to its destination; does nothing if no file was created. */
  commit(): void;
  discard(): void;
  close(): Promise<void>;
}

/**
 * Locks the folder; `close` unlocks it. Removes the leftovers of a killed replay.
 * @param apart the dataset and the logs: the folder must not be inside them, or a later run would read it
 * @throws TurnmillError `locked`, `usage`, `cannot-create` if something already exists there
 */
export async function openReplayTarget(into: string, apart: readonly string[]): Promise<ReplayTarget> {
  const close = await acquireLock(into);
  try {
    return { ...openTarget(into, apart), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openTarget(into: string, apart: readonly string[]): Omit<ReplayTarget, 'close'> {
  const path = resolve(into);
  if (lstatIfAny(path) !== undefined)
    throw new TurnmillError('cannot-create', `${into} already exists: name a folder that does not`, {
      subject: into,
    });
  const place = locate(into);
  checkOverlap(into, place, apart);
  removeLeftovers(place);
  const staging = siblingPath(place, 'staging', randomBytes(8).toString('hex'));
  const folders = new Set<string>();

  function folder(name: string): void {
    if (folders.has(name)) return;
    if (name !== '.') folder(dirname(name));
    makeDirectory(join(staging, name), FOLDER_MODE);
    folders.add(name);
  }

  function placeFor(name: string): string {
    folder(dirname(name));
    return join(staging, name);
  }

  return {
    open(name) {
      const packing = packingNamed(name);
      const path = placeFor(name);
      return packing === undefined
        ? createLineFile(path, FILE_MODE)
        : createPackedLineFile(path, packing, FILE_MODE);
    },
    openCopy: (name) => createAppendFile(placeFor(name), FILE_MODE),
    remove: (name) => unlinkIfAny(join(staging, name)),
    commit() {
      if (folders.size === 0) return;
      for (const name of folders) syncDirectory(join(staging, name));
      rename(staging, path);
      syncDirectory(dirname(path));
    },
    discard: () => removeTree(staging),
  };
}

/**
 * Removes the leftovers of killed replays, unless there is a lock of another boot: a replay on another machine that
 * shares the volume may still be running.
 */
function removeLeftovers(place: Place): void {
  if (runsWith(place, ['lock']).some((run) => isOfOtherBoot(siblingPath(place, 'lock', run)))) return;
  for (const run of runsWith(place, ['staging'])) removeTree(siblingPath(place, 'staging', run));
}

/** Returns the name of a source's log below the folder; undefined for a name that would lead out of the folder. */
export function replayName({ uri: source, uri_b64: bytes, input }: QuarantineSource): string | undefined {
  const name = source === '-' ? 'stdin.jsonl' : bytes === undefined ? source : encodedName(bytes);
  const parts = name.split('/');
  const isInside = parts.every(
    (part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0'),
  );
  if (!isInside) return undefined;
  return input === undefined ? name : `${input}/${name}`;
}

/** Encodes the parts of a path that are not UTF-8; the other parts are kept, because they may name the group. */
function encodedName(base64: string): string {
  const parts = Buffer.from(base64, 'base64').toString('latin1').split('/');
  return parts.map((part) => encodedPart(Buffer.from(part, 'latin1'))).join('/');
}

/** Returns the bytes of a name in hexadecimal, or their hash if that is too long for a name. */
function encodedPart(name: Buffer): string {
  if (isUtf8(name)) return name.toString();
  const suffix = /\.[a-z]{1,5}(?:\.[a-z]{1,5})?$/i.exec(name.toString('latin1'))?.[0] ?? '';
  const digits = name.length <= MAX_HEX_BYTES ? name.toString('hex') : sha256(name);
  return `${digits}${suffix}`;
}
