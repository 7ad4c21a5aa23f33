/**
 * Merges datasets into the one that a single build over all their sources would write: a run whose sources are all reused
 * (docs/many-machines.md).
 */

import { join } from 'node:path';
import { lstatIfAny, readDirectory } from '../dataset/fs-calls.ts';
import { REPORTS } from '../dataset/layout.ts';
import { isDataset } from '../dataset/manifest.ts';
import { resolveDataset } from '../dataset/recover.ts';
import { storeFor } from '../dataset/store/store-for.ts';
import { openDataset } from '../dataset/store/with-dataset.ts';
import { failUsage, TurnmillError } from '../errors.ts';
import { requireZstd } from '../input/decompress/require-zstd.ts';
import type { S3Options } from '../object-store/options.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { type MergeInput, openMergeInput } from '../reuse/merge-input.ts';
import { MergedListing } from '../reuse/merged-listing.ts';
import { MergedSources } from '../reuse/merged-sources.ts';
import { missingAmong, planMerge } from '../reuse/plan-merge.ts';
import { checkFile } from '../reuse/previous-run.ts';
import type { Setting } from '../settings/option.ts';
import { type PartialS3, resolveS3Options } from '../settings/s3-settings.ts';
import { checkCopies, checkOut, checkSplit, DEFAULT_SETTINGS, type Settings } from '../settings/settings.ts';
import { keepsPaths } from '../settings/split-shares.ts';
import { SETTINGS } from '../settings/table.ts';
import type { RunHooks } from './hooks.ts';
import { type Run, type RunSummary, runIntoDataset } from './run.ts';

export interface MergeRequest {
  /** Paths of folders, or `s3://` URLs. Slices are ordered by their numbers, other datasets as they are named. */
  readonly datasets: readonly string[];
  readonly out: string;
  /** As for `build`. */
  readonly replace?: boolean;
  readonly allowEmpty?: boolean;
  readonly mode?: number | undefined;
  readonly s3?: PartialS3;
}

/**
 * Writes the dataset that one build of all sources would write.
 * @throws TurnmillError if nothing was published, such as `missing-slices`
 */
export async function merge(request: MergeRequest, hooks: RunHooks = {}): Promise<RunSummary> {
  if (!Array.isArray(request?.datasets) || request.out === undefined)
    failUsage('merge() takes an object with a list of datasets and out');
  const { datasets, out, replace = false } = request;
  checkOut(out);
  const s3 = resolveS3Options(request.s3);
  if (out === '-') failUsage('merge: --out - is not possible; name a folder');
  const store = await storeFor(out, s3);
  const release = await store.acquire();
  const opened = new OpenInputs(s3, hooks.signal);
  try {
    await store.prepare({ inputs: datasets, replace });
    const { run, merged } = await begin({ ...request, s3 }, opened, hooks);
    const { format, quarantineSize } = run.settings;
    return await runIntoDataset(run, store, {
      done: 0,
      canBeResumed: false,
      open(pathFor) {
        const { signal } = hooks;
        const about = { format: format[0] ?? '', hasPaths: keepsPaths(run.settings), pathFor, signal };
        return new MergedSources(merged, { ...about, merged: { quarantineSize } });
      },
    });
  } finally {
    opened.close();
    await release();
  }
}

/**
 * Returns the numbers of the slices that are not there or not whole, such as `4,7-9`; an empty text if all are. Every
 * file is compared with its manifest.
 * @throws TurnmillError `missing-slices` if not a single slice is there; `invalid-dataset` for slices of different listings
 */
export async function missingSlices(
  datasets: readonly string[],
  s3: PartialS3 = {},
  signal?: AbortSignal,
): Promise<string> {
  const opened = new OpenInputs(resolveS3Options(s3), signal);
  try {
    await opened.add(datasets, true);
    return missingAmong(opened.inputs, opened.absent);
  } finally {
    opened.close();
  }
}

async function begin(
  request: MergeRequest & Pick<Settings, 's3'>,
  opened: OpenInputs,
  hooks: RunHooks,
): Promise<{ run: Run; merged: MergedListing }> {
  const started = performance.now();
  const startedAt = new Date().toISOString();
  hooks.heap?.hold();
  await opened.add(request.datasets);
  const groups = planMerge(opened.inputs, opened.absent);
  const merged = new MergedListing(groups);
  const [first] = opened.inputs as [MergeInput];
  const settings = settingsOf(first, merged.inputs, request);
  checkCopies(settings);
  checkSplit(settings);
  if (settings.compress === 'zstd') requireZstd('--compress zstd');
  const { listing } = merged;
  const shownSettings = first.manifest.settings as Run['shownSettings'];
  const facts = { logLost: (): number => 0, profile: undefined, started, startedAt };
  return { run: { settings, hooks, ...facts, listing, shownSettings }, merged };
}

/** Returns the settings of the datasets as far as they decide how results are written. Hashed texts are not needed for that. */
function settingsOf(
  { manifest }: MergeInput,
  inputs: readonly string[],
  { datasets: _, ...request }: MergeRequest & Pick<Settings, 's3'>,
): Settings {
  const rows: Readonly<Record<string, Setting<unknown> | undefined>> = SETTINGS;
  const known = Object.entries(manifest.settings).filter(
    ([name]) => name === 'formatOptions' || rows[name]?.decides !== undefined,
  );
  const report = manifest.files.some(({ path }) => path === REPORTS.page);
  return { ...DEFAULT_SETTINGS, ...Object.fromEntries(known), ...request, inputs, report };
}

/** The datasets of a merge. */
class OpenInputs {
  readonly inputs: MergeInput[] = [];
  /** Names of those that are not there. */
  readonly absent: string[] = [];
  readonly #s3: S3Options;
  readonly #signal: AbortSignal | undefined;

  constructor(s3: S3Options, signal: AbortSignal | undefined) {
    this.#s3 = s3;
    this.#signal = signal;
  }

  /** @param checksAll whether to check the shards too; a damaged dataset then counts as absent */
  async add(names: readonly string[], checksAll: boolean = false): Promise<void> {
    for (const name of names) {
      try {
        const input = await this.#open(name);
        this.inputs.push(input);
        if (checksAll) await this.#checkShards(input);
      } catch (error) {
        const code = error instanceof TurnmillError ? error.code : undefined;
        if (code !== 'no-input' && !(checksAll && code === 'invalid-dataset')) throw error;
        checkFolder(name);
        this.absent.push(name);
      }
    }
  }

  close(): void {
    for (const input of this.inputs) input.close();
  }

  async #open(name: string): Promise<MergeInput> {
    const dataset = await openDataset(isObjectUrl(name) ? name : resolveDataset(name), this.#s3);
    try {
      return await openMergeInput(name, dataset, this.#signal);
    } catch (error) {
      dataset.close();
      throw error;
    }
  }

  async #checkShards(input: MergeInput): Promise<void> {
    try {
      await input.fetchShards();
      for (const shard of input.run.shards) await checkFile(input.run.root, shard, { signal: this.#signal });
    } catch (error) {
      this.inputs.pop();
      throw error;
    } finally {
      input.close();
    }
  }
}

/** @throws TurnmillError `no-input` if it is not a dataset, but a folder of datasets */
function checkFolder(name: string): void {
  if (isObjectUrl(name) || lstatIfAny(name)?.isDirectory() !== true || isDataset(name)) return;
  if (!readDirectory(name).some((inside) => isDataset(join(name, inside.name)))) return;
  const message = `${name} is a folder of datasets: name the datasets, such as ${join(name, '*')}`;
  throw new TurnmillError('no-input', message, { subject: name });
}
