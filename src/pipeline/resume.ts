/**
 * `build --resume`: goes on from the last checkpoint of a run that was killed. What it had read must be what is there now: else the
 * run is refused, and nothing is touched (docs/decisions/0025-resume.md).
 */
import { join } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { type FoundCheckpoint, findCheckpoint } from '../sinks/checkpoint.ts';
import type { Place } from '../sinks/place.ts';
import { compareSources } from '../sources/list.ts';
import type { Listing, SourceRef } from '../sources/source.ts';
import { proofIfUnchanged } from '../sources/unchanged.ts';
import { toolVersion } from '../version.ts';
import { differences } from './decisive.ts';
import { earlierCheckpoint } from './earlier.ts';
import { damaged, linesOf } from './earlier-lines.ts';
import type { TakenOver } from './kept.ts';
import { LISTING } from './listing-file.ts';
import { PROOFS } from './recorder.ts';
import type { Settings } from './settings.ts';

export interface Resumption extends TakenOver {
  readonly runId: string;
  /** Sources that are done: the first ones of the listing. */
  readonly sources: number;
}

/** Undefined when there is nothing to go on from. Throws `cannot-resume` when something has changed since. */
export function planResume(place: Place, settings: Settings, listing: Listing): Resumption | undefined {
  const found = findCheckpoint(place);
  if (found === undefined) return undefined;
  if (found.toolVersion !== toolVersion()) refuse(`version ${found.toolVersion} of turnmill began it`);
  const different = differences(found.settings, settings);
  if (different.length > 0) refuse(`it was begun with other settings: ${different.join(', ')}`);
  checkListing(found, listing.sources);
  const proofs = checkProofs(found, listing.sources);
  const { runId, sources } = found;
  return { earlier: earlierCheckpoint(found), proofs, runId, sources };
}

function checkListing(found: FoundCheckpoint, sources: readonly SourceRef[]): void {
  let at = 0;
  for (const then of linesOf(found, LISTING) as Generator<SourceRef>) {
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
function checkProofs(found: FoundCheckpoint, sources: readonly SourceRef[]): readonly string[] {
  const proofs: string[] = [];
  for (const then of linesOf(found, PROOFS) as Generator<string>) {
    const ref = sources[proofs.length];
    const now = ref === undefined || then === '' ? then : proofIfUnchanged(ref, then);
    if (now === undefined) refuse(`${ref?.name} was changed`);
    proofs.push(now);
  }
  if (proofs.length !== found.sources)
    throw damaged(join(found.root, PROOFS), 'is not what the checkpoint says');
  return proofs;
}

function refuse(what: string): never {
  throw new TurnmillError(
    'cannot-resume',
    `the run cannot go on where it was stopped: ${what}; without --resume it starts over`,
  );
}
