/**
 * The books, read side by side: ledger/sources.jsonl leads, and sessions, quarantine and findings follow in the same
 * order, source by source. Only the sums are kept. Sources that were passed over come first, then those that were read.
 */
import { join } from 'node:path';
import { checkFinding } from './finding-line.ts';
import { type ReadLine, readLines } from './line-reader.ts';
import type { ManifestFacts } from './manifest-file.ts';
import { createPointers } from './pointers.ts';
import type { Problems } from './problems.ts';
import type { ProfileRecount } from './profile-recount.ts';
import { checkQuarantined } from './quarantine-line.ts';
import { checkSession } from './session-line.ts';
import type { ShardFacts } from './shard-records.ts';
import { extentOf } from './source-extent.ts';
import { compareKeys, quarantineKey, type SourceKey, sourceKey } from './source-key.ts';
import { checkSource } from './source-line.ts';
import { createSourceLines, type SourceLine } from './source-lines.ts';
import { createSourceTally } from './source-tally.ts';
import { createTotals, type Totals } from './totals.ts';

const SOURCES = 'ledger/sources.jsonl';

export interface BooksContext {
  readonly root: string;
  readonly manifest: ManifestFacts;
  readonly readable: ReadonlySet<string>;
  readonly shards: ReadonlyMap<string, ShardFacts>;
  readonly profile: ProfileRecount;
  readonly problems: Problems;
}

/** Returns what the lines add up to. */
export async function readBooks({
  root,
  manifest,
  readable,
  shards,
  profile,
  problems,
}: BooksContext): Promise<Totals> {
  const totals = createTotals();
  const pointers = createPointers(shards, problems);
  const { formats, settings } = manifest;
  const session = { groupBy: settings.groupBy, formats, pointers, totals, problems };
  const linesOf = (file: string): AsyncGenerator<ReadLine> =>
    readable.has(file) ? readLines(join(root, file), file, problems) : nothing();
  const follow = (file: string, keyOf = sourceKey) => createSourceLines(linesOf(file), file, problems, keyOf);
  const sessions = follow('ledger/sessions.jsonl');
  const quarantine = follow('quarantine/rejected.jsonl', quarantineKey);
  const findings = follow('reports/integrity.jsonl');
  const followers = [sessions, quarantine, findings];

  async function source(at: SourceLine, key: SourceKey, skipped: boolean): Promise<void> {
    const tally = createSourceTally(extentOf(at.value));
    if (!skipped) for (const lines of followers) await lines.passOver(key);
    for await (const line of quarantine.of(key)) {
      checkQuarantined(line, tally, problems);
      profile.quarantined(line.value);
      // The only one: what follows may be about the same path in the second part, of those that were read.
      if (skipped) break;
    }
    if (!skipped) {
      for await (const line of sessions.of(key)) {
        checkSession(line, tally, session);
        profile.session(line.value);
      }
      for await (const line of findings.of(key)) {
        checkFinding(line, tally.extent, totals, problems);
        profile.finding(line.value);
      }
    }
    checkSource(at, tally, totals, problems);
  }

  try {
    const order = orderOfSources(problems);
    for await (const { line, value } of linesOf(SOURCES)) {
      const key = value && sourceKey(value);
      if (value === undefined || key === undefined) {
        if (value !== undefined)
          problems.add(SOURCES, `line ${line}: expected the name of a source, found none`);
        continue;
      }
      const skipped = value.status === 'skipped';
      order(line, key, skipped);
      await source({ line, value }, key, skipped);
    }
    for (const lines of followers) await lines.passOver(undefined);
    pointers.end();
  } finally {
    for (const lines of followers) await lines.close();
  }
  return totals;
}

/** Are the sources of each of the two parts in order, and each there once? */
function orderOfSources(problems: Problems): (line: number, key: SourceKey, skipped: boolean) => void {
  let before: { readonly key: SourceKey; readonly skipped: boolean } | undefined;
  return (line, key, skipped) => {
    if (before?.skipped === false && skipped) {
      problems.add(SOURCES, `line ${line}: expected a source that was read, found one that was passed over`);
    } else if (before?.skipped === skipped && compareKeys(before.key, key) >= 0) {
      problems.add(
        SOURCES,
        `line ${line}: expected a source after '${before.key.name}', found '${key.name}'`,
      );
    }
    before = { key, skipped };
  };
}

async function* nothing(): AsyncGenerator<ReadLine> {}
