/**
 * Writes the records of a dataset to one series of shards per folder and group. The number of groups is unlimited: at
 * most `maxOpenFiles` descriptors are open (the least recently written shard is parked), and the gathered blocks share
 * one cap (the oldest is written first). Both depend only on the order of the records, and only the cap affects the
 * bytes of the shards.
 */
import { openFilesLimit } from './fs-calls.ts';
import { DATA } from './layout.ts';
import { type LineFile, lineFileOver } from './line-file.ts';
import { type Modes, modesOf } from './modes.ts';
import { PackedLineFile } from './packed-line-file.ts';
import { PACKINGS } from './packing.ts';
import { type ShardKind, shardPath, shardStem } from './shard-name.ts';
import { type DatasetFiles, FolderFiles } from './store/files.ts';

/** Default cap on the sum of all gathered blocks. */
const PENDING_BYTES = 64 * 1024 * 1024;

const MAX_OPEN_FILES = 64;
const MIN_OPEN_FILES = 4;
/** Descriptors for everything else: Node's own, the sources, the files beside the shards, modules being loaded. */
const OTHER_FILES = 48;

export interface ShardInfo {
  /** Path below the output's root: `data/2026-01-13-00000.jsonl`. */
  readonly path: string;
  readonly group: string;
  readonly records: number;
  /** Bytes on disk. */
  readonly bytes: number;
  /** Size of the records and their newlines, uncompressed. */
  readonly uncompressedBytes: number;
  /** Newlines inside records; 0 for lines of JSON. */
  readonly innerLines: number;
  /** CRC-32 of the bytes that were handed to the file system. */
  readonly crc32: number;
  /** CRC-32 of the records and their newlines. */
  readonly contentCrc32: number;
}

/** The state of a shard at a checkpoint. */
export interface ShardCheckpoint extends Pick<ShardInfo, 'path' | 'group' | 'records' | 'bytes' | 'crc32'> {
  /** Lines gathered for the next block, not yet in the file; valid until the next record. */
  readonly gathered: Uint8Array;
}

/** Folder and kind of the shards of a format. */
export interface Series {
  /** `data`, or a folder in it. */
  readonly folder: string;
  readonly kind: ShardKind;
}

const LINES: Series = { folder: DATA, kind: 'jsonl' };

export interface ShardOptions {
  /** The output's root (the staging folder); must contain `data/`. */
  readonly dir: string;
  readonly shardSize: number;
  readonly compress: 'none' | 'gzip' | 'zstd';
  readonly maxOpenFiles?: number;
  /** Creates the files; by default in `dir`. */
  readonly files?: DatasetFiles;
  /** Permissions; by default those that the umask allows. */
  readonly modes?: Pick<Modes, 'file' | 'folder'>;
  /** Cap on the gathered blocks. It affects the bytes of packed shards. */
  readonly maxPendingBytes?: number;
}

interface OpenShard {
  readonly path: string;
  readonly group: string;
  readonly number: number;
  readonly file: LineFile & { readonly pendingBytes?: number; readonly contentCrc32?: number };
  uncompressedBytes: number;
  innerLines: number;
}

export class Shards {
  readonly #options: ShardOptions;
  readonly #maxOpenFiles: number;
  readonly #maxPendingBytes: number;
  readonly #files: DatasetFiles;
  readonly #open = new Map<string, OpenShard>();
  readonly #finished: ShardInfo[] = [];
  /** Shards that may hold a descriptor, least recently used first. */
  readonly #recent = new Set<OpenShard>();
  /** Shards that hold a gathered block, oldest first, and its memory in bytes. */
  readonly #pending = new Map<OpenShard, number>();
  #pendingSum = 0;
  /** The shard that was used last; its descriptor cannot have been taken by another one. */
  #latest: OpenShard | undefined;

  constructor(options: ShardOptions) {
    this.#options = options;
    this.#maxOpenFiles = options.maxOpenFiles ?? affordableFiles();
    this.#maxPendingBytes = options.maxPendingBytes ?? PENDING_BYTES;
    this.#files = options.files ?? new FolderFiles(options.dir, options.modes ?? modesOf({}));
  }

  /**
   * Appends a record to the shards of its group, and returns its shard and its number there, from 1.
   * @param series the same for all records of a folder
   */
  write(group: string, record: Uint8Array, series: Series = LINES): { shard: string; line: number } {
    let shard = this.#open.get(`${series.folder}/${group}`) ?? this.#start(series, group, 0);
    const bytes = record.length + 1;
    if (shard.file.lines > 0 && shard.uncompressedBytes + bytes > this.#options.shardSize) {
      this.#end(shard);
      shard = this.#start(series, group, shard.number + 1);
    }
    if (shard !== this.#latest) this.#touch(shard);
    this.#latest = shard;
    shard.file.write(record);
    shard.uncompressedBytes += bytes;
    if (series.kind !== 'jsonl') shard.innerLines += newlinesIn(record);
    if (this.#options.compress !== 'none') {
      this.#updatePending(shard);
      if (this.#pendingSum > this.#maxPendingBytes) this.#flushOldest();
    }
    return { shard: shard.path, line: shard.file.lines };
  }

  /**
   * Syncs all complete blocks, and returns the state of each shard with the lines that are still gathered. Writing can
   * continue.
   */
  checkpoint(): ShardCheckpoint[] {
    const ended = this.#finished.map((shard) => ({ ...shard, gathered: new Uint8Array(0) }));
    const open = [...this.#open.values()].map((shard) => {
      this.#touch(shard);
      const { path, group, file } = shard;
      const gathered = file.checkpoint();
      return { path, group, records: file.lines, bytes: file.bytes, crc32: file.crc32, gathered };
    });
    this.#latest = undefined;
    return [...ended, ...open];
  }

  /** Flushes, syncs and closes everything. Returns the shards sorted by path, bytewise. */
  finish(): ShardInfo[] {
    for (const shard of this.#open.values()) this.#end(shard);
    this.#open.clear();
    return this.#finished.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Closes everything, for a run that failed. */
  abandon(): void {
    for (const shard of this.#open.values()) shard.file.abandon();
    this.#open.clear();
  }

  #start({ folder, kind }: Series, group: string, number: number): OpenShard {
    const { compress } = this.#options;
    const packing = compress === 'none' ? undefined : PACKINGS[compress];
    const suffix = `.${kind}${packing?.suffix ?? ''}` as const;
    const path = shardPath(folder, shardStem(group), number, suffix);
    this.#makeRoom();
    const created = this.#files.create(path);
    const file = packing === undefined ? lineFileOver(created) : new PackedLineFile(created, packing);
    const shard = { path, group, number, file, uncompressedBytes: 0, innerLines: 0 };
    this.#open.set(`${folder}/${group}`, shard);
    return shard;
  }

  /** Parks shards until one more may be opened. */
  #makeRoom(): void {
    for (const shard of this.#recent) {
      if (this.#recent.size < this.#maxOpenFiles) return;
      this.#recent.delete(shard);
      shard.file.park();
    }
  }

  /** Marks the shard as used last. Call it before everything that may need the shard's descriptor. */
  #touch(shard: OpenShard): void {
    if (!this.#recent.delete(shard)) this.#makeRoom();
    this.#recent.add(shard);
  }

  /** Updates the memory that the shard's gathered block takes. */
  #updatePending(shard: OpenShard): void {
    const bytes = shard.file.pendingBytes ?? 0;
    this.#pendingSum += bytes - (this.#pending.get(shard) ?? 0);
    if (bytes === 0) this.#pending.delete(shard);
    else this.#pending.set(shard, bytes);
  }

  #flushOldest(): void {
    for (const oldest of this.#pending.keys()) {
      if (this.#pendingSum <= this.#maxPendingBytes) return;
      this.#touch(oldest);
      this.#latest = oldest;
      oldest.file.flush();
      this.#updatePending(oldest);
    }
  }

  #end(shard: OpenShard): void {
    this.#touch(shard);
    shard.file.sync();
    shard.file.close();
    this.#recent.delete(shard);
    this.#updatePending(shard);
    const { path, group, file, uncompressedBytes, innerLines } = shard;
    const { lines: records, bytes, crc32, contentCrc32 = crc32 } = file;
    this.#finished.push({ path, group, records, bytes, uncompressedBytes, innerLines, crc32, contentCrc32 });
  }
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

/** Returns how many shards may be open, depending on the process's limit of open files. */
function affordableFiles(): number {
  const limit = openFilesLimit() ?? Number.POSITIVE_INFINITY;
  return Math.min(MAX_OPEN_FILES, Math.max(MIN_OPEN_FILES, limit - OTHER_FILES));
}
