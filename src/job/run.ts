/**
 * Takes a run from its listing to the published dataset: runs the workers, records their results and those of earlier
 * runs, reconciles the ledger and commits. Nothing is visible before the last step.
 */

import { hostname } from 'node:os';
import { usageCsv } from '../../transforms/model/tool-usage.ts';
import { REPORTS } from '../dataset/layout.ts';
import type { ManifestBody } from '../dataset/manifest.ts';
import { modesOf } from '../dataset/modes.ts';
import type { FileReader } from '../dataset/read-back.ts';
import type { Counts } from '../dataset/schema/ledger.ts';
import type { ManifestShard, ManifestSlice, RunFacts } from '../dataset/schema/manifest.ts';
import type { DatasetProfile, LedgerSums } from '../dataset/schema/reports.ts';
import { workPath } from '../dataset/staging.ts';
import type { DatasetStore, DatasetWriter } from '../dataset/store/store.ts';
import { refsIn } from '../engine/task.ts';
import { TurnmillError } from '../errors.ts';
import { compressionNamed } from '../input/decompress/sniff.ts';
import { type Listing, passedOverIn, type SourceRef } from '../input/sources/source.ts';
import { type Input, nameOfInput } from '../input/sources/stream-source.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Result } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import type { Profile, ProfileFigures } from '../profile.ts';
import { Checkpoints } from '../record/checkpoints.ts';
import { DatasetOutput, type Destination, type MakePage } from '../record/output.ts';
import type { LateResumption } from '../record/result-writer.ts';
import type { KeptSessions } from '../reuse/kept-sessions.ts';
import type { PreviousRun } from '../reuse/previous-run.ts';
import { NOTHING_REUSED, type Reuse } from '../reuse/reuse.ts';
import { checkTolerance } from '../settings/error-budget.ts';
import type { ListedIds } from '../settings/listed-ids.ts';
import type { Settings } from '../settings/settings.ts';
import { keepsPaths, type SplitShares } from '../settings/split-shares.ts';
import { sha256 } from '../sha256.ts';
import { plural } from '../sizes.ts';
import { toolVersion } from '../version.ts';
import type { PoolHooks } from '../workers/pool.ts';
import type { WorkerThread } from '../workers/worker-thread.ts';
import { type Books, openBooks } from './books.ts';
import type { DecideOptions } from './decided.ts';
import type { RunHooks } from './hooks.ts';
import { type Recorded, Recording } from './map.ts';

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
  /** Records in the first format that equal an earlier one byte for byte, if there are any. */
  readonly repeated?: number | undefined;
  /** Records of all formats by split, with `--split`. */
  readonly splits?: Counts;
  /** Groups of sessions that an update put into another split. */
  readonly splitMoved?: number;
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
export interface Run {
  readonly settings: Settings;
  readonly hooks: RunHooks;
  /** Number of notes that could not be shown. */
  readonly logLost: () => number;
  readonly profile: Profile | undefined;
  readonly started: number;
  readonly startedAt: string;
  /** The sources of the run; those of the slice, if it has one. */
  readonly listing: Listing;
  readonly slice?: ManifestSlice | undefined;
  /** Settings that the manifest gets. */
  readonly shownSettings: Readonly<Record<string, unknown>>;
}

/** Results of earlier runs that a run takes, and a step before it publishes. */
export interface RunParts {
  readonly reuse: Reuse;
  /** Number of sources that the resumed run had completed. */
  readonly done: number;
  /** Counts the sessions that an update keeps. */
  readonly kept?: KeptSessions | undefined;
  /** Checks whether a dataset without records may be published. */
  readonly checkEmpty?: (() => Promise<void>) | undefined;
  /** Whether a later run can continue this one if it is stopped. */
  readonly canBeResumed?: boolean;
  /** Leaves out records, marks answers and divides into splits once all are staged. */
  readonly decide?: ((books: Books, sources: number) => Promise<Books | undefined>) | undefined;
}

const NO_CHECKPOINTS = { checkpoint: (): void => undefined };

export const NO_PARTS: RunParts = { reuse: NOTHING_REUSED, done: 0 };

/** Returns the step that decides about the staged records, if the run has it. Its code is loaded on demand. */
function deciding(
  { settings, listing, hooks: { signal, onNote } }: Run,
  staged: DatasetOutput,
  files: Pick<DecideOptions, 'open' | 'pathFor' | 'previous' | 'isDraft'>,
): RunParts['decide'] {
  if (!keepsPaths(settings)) return undefined;
  return async (books, sources) => {
    const { decideRecords } = await import('./decided.ts');
    return decideRecords({ settings, listing, signal, onNote, staged, ...files }, books, sources);
  };
}

/** Results of earlier runs that a run takes into a dataset. */
export interface DatasetParts extends Pick<RunParts, 'done' | 'kept' | 'checkEmpty' | 'canBeResumed'> {
  /** The killed run to continue from. */
  readonly resumedId?: string | undefined;
  /** The dataset that an update replaces. */
  readonly previous?: PreviousRun | undefined;
  /** Opens the results to reuse. @param pathFor returns a path for a temporary file of the run */
  open(pathFor: (name: string) => string): Reuse;
}

/** Runs into a staging folder of the store, and publishes it. Call it under the lock of the store. */
export async function runIntoDataset(
  run: Run,
  store: DatasetStore,
  { resumedId, open, previous, canBeResumed = true, ...parts }: DatasetParts,
): Promise<RunSummary> {
  const { settings, listing, hooks } = run;
  const { signal } = hooks;
  const modes = modesOf({ mode: settings.mode, sources: listing.mode });
  const draft = keepsPaths(settings) ? store.openDraft?.(modes) : undefined;
  const isDraft = draft !== undefined;
  const writer = draft ?? store.open(resumedId, modes);
  for (const note of writer.notes) hooks.onNote?.(note);
  let destination: DatasetOutput | undefined;
  try {
    destination = new DatasetOutput({ writer, settings, listing, signal });
    const pathFor = (name: string): string => workPath(writer.path, name);
    const second = (): DatasetWriter => store.open(writer.runId, modes);
    const decide = deciding(run, destination, { pathFor, open: second, previous, isDraft });
    const about = { ...parts, canBeResumed: canBeResumed && !isDraft, decide };
    return await runInto(run, destination, { ...about, reuse: open(pathFor) });
  } catch (error) {
    if (destination === undefined) await writer.discard();
    throw error;
  }
}

export async function runInto(run: Run, destination: Destination, parts: RunParts): Promise<RunSummary> {
  const { settings, listing, profile } = run;
  const { reuse, done, kept, decide, canBeResumed = true } = parts;
  const hooks = kept === undefined ? run.hooks : withResults(run.hooks, (result) => kept.see(result));
  const threads: WorkerThread[] = [];
  const keepThreads: PoolHooks['keepThreads'] = (idle) => void threads.push(...idle);
  let books = openBooks(settings, listing, destination);
  try {
    await requireDecoders(refsIn(listing.sources, (index) => !reuse.has(index)));
    const { ledger, recorder } = books;
    const checkpoints = new Checkpoints(canBeResumed ? destination : NO_CHECKPOINTS, done);
    const { root: workFolder } = destination;
    const state = { settings, listing, ledger, recorder, reuse, checkpoints, hooks, profile, workFolder };
    const recorded = await new Recording({ ...state, keepThreads }).run();
    const late = recorder.reopened();
    if (late !== undefined) hooks.onNote?.(lateNote(late));
    books = (await decide?.(books, recorded.sources)) ?? books;
    return await publish(run, books, parts, recorded, threads);
  } catch (error) {
    if (books.destination !== destination) await books.destination.discard();
    if (hooks.signal?.aborted !== true || !canBeResumed) await destination.discard();
    else if (await destination.leave())
      hooks.onNote?.('run the same command with --resume to continue from the last checkpoint');
    throw error;
  } finally {
    await Promise.all(threads.map((thread) => thread.stop()));
  }
}

/** Reconciles the ledger, and commits. */
async function publish(
  run: Run,
  { destination, ledger, usage, counter, recorder, splitMoved = 0 }: Books,
  { reuse, done, kept, checkEmpty }: RunParts,
  { readBytes, workers, workerRestarts }: Recorded,
  readers: readonly FileReader[],
): Promise<RunSummary> {
  const { settings, listing, profile, started } = run;
  const sums = reconcile(run, ledger);
  checkListed(run, recorder.listed);
  kept?.check();
  if (sums.records === 0) await checkEmpty?.();
  destination.text(REPORTS.toolUsage, usageCsv(usage, settings.groupBy));
  const counted = counter?.take();
  destination.text(REPORTS.summary, `${JSON.stringify({ ...sums, profile: counted }, null, 2)}\n`);
  const reusedSources = countOf(listing.sources.length, (index) => reuse.has(index));
  const runFacts = runFactsOf(run, { done, reusedSources, workers, workerRestarts, splitMoved });
  const body = manifestBody(run, sums);
  profile?.enter('sync');
  const page = counted && settings.report ? makePage(body, counted) : undefined;
  const committed = await destination.commit(body, runFacts, { profile, page, readers });
  profile?.enter('other');
  const figures = profile?.take(); // before the duration is measured, which is never shorter than what it consists of
  return {
    sums,
    rejections: ledger.rejectionCounts().rejections,
    ...(counted?.branches !== undefined && { branches: counted.branches }),
    repeated: counted?.records.repeated,
    ...(settings.split && { splits: splitCounts(settings.split, committed?.manifest.shards), splitMoved }),
    shards: committed?.manifest.shards ?? [],
    out: settings.out,
    elapsedMs: performance.now() - started,
    readBytes,
    reusedSources,
    nothingChanged: false,
    workerRestarts,
    problems: committed?.problems.map(({ message }) => message) ?? [],
    ...(figures && { profile: figures }),
  };
}

/** Counts the records of each split, in the order in which the user named them. */
function splitCounts(shares: SplitShares, shards: readonly ManifestShard[] = []): Counts {
  const counts = Object.keys(shares).map((name) => {
    const own = shards.filter(({ path }) => path.split('/').at(-2) === name);
    return [name, own.reduce((sum, { records }) => sum + records, 0)];
  });
  return Object.fromEntries(counts);
}

/** Returns the hooks with a further one for every result. */
function withResults(hooks: RunHooks, see: (result: Result) => void): RunHooks {
  const { onResult } = hooks;
  return {
    ...hooks,
    onFindings: undefined,
    onResult(result, listing) {
      see(result);
      return onResult?.(result, listing);
    },
  };
}

interface ReadFacts extends Pick<Recorded, 'workers' | 'workerRestarts'> {
  /** Number of sources that the resumed run had completed. */
  readonly done: number;
  readonly reusedSources: number;
  readonly splitMoved: number;
}

/** Returns the content of `run.json`, except for the fingerprints. */
function runFactsOf(
  run: Run,
  { done, reusedSources, workers, workerRestarts, splitMoved }: ReadFacts,
): RunFacts {
  const { settings } = run;
  return {
    started: run.startedAt,
    host: hostname(),
    pid: process.pid,
    node: process.version,
    elapsed_ms: performance.now() - run.started,
    workers: workers.count,
    workers_reason: workers.reason,
    worker_restarts: workerRestarts,
    inputs: settings.inputs.map((input) => (typeof input === 'string' ? input : input.name)),
    folder: process.cwd(),
    resumed: done > 0,
    reused_sources: reusedSources,
    ...(splitMoved > 0 && { split_moved: splitMoved }),
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
function reconcile({ settings, slice }: Run, ledger: Ledger): LedgerSums {
  const problems = ledger.imbalances();
  const sums = ledger.sums();
  if (problems.length > 0) {
    throw new TurnmillError('unbalanced', `ledger mismatch: ${problems.join('; ')}`, {
      subject: JSON.stringify(sums),
    });
  }
  // a slice may have sources without a session, or that cannot be read, which other slices make up for
  const unreadable = slice === undefined ? ledger.allUnreadable() : undefined;
  if (unreadable !== undefined) {
    const where = namesOf(settings.inputs);
    throw new TurnmillError(unreadable, `none of the sources in ${where} can be read`, { subject: where });
  }
  if (settings.maxQuarantine !== undefined) checkTolerance(settings, ledger.rejectionCounts());
  const isEmpty = (sums.sessions.seen ?? 0) === 0 && ledger.rejectionCounts().rejections === 0;
  if (isEmpty && !settings.allowEmpty && slice === undefined)
    throw noInput(settings, { ...sums, passedOver: passedOverIn(sums.skipped) });
  return sums;
}

/**
 * Names the ids of `--only` that are in no log. A slice, or a run with `--limit`, does not read all logs.
 * @throws TurnmillError `no-input` if none of them is in a log
 */
function checkListed({ settings, slice, hooks }: Run, listed: ListedIds | undefined): void {
  const missing = listed?.missingIn('log');
  if (missing === undefined || slice !== undefined || settings.limit !== undefined) return;
  if (listed?.isAllMissing !== true || settings.allowEmpty) hooks.onNote?.(missing);
  else throw new TurnmillError('no-input', `${missing}; use --allow-empty to write an empty dataset`);
}

const MAX_EXTENSIONS = 4;
const LEAVING_OUT = [
  ['not-included', '--include'],
  ['excluded-by-option', '--exclude'],
  ['too-old', '--since'],
] as const;

/** Names the files that the walk skipped, because a folder may contain nothing else, or an option may leave out all. */
export function noInput(
  { inputs }: Settings,
  { extensions, passedOver }: Pick<Listing, 'extensions' | 'passedOver'>,
): TurnmillError {
  const leftOut = LEAVING_OUT.filter(([reason]) => (passedOver[reason] ?? 0) > 0)
    .map(([reason, flag]) => `${flag} leaves out ${plural(passedOver[reason] ?? 0, 'file')}`)
    .join(', ');
  const hint = leftOut === '' ? skippedByName(extensions) : `: ${leftOut}`;
  return new TurnmillError(
    'no-input',
    `no sessions found in ${namesOf(inputs)}${hint}; use --allow-empty to write an empty dataset`,
  );
}

function skippedByName(extensions: Listing['extensions']): string {
  const skipped = Object.entries(extensions)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_EXTENSIONS)
    .map(([extension, count]) => `${count} ${printable(extension)}`);
  return skipped.length === 0
    ? ''
    : ` (skipped because of their names: ${skipped.join(', ')}); name a file itself to read it`;
}

const namesOf = (inputs: readonly Input[]): string => inputs.map(nameOfInput).join(', ');

/** Returns a function that renders the report. Its components are loaded only after everything else is done. */
function makePage(body: ManifestBody, profile: DatasetProfile): MakePage {
  return async (shards) => {
    const { renderReport } = await import('../report/render.ts');
    return renderReport({ manifest: { ...body, shards }, profile });
  };
}

function manifestBody({ shownSettings: shown, slice }: Run, sums: LedgerSums): ManifestBody {
  const { records, lines, sessions } = sums;
  return {
    tool: { name: 'turnmill', version: toolVersion() },
    settings: shown,
    settings_sha256: sha256(JSON.stringify(shown)),
    ...(slice && { slice }),
    totals: { records, lines, sessions: sessions.seen ?? 0 },
    ledger: sums,
  };
}

/**
 * Checks, before anything is read, that all sources can be unpacked on this machine.
 * @throws TurnmillError `unavailable` if a source needs a program that is missing or does not answer
 */
async function requireDecoders(sources: Iterable<SourceRef>): Promise<void> {
  for (const { name } of sources) {
    if (compressionNamed(name) !== 'zstd') continue;
    const { requireZstd } = await import('../input/decompress/require-zstd.ts'); // loaded late: most sources are plain
    requireZstd(name);
    return;
  }
}
