/** Standard error: written synchronously and in order; failing to write is not an error. */
import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const STDERR = 2;
const NAP_MS = 5;
const MOST_NAPS = 200;
const DEFAULT_WIDTH = 80;

export function isTerminal(): boolean {
  return isatty(STDERR);
}

/** Columns of the terminal, 80 without one. */
export function terminalWidth(): number {
  return (isTerminal() ? process.stderr.columns : undefined) || DEFAULT_WIDTH;
}

/**
 * Writes the text; parts that come from outside must have been through `printable`.
 * @returns false if not all of it was written
 */
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
