/** `turnmill report`: renders the report of a dataset, with facts of its run and a comparison with an earlier dataset. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORTS, RUN_FACTS } from '../dataset/layout.ts';
import { readManifest } from '../dataset/manifest.ts';
import type { Manifest, RunFacts } from '../dataset/schema/manifest.ts';
import type { DatasetProfile, LedgerSums } from '../dataset/schema/reports.ts';
import { withDataset } from '../dataset/store/with-dataset.ts';
import { ioError, TurnmillError } from '../errors.ts';
import type { S3Options } from '../object-store/options.ts';
import { driftOf } from '../report/drift.ts';
import { readProfile } from '../report/read-profile.ts';
import { renderReport } from '../report/render.ts';
import { DEFAULT_S3 } from '../settings/s3-settings.ts';

export interface ReportRequest {
  readonly dataset: string;
  /** An earlier dataset to compare with. */
  readonly against?: string | undefined;
  /** How to reach the store of an `s3://` URL. */
  readonly s3?: S3Options | undefined;
}

interface ReportedDataset {
  readonly manifest: Manifest;
  readonly profile: DatasetProfile;
  readonly run: RunFacts | undefined;
}

/**
 * Returns the text of one HTML file. Writes nothing.
 * @throws TurnmillError `invalid-dataset` if a folder is not a dataset
 */
export async function report({ dataset, against, s3 = DEFAULT_S3 }: ReportRequest): Promise<string> {
  const now = await readDataset(dataset, s3);
  const before = against === undefined ? undefined : await readDataset(against, s3);
  return renderReport({ ...now, dataset, drift: before && driftOf(before, now) });
}

/** Reads a dataset. From a store, it fetches only the files that it needs: all of them if records must be counted. */
async function readDataset(dataset: string, s3: S3Options): Promise<ReportedDataset> {
  const isNeeded = (path: string): boolean => path === RUN_FACTS || path === REPORTS.summary;
  const { profile, ...facts } = await withDataset(dataset, s3, isNeeded, async (folder) => ({
    manifest: readManifest(folder),
    run: readJson<RunFacts>(join(folder, RUN_FACTS)),
    profile: readJson<LedgerSums>(join(folder, REPORTS.summary))?.profile,
  }));
  const count = (folder: string): Promise<DatasetProfile> => readProfile(folder, facts.manifest);
  return { ...facts, profile: profile ?? (await withDataset(dataset, s3, () => true, count)) };
}

/** Returns undefined if the file is missing. */
function readJson<T>(path: string): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw ioError('read', path, error);
  }
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new TurnmillError('invalid-dataset', `${path} is not JSON`, { subject: path });
  }
}
