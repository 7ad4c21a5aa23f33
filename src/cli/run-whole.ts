/** A whole run with its progress line and its summary. */

import type { Listing } from '../input/sources/source.ts';
import { build } from '../job/build.ts';
import type { RunProgress } from '../job/hooks.ts';
import type { Outcome } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import { REJECTIONS, SUCCESS } from './exit-code.ts';
import type { Values } from './options/option.ts';
import { settingsOf } from './options/settings-of.ts';
import { profileTable } from './profile-table.ts';
import { ProgressLine } from './progress.ts';
import { RunNotes } from './run-notes.ts';
import { checkStdin } from './stdin.ts';
import { summaryOf } from './summary.ts';
import { tellFault } from './tell-fault.ts';
import { isTerminal, tell } from './terminal.ts';
import { BoundedHeap, compileLater, exposeGarbageCollector } from './v8.ts';

/** @returns the exit status */
export async function runWhole(
  inputs: readonly string[],
  values: Values,
  signal: AbortSignal,
): Promise<number> {
  checkStdin(inputs, values.allowEmpty === true);
  compileLater();
  exposeGarbageCollector();
  const level = values.logLevel ?? 'warn';
  const silent = level === 'silent';
  const notes = new RunNotes();
  const progress = isTerminal() && !silent ? new ProgressLine() : undefined;
  const onOutcome = (outcome: Outcome, listing: Listing): void => notes.see(outcome, listing);
  const onProgress = progress && { onProgress: (now: RunProgress): void => progress.show(now) };
  const onNote = (message: string): boolean => {
    progress?.clear();
    return silent || tell(`turnmill: ${printable(message)}\n`);
  };
  try {
    const summary = await build(settingsOf(inputs, values), {
      ...{ signal, onOutcome, onNote, heap: new BoundedHeap() },
      ...onProgress,
    });
    progress?.clear();
    if (!silent) tell(summaryOf(summary, notes));
    if (summary.profile !== undefined) tell(profileTable(summary.profile, summary.elapsedMs));
    for (const message of summary.problems) await tellFault({ code: 'leftover', message }, level);
    return summary.rejections > 0 ? REJECTIONS : SUCCESS;
  } finally {
    progress?.clear();
  }
}
