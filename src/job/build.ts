/**
 * The main job from end to end: list the sources, run the workers, record what they find, balance
 * the books, commit. Nothing is visible before the last step.
 */

import { hostname } from 'node:os';
import { usageCsv } from '../../transforms/model/tool-usage.ts';
import { checkDestination } from '../dataset/destination.ts';
import { LINE_FILES, REPORTS, WORK_FILES } from '../dataset/layout.ts';
import { acquireLock } from '../dataset/lock.ts';
import { modesOf } from '../dataset/modes.ts';
import type { Place } from '../dataset/place.ts';
import { healDestination } from '../dataset/recover.ts';
import type { DatasetProfile, LedgerSums, Manifest, RunFacts } from '../dataset/schema.ts';
import { openStaging, workPath } from '../dataset/staging.ts';
import { workerCount } from '../engine/worker-count.ts';
import { TurnmillError } from '../errors.ts';
import { requireZstd } from '../input/decompress/require-zstd.ts';
import { listSources } from '../input/sources/list.ts';
import { requireDecoders } from '../input/sources/require-decoders.ts';
import type { Listing } from '../input/sources/source.ts';
import {
  closeStreams,
  type Input,
  nameOfInput,
  pathsOf,
  takeStreams,
} from '../input/sources/stream-source.ts';
import { ProfileCounter } from '../ledger/dataset-profile.ts';
import { Ledger } from '../ledger/ledger.ts';
import { createProfile, type Profile, type ProfileFigures } from '../profile.ts';
import { createCheckpoints } from '../record/checkpoints.ts';
import { type Destination, type MakePage, nowhere, openDataset, openStdout } from '../record/output.ts';
import { type CameBack, Recorder } from '../record/result-writer.ts';
import { type Kept, NOTHING_KEPT } from '../reuse/kept.ts';
import type { TakeOver } from '../reuse/take-over.ts';
import { decisiveSettings } from '../settings/decisive.ts';
import { checkTolerance } from '../settings/error-budget.ts';
import { type BuildRequest, withPlugInFiles } from '../settings/plug-in-files.ts';
import { resolveSettings, type Settings } from '../settings/settings.ts';
import { sha256 } from '../sha256.ts';
import { toolVersion } from '../version.ts';
import type { RunHooks } from './hooks.ts';
import { recordAll } from './map.ts';

/** The result of a build. */
export interface RunSummary {
  readonly sums: LedgerSums;
  /** Lines and records of one of several formats that were kept out, and sources that were lost without a line; the run then ends with status 3. */
  readonly rejections: number;
  readonly shards: readonly { readonly path: string; readonly records: number; readonly bytes: number }[];
  readonly out: string | undefined;
  readonly elapsedMs: number;
  readonly readBytes: number;
  /** Sources that were not read, because an earlier run had. */
  readonly keptSources: number;
  /** An update that had nothing to do: the dataset that is there stays. */
  readonly nothingChanged: boolean;
  /** Worker threads that died and were replaced. */
  readonly workerRestarts: number;
  /** What went wrong after the dataset was in place (leftovers that could not be removed). */
  readonly problems: readonly string[];
  /** Where the time of all threads went, when `profile` was set. */
  readonly profile?: ProfileFigures;
}

/** What a run has from its beginning. */
interface Run {
  readonly settings: Settings;
  readonly hooks: RunHooks;
  /** Notes that did not get there. */
  readonly logLost: () => number;
  readonly profile: Profile | undefined;
  readonly started: number;
  readonly startedAt: string;
  readonly listing: Listing;
}

/**
 * Builds a dataset. Streams among the inputs are closed when it ends, however it ends, read or not.
 * @throws TurnmillError: nothing was committed
 */
export async function build(given: BuildRequest, hooks: RunHooks = {}): Promise<RunSummary> {
  takeStreams(given.inputs);
  try {
    return await buildFrom(resolveSettings(await withPlugInFiles(given)), hooks);
  } finally {
    closeStreams(given.inputs);
  }
}

async function buildFrom(settings: Settings, hooks: RunHooks): Promise<RunSummary> {
  const { out } = settings;
  if (out !== undefined && out !== '-') return buildDataset(out, settings, hooks);
  const run = begin(settings, hooks);
  return runInto(run, out === '-' ? openStdout() : nowhere(), NOTHING_KEPT, 0);
}

async function buildDataset(out: string, settings: Settings, hooks: RunHooks): Promise<RunSummary> {
  const { inputs, replace, update, resume } = settings;
  if (settings.compress === 'zstd') requireZstd('--compress zstd');
  const release = await acquireLock(out);
  try {
    healDestination(out);
    const place = checkDestination({ out, inputs: pathsOf(inputs), replace: replace || update });
    const run = begin(settings, hooks);
    const takeOver = update || resume ? await planLate(place, run) : undefined;
    const { resumed, nothingChanged } = takeOver ?? {};
    if (nothingChanged !== undefined) return unchangedSummary(run, nothingChanged.manifest);
    const staging = openStaging(
      place,
      resumed?.runId,
      modesOf({ mode: settings.mode, sources: run.listing.mode }),
    );
    for (const note of staging.notes) run.hooks.onNote?.(note);
    let destination: Destination | undefined;
    try {
      destination = openDataset(
        staging,
        settings,
        [...Object.values(LINE_FILES), WORK_FILES.fingerprints],
        run.listing,
        hooks.signal,
      );
      const kept = takeOver?.open((name) => workPath(staging.path, name)) ?? NOTHING_KEPT;
      return await runInto(run, destination, kept, resumed?.sources ?? 0);
    } catch (error) {
      if (destination === undefined) staging.discard();
      throw error;
    }
  } finally {
    await release();
  }
}

/** Late: most runs take nothing over. */
async function planLate(place: Place, { settings, listing, hooks }: Run): Promise<TakeOver> {
  const { planTakeOver } = await import('../reuse/take-over.ts');
  return planTakeOver(place, settings, listing, hooks);
}

/** Lists what is to be read. */
function begin(settings: Settings, hooks: RunHooks): Run {
  const started = performance.now();
  const startedAt = new Date().toISOString();
  const profile = settings.profile ? createProfile('list') : undefined;
  hooks.heap?.hold();
  const listing = listSources(settings.inputs, settings.follow);
  profile?.enter('other');
  const lost = listing.skipped.filter(({ reason }) => reason !== 'excluded').length;
  if (listing.sources.length + lost === 0 && !settings.allowEmpty) throw noInput(settings);
  checkSources(settings, listing);
  let untold = 0;
  const onNote = (message: string): undefined => {
    if (hooks.onNote?.(message) === false) untold++;
  };
  const logLost = (): number => untold;
  return { settings, hooks: { ...hooks, onNote }, logLost, profile, started, startedAt, listing };
}

/** Before any of them is opened. */
function checkSources({ maxSources = Number.POSITIVE_INFINITY }: Settings, { sources }: Listing): void {
  if (sources.length <= maxSources) return;
  const message = `${sources.length} sources found, but --max-sources allows ${maxSources}; nothing was read`;
  throw new TurnmillError('rejected', message, { subject: '--max-sources' });
}

/** The result of an update that has nothing to do, taken from the dataset. */
function unchangedSummary({ settings, listing, started }: Run, { ledger, shards }: Manifest): RunSummary {
  return {
    sums: ledger as LedgerSums,
    rejections: 0,
    shards,
    out: settings.out,
    elapsedMs: performance.now() - started,
    readBytes: 0,
    keptSources: listing.sources.length,
    nothingChanged: true,
    workerRestarts: 0,
    problems: [],
  };
}

/** Everything but the writing. */
export function check(given: BuildRequest, hooks: RunHooks = {}): Promise<RunSummary> {
  return build({ ...given, out: undefined }, hooks);
}

/** @param done sources that the run that this one goes on from has done */
async function runInto(run: Run, destination: Destination, kept: Kept, done: number): Promise<RunSummary> {
  const { settings, hooks, listing, profile, started } = run;
  try {
    await requireDecoders(listing.sources);
    const ledger = new Ledger(listing, settings.format);
    const usage = new Map();
    const counter = destination.streams ? undefined : new ProfileCounter(settings.groupBy);
    const recorder = new Recorder({ settings, listing, destination, ledger, usage, profile: counter });
    const checkpoints = createCheckpoints(destination, done);
    const parts = { settings, listing, ledger, recorder, kept, checkpoints, hooks, profile };
    const { readBytes, workerRestarts } = await recordAll(parts);
    const cameBack = recorder.reopened();
    if (cameBack !== undefined) hooks.onNote?.(incomplete(cameBack));
    const sums = balance(settings, ledger);
    destination.text(REPORTS.toolUsage, usageCsv(usage, settings.groupBy));
    const counted = counter?.take();
    destination.text(REPORTS.summary, `${JSON.stringify({ ...sums, profile: counted }, null, 2)}\n`);
    const toRead = listing.sources.filter((_, index) => !kept.has(index));
    const keptSources = listing.sources.length - toRead.length;
    const runFacts = {
      started: run.startedAt,
      host: hostname(),
      pid: process.pid,
      node: process.version,
      elapsed_ms: performance.now() - started,
      workers: workerCount(toRead, settings),
      worker_restarts: workerRestarts,
      inputs: settings.inputs.map((input) => (typeof input === 'string' ? input : input.name)),
      resumed: done > 0,
      kept_sources: keptSources,
      log_lost: run.logLost(),
    } satisfies RunFacts;
    const body = manifestBody(settings, sums);
    profile?.enter('sync');
    const page = counted && settings.report ? makePage(body, counted) : undefined;
    const committed = await destination.commit(body, runFacts, profile, page);
    profile?.enter('other');
    return {
      sums,
      rejections: ledger.keptOut().rejections,
      shards: committed?.manifest.shards ?? [],
      out: settings.out,
      elapsedMs: performance.now() - started,
      readBytes,
      keptSources,
      nothingChanged: false,
      workerRestarts,
      problems: committed?.problems.map(({ message }) => message) ?? [],
      ...(profile && { profile: profile.take() }),
    };
  } catch (error) {
    if (hooks.signal?.aborted !== true) destination.discard();
    else if (destination.leave())
      hooks.onNote?.('run the same command with --resume to continue from the last checkpoint');
    throw error;
  }
}

function incomplete({ sessions, first }: CameBack): string {
  const what = sessions === 1 ? '1 session' : `${sessions} sessions`;
  return `${what} came back after the end (${first}): standard output has only the first part; use --out DIR to reject them, or sort the input by session id`;
}

function balance(settings: Settings, ledger: Ledger): LedgerSums {
  const problems = ledger.imbalances();
  const sums = ledger.sums();
  if (problems.length > 0) {
    throw new TurnmillError('unbalanced', `ledger mismatch: ${problems.join('; ')}`, {
      subject: JSON.stringify(sums),
    });
  }
  const shut = ledger.allUnreadable();
  if (shut !== undefined) {
    const where = namesOf(settings.inputs);
    throw new TurnmillError(shut, `none of the sources in ${where} can be read`, { subject: where });
  }
  if (settings.maxQuarantine !== undefined) checkTolerance(settings.maxQuarantine, ledger.keptOut());
  const nothing = (sums.sessions.seen ?? 0) === 0 && ledger.keptOut().rejections === 0;
  if (nothing && !settings.allowEmpty) throw noInput(settings);
  return sums;
}

function noInput({ inputs }: Settings): TurnmillError {
  return new TurnmillError(
    'no-input',
    `no sessions found in ${namesOf(inputs)}; use --allow-empty to write an empty dataset`,
  );
}

const namesOf = (inputs: readonly Input[]): string => inputs.map(nameOfInput).join(', ');

/** Late: the report's components are loaded when everything else is done. */
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
