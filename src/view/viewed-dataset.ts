/** A dataset in the viewer: records, sessions and rejections by number, with one read per page. It is never changed. */

import { once } from 'node:events';
import { closeSync, createWriteStream, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { LINE_FILES, manifestPath, PATHS, REPORTS } from '../dataset/layout.ts';
import { readManifest } from '../dataset/manifest.ts';
import { lineIn } from '../dataset/parse-line.ts';
import { readBack } from '../dataset/read-back.ts';
import type { JoinedRecord } from '../dataset/record-lines.ts';
import type { ContainerPlace, SessionLine } from '../dataset/schema/ledger.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import type { DatasetProfile, FindingLine, LedgerSums } from '../dataset/schema/reports.ts';
import { ifPossible, io } from '../errors.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { LineIndex } from './line-index.ts';
import { PathIndex } from './path-index.ts';
import { RecordIndex } from './record-index.ts';
import { SessionColumns } from './session-columns.ts';

interface OpenShard {
  readonly path: string;
  readonly index: RecordIndex;
  /** Number of its first record. */
  readonly first: number;
}

export interface RecordAt extends JoinedRecord {
  readonly number: number;
  readonly shard: string;
  /** Its number in the shard, from 1; the line number if each record is one line. */
  readonly line: number;
}

const PACKED = /\.(?:gz|zst)$/;
const SESSIONS_AT_ONCE = 256;
const PLACE = /"shard":"((?:[^"\\]|\\.)*)","line":(\d+)/;
/** The place in a line with this text is not that of a record of the session, but of the one that contains it. */
const CONTAINED = '"fate":"contained"';
const MAX_FINDINGS = 200;

export class ViewedDataset {
  readonly name: string;
  readonly manifest: Manifest;
  readonly root: string;
  readonly #shards: readonly OpenShard[];
  readonly #sessions: LineIndex;
  readonly #rejected: LineIndex;
  readonly #findings: LineIndex;
  readonly #sources: LineIndex;
  /** The descriptor of the file of paths, if the build compared its records. */
  readonly #pathFile: number | undefined;
  readonly #temporary: string | undefined;
  readonly #manifestInode: bigint;
  /** For each record, the number of its session's line, from 1; 0 if unknown. */
  readonly #sessionOf: Uint32Array;
  #mapping: Promise<void> | undefined;
  #isMapped = false;
  #columns: Promise<SessionColumns> | undefined;
  #paths: Promise<PathIndex> | undefined;

  private constructor(root: string, manifest: Manifest, shards: readonly OpenShard[], temporary?: string) {
    const open = (file: string): LineIndex => {
      const path = join(root, file);
      return io('read', path, () => new LineIndex(path));
    };
    this.root = root;
    this.name = basename(resolve(root));
    this.manifest = manifest;
    this.#shards = shards;
    this.#temporary = temporary;
    this.#sessions = open(LINE_FILES.sessions);
    this.#rejected = open(LINE_FILES.quarantine);
    this.#findings = open(LINE_FILES.findings);
    this.#sources = open(LINE_FILES.sources);
    const paths = join(root, PATHS);
    this.#pathFile = existsSync(paths) ? io('read', paths, () => openSync(paths, 'r')) : undefined;
    this.#manifestInode = statSync(manifestPath(root), { bigint: true }).ino;
    this.#sessionOf = new Uint32Array(this.records);
  }

  /** @throws TurnmillError `invalid-dataset` if the folder is not a dataset */
  static async open(root: string): Promise<ViewedDataset> {
    const manifest = readManifest(root);
    const isPacked = manifest.shards.some(({ path }) => PACKED.test(path));
    const temporary = isPacked ? createTemporaryFolder('view') : undefined;
    const shards: OpenShard[] = [];
    let first = 0;
    try {
      for (const [i, { path }] of manifest.shards.entries()) {
        const plain =
          temporary !== undefined && PACKED.test(path)
            ? await unpacked(join(root, path), join(temporary, String(i)))
            : join(root, path);
        const index = io('read', plain, () => new RecordIndex(plain, path));
        shards.push({ path, index, first });
        first += index.records;
      }
      return new ViewedDataset(root, manifest, shards, temporary);
    } catch (error) {
      if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
      throw error;
    }
  }

  close(): void {
    for (const { index } of this.#shards) index.close();
    for (const index of [this.#sessions, this.#rejected, this.#findings, this.#sources]) index.close();
    if (this.#pathFile !== undefined) closeSync(this.#pathFile);
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }

  get records(): number {
    return this.#shards.reduce((sum, { index }) => sum + index.records, 0);
  }

  get sessions(): number {
    return this.#sessions.lines;
  }

  get rejections(): number {
    return this.#rejected.lines;
  }

  /** Whether this dataset has been replaced by another one. */
  get isReplaced(): boolean {
    try {
      return statSync(manifestPath(this.root), { bigint: true }).ino !== this.#manifestInode;
    } catch {
      return true;
    }
  }

  /** Returns at most `count` records from number `from` on, each with at most `most` bytes. */
  recordPage(from: number, count: number, most?: number): readonly RecordAt[] {
    const page: RecordAt[] = [];
    for (const { path, index, first } of this.#shards) {
      const at = from + page.length - first;
      if (page.length >= count || at < 0 || at >= index.records) continue;
      for (const [i, record] of index.page(at, count - page.length, most).entries())
        page.push({
          number: first + at + i,
          shard: path,
          line: at + i + 1,
          bytes: record.bytes,
          content: record.content,
        });
    }
    return page;
  }

  sessionPage(from: number, count: number): readonly SessionLine[] {
    return this.#sessions.page(from, count).map(({ content }) => lineIn(LINE_FILES.sessions, content));
  }

  rejectionPage(from: number, count: number): readonly QuarantineLine[] {
    return this.#rejected.page(from, count).map(({ content }) => lineIn(LINE_FILES.quarantine, content));
  }

  /** Returns the number of a record's session, from 0; undefined until the ledger has been read. */
  sessionNumberNow(record: number): number | undefined {
    if (!this.#isMapped) void this.#mapped();
    const number = this.#sessionOf[record] ?? 0;
    return number === 0 ? undefined : number - 1;
  }

  async sessionOfRecord(record: number): Promise<{ number: number; line: SessionLine } | undefined> {
    await this.#mapped();
    const number = this.sessionNumberNow(record);
    const line = number === undefined ? undefined : this.sessionPage(number, 1)[0];
    return number === undefined || line === undefined ? undefined : { number, line };
  }

  /** Returns the number of a session's first record. */
  recordOfSession(line: SessionLine): number | undefined {
    const place = line.shard === undefined ? line.records?.[0] : { shard: line.shard, line: line.line ?? 0 };
    return place && this.recordAt(place);
  }

  recordAt(place: ContainerPlace): number | undefined {
    const shard = this.#shards.find(({ path }) => path === place.shard);
    return shard && shard.first + place.line - 1;
  }

  /** Returns the paths of the records; undefined if the build did not compare them. */
  async paths(): Promise<PathIndex | undefined> {
    if (this.#pathFile === undefined) return undefined;
    this.#paths ??= PathIndex.read(this.#pathFile, this.#sessions);
    return this.#paths;
  }

  columns(): Promise<SessionColumns> {
    this.#columns ??= SessionColumns.read(this.#sessions, this.#findings, this.#sources);
    return this.#columns;
  }

  /** Returns the counts of `reports/summary.json`; undefined in a dataset without them. */
  profile(): DatasetProfile | undefined {
    const read = (): LedgerSums => JSON.parse(readFileSync(join(this.root, REPORTS.summary), 'utf8'));
    return ifPossible(read)?.profile;
  }

  /** Returns a function that returns the number of a record's session; -1 if it is unknown. */
  async sessionsOfRecords(): Promise<(record: number) => number> {
    await this.#mapped();
    return (record) => (this.#sessionOf[record] ?? 0) - 1;
  }

  /** Returns the format of the records of a shard. */
  formatOf(shard: string): string {
    const { format = [] } = this.manifest.settings as { readonly format?: readonly string[] };
    const [, folder = ''] = shard.split('/');
    return format.length === 1 ? (format[0] as string) : folder;
  }

  shardOf(record: number): string {
    return this.#shards.find(({ first, index }) => record < first + index.records)?.path ?? '';
  }

  /** Returns the findings about a session, at most `MAX_FINDINGS`. */
  async findingsOf(session: number): Promise<readonly FindingLine[]> {
    const columns = await this.columns();
    const findings: FindingLine[] = [];
    for (const number of columns.of(session)) {
      for (const { content } of this.#findings.page(number, 1))
        findings.push(lineIn(LINE_FILES.findings, content));
      if (findings.length >= MAX_FINDINGS) break;
    }
    return findings;
  }

  #mapped(): Promise<void> {
    this.#mapping ??= this.#map();
    return this.#mapping;
  }

  /** Finds the line of the ledger for each record, and keeps it in four bytes per record. */
  async #map(): Promise<void> {
    const firsts = new Map(this.#shards.map(({ path, first }) => [path, first]));
    const note = (shard: string, line: number, session: number): void => {
      const first = firsts.get(shard);
      if (first !== undefined) this.#sessionOf[first + line - 1] = session;
    };
    for (const [at, page] of this.#sessions.pages(SESSIONS_AT_ONCE)) {
      for (const [i, line] of page.entries()) {
        const text = line.content.toString();
        if (text.includes(CONTAINED)) continue;
        const [, shard, number] = PLACE.exec(text) ?? [];
        if (shard !== undefined && !text.includes('"records":[')) note(shard, Number(number), at + i + 1);
        else
          for (const place of lineIn(LINE_FILES.sessions, text).records ?? [])
            note(place.shard, place.line, at + i + 1);
      }
      await setImmediate();
    }
    this.#isMapped = true;
  }
}

/** Returns the split that a shard belongs to: the last folder of its path, if the build divided its records. */
export function splitOf(shard: string): string {
  return shard.split('/').at(-2) ?? '';
}

/** Unpacks a shard to a file that only its owner can read. */
async function unpacked(path: string, to: string): Promise<string> {
  const out = createWriteStream(to, { mode: 0o600 });
  await readBack(path, { onContent: (chunk) => void out.write(Buffer.from(chunk)) });
  out.end();
  await once(out, 'finish');
  return to;
}
