/**
 * Keeps an update from replacing a good dataset by little: counts the sessions of the sources that the dataset was built
 * from and that still exist. A log that can no longer be read as before loses its records without any error.
 */
import { LINE_FILES } from '../dataset/layout.ts';
import { TurnmillError } from '../errors.ts';
import type { FileChoice } from '../input/sources/chosen-files.ts';
import type { Listing, SourceKey } from '../input/sources/source.ts';
import type { Result, SourceReport } from '../ledger/result.ts';
import { plural } from '../sizes.ts';
import { keyOf, SourceFinder } from './ledger-files.ts';
import type { PreviousRun } from './previous-run.ts';

/** The smallest share of the sessions that an update may keep. */
const MIN_SHARE = 0.5;

export class KeptSessions {
  /** Marks the sources of the listing that the dataset was built from. */
  readonly #isOld: Uint8Array;
  #before = 0;
  #now = 0;
  /** Sessions of sources that exist, but that the options in `#choice` leave out. */
  #leftOut = 0;
  /** Sessions of the dataset, if none of its sources exists. */
  #lost = 0;
  readonly #choice: string;

  constructor(run: PreviousRun, { sources, leftOut = [] }: Listing, choice: FileChoice) {
    this.#isOld = new Uint8Array(sources.length);
    this.#choice = optionsOf(choice);
    const [listed, others] = [new SourceFinder(sources), new SourceFinder(leftOut)];
    const folders = foldersOf(leftOut);
    let hasAny = false;
    for (const line of run.lines(LINE_FILES.sources)) {
      if (line.status === 'skipped') continue;
      const key = keyOf(line);
      const sessions = line.fates.snapshot ?? 0;
      const at = listed.indexOf(key);
      if (at !== undefined) this.#isOld[at] = 1;
      else if (others.indexOf(key) !== undefined || folders.has(key.name)) this.#leftOut += sessions;
      else {
        this.#lost += sessions;
        continue;
      }
      hasAny = true;
      this.#before += sessions;
    }
    if (hasAny) this.#lost = 0;
  }

  /** Takes a result of the run. */
  see(result: Result): void {
    if (result.kind === 'source' && this.#isOld[result.source] === 1) this.#now += writtenIn(result);
  }

  /** @throws TurnmillError `shrunk` if more than half of the sessions are gone, or all sources are other ones */
  check(): void {
    if (this.#lost > 0) {
      const message = `none of the sources that the dataset was built from is among these, so its ${plural(this.#lost, 'session')} would be lost; nothing was replaced. Name the same inputs, or accept it with --allow-shrink`;
      throw new TurnmillError('shrunk', message, { subject: '--update' });
    }
    const [before, now] = [this.#before, this.#now];
    if (now >= before * MIN_SHARE) return;
    const message = `the sources that the dataset was built from had ${plural(before, 'session')} in it, now they give ${now}; nothing was replaced. ${this.#advice}`;
    throw new TurnmillError('shrunk', message, { subject: '--update' });
  }

  get #advice(): string {
    if (this.#leftOut === 0) return "See why with 'turnmill check', or accept it with --allow-shrink";
    return `${this.#choice} left out ${this.#leftOut}: --update makes the dataset of what is selected now, and keeps nothing else; build without ${this.#choice}, or accept it with --allow-shrink`;
  }
}

/** Returns the options that leave out sources, such as `--since`. */
function optionsOf({ since, include, exclude }: FileChoice): string {
  const set = {
    '--since': since !== undefined,
    '--include': include.length > 0,
    '--exclude': exclude.length > 0,
  };
  return Object.entries(set)
    .filter(([, isSet]) => isSet)
    .map(([name]) => name)
    .join(' and ');
}

/** Returns the folders of sources: a folder that is one source is named after itself. */
function foldersOf(sources: Iterable<SourceKey>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const { name } of sources) if (name.includes('/')) folders.add(name.slice(0, name.lastIndexOf('/')));
  return folders;
}

/** Each written session has one snapshot. */
function writtenIn({ fates }: SourceReport): number {
  return fates.find(([fate]) => fate === 'snapshot')?.[1] ?? 0;
}
