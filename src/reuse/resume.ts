/**
 * `build --resume`: continues from the last checkpoint of a run that was killed. If the sources or the files have
 * changed since, the run ends with an error, and nothing is touched (docs/contributing/decisions/0012-resume.md).
 */

import { join } from 'node:path';
import { readCheckpoint } from '../dataset/checkpoint-file.ts';
import { WORK_FILES } from '../dataset/layout.ts';
import { type Place, runsWith, siblingPath } from '../dataset/place.ts';
import { TurnmillError } from '../errors.ts';
import type { Listing, Sources } from '../input/sources/source.ts';
import { compareSources } from '../input/sources/source-table.ts';
import { fingerprintIfUnchanged } from '../input/unchanged.ts';
import { type Checkpoint, decodeCheckpoint } from '../ledger/checkpoint.ts';
import { differences } from '../settings/decisive.ts';
import type { Settings } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import { changedSince, damaged } from './checked-lines.ts';
import { checkStagedFiles, cutToCheckpoint, PreviousRun } from './previous-run.ts';
import type { Reusable } from './reused-sources.ts';

export interface Resumption extends Reusable {
  readonly runId: string;
  /** Number of completed sources, which are the first ones of the listing. */
  readonly sources: number;
}

/**
 * Returns undefined if there is no checkpoint to continue from. Throws `cannot-resume` if something has changed since.
 */
export async function planResume(
  place: Place,
  settings: Settings,
  listing: Listing,
  signal?: AbortSignal,
): Promise<Resumption | undefined> {
  const stagedCheckpoint = findCheckpoint(place);
  if (stagedCheckpoint === undefined) return undefined;
  const { root, runId, checkpoint } = stagedCheckpoint;
  checkSettings(checkpoint, settings);
  const files = await checkStagedFiles(root, checkpoint.files, refuseStaged, signal);
  const staged = new PreviousRun(root, files, []);
  checkListing(staged, listing.sources);
  const fingerprints = currentFingerprints(staged, checkpoint.sources, listing.sources);
  const shards = await checkStagedFiles(root, checkpoint.shards, refuseStaged, signal);
  cutToCheckpoint(root, [...files, ...shards]);
  const run = new PreviousRun(root, files, shards);
  return { run, fingerprints, runId, sources: checkpoint.sources };
}

interface StagedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly runId: string;
  /** The staging folder. */
  readonly root: string;
}

/**
 * Returns the most advanced checkpoint of the killed runs with this destination. Call it under the lock.
 */
export function findCheckpoint(place: Place): StagedCheckpoint | undefined {
  let best: StagedCheckpoint | undefined;
  for (const runId of runsWith(place, ['staging'])) {
    const root = siblingPath(place, 'staging', runId);
    const bytes = readCheckpoint(root);
    const checkpoint = bytes === undefined ? undefined : decodeCheckpoint(bytes);
    if (checkpoint === undefined || checkpoint.sources <= (best?.checkpoint.sources ?? 0)) continue;
    best = { checkpoint, runId, root };
  }
  return best;
}

/**
 * Opens the results that this run has staged up to its last checkpoint.
 * @throws TurnmillError `io` if a file has other bytes than were written
 */
export async function openStaged(root: string, signal?: AbortSignal): Promise<Reusable> {
  const refuseChanged = (path: string): never => {
    throw changedSince(join(root, path));
  };
  const checkpoint = decodeCheckpoint(readCheckpoint(root) ?? new Uint8Array(0));
  if (checkpoint === undefined) return refuseChanged(WORK_FILES.checkpoint);
  const files = await checkStagedFiles(root, checkpoint.files, refuseChanged, signal);
  const shards = await checkStagedFiles(root, checkpoint.shards, refuseChanged, signal);
  const run = new PreviousRun(root, files, shards);
  return { run, fingerprints: [...run.lines(WORK_FILES.fingerprints)] };
}

function checkSettings(checkpoint: Checkpoint, settings: Settings): void {
  if (checkpoint.toolVersion !== toolVersion())
    refuse(`the run was started by turnmill ${checkpoint.toolVersion}`);
  const different = differences(checkpoint.settings, settings);
  if (different.length > 0) refuse(`the run was started with other settings: ${different.join(', ')}`);
}

function checkListing(staged: PreviousRun, sources: Sources): void {
  let at = 0;
  for (const before of staged.lines(WORK_FILES.listing)) {
    const now = sources.at(at++);
    if (now === undefined || compareSources(before, now) < 0) refuse(`${before.name} is gone`);
    if (compareSources(now, before) < 0) refuse(`${now.name} was added`);
    if (now.sizeBytes !== before.sizeBytes)
      refuse(`${now.name} had ${before.sizeBytes} bytes and now has ${now.sizeBytes}`);
  }
  const more = sources.at(at);
  if (more !== undefined) refuse(`${more.name} was added`);
}

/** Returns the current fingerprints of the completed sources. */
function currentFingerprints(staged: PreviousRun, done: number, sources: Sources): readonly string[] {
  const fingerprints: string[] = [];
  for (const before of staged.lines(WORK_FILES.fingerprints)) {
    const ref = sources.at(fingerprints.length);
    const now = ref === undefined || before === '' ? before : fingerprintIfUnchanged(ref, before);
    if (now === undefined) refuse(`${ref?.name} was changed`);
    fingerprints.push(now);
  }
  if (fingerprints.length !== done)
    throw damaged(staged.pathOf(WORK_FILES.fingerprints), 'does not match the checkpoint');
  return fingerprints;
}

function refuseStaged(path: string): never {
  refuse(`${path} in the staging folder is not what the run wrote`);
}

function refuse(why: string): never {
  throw new TurnmillError('cannot-resume', `cannot resume: ${why}; run without --resume to start over`);
}
