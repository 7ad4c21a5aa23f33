/**
 * Signals that must hit a run before it ends. How far a run gets in a given time depends on the machine and its load, so nothing here
 * relies on time: moments are learned from the runs, and the work is doubled until a run is caught in the middle.
 */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, ended } from './command.ts';

/** Makes the moments later again after a period of high load. */
const LATER = 1.1;

/** Kills runs at random shares of their duration. */
export class Moments {
  #tookMs: number;

  /** @param tookMs a first guess */
  constructor(tookMs = 200) {
    this.#tookMs = tookMs;
  }

  /** Kills a run that was just started. A run that ended before that shortens the next moments to its duration. */
  async strike(
    child: ChildProcess,
    share: number,
    kill: () => void = () => child.kill('SIGKILL'),
  ): Promise<Ended & { readonly fired: boolean }> {
    const started = performance.now();
    let tookMs = 0;
    child.once('exit', () => {
      tookMs = performance.now() - started;
    });
    const end = ended(child);
    await sleep(share * this.#tookMs);
    kill();
    const run = await end;
    const fired = run.signal === 'SIGKILL';
    this.#tookMs = fired ? this.#tookMs * LATER : tookMs;
    return { ...run, fired };
  }
}

/** Tries with once, twice, four times ... the work, until an attempt catches its run before the end (and returns something). */
export async function catchAtWork<T>(attempt: (times: number) => Promise<T | undefined>): Promise<T> {
  for (let times = 1; ; times *= 2) {
    const caught = await attempt(times);
    if (caught !== undefined) return caught;
  }
}

/** Waits until a run has done something; false if the run ended first. */
export async function reached(child: ChildProcess, isThere: () => boolean): Promise<boolean> {
  while (!isThere()) {
    if (child.exitCode !== null || child.signalCode !== null) return isThere();
    await sleep(2);
  }
  return true;
}

/** Does this folder contain the staging folder of a run? */
export const hasStaging = (folder: string): boolean =>
  readdirSync(folder).some((name) => name.includes('.staging-'));

/** Stops a process and waits until it has stopped; false if it ended first. */
export function halted(child: ChildProcess): Promise<boolean> {
  child.kill('SIGSTOP');
  return reached(child, () => /\) T /.test(statOf(child)));
}

function statOf({ pid }: ChildProcess): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return ''; // the process has ended
  }
}
