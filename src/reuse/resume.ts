/**
 * `build --resume`: goes on from the last checkpoint of a run that was killed. What it had read must be what is there now, and what
 * it had written what its checkpoint says: else the run is refused, and nothing is touched (docs/decisions/0012-resume.md).
 */

import { join } from 'node:path';
import { findCheckpoint } from '../dataset/checkpoint.ts';
import { WORK_FILES } from '../dataset/layout.ts';
import type { Place } from '../dataset/place.ts';
import { TurnmillError } from '../errors.ts';
import { compareSources } from '../input/sources/list.ts';
import type { Listing, SourceRef } from '../input/sources/source.ts';
import { proofIfUnchanged } from '../input/unchanged.ts';
import { differences } from '../settings/decisive.ts';
import type { Settings } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import { checkStaged, cutToCheckpoint, type Earlier } from './earlier.ts';
import { damaged, linesOf } from './earlier-lines.ts';
import type { TakenOver } from './kept.ts';

export interface Resumption extends TakenOver {
  readonly runId: string;
  /** Sources that are done: the first ones of the listing. */
  readonly sources: number;
}

/** Undefined when there is nothing to go on from. Throws `cannot-resume` when something has changed since. */
export async function planResume(
  place: Place,
  settings: Settings,
  listing: Listing,
  signal?: AbortSignal,
): Promise<Resumption | undefined> {
  const found = findCheckpoint(place);
  if (found === undefined) return undefined;
  if (found.toolVersion !== toolVersion()) refuse(`the run was started by turnmill ${found.toolVersion}`);
  const different = differences(found.settings, settings);
  if (different.length > 0) refuse(`the run was started with other settings: ${different.join(', ')}`);
  const { root, runId, sources } = found;
  const files = await checkStaged(root, found.files, refuseStaged, signal);
  checkListing({ root, files }, listing.sources);
  const proofs = checkProofs({ root, files }, found.sources, listing.sources);
  const shards = await checkStaged(root, found.shards, refuseStaged, signal);
  cutToCheckpoint(root, [...files, ...shards]);
  return { earlier: { root, files, shards }, proofs, runId, sources };
}

type StagedFiles = Pick<Earlier, 'root' | 'files'>;

function checkListing(found: StagedFiles, sources: readonly SourceRef[]): void {
  let at = 0;
  for (const then of linesOf(found, WORK_FILES.listing) as Generator<SourceRef>) {
    const now = sources[at++];
    if (now === undefined || compareSources(then, now) < 0) refuse(`${then.name} is gone`);
    if (compareSources(now, then) < 0) refuse(`${now.name} was added`);
    if (now.sizeBytes !== then.sizeBytes)
      refuse(`${now.name} had ${then.sizeBytes} bytes and now has ${now.sizeBytes}`);
  }
  const more = sources[at];
  if (more !== undefined) refuse(`${more.name} was added`);
}

/** The proofs as of now of the sources that are done. */
function checkProofs(found: StagedFiles, done: number, sources: readonly SourceRef[]): readonly string[] {
  const proofs: string[] = [];
  for (const then of linesOf(found, WORK_FILES.fingerprints) as Generator<string>) {
    const ref = sources[proofs.length];
    const now = ref === undefined || then === '' ? then : proofIfUnchanged(ref, then);
    if (now === undefined) refuse(`${ref?.name} was changed`);
    proofs.push(now);
  }
  if (proofs.length !== done)
    throw damaged(join(found.root, WORK_FILES.fingerprints), 'does not match the checkpoint');
  return proofs;
}

function refuseStaged(path: string): never {
  refuse(`${path} in the staging folder is not what the run wrote`);
}

function refuse(what: string): never {
  throw new TurnmillError('cannot-resume', `cannot resume: ${what}; run without --resume to start over`);
}
