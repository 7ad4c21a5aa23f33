/** Runs the built command as a child process: its status and its output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const COMMAND: string = resolve(import.meta.dirname, '../../dist/package/bin.js');

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Starts `turnmill ARGS`; standard input is closed unless it is a pipe. */
export function start(
  args: readonly string[],
  stdin: 'ignore' | 'pipe' = 'ignore',
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...args], { stdio: [stdin, 'pipe', 'pipe'], env });
}

/** Waits for a child started by `start`. */
export function ended(child: ChildProcess): Promise<Ended> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (status, signal) =>
      done({ status, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}

/** Runs `turnmill ARGS` to its end. */
export function turnmill(
  args: readonly string[],
  input?: Uint8Array | string,
  env?: NodeJS.ProcessEnv,
): Promise<Ended> {
  const child = start(args, input === undefined ? 'ignore' : 'pipe', env);
  child.stdin?.on('error', () => undefined); // the command may end before it has read everything
  child.stdin?.end(input);
  return ended(child);
}
