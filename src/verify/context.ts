/**
 * Counts context a second time (docs/copies.md), from the paths in ledger/paths.bin: which first messages of each record
 * an earlier record has, and whether the records mark exactly the answers among these.
 */
import { join } from 'node:path';
import type { RecordPlace, SessionLine } from '../dataset/schema/ledger.ts';
import type { ContainedContext } from './contained.ts';
import {
  comparedLines,
  HASH_BYTES,
  hasAll,
  hashAt,
  PATHS,
  readPaths,
  SESSIONS,
  writersOf,
} from './contained.ts';
import type { ShardFacts } from './shards.ts';
import type { Totals } from './tallies.ts';
import { asCount, asObjects, asText, type Untrusted } from './untrusted.ts';

/** Most hashes that are held at a time; with more, the paths are read several times. */
const MAX_HASHES = 400_000;

export interface ContextCheck extends ContainedContext {
  readonly shards: ReadonlyMap<string, ShardFacts>;
  readonly totals: Totals;
}

/** Compares the context of all sessions with a new count, and adds their answers to the totals. */
export async function checkContext(check: ContextCheck): Promise<void> {
  const { readable } = check;
  if (readable.has(PATHS) && readable.has(SESSIONS)) await new ContextRecount(check).check();
}

class ContextRecount {
  readonly #check: ContextCheck;
  readonly #paths: string;
  /** For each session that is compared: the formats that wrote it; undefined if it is contained. */
  readonly #formats: (string | undefined)[] = [];
  /** Number of its first messages that an earlier one has. */
  readonly #shared: number[] = [];

  constructor(check: ContextCheck) {
    this.#check = check;
    this.#paths = join(check.root, PATHS);
  }

  async check(): Promise<void> {
    const { root, manifest } = this.#check;
    for await (const { value } of comparedLines(root)) {
      this.#formats.push(value.fate === 'written' ? writersOf(value, manifest.formats) : undefined);
      this.#shared.push(0);
    }
    let hashes = 0;
    for await (const path of readPaths(this.#paths)) hashes += (path?.length ?? 0) / HASH_BYTES;
    const rounds = Math.ceil(hashes / MAX_HASHES);
    for (let round = 0; round < rounds; round++) await this.#count(round, rounds);
    await this.#compare();
  }

  /** Looks for the hashes of this round in all earlier records. */
  async #count(round: number, rounds: number): Promise<void> {
    const seen = new Map<string, Set<string>>();
    let number = 0;
    for await (const path of readPaths(this.#paths)) {
      const at = number++;
      const formats = this.#formats[at];
      if (path === undefined || formats === undefined) continue;
      const own = seen.get(formats) ?? new Set<string>();
      seen.set(formats, own);
      const earlier = [...seen].filter(([names]) => hasAll(names, formats)).map(([, known]) => known);
      for (let end = HASH_BYTES; end <= path.length; end += HASH_BYTES) {
        if (path.readUInt32LE(end - HASH_BYTES) % rounds !== round) continue;
        const hash = hashAt(path, end);
        if (earlier.some((known) => known.has(hash)))
          this.#shared[at] = Math.max(this.#shared[at] as number, end / HASH_BYTES);
        own.add(hash);
      }
    }
  }

  async #compare(): Promise<void> {
    const { root, problems } = this.#check;
    const paths = readPaths(this.#paths);
    let number = 0;
    for await (const { line, value } of comparedLines(root)) {
      const { value: path } = await paths.next();
      const shared = this.#shared[number] as number;
      if (path === undefined || this.#formats[number++] === undefined) continue;
      const context = answersAmong(path, shared);
      const stated = context === 0 ? undefined : shared;
      problems.equal(SESSIONS, line, 'context, by the paths', stated, value.context);
      if (path.length > 0) this.#compareRecords(value, answersAmong(path, path.length / HASH_BYTES), context);
    }
    await paths.return(undefined);
  }

  #compareRecords(session: Untrusted<SessionLine>, answers: number, context: number): void {
    const { manifest, shards, totals, problems } = this.#check;
    const places: readonly Untrusted<RecordPlace>[] =
      session.records === undefined
        ? [{ format: manifest.formats[0], shard: session.shard, line: session.line }]
        : asObjects(session.records);
    for (const { format, shard, line } of places) {
      totals.addAnswers(String(format), answers, context);
      const number = asCount(line) ?? 0;
      const found = shards.get(asText(shard) ?? '')?.answers?.[number - 1];
      if (found === undefined) continue;
      problems.equal(String(shard), number, 'answers, by the path of its session', answers, found.answers);
      if (found.context < context || (found.context > context && !found.mayBeMore))
        problems.equal(String(shard), number, 'answers that are context', context, found.context);
    }
  }
}

/** Counts the answers among the first messages of a path: the last bit of their hashes is 1. */
function answersAmong(path: Buffer, messages: number): number {
  let answers = 0;
  for (let message = 1; message <= messages; message++)
    answers += (path[message * HASH_BYTES - 1] as number) % 2;
  return answers;
}
