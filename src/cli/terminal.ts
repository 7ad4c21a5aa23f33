/** Standard error, for a person: written at once, in order, and never a reason to fail. */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const STDERR = 2;
const NAP_MS = 5;
const MOST_NAPS = 200;
const DEFAULT_WIDTH = 80;

export function isTerminal(): boolean {
  return isatty(STDERR);
}

/** Columns of the terminal, or 80. */
export function terminalWidth(): number {
  return (isTerminal() ? process.stderr.columns : undefined) || DEFAULT_WIDTH;
}

/** Writes text whose parts from outside have been through `printable`; false when not all of it was taken. */
export function tell(text: string): boolean {
  let rest: Uint8Array = Buffer.from(text);
  for (let naps = 0; rest.length > 0 && naps < MOST_NAPS; ) {
    try {
      rest = rest.subarray(writeSync(STDERR, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return false;
      naps++;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NAP_MS);
    }
  }
  return rest.length === 0;
}
