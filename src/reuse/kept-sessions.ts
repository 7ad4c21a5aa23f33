/**
 * Keeps an update from replacing a good dataset by little: counts the sessions of the sources that the dataset was built
 * from and that still exist. A log that can no longer be read as before loses its records without any error.
 */
import { LINE_FILES } from '../dataset/layout.ts';
import { TurnmillError } from '../errors.ts';
import type { Sources } from '../input/sources/source.ts';
import { compareSources } from '../input/sources/source-table.ts';
import type { Result, SourceReport } from '../ledger/result.ts';
import { keyOf } from './ledger-files.ts';
import type { PreviousRun } from './previous-run.ts';

/** The smallest share of the sessions that an update may keep. */
const MIN_SHARE = 0.5;

export class KeptSessions {
  /** Marks the sources of the listing that the dataset was built from. */
  readonly #isOld: Uint8Array;
  #before = 0;
  #now = 0;

  constructor(run: PreviousRun, sources: Sources) {
    this.#isOld = new Uint8Array(sources.length);
    let at = 0;
    for (const line of run.lines(LINE_FILES.sources)) {
      if (line.status === 'skipped') continue;
      const key = keyOf(line);
      let ref = sources.at(at);
      while (ref !== undefined && compareSources(ref, key) < 0) ref = sources.at(++at);
      if (ref === undefined || compareSources(ref, key) > 0) continue;
      this.#isOld[at] = 1;
      this.#before += line.fates.snapshot ?? 0;
    }
  }

  /** Takes a result of the run. */
  see(result: Result): void {
    if (result.kind === 'source' && this.#isOld[result.source] === 1) this.#now += writtenIn(result);
  }

  /** @throws TurnmillError `shrunk` if more than half of the sessions are gone */
  check(): void {
    const [before, now] = [this.#before, this.#now];
    if (now >= before * MIN_SHARE) return;
    const message = `the sources that the dataset was built from had ${before === 1 ? '1 session' : `${before} sessions`} in it, now they give ${now}; nothing was replaced. See why with 'turnmill check', or accept it with --allow-shrink`;
    throw new TurnmillError('shrunk', message, { subject: '--update' });
  }
}

/** Each written session has one snapshot. */
function writtenIn({ fates }: SourceReport): number {
  return fates.find(([fate]) => fate === 'snapshot')?.[1] ?? 0;
}
