/**
 * A dataset to be merged. All its files except the shards are compared with the manifest, and the manifest with itself
 * and with the summary, because it has no checksum.
 */
import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readTextIfAny } from '../dataset/fs-calls.ts';
import { manifestPath, REPORTS } from '../dataset/layout.ts';
import {
  createManifest,
  isDataset,
  MAX_MANIFEST_BYTES,
  type ManifestBody,
  manifestText,
  readManifest,
} from '../dataset/manifest.ts';
import { readFingerprints, readInputs } from '../dataset/run-facts.ts';
import type { Manifest, ManifestSlice } from '../dataset/schema/manifest.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import { shardStem } from '../dataset/shard-name.ts';
import type { OpenDataset } from '../dataset/store/with-dataset.ts';
import { TurnmillError } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { damaged } from './checked-lines.ts';
import { openPreviousDataset, type PreviousRun } from './previous-run.ts';

export interface MergeInput extends Omit<OpenDataset, 'folder'> {
  /** Path or URL, as the user named it. */
  readonly name: string;
  readonly manifest: Manifest;
  readonly run: PreviousRun;
  /** The inputs that it was built from; undefined if `run.json` does not say. */
  readonly inputs: readonly string[] | undefined;
  /** Fingerprint of each source that was read; undefined if `run.json` has none. */
  readonly fingerprints: readonly string[] | undefined;
}

/**
 * Opens a dataset.
 * @throws TurnmillError `no-input` if there is none, or it is not finished; `invalid-dataset` if it is damaged
 */
export async function openMergeInput(
  name: string,
  { folder, fetchShards, close }: OpenDataset,
  signal?: AbortSignal,
): Promise<MergeInput> {
  const text = readTextIfAny(manifestPath(folder), MAX_MANIFEST_BYTES);
  if (text === undefined)
    throw new TurnmillError('no-input', `no dataset found at ${name}`, { subject: name });
  if (!isDataset(folder)) throw damaged(manifestPath(folder), 'is not a manifest that this version can read');
  const manifest = readManifest(folder);
  checkManifest(folder, manifest, text);
  const run = await openPreviousDataset(folder, manifest, signal);
  checkSums(run, manifest);
  const about = { inputs: readInputs(folder), fingerprints: readFingerprints(folder) };
  return { name, manifest, run, ...about, fetchShards, close };
}

/** Checks what a flipped bit of the manifest would change, as far as its other members show it. */
function checkManifest(folder: string, manifest: Manifest, text: string): void {
  const { settings, settings_sha256, shards } = manifest;
  if (knownText(manifest) !== text || sha256(JSON.stringify(settings)) !== settings_sha256)
    throw damaged(manifestPath(folder), 'is not as it was written');
  for (const { path, group } of shards)
    if (!basename(path).startsWith(`${shardStem(group)}-`))
      throw damaged(manifestPath(folder), `names another group for ${path}`);
}

/** Returns the text of a manifest with the members of this one that it should have; they may be missing. */
function knownText({ tool, slice, totals, shards, files, ...body }: Partial<Manifest>): string {
  const { name, version } = { ...tool };
  const { records, lines, sessions } = { ...totals };
  const about = { ...body, tool: { name, version }, totals: { records, lines, sessions } } as ManifestBody;
  const manifest = createManifest(
    slice === undefined ? about : { ...about, slice: knownSlice(slice) },
    (shards ?? []).map(({ path, group, records: count, bytes, sha256: hash }) => ({
      ...{ path, group, records: count, bytes, sha256: hash },
    })),
    (files ?? []).map(({ path, bytes, sha256: hash }) => ({ path, bytes, sha256: hash })),
  );
  return manifestText(manifest);
}

const knownSlice = ({ index, of, sources, listing_sha256 }: ManifestSlice): ManifestSlice => ({
  ...{ index, of, sources, listing_sha256 },
});

function checkSums(run: PreviousRun, { totals, ledger, shards }: Manifest): void {
  const { profile: _, ...sums } = JSON.parse(
    readTextIfAny(run.pathOf(REPORTS.summary)) ?? '{}',
  ) as LedgerSums;
  const records = shards.reduce((sum, shard) => sum + shard.records, 0);
  const isSame = isDeepStrictEqual(sums, ledger) && isDeepStrictEqual(totalsOf(sums, records), totals);
  if (!isSame) throw damaged(manifestPath(run.root), `has other sums than ${REPORTS.summary} and its shards`);
}

const totalsOf = ({ lines, sessions }: LedgerSums, records: number): Manifest['totals'] => ({
  ...{ records, lines, sessions: sessions.seen ?? 0 },
});
