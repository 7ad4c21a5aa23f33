/** Builds a dataset: lists the sources, finds out what earlier runs have of them, and runs the rest (run.ts). */

import { isDataset, readManifest } from '../dataset/manifest.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import type { DatasetStore, Previous } from '../dataset/store/store.ts';
import { storeFor } from '../dataset/store/store-for.ts';
import { failUsage, TurnmillError } from '../errors.ts';
import { requireZstd } from '../input/decompress/require-zstd.ts';
import { listInputs } from '../input/sources/list-inputs.ts';
import type { Slice } from '../input/sources/slice.ts';
import { isPassedOver, type Listing } from '../input/sources/source.ts';
import { closeStreams, pathsOf, takeStreams } from '../input/sources/stream-source.ts';
import { createProfile } from '../profile.ts';
import { NoOutput, StandardOutput } from '../record/output.ts';
import type { ReusePlan } from '../reuse/plan-reuse.ts';
import { NOTHING_REUSED } from '../reuse/reuse.ts';
import { decisiveSettings } from '../settings/decisive.ts';
import { type BuildRequest, withPlugInFiles } from '../settings/plug-in-files.ts';
import { withRedaction } from '../settings/redaction.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';
import { plural } from '../sizes.ts';
import type { RunHooks } from './hooks.ts';
import { NO_PARTS, noInput, type Run, type RunSummary, runInto, runIntoDataset } from './run.ts';

/**
 * Builds a dataset. Streams among the inputs are closed at the end in any case, even if they were not read.
 * @throws TurnmillError if nothing was committed
 */
export async function build(request: BuildRequest, hooks: RunHooks = {}): Promise<RunSummary> {
  if (request?.inputs === undefined) failUsage('build() takes an object with a list of inputs');
  takeStreams(request.inputs);
  try {
    const settings = resolveSettings(await withPlugInFiles(request));
    hooks.onSettings?.();
    return await buildFrom(await withRedaction(settings, hooks.onNote), hooks);
  } finally {
    closeStreams(request.inputs);
  }
}

async function buildFrom(settings: Settings, hooks: RunHooks): Promise<RunSummary> {
  const { out } = settings;
  if (out !== undefined && out !== '-') return buildDataset(out, settings, hooks);
  const run = await begin(settings, hooks);
  return runInto(run, out === '-' ? new StandardOutput() : new NoOutput(), NO_PARTS);
}

async function buildDataset(out: string, settings: Settings, hooks: RunHooks): Promise<RunSummary> {
  const { inputs, replace, update, resume, allowEmpty, allowShrink } = settings;
  if (settings.compress === 'zstd') requireZstd('--compress zstd');
  const store = await storeFor(out, settings.s3);
  const release = await store.acquire();
  try {
    await store.prepare({ inputs: pathsOf(inputs), replace: replace || update });
    const run = await begin(settings, hooks);
    const previous = update || resume ? await store.previous() : undefined;
    const plan = previous && (await planLate(previous, run));
    const { resumed, upToDate } = plan ?? {};
    if (upToDate !== undefined && isSameSlice(upToDate.manifest, run)) return unchangedSummary(run, upToDate);
    if (plan?.readsDataset === true) await previous?.fetchShards();
    return await runIntoDataset(run, store, {
      resumedId: resumed?.runId,
      open: (pathFor) => plan?.open(pathFor) ?? NOTHING_REUSED,
      done: resumed?.sources ?? 0,
      kept: plan?.keptSessions,
      previous: plan?.previous,
      checkEmpty: !replace || allowEmpty || allowShrink ? undefined : () => keepRecords(store),
    });
  } finally {
    await release();
  }
}

/** Keeps a run without records from replacing a dataset that has some. @throws TurnmillError `shrunk` */
async function keepRecords(store: DatasetStore): Promise<void> {
  const { path } = (await store.previous()).place;
  const records = isDataset(path) ? readManifest(path).totals.records : 0;
  if (records === 0) return;
  const message = `no log gave a record, so the ${plural(records, 'record')} of the dataset would be lost; nothing was replaced. See why with 'turnmill check', or accept it with --allow-shrink`;
  throw new TurnmillError('shrunk', message, { subject: '--replace' });
}

/** Returns whether a dataset was built as this slice of this listing, or as a whole like this run. */
function isSameSlice({ slice: before }: Manifest, { slice: now }: Run): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}

/** Loads the code for reuse on demand, because most runs reuse nothing. */
async function planLate({ place }: Previous, { settings, listing, hooks }: Run): Promise<ReusePlan> {
  const { planReuse } = await import('../reuse/plan-reuse.ts');
  return planReuse(place, settings, listing, hooks);
}

/** Begins a run by listing its sources. @throws TurnmillError `no-input`, `rejected` for too many sources */
async function begin(settings: Settings, hooks: RunHooks): Promise<Run> {
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const profile = settings.profile ? createProfile('list') : undefined;
  hooks.heap?.hold();
  const listing = await listInputs(settings);
  profile?.enter('other');
  const lost = listing.skipped.filter(({ reason }) => !isPassedOver(reason)).length;
  if (listing.sources.length + lost === 0 && !settings.allowEmpty) throw noInput(settings, listing);
  checkSources(settings, listing);
  const cut = settings.slice && (await cutLate(listing, settings.slice, hooks));
  let unshownNotes = 0;
  const onNote = (message: string): undefined => {
    if (hooks.onNote?.(message) === false) unshownNotes++;
  };
  const logLost = (): number => unshownNotes;
  const watched = { hooks: { ...hooks, onNote }, logLost, profile, started, startedAt };
  return { ...watched, settings, listing, shownSettings: decisiveSettings(settings), ...cut };
}

/** Returns the listing of a slice. Its code is loaded on demand. */
async function cutLate(
  whole: Listing,
  slice: Slice,
  { onNote }: RunHooks,
): Promise<Pick<Run, 'listing' | 'slice'>> {
  const { cutListing, oversized } = await import('../input/sources/slice.ts');
  const note = oversized(whole.sources, slice.of);
  if (note !== undefined) onNote?.(note);
  return cutListing(whole, slice);
}

/** Checks the number of sources before any of them is opened. */
function checkSources({ maxSources = Number.POSITIVE_INFINITY }: Settings, { sources }: Listing): void {
  if (sources.length <= maxSources) return;
  const message = `${sources.length} sources found, but --max-sources allows ${maxSources}; nothing was read`;
  throw new TurnmillError('rejected', message, { subject: '--max-sources' });
}

/** Returns the summary of an update that has nothing to do, from the dataset. */
function unchangedSummary(
  { settings, listing, started }: Run,
  { manifest: { ledger, shards }, rejected }: NonNullable<ReusePlan['upToDate']>,
): RunSummary {
  return {
    sums: ledger as LedgerSums,
    rejections: rejected.rejections,
    shards,
    out: settings.out,
    elapsedMs: performance.now() - started,
    readBytes: 0,
    reusedSources: listing.sources.length,
    nothingChanged: true,
    workerRestarts: 0,
    problems: [],
  };
}

/** Does everything that `build` does, except writing. */
export function check(request: BuildRequest, hooks: RunHooks = {}): Promise<RunSummary> {
  return build({ ...request, out: undefined }, hooks);
}
