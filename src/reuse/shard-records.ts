/**
 * The records of a previous run by shard and number, in the order in which they are there: a shard is read once, from its
 * beginning. A compressed one is unpacked to a file first, because unpacking it cannot be interrupted.
 */
import { rmSync } from 'node:fs';
import { createAppendFile } from '../dataset/append-file.ts';
import { BlockSums } from './block-sums.ts';
import { CheckedLines, damaged, type Lines } from './checked-lines.ts';
import { checkFile, type PreviousRun, type PreviousShard } from './previous-run.ts';

export interface ShardRecordsOptions {
  /** Where the unpacked form of a shard may be written. */
  readonly pathFor: (name: string) => string;
  readonly signal?: AbortSignal | undefined;
}

/** A shard whose reading has begun. */
interface OpenShard {
  readonly shard: PreviousShard;
  readonly records: Lines;
  /** The unpacked file, to be removed. */
  readonly unpacked: string | undefined;
  /** Number of the last record that was read. */
  number: number;
}

/** Files that are open side by side. */
const MOST_OPEN = 64;
const DECK = /\.toml(?:\.gz|\.zst)?$/;
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

  /**
   * Returns a record, valid until the next call.
   * @param number from 1; the numbers of a shard only go up
   */
  async at(path: string, number: number): Promise<Uint8Array> {
    const open = this.#open.get(path) ?? (await this.#begin(path));
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

  /** Returns the group of the records of a shard. */
  groupOf(path: string): string {
    return this.#shardAt(path).group;
  }

  #shardAt(path: string): PreviousShard {
    const shard = this.#shards.get(path);
    if (shard === undefined) throw damaged(this.#run.pathOf(path), 'is in the ledger, but is not a shard');
    return shard;
  }

  async #begin(path: string): Promise<OpenShard> {
    const shard = this.#shardAt(path);
    const unpacked = COMPRESSED.test(path) ? this.#options.pathFor(`unpacked-${this.#open.size}`) : undefined;
    const lines =
      unpacked === undefined ? await this.#plainLines(shard) : await this.#unpackedLines(shard, unpacked);
    const records = DECK.test(path) ? new DeckRecords(lines) : lines;
    const open: OpenShard = { shard, records, unpacked, number: 0 };
    this.#open.set(path, open);
    return open;
  }

  async #plainLines(shard: PreviousShard): Promise<Lines> {
    const { signal } = this.#options;
    const sums = shard.sums ?? (await checkFile(this.#run.root, shard, { signal }));
    return new CheckedLines(this.#run.pathOf(shard.path), shard.bytes, sums);
  }

  async #unpackedLines(shard: PreviousShard, to: string): Promise<Lines> {
    const { signal } = this.#options;
    const file = createAppendFile(to, { mode: 0o600 });
    try {
      // at a checkpoint, nothing of a shard need be in its file yet
      const sums =
        shard.bytes === 0
          ? new BlockSums()
          : await checkFile(this.#run.root, shard, { signal, onContent: file.write });
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
      if (this.#recent.size <= MOST_OPEN) return;
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

const DECK_HEADER = Buffer.from('[[samples]]');
const LINE_FEED = Buffer.from('\n');

/** The records of a deck of TOML (format samples). Each begins with its header on a line of its own, which no text in it looks like. */
class DeckRecords implements Lines {
  readonly #lines: Lines;
  /** The header of the next record was read. */
  #hasHeader = false;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  next(): Uint8Array | undefined {
    const first = this.#hasHeader ? DECK_HEADER : this.#lines.next();
    if (first === undefined) return undefined;
    const pieces = [Buffer.from(first)]; // copies: a line is valid until the next one
    let line = this.#lines.next();
    for (; line !== undefined && !DECK_HEADER.equals(line); line = this.#lines.next())
      pieces.push(LINE_FEED, Buffer.from(line));
    this.#hasHeader = line !== undefined;
    return Buffer.concat(pieces);
  }

  park(): void {
    this.#lines.park();
  }
}
