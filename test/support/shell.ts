/** Short bash scripts around the built command: limits, mounts, closed descriptors. They call it as the function `turnmill`. */
import { spawn } from 'node:child_process';
import { COMMAND, type Ended, ended } from './command.ts';

/** Runs the script in `cwd`; `unshare` gives it a private mount namespace, so that no mount outlives it. */
export function bash(
  script: string,
  { cwd, unshare = false }: { readonly cwd: string; readonly unshare?: boolean },
): Promise<Ended> {
  const lines = `turnmill() { '${process.execPath}' '${COMMAND}' "$@"; }\n${script}`;
  const words = ['bash', '-c', lines];
  const [program = '', ...args] = unshare ? ['unshare', '-m', ...words] : words;
  const env = { ...process.env, NODE: process.execPath, COMMAND };
  return ended(spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}
