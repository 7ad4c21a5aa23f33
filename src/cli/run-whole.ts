/** A whole run for a person: the progress while it goes on, the summary at its end. */

import type { Listing } from '../input/sources/source.ts';
import { build } from '../job/build.ts';
import type { Outcome } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import { compileLater } from './compile-later.ts';
import { REJECTIONS, SUCCESS } from './exit-code.ts';
import type { Values } from './options/option.ts';
import { settingsOf } from './options/settings-of.ts';
import { profileTable } from './profile-table.ts';
import { createProgress } from './progress.ts';
import { createNotes } from './run-notes.ts';
import { checkStdin } from './stdin.ts';
import { summaryOf } from './summary.ts';
import { tellFault } from './tell-fault.ts';
import { isTerminal, tell } from './terminal.ts';

/** @returns the exit status */
export async function runWhole(
  inputs: readonly string[],
  values: Values,
  signal: AbortSignal,
): Promise<number> {
  checkStdin(inputs, values.allowEmpty === true);
  compileLater();
  const level = values.logLevel ?? 'warn';
  const silent = level === 'silent';
  const notes = createNotes();
  const progress = isTerminal() && !silent ? createProgress() : undefined;
  const onOutcome = (outcome: Outcome, listing: Listing): void => notes.see(outcome, listing);
  const onProgress = progress && { onProgress: progress.show };
  const onNote = (message: string): boolean => {
    progress?.clear();
    return silent || tell(`turnmill: ${printable(message)}\n`);
  };
  try {
    const summary = await build(settingsOf(inputs, values), { signal, onOutcome, onNote, ...onProgress });
    progress?.clear();
    if (!silent) tell(summaryOf(summary, notes));
    if (summary.profile !== undefined) tell(profileTable(summary.profile, summary.elapsedMs));
    for (const message of summary.problems) await tellFault({ code: 'leftover', message }, level);
    return summary.rejections > 0 ? REJECTIONS : SUCCESS;
  } finally {
    progress?.clear();
  }
}
