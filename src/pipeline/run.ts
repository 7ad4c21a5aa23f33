/**
 * The main job from end to end (architecture.md §5): list the sources, run the lanes, record what they find, balance
 * the books, commit. Nothing is visible before the last step.
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { usageCsv } from '../../transforms/tool-usage.ts';
import { TurnmillError } from '../errors.ts';
import { checkDestination } from '../sinks/destination.ts';
import { healDestination } from '../sinks/heal.ts';
import { acquireLock } from '../sinks/lock.ts';
import { openStaging } from '../sinks/staging.ts';
import { listSources } from '../sources/list.ts';
import { requireDecoders } from '../sources/require-decoders.ts';
import type { Listing } from '../sources/source.ts';
import { toolVersion } from '../version.ts';
import { type Destination, nowhere, openDataset, openStdout } from './destination.ts';
import { boundHeap, holdYoungGeneration } from './heap-size.ts';
import { laneCount } from './lane-count.ts';
import { runLanes } from './lanes.ts';
import { createLedger, type Ledger, type LedgerSums } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import { createProfile, type Profile, type ProfileFigures } from './profile.ts';
import { createRecorder, FILES, type Recorder } from './recorder.ts';
import { resolveSettings, type Settings } from './settings.ts';
import { checkTolerance } from './tolerance.ts';

/** What a run made. */
export interface RunSummary {
  readonly sums: LedgerSums;
  /** Lines and records of one of several formats that were kept out, and sources that were lost without a line; the run then ends with status 3. */
  readonly rejections: number;
  readonly shards: readonly { readonly path: string; readonly records: number; readonly bytes: number }[];
  readonly out: string | undefined;
  readonly elapsedMs: number;
  readonly readBytes: number;
  /** Worker threads that died and were replaced. */
  readonly workerRestarts: number;
  /** What went wrong after the dataset was in place (leftovers that could not be removed). */
  readonly problems: readonly string[];
  /** Where the time of all threads went, when `profile` was set. */
  readonly profile?: ProfileFigures;
}

/** How far a run is; given out while it runs. */
export interface RunProgress {
  readonly sources: number;
  readonly totalSources: number;
  readonly readBytes: number;
  /** Undefined for standard input. */
  readonly totalBytes: number | undefined;
  readonly records: number;
  readonly rejections: number;
}

export interface RunHooks {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Sees every outcome, in the order of the sources, before it is recorded. */
  readonly onOutcome?: (outcome: Outcome, listing: Listing) => void;
}

type Given = Parameters<typeof resolveSettings>[0];

/**
 * Builds a dataset.
 * @throws TurnmillError: nothing was committed
 */
export async function build(given: Given, hooks: RunHooks = {}): Promise<RunSummary> {
  const settings = resolveSettings(given);
  const { out, inputs, replace } = settings;
  if (out === undefined || out === '-')
    return runInto(settings, out === '-' ? openStdout() : nowhere(), hooks);

  const release = await acquireLock(out);
  try {
    healDestination(out);
    const staging = openStaging(checkDestination({ out, inputs, replace }));
    let destination: Destination | undefined;
    try {
      destination = openDataset(staging, settings, Object.values(FILES), hooks.signal);
      return await runInto(settings, destination, hooks);
    } catch (error) {
      if (destination === undefined) staging.discard();
      throw error;
    }
  } finally {
    await release();
  }
}

/** Everything but the writing. */
export function check(given: Given, hooks: RunHooks = {}): Promise<RunSummary> {
  return build({ ...given, out: undefined }, hooks);
}

async function runInto(settings: Settings, destination: Destination, hooks: RunHooks): Promise<RunSummary> {
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const profile = settings.profile ? createProfile('list') : undefined;
  try {
    holdYoungGeneration();
    const listing = listSources(settings.inputs);
    profile?.enter('other');
    if (listing.sources.length + listing.skipped.length === 0 && !settings.allowEmpty)
      throw noInput(settings);
    await requireDecoders(listing.sources);
    const ledger = createLedger(listing, settings.format);
    const usage = new Map();
    const recorder = createRecorder({ settings, listing, destination, ledger, usage });
    const { readBytes, workerRestarts } = await record(settings, listing, ledger, recorder, hooks, profile);
    const sums = balance(settings, ledger);
    destination.text('reports/tool-usage.csv', usageCsv(usage, settings.groupBy));
    destination.text('reports/summary.json', `${JSON.stringify(sums, null, 2)}\n`);
    const runFacts = {
      started: startedAt,
      host: hostname(),
      pid: process.pid,
      node: process.version,
      elapsed_ms: performance.now() - started,
      workers: laneCount(listing.sources, settings.workers),
      worker_restarts: workerRestarts,
      inputs: settings.inputs,
    };
    const body = manifestBody(settings, sums);
    profile?.enter('sync');
    const committed = await destination.commit(body, runFacts, profile);
    profile?.enter('other');
    return {
      sums,
      rejections: ledger.keptOut().rejections,
      shards: committed?.manifest.shards ?? [],
      out: settings.out,
      elapsedMs: performance.now() - started,
      readBytes,
      workerRestarts,
      problems: committed?.problems.map(({ message }) => message) ?? [],
      ...(profile && { profile: profile.take() }),
    };
  } catch (error) {
    destination.discard();
    throw error;
  }
}

/** Runs the lanes and records what they find. */
async function record(
  settings: Settings,
  listing: Listing,
  ledger: Ledger,
  recorder: Recorder,
  { signal, onProgress, onOutcome }: RunHooks,
  profile?: Profile,
): Promise<Pick<RunSummary, 'readBytes' | 'workerRestarts'>> {
  const { maxQuarantine } = settings;
  const totalBytes = listing.sources.some(({ path }) => path === undefined)
    ? undefined
    : listing.sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let readBytes = 0;
  let sources = 0;
  let workerRestarts = 0;
  const onRestart = (): void => {
    workerRestarts++;
  };
  const checkHeap = boundHeap();
  recorder.skipped(listing.skipped);
  const batches = runLanes(listing.sources, settings, { signal, onRestart, profile });
  profile?.enter('record');
  for await (const batch of profile?.eachLater('wait', batches) ?? batches) {
    if (batch.profile !== undefined) profile?.add(batch.profile);
    signal?.throwIfAborted();
    checkHeap();
    readBytes += batch.readBytes;
    for (const outcome of batch.outcomes) {
      onOutcome?.(outcome, listing);
      if (outcome.kind === 'source') sources++;
      const done = recorder.accept(outcome);
      if (done !== undefined) await done;
      // a percentage is of all lines: it is known at the end
      if (typeof maxQuarantine === 'number') checkTolerance(maxQuarantine, ledger.keptOut());
    }
    if (onProgress !== undefined) {
      const sums = ledger.sums();
      onProgress({
        sources,
        totalSources: listing.sources.length,
        readBytes,
        totalBytes,
        records: sums.records,
        rejections: ledger.keptOut().rejections,
      });
    }
  }
  profile?.enter('other');
  signal?.throwIfAborted();
  if (settings.limit === undefined && sources !== listing.sources.length) {
    throw new TurnmillError(
      'unfinished',
      `the lanes ended after ${sources} of ${listing.sources.length} sources`,
    );
  }
  ledger.overLimit(listing.sources.length - sources);
  return { readBytes, workerRestarts };
}

function balance(settings: Settings, ledger: Ledger): LedgerSums {
  const problems = ledger.imbalances();
  const sums = ledger.sums();
  if (problems.length > 0) {
    throw new TurnmillError('unbalanced', `the books do not balance: ${problems.join('; ')}`, {
      subject: JSON.stringify(sums),
    });
  }
  if (settings.maxQuarantine !== undefined) checkTolerance(settings.maxQuarantine, ledger.keptOut());
  const nothing = (sums.sessions.seen ?? 0) === 0 && ledger.keptOut().rejections === 0;
  if (nothing && !settings.allowEmpty) throw noInput(settings);
  return sums;
}

function noInput({ inputs }: Settings): TurnmillError {
  return new TurnmillError(
    'no-input',
    `there is no session in ${inputs.join(', ')} (--allow-empty makes an empty dataset)`,
  );
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What decides the bytes of the dataset: nothing of the machine, the clock or the paths. */
function manifestBody(settings: Settings, sums: LedgerSums): Parameters<Destination['commit']>[0] {
  const {
    inputs: _inputs,
    out: _out,
    replace: _replace,
    workers: _workers,
    allowEmpty: _allowEmpty,
    onReject: _onReject,
    maxQuarantine: _maxQuarantine,
    scanner: _scanner,
    profile: _profile,
    userTurn,
    ...decisive
  } = settings;
  const said = userTurn === undefined ? {} : { userTurnSha256: sha256(userTurn) };
  const shown = Object.fromEntries(
    Object.entries({ ...decisive, ...said }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const { records, lines, sessions } = sums;
  return {
    tool: { name: 'turnmill', version: toolVersion() },
    settings: shown,
    settings_sha256: sha256(JSON.stringify(shown)),
    totals: { records, lines, sessions: sessions.seen ?? 0 },
    ledger: sums,
  };
}
