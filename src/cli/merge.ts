/** Runs a merge with the progress and the summary of a build, or lists missing slices. */
import type { RunHooks } from '../job/hooks.ts';
import { merge, missingSlices } from '../job/merge.ts';
import { s3In } from '../settings/s3-settings.ts';
import type { Request } from './commands/command.ts';
import { exitCodeOf, SUCCESS } from './faults.ts';
import { RunNotes } from './run-notes.ts';
import { runShown } from './run-whole.ts';

/** @returns the exit status */
export async function runMerge(request: Request): Promise<number> {
  const { words: datasets, values } = request;
  const { out = '', replace = false, allowEmpty = false, mode } = values;
  const s3 = s3In(values);
  const run = (hooks: RunHooks): ReturnType<typeof merge> =>
    merge({ datasets, out, replace, allowEmpty, mode, s3 }, hooks);
  return runShown(request, run, false, new RunNotes(values, true));
}

/** @returns the exit status: 75 if slices are missing */
export async function printMissing({ words, values, host, signal }: Request): Promise<number> {
  const missing = await missingSlices(words, s3In(values), signal);
  if (missing !== '') await host.print(missing);
  await host.endPrinting();
  return missing === '' ? SUCCESS : exitCodeOf('missing-slices');
}
