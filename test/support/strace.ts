/**
 * The built command under strace: what its main thread calls (the sinks' calls are all made there), and faults put into
 * chosen calls. Traps: only a traced call can be injected into, and `when=` counts for each thread and each name by itself.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND, type Ended, ended } from './command.ts';

export interface Call {
  readonly name: string;
  /** Arguments and result; descriptors with their paths. */
  readonly text: string;
}

export interface Traced extends Ended {
  /** In the order of their beginnings. */
  readonly calls: readonly Call[];
  /** Those that strace says it has tampered with. */
  readonly injected: readonly Call[];
}

export interface Trace {
  /** Names of calls, `write,fsync`; what a kernel may not have is written as `?name`. */
  readonly calls: string;
  /** `error=ENOSPC:when=3`, `signal=SIGKILL:when=3`, for all of `calls`. */
  readonly inject?: string;
  /** Only calls that concern this file. */
  readonly path?: string;
}

/** A fault may hit a pipe of Node's own, which then waits for ever: the run ends by SIGKILL, with what it was hit by. */
const HANGS_MS = 20_000;
const RUN_ID = /[0-9a-f]{16}/g;
/** The result, and of a write what was written: run.json is never the same. */
const CHANGING = /(?<=^\d+<[^>]*>).*|\)? +(?:=|<unfinished).*/;
const LINE = /^(\w+)\((.*)$/;

/** Runs `turnmill ARGS` under strace to its end. */
export async function traced(args: readonly string[], { calls, inject, path }: Trace): Promise<Traced> {
  const folder = mkdtempSync(join(tmpdir(), 'turnmill-strace-'));
  const log = join(folder, 'log');
  const injection = inject === undefined ? [] : ['-e', `inject=${calls}:${inject}`];
  const only = path === undefined ? [] : ['-P', path];
  const program = [process.execPath, COMMAND];
  const words = ['-qq', '-y', '-s', '16', '-o', log, '-e', `trace=${calls}`, ...injection, ...only];
  const child = spawn('strace', [...words, ...program, ...args], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, to be ended with all that it has started
  });
  const watchdog = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), HANGS_MS);
  try {
    const end = await ended(child);
    const all = readFileSync(log, 'utf8').split('\n').flatMap(callOf);
    return { ...end, calls: all, injected: all.filter(({ text }) => text.includes('(INJECTED)')) };
  } finally {
    clearTimeout(watchdog);
    rmSync(folder, { recursive: true, force: true });
  }
}

function callOf(line: string): Call[] {
  const [, name, text] = LINE.exec(line) ?? [];
  return name === undefined || text === undefined ? [] : [{ name, text }];
}

/** The calls that concern what lies in `parent`, by the number of the call, without what differs from run to run. */
export function numbered(calls: readonly Call[], parent: string): Map<number, string> {
  return new Map(
    [...calls.entries()]
      .filter(([, { text }]) => text.includes(`${parent}/`) && !text.includes(`${parent}/logs`))
      .map(([i, { text }]) => [i + 1, text.replace(RUN_ID, 'RUN').replace(CHANGING, '').replace(/^\d+/, '')]),
  );
}
