/** The destinations of a run's output: a dataset, standard output, or none (a dry run, `check`). */

import { join } from 'node:path';
import { formats } from '../../transforms/formats/index.ts';
import { type FileCheckpoint, replaceCheckpoint, writeListing } from '../dataset/checkpoint-file.ts';
import type { CommitRequest, Committed } from '../dataset/commit.ts';
import { CARD, DATA, LINE_FILES, PATHS, REDACTIONS, REPORTS, WORK_FILES } from '../dataset/layout.ts';
import { type LineFile, lineFileOver, type PlainLineFile, type WrittenFile } from '../dataset/line-file.ts';
import type { ManifestBody } from '../dataset/manifest.ts';
import type { ContainerPlace } from '../dataset/schema/ledger.ts';
import type { ManifestShard } from '../dataset/schema/manifest.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import { type Series, Shards } from '../dataset/shards.ts';
import { StdoutSink } from '../dataset/stdout.ts';
import type { DatasetWriter } from '../dataset/store/store.ts';
import { fillFile } from '../dataset/whole-file.ts';
import type { Listing } from '../input/sources/source.ts';
import { encodeCheckpoint } from '../ledger/checkpoint.ts';
import type { RecordResult } from '../ledger/result.ts';
import type { Profile } from '../profile.ts';
import { decisiveSettings } from '../settings/decisive.ts';
import type { Settings } from '../settings/settings.ts';
import { keepsPaths } from '../settings/split-shares.ts';
import { toolVersion } from '../version.ts';
import { cardText, observedColumns } from './card.ts';
import { FileParts, type HeldParts, MemoryParts } from './held-parts.ts';
import type { ObservedColumns } from './observed-columns.ts';
import { PathWriter, type WrittenPath } from './path-writer.ts';
import { redactionLines } from './redaction-lines.ts';

/** Place of a record: the path of its shard below the dataset, and its number in the shard, from 1. */
export type Location = ContainerPlace;

/** Creates the page of the report from the shards as the manifest lists them. */
export type MakePage = (shards: readonly ManifestShard[]) => Promise<string>;

export interface Destination {
  /** Whether everything is final once it is written, so that the records of a source count immediately. */
  readonly streams: boolean;
  /** Whether records are only counted, so that held results need no bytes. */
  readonly discards: boolean;
  /** The folder that it writes to; undefined for none. */
  readonly root: string | undefined;
  record(record: RecordResult): Location | Promise<Location>;
  /** Appends a JSON line to one of the files beside the shards, or several lines with line feeds between them. */
  line(file: string, json: string, count?: number): void;
  /** Takes the path of a conversation that is written or contained, with `--copies drop` or `mark`, or `--split`. */
  path(path: WrittenPath): void;
  /** Writes a report as a whole, at the end. */
  text(file: string, text: string): void;
  openHeldParts(): HeldParts | undefined;
  /**
   * Publishes the dataset, all or nothing. The profile measures the segments `read-back` and `sync`.
   */
  commit(body: ManifestBody, runFacts: object, options?: CommitOptions): Promise<Committed | undefined>;
  /** Writes a checkpoint: syncs everything, so that a later run can continue after this number of sources. */
  checkpoint(sources: number): void;
  /** Ends a run that was stopped. Returns whether a later run can continue from a checkpoint. */
  leave(): boolean | Promise<boolean>;
  /** Ends a run that failed, and removes everything. */
  discard(): void | Promise<void>;
}

export interface CommitOptions extends Pick<CommitRequest, 'readers'> {
  readonly profile?: Profile | undefined;
  /** Creates the report once the hashes of the shards are known. */
  readonly page?: MakePage | undefined;
}

export interface DatasetOutputOptions {
  readonly writer: DatasetWriter;
  readonly settings: Settings;
  /** The sources of the run, for the checkpoint. */
  readonly listing: Listing;
  readonly signal?: AbortSignal | undefined;
}

/** A dataset: everything is written to the staging folder, which is published at the end. */
export class DatasetOutput implements Destination {
  readonly streams = false;
  readonly discards = false;
  readonly #writer: DatasetWriter;
  readonly #settings: Settings;
  readonly #listing: Listing;
  readonly #signal: AbortSignal | undefined;
  readonly #series: ReadonlyMap<string, Series>;
  readonly #shards: Shards;
  readonly #columns: ReadonlyMap<string, ObservedColumns>;
  /** The files of lines by name; a dataset has all of them, even empty ones. */
  readonly #lineFiles: ReadonlyMap<string, PlainLineFile>;
  readonly #fingerprints: PlainLineFile;
  /** With `--redact`. */
  readonly #redactions: PlainLineFile | undefined;
  /** The paths of all conversations, with `--copies drop` or `mark`, or `--split`. */
  readonly paths: PathWriter | undefined;
  readonly #reports: WrittenFile[] = [];
  #hasCheckpoint = false;
  /** The file of the listing, once it is written. */
  #listed: FileCheckpoint | undefined;

  constructor({ writer, settings, listing, signal }: DatasetOutputOptions) {
    const { shardSize, compress, format: chosen } = settings;
    this.#writer = writer;
    this.#settings = settings;
    this.#listing = listing;
    this.#signal = signal;
    this.#series = new Map(chosen.map((format) => [format, seriesOf(format, settings)]));
    this.#columns = observedColumns(settings);
    this.#shards = new Shards({ dir: writer.path, files: writer.files, shardSize, compress });
    const lineFiles = Object.values(LINE_FILES).map((file) => [file, openLineFile(writer, file)] as const);
    this.#fingerprints = openLineFile(writer, WORK_FILES.fingerprints);
    if (settings.redact === true) this.#redactions = openLineFile(writer, REDACTIONS);
    const redactions = this.#redactions;
    this.#lineFiles = new Map<string, PlainLineFile>([
      ...lineFiles,
      ...(redactions === undefined ? [] : [[REDACTIONS, redactions] as const]),
      [WORK_FILES.fingerprints, this.#fingerprints],
    ]);
    if (keepsPaths(settings)) this.paths = new PathWriter(writer.files.create(PATHS), allOf(chosen));
  }

  /** The staging folder. */
  get root(): string {
    return this.#writer.path;
  }

  record(record: RecordResult): Location | Promise<Location> {
    return this.recordIn(record, undefined);
  }

  /** Appends a record to the shards of a split. */
  protected recordIn(
    { group, format, bytes }: RecordResult,
    split: string | undefined,
  ): Location | Promise<Location> {
    const series = this.#series.get(format) as Series;
    const own = split === undefined ? series : { ...series, folder: `${series.folder}/${split}` };
    const at = this.#shards.write(group, bytes, own);
    this.#columns.get(format)?.see(bytes, at.shard);
    if (this.#redactions !== undefined)
      for (const line of redactionLines(bytes, at)) this.#redactions.writeText(line);
    const ready = this.#writer.whenReady();
    return ready === undefined ? at : ready.then(() => at);
  }

  line(file: string, json: string, count?: number): void {
    this.#lineFiles.get(file)?.writeText(json, count);
  }

  path(path: WrittenPath): void {
    this.paths?.add(path);
  }

  text(file: string, text: string): void {
    this.#reports.push(this.#write(file, text));
  }

  openHeldParts(): HeldParts {
    return new FileParts(join(this.#writer.path, WORK_FILES.held));
  }

  async commit(
    body: ManifestBody,
    runFacts: object,
    { profile, page, readers = [] }: CommitOptions = {},
  ): Promise<Committed> {
    const shards = this.#shards.finish();
    const files = this.#files();
    for (const [, file] of files) {
      file.sync();
      file.close();
    }
    const published = files.filter(([path]) => path !== WORK_FILES.fingerprints).map(writtenFile);
    const { replace, update } = this.#settings;
    profile?.enter('read-back');
    return this.#writer.commit({
      shards,
      files: [...published, ...this.#reports],
      body,
      runFacts,
      fingerprints: this.#fingerprints,
      writeLast: (listed) => this.#writeLast(listed, body.ledger, page),
      replace: replace || update,
      ...(this.#signal && { signal: this.#signal }),
      readers,
      onReadBack: () => profile?.enter('sync'),
    });
  }

  async #writeLast(
    shards: readonly ManifestShard[],
    sums: LedgerSums,
    page?: MakePage,
  ): Promise<readonly WrittenFile[]> {
    const files = page === undefined ? [] : [this.#write(REPORTS.page, await page(shards))];
    if (this.#writer.keepsCard()) return files;
    return [...files, this.#write(CARD, cardText(this.#settings, shards, sums, this.#columns))];
  }

  checkpoint(sources: number): void {
    if (!this.#writer.keepsCheckpoints) return;
    const { path: root } = this.#writer;
    this.#listed ??= writeListing(root, this.#listing);
    const files = this.#files().map(([path, file]) => {
      file.checkpoint();
      return { path, bytes: file.bytes, crc32: file.crc32 };
    });
    const shards = this.#shards.checkpoint();
    const part = encodeCheckpoint({
      toolVersion: toolVersion(),
      settings: decisiveSettings(this.#settings),
      sources,
      shards,
      files: [...files, this.#listed],
    });
    replaceCheckpoint(root, part, shards);
    this.#hasCheckpoint = true;
    this.#writer.supersede();
  }

  /** Writes a checkpoint and closes all files: nothing follows. */
  end(sources: number): void {
    this.checkpoint(sources);
    this.#close();
  }

  async leave(): Promise<boolean> {
    this.#close();
    if (!this.#hasCheckpoint) await this.#writer.discard();
    return this.#hasCheckpoint || this.#writer.isResumed;
  }

  async discard(): Promise<void> {
    this.#close();
    await this.#writer.discard();
  }

  #write(file: string, text: string): WrittenFile {
    return fillFile(this.#writer.files.create(file), [text]);
  }

  #close(): void {
    this.#shards.abandon();
    for (const [, file] of this.#files()) file.abandon();
  }

  /** The files that records do not go to, by path. */
  #files(): (readonly [path: string, file: ByteFile])[] {
    const lineFiles = [...this.#lineFiles];
    return this.paths === undefined ? lineFiles : [...lineFiles, [PATHS, this.paths.file] as const];
  }
}

type ByteFile = Omit<LineFile, 'lines'>;

/** The figures of a file; the lines of the paths are not counted, because they have none. */
function writtenFile([path, file]: readonly [string, ByteFile | PlainLineFile]): WrittenFile {
  const { path: fullPath, bytes, crc32 } = file;
  return { path: fullPath, bytes, crc32, ...(path !== PATHS && 'lines' in file && { lines: file.lines }) };
}

/** Returns the bits of all formats. */
const allOf = (formats: readonly string[]): number => 2 ** formats.length - 1;

/** Returns the folder and the kind of a format's shards; with several formats, each has its own folder. */
function seriesOf(name: string, { format: chosen, formatOptions, plugIns }: Settings): Series {
  const format = [...formats, ...plugIns.formats].find((known) => known.name === name);
  const kind = format?.fileKind?.(formatOptions) ?? 'jsonl';
  return { folder: chosen.length > 1 ? `${DATA}/${name}` : DATA, kind };
}

function openLineFile({ files }: DatasetWriter, file: string): PlainLineFile {
  return lineFileOver(files.create(file));
}

/** The place of a record that is not written, or not yet. */
export const NOWHERE: Location = { shard: '', line: 0 };

/** Writes nothing: a dry run, `check`. */
export class NoOutput implements Destination {
  readonly streams = true;
  readonly discards: boolean = true;
  readonly root = undefined;

  record(_record: RecordResult): Location | Promise<Location> {
    return NOWHERE;
  }

  line(_file: string, _json: string): void {
    // no files
  }

  path(_path: WrittenPath): void {
    // records that leave at once cannot be compared
  }

  text(): void {
    // no files
  }

  openHeldParts(): HeldParts | undefined {
    return new MemoryParts();
  }

  async commit(): Promise<undefined> {
    return undefined;
  }

  checkpoint(): void {
    // nothing to continue from
  }

  leave(): boolean {
    return false;
  }

  discard(): void {
    // nothing was written
  }
}

/** Writes records to standard output, and nothing else. */
export class StandardOutput extends NoOutput {
  override readonly discards = false;
  readonly #sink = new StdoutSink();

  override record({ bytes }: RecordResult): Location | Promise<Location> {
    const full = this.#sink.write(bytes);
    return full === undefined ? this.#place() : full.then(() => this.#place());
  }

  override openHeldParts(): undefined {
    return undefined;
  }

  override async commit(): Promise<undefined> {
    await this.#sink.end();
    return undefined;
  }

  #place(): Location {
    return { shard: '-', line: this.#sink.records };
  }
}
