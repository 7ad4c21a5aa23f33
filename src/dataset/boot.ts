/**
 * Records which boot of which machine created a folder. A socket is known to one kernel only: on a volume that several
 * machines share, the lock of a run on another machine looks abandoned. Folders of another boot are therefore left
 * alone until a day after their last change (docs/contributing/decisions/0004-publishing-by-rename.md).
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

/** Returns the kernel's boot id; undefined without Linux or /proc. The containers of a machine share it. */
function bootId(): string | undefined {
  return readTextIfAny('/proc/sys/kernel/random/boot_id')?.trim() || undefined;
}

/**
 * Writes the id of this boot into a folder.
 * @throws TurnmillError `io` if the file has other content afterwards: the folder would look like another boot's, and
 * would not be cleaned up
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
 * Returns whether the folder was created under another boot and anything in it changed less than a day ago.
 * @param recordFolder the folder that holds the record
 */
export function isOfOtherBoot(folder: string, recordFolder: string = folder): boolean {
  const [recorded, now] = [readTextIfAny(join(recordFolder, BOOT_RECORD))?.trim(), bootId()];
  if (!recorded || now === undefined || recorded === now) return false;
  return Date.now() - newestChange(folder) < DAY_MS;
}

/** Returns the latest modification of the folder or of anything below it, in milliseconds since 1970. */
function newestChange(path: string): number {
  const stats = lstatIfAny(path);
  if (stats === undefined) return 0;
  const below = stats.isDirectory() ? readDirectoryIfAny(path) : [];
  return below.reduce(
    (newest, { name }) => Math.max(newest, newestChange(join(path, name))),
    Number(stats.mtimeMs),
  );
}
