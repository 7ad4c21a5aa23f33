/**
 * Reads the records of a previous run by shard and number, in the order in which they were written, so that a shard is
 * read once, from its start. A compressed one is unpacked to a file first, because decompression cannot be suspended.
 */
import { rmSync } from 'node:fs';
import { createAppendFile } from '../dataset/append-file.ts';
import { type BeginsRecord, RecordLines } from '../dataset/record-lines.ts';
import { recordStart } from '../dataset/shard-name.ts';
import { BlockSums } from './block-sums.ts';
import { CheckedLines, damaged, type Lines } from './checked-lines.ts';
import { checkFile, type PreviousRun, type PreviousShard } from './previous-run.ts';
import { PublishedSums } from './published-sums.ts';

export interface ShardRecordsOptions {
  /** Returns a path for an unpacked shard. */
  readonly pathFor: (name: string) => string;
  readonly signal?: AbortSignal | undefined;
  /** Set if all records are read and `end` is called, so that a shard can be checked while it is read. */
  readonly readsAll?: boolean | undefined;
}

interface OpenShard {
  readonly shard: PreviousShard;
  readonly records: Lines;
  /** Path of the unpacked file, which has to be removed. */
  readonly unpacked: string | undefined;
  /** Number of the last record that was read. */
  number: number;
}

/** Most shards that are open at the same time. */
const MAX_OPEN = 64;
const COMPRESSED = /\.(?:gz|zst)$/;

export class ShardRecords {
  readonly #run: PreviousRun;
  readonly #options: ShardRecordsOptions;
  readonly #shards: ReadonlyMap<string, PreviousShard>;
  readonly #open = new Map<string, OpenShard>();
  /** The shards that may hold a descriptor, least recently used first. */
  readonly #recent = new Set<OpenShard>();

  constructor(run: PreviousRun, options: ShardRecordsOptions) {
    this.#run = run;
    this.#options = options;
    this.#shards = new Map(run.shards.map((shard) => [shard.path, shard]));
  }

  /** Prepares to read a shard. Returns undefined if that is done. */
  open(path: string): Promise<void> | undefined {
    return this.#open.has(path) ? undefined : this.#begin(path);
  }

  /**
   * Returns a record of an open shard, valid until the next call.
   * @param number from 1; must increase within a shard
   */
  at(path: string, number: number): Uint8Array {
    const open = this.#open.get(path) as OpenShard;
    this.#touch(open);
    let record: Uint8Array | undefined;
    for (; open.number < number; open.number++) {
      record = open.records.next();
      if (record === undefined) break;
    }
    if (record === undefined) throw damaged(this.#run.pathOf(path), `has no record ${number}`);
    if (number === open.shard.records) this.#end(open);
    return record;
  }

  /**
   * Ends the reading. @throws TurnmillError `invalid-dataset` if the shards have records that were not read
   */
  end(): void {
    for (const { path, records } of this.#run.shards)
      if (this.#open.get(path)?.number !== records)
        throw damaged(this.#run.pathOf(path), `has ${records} records, but the ledger names fewer`);
  }

  /** Returns the group of the shard's records. */
  groupOf(path: string): string {
    return this.#shardAt(path).group;
  }

  #shardAt(path: string): PreviousShard {
    const shard = this.#shards.get(path);
    if (shard === undefined) throw damaged(this.#run.pathOf(path), 'is in the ledger, but is not a shard');
    return shard;
  }

  async #begin(path: string): Promise<void> {
    const shard = this.#shardAt(path);
    const unpacked = COMPRESSED.test(path) ? this.#options.pathFor(`unpacked-${this.#open.size}`) : undefined;
    const lines =
      unpacked === undefined ? await this.#plainLines(shard) : await this.#unpackedLines(shard, unpacked);
    const begins = recordStart(path);
    const records = begins === undefined ? lines : new RecordsOfLines(lines, begins);
    this.#open.set(path, { shard, records, unpacked, number: 0 });
  }

  async #plainLines(shard: PreviousShard): Promise<Lines> {
    const path = this.#run.pathOf(shard.path);
    return new CheckedLines(path, shard.bytes, shard.sums ?? (await this.#sumsOf(path, shard)));
  }

  async #sumsOf(path: string, shard: PreviousShard): Promise<BlockSums> {
    const { readsAll, signal } = this.#options;
    return readsAll ? new PublishedSums(path, shard) : checkFile(this.#run.root, shard, { signal });
  }

  async #unpackedLines(shard: PreviousShard, to: string): Promise<Lines> {
    const { signal } = this.#options;
    const file = createAppendFile(to, 0o600);
    try {
      // at the checkpoint, the whole shard may still have been in memory
      const sums =
        shard.bytes === 0
          ? new BlockSums()
          : await checkFile(this.#run.root, shard, { signal, onContent: (bytes) => file.write(bytes) });
      if (shard.gathered !== undefined) {
        file.write(shard.gathered);
        sums.add(shard.gathered);
      }
      file.close();
      return new CheckedLines(to, file.bytes, sums);
    } finally {
      file.abandon();
    }
  }

  #touch(shard: OpenShard): void {
    this.#recent.delete(shard);
    this.#recent.add(shard);
    for (const oldest of this.#recent) {
      if (this.#recent.size <= MAX_OPEN) return;
      this.#recent.delete(oldest);
      oldest.records.park();
    }
  }

  #end(shard: OpenShard): void {
    this.#recent.delete(shard);
    shard.records.park();
    if (shard.unpacked !== undefined) rmSync(shard.unpacked);
  }
}

/** Reads records that have several lines: tables of a deck, session traces. */
class RecordsOfLines implements Lines {
  readonly #lines: Lines;
  readonly #records: RecordLines;

  constructor(lines: Lines, begins: BeginsRecord) {
    this.#lines = lines;
    this.#records = new RecordLines(begins);
  }

  next(): Uint8Array | undefined {
    for (let line = this.#lines.next(); line !== undefined; line = this.#lines.next()) {
      const record = this.#records.add(line);
      if (record !== undefined) return record.content;
    }
    return this.#records.end()?.content;
  }

  park(): void {
    this.#lines.park();
  }
}
