/**
 * The main job from end to end: lists the sources, runs the workers, records their results, reconciles the ledger and
 * commits. Nothing is visible before the last step.
 */

import { hostname } from 'node:os';
import { usageCsv } from '../../transforms/model/tool-usage.ts';
import { REPORTS } from '../dataset/layout.ts';
import { modesOf } from '../dataset/modes.ts';
import type { RunFacts } from '../dataset/schema/manifest.ts';
import type { DatasetProfile, LedgerSums } from '../dataset/schema/reports.ts';
import { workPath } from '../dataset/staging.ts';
import type { Previous } from '../dataset/store/store.ts';
import { storeFor } from '../dataset/store/store-for.ts';
import { refsIn } from '../engine/task.ts';
import { workerCount } from '../engine/worker-count.ts';
import { TurnmillError } from '../errors.ts';
import { requireZstd } from '../input/decompress/require-zstd.ts';
import { listInputs } from '../input/sources/list-inputs.ts';
import { requireDecoders } from '../input/sources/require-decoders.ts';
import type { Listing } from '../input/sources/source.ts';
import {
  closeStreams,
  type Input,
  nameOfInput,
  pathsOf,
  takeStreams,
} from '../input/sources/stream-source.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Result } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import { createProfile, type Profile, type ProfileFigures } from '../profile.ts';
import { Checkpoints } from '../record/checkpoints.ts';
import {
  DatasetOutput,
  type Destination,
  type MakePage,
  NoOutput,
  StandardOutput,
} from '../record/output.ts';
import type { LateResumption } from '../record/result-writer.ts';
import type { KeptSessions } from '../reuse/kept-sessions.ts';
import type { ReusePlan } from '../reuse/plan-reuse.ts';
import { NOTHING_REUSED, type Reuse } from '../reuse/reuse.ts';
import { decisiveSettings } from '../settings/decisive.ts';
import { checkTolerance } from '../settings/error-budget.ts';
import { type BuildRequest, withPlugInFiles } from '../settings/plug-in-files.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';
import { sha256 } from '../sha256.ts';
import { toolVersion } from '../version.ts';
import { type Books, openBooks } from './books.ts';
import type { LeaveOutOptions } from './contained.ts';
import type { RunHooks } from './hooks.ts';
import { type Recorded, recordAll } from './map.ts';

/** The result of a build. */
export interface RunSummary {
  readonly sums: LedgerSums;
  /**
   * Rejected lines, rejected records of one of several formats, and sources lost without a line; if any, the run ends
   * with status 3.
   */
  readonly rejections: number;
  /** Sessions that are further branches of another one, if the run wrote any into a dataset. */
  readonly branches?: number;
  readonly shards: readonly { readonly path: string; readonly records: number; readonly bytes: number }[];
  readonly out: string | undefined;
  readonly elapsedMs: number;
  readonly readBytes: number;
  /** Sources that were not read, because the results of a previous run were reused. */
  readonly reusedSources: number;
  /** Whether an update had nothing to do, so that the existing dataset was kept. */
  readonly nothingChanged: boolean;
  /** Worker threads that died and were replaced. */
  readonly workerRestarts: number;
  /** Problems after publishing: leftovers that could not be removed. */
  readonly problems: readonly string[];
  /** How the time of all threads is divided, if `profile` was set. */
  readonly profile?: ProfileFigures;
}

/** A run: its settings, its sources and when it began. */
interface Run {
  readonly settings: Settings;
  readonly hooks: RunHooks;
  /** Number of notes that could not be shown. */
  readonly logLost: () => number;
  readonly profile: Profile | undefined;
  readonly started: number;
  readonly startedAt: string;
  readonly listing: Listing;
}

/**
 * Builds a dataset. Streams among the inputs are closed at the end in any case, even if they were not read.
 * @throws TurnmillError if nothing was committed
 */
export async function build(request: BuildRequest, hooks: RunHooks = {}): Promise<RunSummary> {
  takeStreams(request.inputs);
  try {
    return await buildFrom(resolveSettings(await withPlugInFiles(request)), hooks);
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
  const { inputs, replace, update, resume } = settings;
  if (settings.compress === 'zstd') requireZstd('--compress zstd');
  const store = await storeFor(out, settings.s3);
  const release = await store.acquire();
  try {
    await store.prepare({ inputs: pathsOf(inputs), replace: replace || update });
    const run = await begin(settings, hooks);
    const previous = update || resume ? await store.previous() : undefined;
    const plan = previous && (await planLate(previous, run));
    const { resumed, upToDate } = plan ?? {};
    if (upToDate !== undefined) return unchangedSummary(run, upToDate);
    if (plan?.readsDataset === true) await previous?.fetchShards();
    const modes = modesOf({ mode: settings.mode, sources: run.listing.mode });
    const writer = store.open(resumed?.runId, modes);
    for (const note of writer.notes) run.hooks.onNote?.(note);
    let destination: DatasetOutput | undefined;
    try {
      destination = new DatasetOutput({ writer, settings, listing: run.listing, signal: hooks.signal });
      const pathFor = (name: string): string => workPath(writer.path, name);
      return await runInto(run, destination, {
        reuse: plan?.open(pathFor) ?? NOTHING_REUSED,
        done: resumed?.sources ?? 0,
        kept: plan?.keptSessions,
        leaveOut: leavingOut(run, destination, { pathFor, open: () => store.open(writer.runId, modes) }),
      });
    } catch (error) {
      if (destination === undefined) await writer.discard();
      throw error;
    }
  } finally {
    await release();
  }
}

/** Returns the step that leaves out contained records, if the run has it. Its code is loaded on demand. */
function leavingOut(
  { settings, listing, hooks: { signal } }: Run,
  staged: DatasetOutput,
  files: Pick<LeaveOutOptions, 'open' | 'pathFor'>,
): RunParts['leaveOut'] {
  if (settings.copies === undefined) return undefined;
  return async (books, sources) => {
    const { leaveOutContained } = await import('./contained.ts');
    return leaveOutContained({ settings, listing, signal, staged, ...files }, books, sources);
  };
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
  const listing = await listInputs(settings.inputs, settings.follow, settings.s3, settings.sessionBy);
  profile?.enter('other');
  const lost = listing.skipped.filter(({ reason }) => reason !== 'excluded').length;
  if (listing.sources.length + lost === 0 && !settings.allowEmpty) throw noInput(settings, listing);
  checkSources(settings, listing);
  let unshownNotes = 0;
  const onNote = (message: string): undefined => {
    if (hooks.onNote?.(message) === false) unshownNotes++;
  };
  const logLost = (): number => unshownNotes;
  return { settings, hooks: { ...hooks, onNote }, logLost, profile, started, startedAt, listing };
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
  { manifest: { ledger, shards }, rejections }: NonNullable<ReusePlan['upToDate']>,
): RunSummary {
  return {
    sums: ledger as LedgerSums,
    rejections,
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

/** Results of earlier runs that a run takes, and a step before it publishes. */
interface RunParts {
  readonly reuse: Reuse;
  /** Number of sources that the resumed run had completed. */
  readonly done: number;
  /** Counts the sessions that an update keeps. */
  readonly kept?: KeptSessions | undefined;
  /** Leaves out records once all are staged. */
  readonly leaveOut?: ((books: Books, sources: number) => Promise<Books | undefined>) | undefined;
}

const NO_PARTS: RunParts = { reuse: NOTHING_REUSED, done: 0 };

async function runInto(run: Run, destination: Destination, parts: RunParts): Promise<RunSummary> {
  const { settings, listing, profile } = run;
  const { reuse, done, kept, leaveOut } = parts;
  const hooks = kept === undefined ? run.hooks : withResults(run.hooks, (result) => kept.see(result));
  let books = openBooks(settings, listing, destination);
  try {
    await requireDecoders(listing.sources);
    const { ledger, recorder } = books;
    const checkpoints = new Checkpoints(destination, done);
    const { root: workFolder } = destination;
    const state = { settings, listing, ledger, recorder, reuse, checkpoints, hooks, profile, workFolder };
    const recorded = await recordAll(state);
    const late = recorder.reopened();
    if (late !== undefined) hooks.onNote?.(lateNote(late));
    books = (await leaveOut?.(books, recorded.sources)) ?? books;
    return await publish(run, books, parts, recorded);
  } catch (error) {
    if (books.destination !== destination) await books.destination.discard();
    if (hooks.signal?.aborted !== true) await destination.discard();
    else if (await destination.leave())
      hooks.onNote?.('run the same command with --resume to continue from the last checkpoint');
    throw error;
  }
}

/** Reconciles the ledger, and commits. */
async function publish(
  run: Run,
  { destination, ledger, usage, counter }: Books,
  { reuse, done, kept }: RunParts,
  { readBytes, workerRestarts }: Recorded,
): Promise<RunSummary> {
  const { settings, listing, profile, started } = run;
  const sums = reconcile(settings, ledger);
  kept?.check();
  destination.text(REPORTS.toolUsage, usageCsv(usage, settings.groupBy));
  const counted = counter?.take();
  destination.text(REPORTS.summary, `${JSON.stringify({ ...sums, profile: counted }, null, 2)}\n`);
  const reusedSources = countOf(listing.sources.length, (index) => reuse.has(index));
  const runFacts = runFactsOf(run, reuse, { done, reusedSources, workerRestarts });
  const body = manifestBody(settings, sums);
  profile?.enter('sync');
  const page = counted && settings.report ? makePage(body, counted) : undefined;
  const committed = await destination.commit(body, runFacts, profile, page);
  profile?.enter('other');
  return {
    sums,
    rejections: ledger.rejectionCounts().rejections,
    ...(counted?.branches !== undefined && { branches: counted.branches }),
    shards: committed?.manifest.shards ?? [],
    out: settings.out,
    elapsedMs: performance.now() - started,
    readBytes,
    reusedSources,
    nothingChanged: false,
    workerRestarts,
    problems: committed?.problems.map(({ message }) => message) ?? [],
    ...(profile && { profile: profile.take() }),
  };
}

/** Returns the hooks with a further one for results. */
function withResults(hooks: RunHooks, see: (result: Result) => void): RunHooks {
  const { onResult } = hooks;
  return {
    ...hooks,
    onResult(result, listing) {
      see(result);
      return onResult?.(result, listing);
    },
  };
}

interface ReadFacts {
  /** Number of sources that the resumed run had completed. */
  readonly done: number;
  readonly reusedSources: number;
  readonly workerRestarts: number;
}

/** Returns the content of `run.json`, except for the fingerprints. */
function runFactsOf(run: Run, reuse: Reuse, { done, reusedSources, workerRestarts }: ReadFacts): RunFacts {
  const { settings, listing } = run;
  const isRead = (index: number): boolean => !reuse.has(index);
  return {
    started: run.startedAt,
    host: hostname(),
    pid: process.pid,
    node: process.version,
    elapsed_ms: performance.now() - run.started,
    workers: workerCount(refsIn(listing.sources, isRead), settings),
    worker_restarts: workerRestarts,
    inputs: settings.inputs.map((input) => (typeof input === 'string' ? input : input.name)),
    resumed: done > 0,
    reused_sources: reusedSources,
    log_lost: run.logLost(),
  };
}

/** Counts the indexes below `length` for which `matches` returns true. */
function countOf(length: number, matches: (index: number) => boolean): number {
  let count = 0;
  for (let index = 0; index < length; index++) if (matches(index)) count++;
  return count;
}

function lateNote({ sessions, first }: LateResumption): string {
  const count = sessions === 1 ? '1 session' : `${sessions} sessions`;
  return `${count} came back after the end (${first}): standard output has only the first part; add --session-by id to gather their entries, or use --out DIR to reject them`;
}

/** @throws TurnmillError if the ledger does not add up, or the result must not be published */
function reconcile(settings: Settings, ledger: Ledger): LedgerSums {
  const problems = ledger.imbalances();
  const sums = ledger.sums();
  if (problems.length > 0) {
    throw new TurnmillError('unbalanced', `ledger mismatch: ${problems.join('; ')}`, {
      subject: JSON.stringify(sums),
    });
  }
  const unreadable = ledger.allUnreadable();
  if (unreadable !== undefined) {
    const where = namesOf(settings.inputs);
    throw new TurnmillError(unreadable, `none of the sources in ${where} can be read`, { subject: where });
  }
  if (settings.maxQuarantine !== undefined) checkTolerance(settings.maxQuarantine, ledger.rejectionCounts());
  const isEmpty = (sums.sessions.seen ?? 0) === 0 && ledger.rejectionCounts().rejections === 0;
  if (isEmpty && !settings.allowEmpty) throw noInput(settings, sums);
  return sums;
}

const MAX_EXTENSIONS = 4;

/** Names the files that the walk passed over, because a folder may contain nothing else. */
function noInput({ inputs }: Settings, { extensions }: Pick<Listing, 'extensions'>): TurnmillError {
  const passedOver = Object.entries(extensions)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_EXTENSIONS)
    .map(([extension, count]) => `${count} ${printable(extension)}`);
  const hint = passedOver.length === 0 ? '' : ` (passed over by name: ${passedOver.join(', ')})`;
  return new TurnmillError(
    'no-input',
    `no sessions found in ${namesOf(inputs)}${hint}; use --allow-empty to write an empty dataset`,
  );
}

const namesOf = (inputs: readonly Input[]): string => inputs.map(nameOfInput).join(', ');

/** Returns a function that renders the report. Its components are loaded only after everything else is done. */
function makePage(body: ReturnType<typeof manifestBody>, profile: DatasetProfile): MakePage {
  return async (shards) => {
    const { renderReport } = await import('../report/render.ts');
    return renderReport({ manifest: { ...body, shards }, profile });
  };
}

function manifestBody(settings: Settings, sums: LedgerSums): Parameters<Destination['commit']>[0] {
  const shown = decisiveSettings(settings);
  const { records, lines, sessions } = sums;
  return {
    tool: { name: 'turnmill', version: toolVersion() },
    settings: shown,
    settings_sha256: sha256(JSON.stringify(shown)),
    totals: { records, lines, sessions: sessions.seen ?? 0 },
    ledger: sums,
  };
}
