/** Runs the built command with a preloaded library that flips one bit of one write or read of a file (flip.c). */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { type Ended, turnmill } from './command.ts';
import { temporaryFolder } from './folder.ts';

export interface Flip {
  readonly call: 'write' | 'read';
  /** Suffix of the file's path. */
  readonly file: string;
  /** Counted from the file's first bit. */
  readonly bit: number;
  /** Calls with this bit that pass before the flip. */
  readonly after?: number;
}

export interface Flipped extends Ended {
  /** Whether the bit was flipped. */
  readonly fired: boolean;
}

/** Compiles the library. @returns a function that runs `turnmill ARGS` and flips a bit of a file below `parent` */
export function flipper(
  parent: string,
): (args: readonly string[], flip: Flip, env?: NodeJS.ProcessEnv) => Promise<Flipped> {
  const folder = temporaryFolder();
  const [library, log] = [join(folder, 'flip.so'), join(folder, 'log')];
  const source = resolve(import.meta.dirname, 'flip.c');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  return async (args, { call, file, bit, after = 0 }, env = {}) => {
    rmSync(log, { force: true });
    const run = await turnmill(args, undefined, {
      ...process.env,
      ...env,
      LD_PRELOAD: library,
      FLIP_BELOW: `${parent}/`,
      FLIP_FILE: file,
      FLIP_CALL: call,
      FLIP_BIT: String(bit),
      FLIP_AFTER: String(after),
      FLIP_LOG: log,
    });
    return { ...run, fired: existsSync(log) };
  };
}

/** Expects that the fault fired and was reported with this status and the file's name. */
export function expectReported({ fired, status, stderr }: Flipped, flip: Flip, wanted: 65 | 74): void {
  const where = `${JSON.stringify(flip)}\n${stderr}`;
  expect(fired, where).toBe(true);
  expect(status, where).toBe(wanted);
  const last = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  if (wanted === 74) expect(last, where).toMatchObject({ code: 'io' });
  expect(last.msg, where).toContain(flip.file);
}
