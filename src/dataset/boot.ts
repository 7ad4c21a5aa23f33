/**
 * Tells which boot of which machine created a folder. Only one kernel knows a socket: on a volume that several machines
 * share, the lock of a run on another machine looks abandoned. Folders of another boot are therefore left alone until a
 * day after their last change (docs/decisions/0004-publishing-by-rename.md).
 */
import { join } from 'node:path';
import {
  closeFile,
  lstatIfAny,
  openNew,
  readDirectoryIfAny,
  readTextIfAny,
  setMode,
  writeAll,
} from './fs-calls.ts';
import { notAsWritten } from './fs-faults.ts';

/** Name of the file that holds the id. */
export const BOOT_RECORD = 'boot';
const READABLE_BY_ALL = 0o644;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The kernel's boot id; undefined where there is none (not Linux, no /proc). Containers of one machine share it. */
function bootId(): string | undefined {
  return readTextIfAny('/proc/sys/kernel/random/boot_id')?.trim() || undefined;
}

/**
 * Writes the id of this boot into a folder.
 * @throws TurnmillError `io` when the disk holds something else afterwards: the folder of another boot is not removed
 */
export function recordBoot(folder: string): void {
  const id = bootId();
  if (id === undefined) return;
  const path = join(folder, BOOT_RECORD);
  const fd = openNew(path, READABLE_BY_ALL);
  try {
    writeAll(fd, Buffer.from(`${id}\n`), path);
  } finally {
    closeFile(fd, path);
  }
  setMode(path, READABLE_BY_ALL);
  if (readTextIfAny(path) !== `${id}\n`) throw notAsWritten(path);
}

/**
 * Was the folder created under another boot, and did anything in it change less than a day ago?
 * @param noted the folder that holds the record
 */
export function isOfOtherBoot(folder: string, noted: string = folder): boolean {
  const [recorded, now] = [readTextIfAny(join(noted, BOOT_RECORD))?.trim(), bootId()];
  if (!recorded || now === undefined || recorded === now) return false;
  return Date.now() - newestChange(folder) < DAY_MS;
}

/** Latest modification of the folder or of anything below it, in milliseconds since 1970. */
function newestChange(path: string): number {
  const stats = lstatIfAny(path);
  if (stats === undefined) return 0;
  const below = stats.isDirectory() ? readDirectoryIfAny(path) : [];
  return below.reduce(
    (newest, { name }) => Math.max(newest, newestChange(join(path, name))),
    Number(stats.mtimeMs),
  );
}
