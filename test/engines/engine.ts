/** Logs for the tests of engines/, a command that hurts its first attempt at a slice, and programs that run in the background. */
import { type ChildProcess, execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { COMMAND, turnmill } from '../support/command.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';

export const ENGINES: string = resolve(import.meta.dirname, '../../engines');
/** Folder of the Python environment with Spark and Ray. */
export const PYTHON_HOME: string | undefined = process.env.TURNMILL_ENGINES;

export const has = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** No other process sleeps this long, so that those left behind can be counted. */
const SLEEP = 'sleep 86399';
const taskPython = 'ps -o ppid= -p $PPID';
/** Faults of the first attempt at slice 2, as lines of a shell script. */
export const FAULTS = {
  'the process of the task is killed': `kill -9 $(${taskPython}); exec ${SLEEP}`,
  'the executor is killed': `p=$$; until [ "$(ps -o comm= -p $p)" = java ]; do p=$(ps -o ppid= -p $p | tr -d ' '); done; kill -9 $p; exec ${SLEEP}`,
  'the task hangs': `exec ${SLEEP}`,
  'turnmill is killed': 'kill -9 $$',
} as const;

export interface Job {
  readonly logs: string;
  readonly out: string;
  readonly parts: string;
  /** PATH begins with the command that hurts its first attempt, which TURNMILL_BIN names too. */
  readonly env: NodeJS.ProcessEnv;
  /** Attempts at slice 2, and whether the fault fired. */
  readonly attempts: () => number;
  readonly fired: () => boolean;
  /** Expects the bytes of one build, and nothing left running. */
  readonly expectWhole: () => Promise<void>;
}

export function prepare(fault?: string): Job {
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  const [logs, out, parts, bin] = [path('logs'), path('out'), path('parts'), path('bin')];
  writePlainLogs(logs, { sessions: 30, entries: 4, messageChars: 500, seed: 1 });
  cpSync(resolve(ENGINES, '../examples/logs'), join(logs, 'examples'), { recursive: true });
  mkdirSync(bin);
  const hurt = fault === undefined ? ':' : `if mkdir ${path('fired')} 2>/dev/null; then ${fault}; fi`;
  const isSlice = '*" --slice 2/"*) true;; *" --slice /"*) [ "$SLURM_ARRAY_TASK_ID" = 2 ];; *) false;;';
  const script = `#!/bin/sh
if [ "$1" = build ] && case " $* " in ${isSlice} esac; then echo >> ${path('attempts')}; ${hurt}; fi
exec ${process.execPath} ${COMMAND} "$@"
`;
  writeFileSync(join(bin, 'turnmill'), script);
  chmodSync(join(bin, 'turnmill'), 0o755);
  const env = { ...process.env, TURNMILL_BIN: join(bin, 'turnmill'), PATH: `${bin}:${process.env.PATH}` };
  const attempts = (): number =>
    existsSync(path('attempts')) ? readFileSync(path('attempts'), 'utf8').length : 0;
  const expectWhole = async (): Promise<void> => {
    expect((await turnmill(['build', logs, '--out', path('whole')])).status).toBe(3);
    expect(hashesOf(out)).toEqual(hashesOf(path('whole')));
    expect(spawnSync('pgrep', ['-fx', SLEEP]).stdout.toString()).toBe('');
  };
  return { logs, out, parts, env, attempts, fired: () => existsSync(path('fired')), expectWhole };
}

/** Starts a program that runs until the end of the test. */
export function background(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess {
  const child = spawn(command, args, { env, stdio: 'ignore', detached: true });
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  });
  return child;
}

/** Runs a program to its end. */
export const run = (
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): SpawnSyncReturns<string> =>
  spawnSync(command, args, { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

export const output = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): string =>
  execFileSync(command, args, { env, encoding: 'utf8' }).trim();

/** A port of this machine that no program listens on. */
export const freePort = (): Promise<number> =>
  new Promise((found, fail) => {
    const server = createServer().on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
