/** The last stage of a `stream.pipeline`: writes records to the shards of a folder. */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { LF, OPEN_OBJECT } from '../../transforms/json/bytes.ts';
import type { Kind, WrittenRecord } from '../../transforms/model/element.ts';
import { failUsage } from '../errors.ts';
import { requireZstd } from '../input/decompress/require-zstd.ts';
import { lstatIfAny, makeDirectory } from './fs-calls.ts';
import type { ShardKind } from './shard-name.ts';
import { type Series, type ShardInfo, Shards } from './shards.ts';
import { attempt, checkNames, chunkElements, PassedOver } from './writer-chunk.ts';

export interface ShardWriterOptions {
  /** The folder that gets `data/`. It is created if it does not exist; its parent must exist. */
  readonly dir: string;
  /** Uncompressed bytes of records after which a group continues in its next shard; 1 GiB by default. */
  readonly shardSize?: number;
  /** `none` by default. */
  readonly compress?: 'none' | 'gzip' | 'zstd';
  /** Extension of the shards; by default that of the records: `toml` for a deck, `sts.jsonl` for session traces, else `jsonl`. */
  readonly extension?: ShardKind;
  /** Whether each format is written into `data/FORMAT/`; otherwise only one format is allowed. */
  readonly perFormat?: boolean;
}

const OPTIONS: readonly string[] = ['dir', 'shardSize', 'compress', 'extension', 'perFormat'];
const EXTENSIONS: readonly ShardKind[] = ['jsonl', 'toml', 'sts.jsonl'];
const SHARD_SIZE_BYTES = 1024 * 1024 * 1024;

/**
 * Takes elements, one by one or in arrays, and writes the records among them to `DIR/data/GROUP-00000.jsonl`. It is an
 * error if the shard already exists. Writing is synchronous, so the pipeline never gets ahead of the disk. `finish` is
 * emitted once everything is on the disk. Unlike `build`, it does not publish atomically: a pipeline that fails leaves
 * incomplete shards.
 */
export class ShardWriter extends Writable {
  readonly #options: ShardWriterOptions;
  readonly #passedOver = new PassedOver();
  #sink: Shards | undefined;
  #format: string | undefined;
  #shards: readonly ShardInfo[] = [];

  /** @throws TurnmillError `usage` for invalid options, `unavailable` for zstd if it is not installed */
  constructor(options: ShardWriterOptions) {
    checkOptions(options); // first: Node opens a stream even if its constructor throws after `super`
    super({ objectMode: true, highWaterMark: 1 });
    this.#options = options;
  }

  /** The shards that were written, sorted by path; empty before `finish`. */
  get shards(): readonly ShardInfo[] {
    return this.#shards;
  }

  /** Number of elements that are not records, by kind. */
  get passedOver(): ReadonlyMap<Kind, number> {
    return this.#passedOver.counts;
  }

  override _construct(done: (error?: Error | null) => void): void {
    attempt(done, () => {
      const { dir, shardSize = SHARD_SIZE_BYTES, compress = 'none' } = this.#options;
      for (const folder of [dir, join(dir, 'data')])
        if (lstatIfAny(folder) === undefined) makeDirectory(folder);
      this.#sink = new Shards({ dir, shardSize, compress });
    });
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    attempt(done, () => {
      for (const element of chunkElements(chunk, 'ShardWriter')) {
        if (element.kind !== 'record') this.#passedOver.add(element.kind);
        else this.#sink?.write(element.group, element.bytes, this.#seriesOf(element));
      }
    });
  }

  override _final(done: (error?: Error | null) => void): void {
    attempt(done, () => {
      this.#shards = this.#sink?.finish() ?? [];
      this.#sink = undefined;
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#sink?.abandon();
    this.#sink = undefined;
    done(error);
  }

  #seriesOf({ format, bytes }: WrittenRecord): Series {
    const { perFormat = false, extension: kind = kindOf(bytes) } = this.#options;
    if (perFormat) return { folder: `data/${format}`, kind };
    this.#format ??= format;
    if (this.#format !== format)
      failUsage(`records of the formats ${this.#format} and ${format} in one ShardWriter: set perFormat`);
    return { folder: 'data', kind };
  }
}

/** Only records of decks and of session traces have several lines. */
function kindOf(record: Uint8Array): ShardKind {
  if (!record.includes(LF)) return 'jsonl';
  return record[0] === OPEN_OBJECT ? 'sts.jsonl' : 'toml';
}

function checkOptions(options: ShardWriterOptions): void {
  checkNames(options, OPTIONS, 'ShardWriter');
  const {
    dir,
    compress = 'none',
    shardSize = SHARD_SIZE_BYTES,
    extension = 'jsonl',
    perFormat = false,
  } = options;
  if (typeof dir !== 'string') failUsage('dir: name the folder for the shards');
  if (!EXTENSIONS.includes(extension)) failUsage(`extension: '${extension}' is not ${EXTENSIONS.join(', ')}`);
  if (typeof perFormat !== 'boolean') failUsage('perFormat: it takes true or false');
  if (!['none', 'gzip', 'zstd'].includes(compress))
    failUsage(`compress: '${compress}' is not none, gzip or zstd`);
  if (!Number.isInteger(shardSize) || shardSize < 1)
    failUsage(`shardSize: ${shardSize} is not a whole number from 1`);
  if (compress === 'zstd') requireZstd('compress: zstd');
}
