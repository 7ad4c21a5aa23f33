/**
 * Private temporary folders, which hold copies of logs: of the viewer, and of lines that are gathered by session. They
 * are named after the process, so that a later one can remove what a killed one left.
 */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'turnmill-';
const NAME = /^turnmill-(?:view|gather)-(\d+)-/;

/** Creates a folder that only its owner can read. */
export function createTemporaryFolder(purpose: 'view' | 'gather'): string {
  return mkdtempSync(join(tmpdir(), `${PREFIX}${purpose}-${process.pid}-`));
}

/**
 * Removes the folders of processes of this user that no longer run. Call it before a folder is created. Ignores errors:
 * they are tried again next time.
 * @param folder where to look
 * @param pidIn returns the id of the process that is in the name of such a folder
 */
export function removeLeftovers(
  folder: string = tmpdir(),
  pidIn: (name: string) => string | undefined = (name) => NAME.exec(name)?.[1],
): void {
  for (const name of namesIn(folder)) {
    const pid = Number(pidIn(name));
    if (!Number.isInteger(pid) || isRunning(pid)) continue;
    const path = join(folder, name);
    try {
      if (lstatSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
    } catch {
      // another process may be removing it
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    getPriority(pid);
    return true;
  } catch (error) {
    return (error as { readonly info?: NodeJS.ErrnoException }).info?.code !== 'ESRCH';
  }
}
