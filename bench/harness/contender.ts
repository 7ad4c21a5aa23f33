/**
 * What a contender is, and whether it can run on this machine. One that cannot is listed in the
 * results as not installed, never passed over in silence.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Check } from './checks.ts';
import { atRoot, peersBuildFolder, turnmillBin } from './repository.ts';

/** What must be there: a built file, a program on the PATH, or a module in the peers' venv. */
export type Requirement =
  | { readonly file: string }
  | { readonly program: string }
  | { readonly pythonModule: string };

/** One command under measurement. */
export interface Contender {
  readonly name: string;
  readonly label: string;
  readonly needs: Requirement;
  /** The words of the command; `directory` and `out` are relative to the root. */
  command(directory: string, out: string): readonly string[];
  readonly check: Check;
}

/** The Python of the peers' venv, made by bench/peers/setup.sh. */
export const venvPython: string = `${peersBuildFolder}/venv/bin/python`;

const succeeds = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Why a contender cannot run here, or nothing. */
export const whyMissing = ({ needs }: Contender): string | undefined => {
  if ('file' in needs) {
    if (existsSync(atRoot(needs.file))) return undefined;
    return needs.file === turnmillBin ? 'not built' : 'not installed';
  }
  const found =
    'program' in needs
      ? succeeds('sh', ['-c', 'command -v "$1"', 'sh', needs.program])
      : succeeds(atRoot(venvPython), ['-c', `import ${needs.pythonModule}`]);
  return found ? undefined : 'not installed';
};
