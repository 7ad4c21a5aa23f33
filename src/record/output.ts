/** Where a run's output goes: a dataset folder, standard output, or nowhere (a dry run, `check`). */

import { join } from 'node:path';
import { formats } from '../../transforms/formats/index.ts';
import { type FileCheckpoint, writeCheckpoint } from '../dataset/checkpoint.ts';
import { type Committed, commitDataset } from '../dataset/commit.ts';
import { DATA, REPORTS, WORK_FILES } from '../dataset/layout.ts';
import { createLineFile, type PlainLineFile, type WrittenFile } from '../dataset/line-file.ts';
import { writeListing } from '../dataset/listing-file.ts';
import type { ManifestBody } from '../dataset/manifest.ts';
import type { ManifestShard } from '../dataset/schema.ts';
import { createShards, type Series } from '../dataset/shards.ts';
import type { Staging } from '../dataset/staging.ts';
import { createStdoutSink } from '../dataset/stdout.ts';
import { writeWholeFile } from '../dataset/whole-file.ts';
import type { Listing } from '../input/sources/source.ts';
import type { RowOutcome } from '../ledger/result.ts';
import type { Profile } from '../profile.ts';
import { decisiveSettings } from '../settings/decisive.ts';
import type { Settings } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import { FileSpool, MemorySpool, type Spool } from './spool.ts';

/** Place of a record: its shard below the output's root, and its line in it, from 1. */
export interface Location {
  readonly shard: string;
  readonly line: number;
}

/** Makes the report's page from the shards as the manifest lists them. */
export type MakePage = (shards: readonly ManifestShard[]) => Promise<string>;

export interface Destination {
  /** True when nothing can be taken back once it is written: the records of a source then count as they come. */
  readonly streams: boolean;
  /** True when records are only counted: results that are held then need no bytes. */
  readonly discards: boolean;
  record(row: RowOutcome): Location | Promise<Location>;
  /** Appends a line, which is JSON, to one of the files beside the shards. */
  line(file: string, json: string): void;
  /** A report that is written whole, at the end. */
  text(file: string, text: string): void;
  openSpool(): Spool | undefined;
  /**
   * Publishes the dataset, all or nothing. The profile gets the segments `read-back` and `sync`.
   * @param page the report, made when the hashes of the shards are known
   */
  commit(
    body: ManifestBody,
    runFacts: object,
    profile?: Profile,
    page?: MakePage,
  ): Promise<Committed | undefined>;
  /** Makes a checkpoint: flushes everything to disk, so that a run can continue after this many sources. */
  checkpoint(sources: number): void;
  /** Ends a run that was stopped. Returns true when it leaves something that a run can continue from. */
  leave(): boolean;
  /** Ends a run that failed: leaves nothing behind. */
  discard(): void;
}

const NOWHERE: Location = { shard: '', line: 0 };

/** @param files the line files that the dataset has, empty or not */
export function openDataset(
  staging: Staging,
  settings: Settings,
  files: readonly string[],
  listing: Listing,
  signal?: AbortSignal,
): Destination {
  const { shardSizeBytes, compress, format: chosen } = settings;
  const replace = settings.replace || settings.update;
  const series = new Map(chosen.map((format) => [format, seriesOf(format, settings)]));
  const shards = createShards({ dir: staging.path, shardSizeBytes, compress, modes: staging.modes });
  const lineFiles = new Map<string, PlainLineFile>(files.map((file) => [file, openLineFile(staging, file)]));
  const { path: root } = staging;
  let hasCheckpoint = false;
  let listed: FileCheckpoint | undefined;
  const texts: WrittenFile[] = [];
  const write = (file: string, text: string): WrittenFile =>
    writeWholeFile(join(root, file), text, { mode: staging.modes.file(file) });
  function close(): void {
    shards.abandon();
    for (const file of lineFiles.values()) file.abandon();
  }

  return {
    streams: false,
    discards: false,
    record: ({ group, format, bytes }) => shards.write(group, bytes, series.get(format)),
    line: (file, json) => lineFiles.get(file)?.writeText(json),
    text: (file, text) => void texts.push(write(file, text)),
    openSpool: () => new FileSpool(join(root, WORK_FILES.spool)),
    async commit(body, runFacts, profile, page) {
      const finished = shards.finish();
      for (const file of lineFiles.values()) {
        file.sync();
        file.close();
      }
      const own = [...lineFiles].filter(([path]) => path !== WORK_FILES.fingerprints).map(([, file]) => file);
      const proofs = lineFiles.get(WORK_FILES.fingerprints);
      const written = [...own, ...texts];
      profile?.enter('read-back');
      return commitDataset({
        staging,
        shards: finished,
        files: written,
        body,
        runFacts,
        ...(proofs && { proofs }),
        writeLast: page && (async (listed) => [write(REPORTS.page, await page(listed))]),
        replace,
        ...(signal && { signal }),
        onReadBack: () => profile?.enter('sync'),
      });
    },
    checkpoint(sources) {
      listed ??= writeListing(root, listing);
      const files = [...lineFiles].map(([path, file]) => {
        file.checkpoint();
        return { path, bytes: file.bytes, crc32: file.crc32 };
      });
      const made = { toolVersion: toolVersion(), settings: decisiveSettings(settings), sources };
      writeCheckpoint(root, { ...made, shards: shards.checkpoint(), files: [...files, listed] });
      hasCheckpoint = true;
      staging.supersede();
    },
    leave() {
      close();
      if (!hasCheckpoint) staging.discard();
      return hasCheckpoint || staging.isResumed;
    },
    discard() {
      close();
      staging.discard();
    },
  };
}

/** Each of several formats has its own folder. */
function seriesOf(name: string, { format: chosen, formatOptions, plugIns }: Settings): Series {
  const format = [...formats, ...plugIns.formats].find((one) => one.name === name);
  const kind = format?.fileKind?.(formatOptions) ?? 'jsonl';
  return { folder: chosen.length > 1 ? `${DATA}/${name}` : DATA, kind };
}

function openLineFile(staging: Staging, file: string): PlainLineFile {
  const path = join(staging.path, file);
  return createLineFile(path, { mode: staging.modes.file(file) });
}

/** Writes records to standard output and nothing else. */
export function openStdout(): Destination {
  const sink = createStdoutSink();
  const at = (): Location => ({ shard: '-', line: sink.records });
  return {
    ...nowhere(),
    discards: false,
    openSpool: () => undefined,
    record({ bytes }) {
      const full = sink.write(bytes);
      return full === undefined ? at() : full.then(at);
    },
    async commit() {
      await sink.end();
      return undefined;
    },
  };
}

/** Counts and writes nothing. */
export function nowhere(): Destination {
  return {
    streams: true,
    discards: true,
    record: () => NOWHERE,
    line: () => undefined,
    text: () => undefined,
    openSpool: () => new MemorySpool(),
    commit: async () => undefined,
    checkpoint: () => undefined,
    leave: () => false,
    discard: () => undefined,
  };
}
