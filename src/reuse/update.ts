/**
 * `build --update`: finds the sources that are unchanged since the dataset was built, so that they are not read again
 * (docs/contributing/decisions/0013-update.md).
 */
import { isDeepStrictEqual } from 'node:util';
import { CARD } from '../dataset/layout.ts';
import { isDataset, readManifest } from '../dataset/manifest.ts';
import { resolveDataset } from '../dataset/recover.ts';
import { readFingerprints } from '../dataset/run-facts.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import { TurnmillError } from '../errors.ts';
import { parseFingerprint } from '../input/fingerprint.ts';
import { type Listing, passedOverIn, type Sources } from '../input/sources/source.ts';
import { compareSources } from '../input/sources/source-table.ts';
import { fingerprintIfUnchanged } from '../input/unchanged.ts';
import { rejectionsIn } from '../ledger/ledger.ts';
import { differences } from '../settings/decisive.ts';
import type { RejectionCounts } from '../settings/error-budget.ts';
import type { Settings } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import { withContainers } from './container-sources.ts';
import { SourceFinder, sourcesRead, sourcesSkipped } from './ledger-files.ts';
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
  /** Rejections in the dataset. */
  readonly rejected: RejectionCounts;
}

/**
 * Returns what can be reused of the dataset at `out`, or why nothing can; undefined if there is no dataset.
 * @throws TurnmillError `invalid-dataset`; `shrunk` if it would become a slice
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
  checkSlice(manifest, settings);
  const { version } = manifest.tool;
  if (version !== toolVersion())
    return { why: `the dataset was written by turnmill ${version}`, run: undefined };
  const files = manifest.files.filter(({ path }) => path !== CARD); // users may edit it
  const run = await openPreviousDataset(root, { ...manifest, files }, signal);
  const different = differences(manifest.settings, settings);
  if (different.length > 0)
    return { why: `the dataset was built with other settings: ${different.join(', ')}`, run };
  const fingerprints = readFingerprints(root);
  if (fingerprints === undefined) return { why: 'the dataset has no fingerprints of its sources', run };

  const unchanged = findUnchanged(run, fingerprints, listing.sources, settings);
  const total = listing.sources.length;
  const { fingerprints: same, count, previousCount, withoutContent, lostSources } = unchanged;
  const reused = settings.copies !== undefined ? withContainers(run, same, listing.sources) : same;
  const rejected = rejectionsIn(manifest.ledger as LedgerSums, lostSources);
  const isSame = count === total && previousCount === total && sameSkipped(manifest, run, listing);
  return { run, fingerprints: reused, withoutContent, manifest, rejected, nothingChanged: isSame };
}

/** Keeps an update from replacing a dataset of all sources by a slice. @throws TurnmillError `shrunk` */
function checkSlice(manifest: Manifest, { slice, allowShrink }: Settings): void {
  if (slice === undefined || slice.of === 1 || manifest.slice !== undefined || allowShrink) return;
  const message = `the dataset was built from all sources, and slice ${slice.index}/${slice.of} has only some of them; nothing was replaced. Name the folder of the slice, or accept it with --allow-shrink`;
  throw new TurnmillError('shrunk', message, { subject: '--slice' });
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
  const listed = new SourceFinder(sources);
  let count = 0;
  let previousCount = 0;
  let withoutContent = 0;
  let lostSources = 0;
  for (const key of sourcesRead(run)) {
    if (key.isLost) lostSources++;
    const before = previous[previousCount++] ?? '';
    if (parseFingerprint(before)?.provesContent !== true) withoutContent++;
    const at = listed.indexOf(key);
    const ref = at === undefined ? undefined : sources.at(at);
    const now = ref && fingerprintIfUnchanged(ref, before, checksum);
    if (at === undefined || now === undefined) continue;
    count++;
    if (quarantineContent === 'ref' || !key.hasRejections) fingerprints[at] = now;
  }
  return { fingerprints, count, previousCount, withoutContent, lostSources };
}

function sameSkipped({ ledger }: Manifest, run: PreviousRun, listing: Listing): boolean {
  const { skipped, passedOver, extensions } = listing;
  const before = [...sourcesSkipped(run)];
  return (
    isDeepStrictEqual(passedOverIn(ledger.skipped), passedOver) &&
    JSON.stringify(ledger.extensions) === JSON.stringify(extensions) &&
    before.length === skipped.length &&
    before.every((source, i) => {
      const now = skipped[i];
      return now !== undefined && compareSources(source, now) === 0 && source.reason === now.reason;
    })
  );
}
