/**
 * The signals that stop a run: the first one asks it to stop, so that it leaves nothing behind; a second one, or
 * ten seconds, ends the process at once. A run that waits for standard input, or for a slow reader, is woken.
 */
import { SIGNALS, type StopSignal } from './exit-code.ts';

const GRACE_MS = 10_000;
const NAMES = Object.keys(SIGNALS) as StopSignal[];

export interface Interrupts {
  readonly signal: AbortSignal;
  /** The first signal that came. */
  readonly received: StopSignal | undefined;
  /** Signals do again what they do by default. */
  release(): void;
}

/** @param atOnce the command has nothing to clear away: the first signal ends the process */
export function listenForInterrupts(atOnce: boolean): Interrupts {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  let grace: NodeJS.Timeout | undefined;

  function onSignal(name: StopSignal): void {
    if (received !== undefined || atOnce) process.exit(SIGNALS[received ?? name]);
    received = name;
    grace = setTimeout(() => process.exit(SIGNALS[name]), GRACE_MS);
    grace.unref();
    const reason = new Error(`stopped by ${name}`);
    controller.abort(reason);
    if (process.stdout.writableNeedDrain) process.stdout.destroy(reason);
  }

  for (const name of NAMES) process.on(name, onSignal);
  return {
    signal: controller.signal,
    get received() {
      return received;
    },
    release() {
      clearTimeout(grace);
      for (const name of NAMES) process.off(name, onSignal);
    },
  };
}
