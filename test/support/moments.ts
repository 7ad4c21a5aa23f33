/**
 * Signals that are to hit a run before its end. How far a run gets in a time depends on the machine and on what else it does, so nothing
 * here counts on a time: moments are learned from the runs themselves, and work is doubled until a run is caught at it.
 */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, ended } from './command.ts';

/** Lets the moments wander data follows the end of a run again, after a time of high load. */
const LATER = 1.1;

/** Strikes runs at shares of the time that they take. */
export class Moments {
  #tookMs: number;

  /** @param tookMs a first guess */
  constructor(tookMs = 200) {
    this.#tookMs = tookMs;
  }

  /** Kills a run that was just started. A run that has ended before shortens the next moments to its own time. */
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

/** Tries with once, twice, four times ... the work, until an attempt catches its run before the end (and gives something). */
export async function catchAtWork<T>(attempt: (times: number) => Promise<T | undefined>): Promise<T> {
  for (let times = 1; ; times *= 2) {
    const caught = await attempt(times);
    if (caught !== undefined) return caught;
  }
}

/** Waits for something that the run does; false when the run has ended before. */
export async function reached(child: ChildProcess, isThere: () => boolean): Promise<boolean> {
  while (!isThere()) {
    if (child.exitCode !== null || child.signalCode !== null) return isThere();
    await sleep(2);
  }
  return true;
}

/** Has a run its staging folder in this one? */
export const hasStaging = (folder: string): boolean =>
  readdirSync(folder).some((name) => name.includes('.staging-'));

/** Stops a process, and waits until it stands still; false when it has ended before. */
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
