/** Real path of a folder that is removed after each test. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export function temporaryFolder(): { path: string; in(...parts: string[]): string; names(): string[] } {
  const folder = {
    path: '',
    in: (...parts: string[]) => join(folder.path, ...parts),
    names: () => readdirSync(folder.path).sort(),
  };
  beforeEach(() => {
    folder.path = realpathSync(mkdtempSync(join(tmpdir(), 'turnmill-sinks-')));
  });
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}

/** Returns the fault that a call throws. */
export function faultOf(call: () => unknown): { code: string; message: string } {
  try {
    call();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('there was no fault');
}
