/** Runs the built command in various environments, for tests that compare the output. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { COMMAND } from './command.ts';
import { hashesOf, temporaryFolder } from './folder.ts';

export interface Way {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps only PATH from this process's environment. */
  readonly bare?: true;
  readonly cwd?: string;
  /** Words before the command. */
  readonly before?: readonly string[];
}

/** Builds from the logs and hashes the result. */
export function buildHashes(
  logs: string,
  { args = [], env = {}, bare, cwd = '/', before = [] }: Way,
): Record<string, string> {
  const out = join(temporaryFolder(), 'out');
  const [program = '', ...rest] = [
    ...before,
    process.execPath,
    COMMAND,
    'build',
    logs,
    '--out',
    out,
    ...args,
  ];
  const { status, stderr, error } = spawnSync(program, rest, {
    cwd,
    env: { ...(bare ? { PATH: '/usr/bin:/bin' } : process.env), ...env },
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  if (status !== 0 && status !== 3) throw new Error(stderr);
  return hashesOf(out);
}
