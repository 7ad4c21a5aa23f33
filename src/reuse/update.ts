/**
 * `build --update`: finds the sources that are unchanged since the dataset was built, so that they are not read again
 * (docs/decisions/0013-update.md).
 */

import { LINE_FILES } from '../dataset/layout.ts';
import { isDataset, readManifest } from '../dataset/manifest.ts';
import { resolveDataset } from '../dataset/recover.ts';
import { readFingerprints } from '../dataset/run-facts.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import { parseFingerprint } from '../input/fingerprint.ts';
import type { Listing, Sources } from '../input/sources/source.ts';
import { compareSources } from '../input/sources/source-table.ts';
import { fingerprintIfUnchanged } from '../input/unchanged.ts';
import { rejectionsIn } from '../ledger/ledger.ts';
import { differences } from '../settings/decisive.ts';
import type { Settings } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import { keyOf, sourcesRead, sourcesSkipped } from './ledger-files.ts';
import { openPreviousDataset, type PreviousRun } from './previous-run.ts';
import type { Reusable } from './reused-sources.ts';

/** The dataset cannot be reused. */
export interface Rebuild {
  /** Says why. */
  readonly why: string;
  /** Its files, if this version can read them. */
  readonly run: PreviousRun | undefined;
}

export interface Update extends Reusable {
  readonly manifest: Manifest;
  /** Whether the new dataset would equal the existing one. */
  readonly nothingChanged: boolean;
  /** Number of sources of the dataset without a SHA-256, which `--checksum` reads again. */
  readonly withoutContent: number;
  /** Number of rejections in the dataset. */
  readonly rejections: number;
}

/**
 * Returns what can be reused of the dataset at `out`, or why nothing can; undefined if there is no dataset.
 * @throws TurnmillError `invalid-dataset`
 */
export async function planUpdate(
  out: string,
  settings: Settings,
  listing: Listing,
  signal?: AbortSignal,
): Promise<Update | Rebuild | undefined> {
  if (!isDataset(out)) return undefined;
  const root = resolveDataset(out);
  const manifest = readManifest(root);
  const { version } = manifest.tool;
  if (version !== toolVersion())
    return { why: `the dataset was written by turnmill ${version}`, run: undefined };
  const run = await openPreviousDataset(root, manifest, signal);
  const different = differences(manifest.settings, settings);
  if (different.length > 0)
    return { why: `the dataset was built with other settings: ${different.join(', ')}`, run };
  const fingerprints = readFingerprints(root);
  if (fingerprints === undefined) return { why: 'the dataset has no fingerprints of its sources', run };

  const unchanged = findUnchanged(run, fingerprints, listing.sources, settings);
  const total = listing.sources.length;
  const { fingerprints: same, count, previousCount, withoutContent, lostSources } = unchanged;
  const reused = settings.copies !== undefined ? withContainers(run, same, listing.sources) : same;
  const rejections = rejectionsIn(manifest.ledger as LedgerSums, lostSources);
  const isSame = count === total && previousCount === total && sameSkipped(manifest, run, listing);
  return { run, fingerprints: reused, withoutContent, manifest, rejections, nothingChanged: isSame };
}

interface Unchanged {
  readonly fingerprints: Reusable['fingerprints'];
  /** Number of unchanged sources, including those that cannot be reused. */
  readonly count: number;
  /** Number of sources of the dataset. */
  readonly previousCount: number;
  /** Number of those without a SHA-256. */
  readonly withoutContent: number;
  /** Number of those that were rejected without a rejected line. */
  readonly lostSources: number;
}

/**
 * Finds the unchanged sources; both lists are in the same order. If the quarantine keeps bytes, sources with rejected
 * lines are read again, because it depends on all earlier ones whether they fit.
 */
function findUnchanged(
  run: PreviousRun,
  previous: readonly string[],
  sources: Sources,
  { quarantineContent, checksum }: Pick<Settings, 'quarantineContent' | 'checksum'>,
): Unchanged {
  const fingerprints: (string | undefined)[] = new Array(sources.length).fill(undefined);
  let at = 0;
  let count = 0;
  let previousCount = 0;
  let withoutContent = 0;
  let lostSources = 0;
  for (const key of sourcesRead(run)) {
    if (key.isLost) lostSources++;
    const before = previous[previousCount++] ?? '';
    if (parseFingerprint(before)?.provesContent !== true) withoutContent++;
    for (
      let ref = sources.at(at);
      ref !== undefined && compareSources(ref, key) <= 0;
      ref = sources.at(++at)
    ) {
      if (compareSources(ref, key) < 0) continue;
      const now = fingerprintIfUnchanged(ref, before, checksum);
      if (now === undefined) continue;
      count++;
      if (quarantineContent === 'ref' || !key.hasRejections) fingerprints[at] = now;
    }
  }
  return { fingerprints, count, previousCount, withoutContent, lostSources };
}

function sameSkipped({ ledger }: Manifest, run: PreviousRun, listing: Listing): boolean {
  const { skipped, excluded, extensions } = listing;
  const before = [...sourcesSkipped(run)];
  return (
    (ledger.skipped.excluded ?? 0) === excluded &&
    JSON.stringify(ledger.extensions) === JSON.stringify(extensions) &&
    before.length === skipped.length &&
    before.every((source, i) => {
      const now = skipped[i];
      return now !== undefined && compareSources(source, now) === 0 && source.reason === now.reason;
    })
  );
}

/**
 * Finds the sources that an update has to read again, although they are unchanged, because the dataset does not have a
 * record of theirs as it was read: a session lies inside a record of another source that is not reused, or a record has
 * answers that are marked as context.
 */
type Fingerprints = readonly (string | undefined)[];

/** @returns the fingerprints without those of sources that have to be read again */
export function withContainers(
  run: PreviousRun,
  fingerprints: Fingerprints,
  sources: Sources,
): (string | undefined)[] {
  const kept = [...fingerprints];
  for (const { source, line } of sessionsOf(run, sources))
    if (line.context !== undefined && source !== GONE) kept[source] = undefined;
  const dependents = dependentsOf(run, sources);
  const gone = [...dependents.keys()].filter((source) => kept[source] === undefined);
  for (let source = gone.pop(); source !== undefined; source = gone.pop()) {
    for (const dependent of dependents.get(source) ?? []) {
      if (kept[dependent] === undefined) continue;
      kept[dependent] = undefined;
      gone.push(dependent);
    }
  }
  return kept;
}

/** Stands for a source that the listing no longer has. */
const GONE = -1;

/** Returns for each source those with sessions inside its records. */
function dependentsOf(run: PreviousRun, sources: Sources): ReadonlyMap<number, ReadonlySet<number>> {
  const named = new Map<string, Set<number>>();
  for (const { source, line } of sessionsOf(run, sources))
    if (line.in !== undefined) addTo(named, placeKey(line.in), source);
  const dependents = new Map<number, Set<number>>();
  if (named.size === 0) return dependents;
  for (const { source, line } of sessionsOf(run, sources)) {
    for (const place of line.records ?? [line])
      for (const dependent of named.get(placeKey(place)) ?? [])
        if (dependent !== source) addTo(dependents, source, dependent);
  }
  return dependents;
}

const placeKey = ({ shard, line }: Pick<SessionLine, 'shard' | 'line'>): string => `${shard}\n${line}`;

function addTo<Key>(sets: Map<Key, Set<number>>, key: Key, value: number): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

/** Yields the sessions of the dataset with the indexes of their sources in the listing. */
function* sessionsOf(
  run: PreviousRun,
  sources: Sources,
): Generator<{ readonly source: number; readonly line: SessionLine }> {
  let at = 0;
  for (const line of run.lines(LINE_FILES.sessions)) {
    const key = keyOf(line);
    let ref = sources.at(at);
    while (ref !== undefined && compareSources(ref, key) < 0) ref = sources.at(++at);
    const isListed = ref !== undefined && compareSources(ref, key) === 0;
    yield { source: isListed ? at : GONE, line };
  }
}
