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
 */
export function removeLeftovers(): void {
  for (const name of namesIn(tmpdir())) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(tmpdir(), name);
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

/** Returns whether a process with this id runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    getPriority(pid);
    return true;
  } catch (error) {
    return (error as { readonly info?: NodeJS.ErrnoException }).info?.code !== 'ESRCH';
  }
}
