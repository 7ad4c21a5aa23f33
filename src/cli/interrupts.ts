/**
 * Signals that stop a command. The first one asks the run to stop, so that it can clean up; a second one, or ten seconds,
 * ends the process. A run that waits for standard input or for a slow reader wakes up.
 */
import { SIGNALS, type StopSignal } from './exit-code.ts';

const GRACE_MS = 10_000;
const NAMES = Object.keys(SIGNALS) as StopSignal[];

/** Listens from its creation until `release`. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #atOnce: boolean;
  #received: StopSignal | undefined;
  #grace: NodeJS.Timeout | undefined;

  /** @param atOnce end the process at the first signal: the command has nothing to clean up */
  constructor(atOnce: boolean) {
    this.#atOnce = atOnce;
    for (const name of NAMES) process.on(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first signal that arrived. */
  get received(): StopSignal | undefined {
    return this.#received;
  }

  /** Restores the default action of the signals. */
  release(): void {
    clearTimeout(this.#grace);
    for (const name of NAMES) process.off(name, this.#onSignal);
  }

  readonly #onSignal = (name: StopSignal): void => {
    if (this.#received !== undefined || this.#atOnce) process.exit(SIGNALS[this.#received ?? name]);
    this.#received = name;
    this.#grace = setTimeout(() => process.exit(SIGNALS[name]), GRACE_MS);
    this.#grace.unref();
    const reason = new Error(`stopped by ${name}`);
    this.#controller.abort(reason);
    if (process.stdout.writableNeedDrain) process.stdout.destroy(reason);
  };
}
