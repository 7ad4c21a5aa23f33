/** Checks that standard input can be read, before a run with the input `-` starts. */
import { fstatSync, statSync } from 'node:fs';
import { isatty } from 'node:tty';
import { TurnmillError } from '../errors.ts';

const STDIN = 0;

/** @throws TurnmillError `usage` if it is a terminal, `no-input` if it cannot have content */
export function checkStdin(inputs: readonly string[], allowEmpty: boolean): void {
  if (!inputs.includes('-')) return;
  if (isatty(STDIN)) {
    throw new TurnmillError(
      'usage',
      'standard input is a terminal: pipe a log into it, or name a file or a folder',
    );
  }
  const stats = fstatSync(STDIN);
  if (stats.isDirectory()) throw noInput('is a folder: name the folder as the input instead');
  if (!allowEmpty && stats.isCharacterDevice() && stats.rdev === nullDevice())
    throw noInput('is closed, or /dev/null');
}

/** Node opens /dev/null in place of a closed descriptor. */
function nullDevice(): number | undefined {
  return statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

function noInput(why: string): TurnmillError {
  return new TurnmillError('no-input', `standard input ${why}`, { subject: '-' });
}
