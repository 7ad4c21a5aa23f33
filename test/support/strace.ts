/**
 * The built command under strace: the calls of its main thread, which makes all calls of the sinks, and faults injected into chosen calls.
 * Note that only traced calls can be injected into, and that `when=` counts separately for each thread and each name.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND, type Ended, ended } from './command.ts';

export interface Call {
  readonly name: string;
  /** Arguments and result; descriptors with their paths. */
  readonly text: string;
}

export interface Traced extends Ended {
  /** In the order in which they began. */
  readonly calls: readonly Call[];
  /** Calls that strace reports as tampered with. */
  readonly injected: readonly Call[];
}

export interface Trace {
  /** Names of calls, `write,fsync`; `?name` for one that a kernel may lack. */
  readonly calls: string;
  /** `error=ENOSPC:when=3`, `signal=SIGKILL:when=3`, for all of `calls`. */
  readonly inject?: string;
  /** Only calls that concern this file. */
  readonly path?: string;
}

/** A fault may hit an internal pipe of Node, which then waits for ever: such a run is killed, and the trace shows the hit call. */
const LOOK_MS = 500;
/** Checks in a row that find the run asleep and without progress. Waiting for a processor does not count as asleep. */
const IDLE_LOOKS = 40;
const RUN_ID = /[0-9a-f]{16}/g;
/** The result, and the data of a write: run.json is never the same. */
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
    detached: true, // a separate group, to end it with all its children
  });
  let idle = 0;
  let before = '';
  const watchdog = setInterval(() => {
    const now = sleepOf(child.pid as number);
    idle = now !== undefined && now === before ? idle + 1 : 0;
    before = now ?? '';
    if (idle >= IDLE_LOOKS) process.kill(-(child.pid as number), 'SIGKILL');
  }, LOOK_MS);
  try {
    const end = await ended(child);
    const all = readFileSync(log, 'utf8').split('\n').flatMap(callOf);
    return { ...end, calls: all, injected: all.filter(({ text }) => text.includes('(INJECTED)')) };
  } finally {
    clearInterval(watchdog);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The work done so far by the threads of a group if all of them sleep; undefined if one runs or waits for a processor. */
function sleepOf(group: number): string | undefined {
  const threads = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => threadsOf(pid, group));
  return threads.length > 0 && threads.every(([, state]) => 'StTI'.includes(state as string))
    ? threads.join()
    : undefined;
}

/** Number, state and processor time of each thread. */
function threadsOf(pid: string, group: number): string[][] {
  const statOf = (path: string): string[] => {
    const text = readFileSync(path, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  };
  try {
    if (statOf(`/proc/${pid}/stat`)[2] !== String(group)) return [];
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = statOf(`/proc/${pid}/task/${thread}/stat`);
      return [thread, stat[0] as string, ...stat.slice(11, 13)];
    });
  } catch {
    return []; // the process has ended
  }
}

function callOf(line: string): Call[] {
  const [, name, text] = LINE.exec(line) ?? [];
  return name === undefined || text === undefined ? [] : [{ name, text }];
}

/** The calls that concern anything in `parent`, by number, without the parts that vary between runs. */
export function numbered(calls: readonly Call[], parent: string): Map<number, string> {
  return new Map(
    [...calls.entries()]
      .filter(([, { text }]) => text.includes(`${parent}/`) && !text.includes(`${parent}/logs`))
      .map(([i, { text }]) => [i + 1, text.replace(RUN_ID, 'RUN').replace(CHANGING, '').replace(/^\d+/, '')]),
  );
}
