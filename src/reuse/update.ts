/**
 * `build --update`: which sources of the committed dataset are what they were, so that they need not be read again
 * (docs/decisions/0013-update.md).
 */

import { isDataset, readManifest } from '../dataset/manifest.ts';
import { resolveDataset } from '../dataset/recover.ts';
import { readProofs } from '../dataset/run-facts.ts';
import type { LedgerSums, Manifest } from '../dataset/schema.ts';
import { parseProof } from '../input/fingerprint.ts';
import { compareSources } from '../input/sources/list.ts';
import type { Listing, SourceRef } from '../input/sources/source.ts';
import { proofIfUnchanged } from '../input/unchanged.ts';
import { differences } from '../settings/decisive.ts';
import type { Settings } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import { type Earlier, earlierDataset } from './earlier.ts';
import { earlierSkipped, earlierSources } from './earlier-ledger.ts';
import type { TakenOver } from './kept.ts';

export interface Update extends TakenOver {
  readonly manifest: Manifest;
  /** Would the new dataset be the one that is there? */
  readonly nothingChanged: boolean;
  /** Sources of the earlier run without a SHA-256: with `--checksum` they are read again. */
  readonly withoutContent: number;
}

/** What can be taken over from the dataset at `out`; a sentence why nothing can; or undefined: there is none. Throws `invalid-dataset`. */
export async function planUpdate(
  out: string,
  settings: Settings,
  listing: Listing,
  signal?: AbortSignal,
): Promise<Update | string | undefined> {
  if (!isDataset(out)) return undefined;
  const root = resolveDataset(out);
  const manifest = readManifest(root);
  const { version } = manifest.tool;
  if (version !== toolVersion()) return `the dataset was written by turnmill ${version}`;
  const different = differences(manifest.settings, settings);
  if (different.length > 0) return `the dataset was built with other settings: ${different.join(', ')}`;
  const proofs = readProofs(root);
  if (proofs === undefined) return 'the dataset has no fingerprints of its sources';

  const earlier = await earlierDataset(root, manifest, signal);
  const found = unchanged(earlierSources(earlier), proofs, listing.sources, settings);
  const all = listing.sources.length;
  const same = found.count === all && found.seen === all && passedOverAsBefore(manifest, earlier, listing);
  const { proofs: kept, withoutContent } = found;
  return { earlier, proofs: kept, withoutContent, manifest, nothingChanged: same };
}

interface Unchanged {
  readonly proofs: readonly (string | undefined)[];
  /** How many are what they were. */
  readonly count: number;
  /** Sources of the earlier run. */
  readonly seen: number;
  /** How many of them have no SHA-256 that could be compared. */
  readonly withoutContent: number;
}

/**
 * Both stand in the same order. Which rejected lines the quarantine has room for depends on all that come before: with `raw`, sources that
 * have some are read again.
 */
function unchanged(
  earlier: ReturnType<typeof earlierSources>,
  earlierProofs: readonly string[],
  sources: readonly SourceRef[],
  { quarantineContent, checksum }: Settings,
): Unchanged {
  const proofs: (string | undefined)[] = new Array(sources.length).fill(undefined);
  let at = 0;
  let count = 0;
  let seen = 0;
  let withoutContent = 0;
  for (const key of earlier) {
    const proof = earlierProofs[seen++] ?? '';
    if (parseProof(proof)?.provesContent !== true) withoutContent++;
    for (let ref = sources[at]; ref !== undefined && compareSources(ref, key) <= 0; ref = sources[++at]) {
      if (compareSources(ref, key) < 0) continue;
      const now = proofIfUnchanged(ref, proof, checksum);
      if (now === undefined) continue;
      count++;
      if (quarantineContent === 'ref' || !key.hasRejections) proofs[at] = now;
    }
  }
  return { proofs, count, seen, withoutContent };
}

function passedOverAsBefore(
  manifest: Manifest,
  earlier: Earlier,
  { skipped, excluded, extensions }: Listing,
): boolean {
  const sums = manifest.ledger as LedgerSums;
  const before = [...earlierSkipped(earlier)];
  return (
    (sums.skipped.excluded ?? 0) === excluded &&
    JSON.stringify(sums.extensions) === JSON.stringify(extensions) &&
    before.length === skipped.length &&
    before.every((one, i) => {
      const now = skipped[i];
      return now !== undefined && compareSources(one, now) === 0 && one.reason === now.reason;
    })
  );
}
