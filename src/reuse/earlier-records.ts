/**
 * The records of an earlier run by shard and line, in the order in which they stand there: a shard is read once, from its
 * beginning. A compressed one is unpacked to a file beside what is being written, because its reading cannot be interrupted.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAppendFile } from '../dataset/append-file.ts';
import { BlockSums } from './block-sums.ts';
import { type Earlier, type EarlierShard, readEarlierFile } from './earlier.ts';
import { recordsOfDeck } from './earlier-deck.ts';
import { damaged, type EarlierLines, readEarlierLines } from './earlier-lines.ts';

export interface EarlierRecords {
  /** A record, valid until the next call. Lines count from 1 and only go up. */
  at(shard: string, line: number): Promise<Uint8Array>;
}

interface BegunShard {
  readonly shard: EarlierShard;
  readonly lines: EarlierLines;
  /** The unpacked file, to be removed. */
  readonly unpacked: string | undefined;
  line: number;
}

/** Files that are open side by side. */
const MOST_OPEN = 64;
const DECK = /\.toml(?:\.gz|\.zst)?$/;
const COMPRESSED = /\.(?:gz|zst)$/;

/** @param pathFor where the unpacked form of a shard may lie */
export function createEarlierRecords(
  { root, shards }: Earlier,
  pathFor: (name: string) => string,
  signal: AbortSignal | undefined,
): EarlierRecords {
  const byPath = new Map(shards.map((shard) => [shard.path, shard]));
  const begun = new Map<string, BegunShard>();
  const recent = new Set<BegunShard>();

  async function begin(path: string): Promise<BegunShard> {
    const shard = byPath.get(path);
    if (shard === undefined) throw damaged(join(root, path), 'is in the ledger, but is not a shard');
    const unpacked = COMPRESSED.test(path) ? pathFor(`unpacked-${begun.size}`) : undefined;
    const lines = unpacked === undefined ? await plainLines(shard) : await unpackedLines(shard, unpacked);
    const made = { shard, lines: DECK.test(path) ? recordsOfDeck(lines) : lines, unpacked, line: 0 };
    begun.set(path, made);
    return made;
  }

  async function plainLines(shard: EarlierShard): Promise<EarlierLines> {
    const sums = shard.sums ?? (await readEarlierFile(root, shard, { signal }));
    return readEarlierLines(join(root, shard.path), shard.bytes, sums);
  }

  async function unpackedLines(shard: EarlierShard, to: string): Promise<EarlierLines> {
    const file = createAppendFile(to, { mode: 0o600 });
    try {
      // of a checkpoint: everything may still be gathered
      const packed = shard.bytes > 0;
      const read = { signal, onContent: file.write };
      const sums = packed ? await readEarlierFile(root, shard, read) : new BlockSums();
      if (shard.gathered !== undefined) {
        file.write(shard.gathered);
        sums.add(shard.gathered);
      }
      file.close();
      return readEarlierLines(to, file.bytes, sums);
    } finally {
      file.abandon();
    }
  }

  function touch(shard: BegunShard): void {
    recent.delete(shard);
    recent.add(shard);
    for (const oldest of recent) {
      if (recent.size <= MOST_OPEN) return;
      recent.delete(oldest);
      oldest.lines.park();
    }
  }

  function end(shard: BegunShard): void {
    recent.delete(shard);
    shard.lines.park();
    if (shard.unpacked !== undefined) rmSync(shard.unpacked);
  }

  return {
    async at(path, line) {
      const from = begun.get(path) ?? (await begin(path));
      touch(from);
      let record: Uint8Array | undefined;
      for (; from.line < line; from.line++) {
        record = from.lines.next();
        if (record === undefined) break;
      }
      if (record === undefined) throw damaged(join(root, path), `has no line ${line}`);
      if (line === from.shard.records) end(from);
      return record;
    },
  };
}
