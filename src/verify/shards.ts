/**
 * Checks every shard, record by record: the number of its lines, the shape of each record, and its name, which depends
 * on its group. The sessions must point to each record once, in order.
 */
import { dirname, join } from 'node:path';
import { type Answers, answersOf } from './answers.ts';
import { readLines, readTexts } from './line-reader.ts';
import type { ListedShard, ManifestFacts } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import type { MessageCounts, ProfileRecount } from './profile-recount.ts';
import { type RecordCheck, recordCheckOf } from './record.ts';
import { refusalsOf } from './refusals.ts';
import { splitsOf } from './splits.ts';
import { add } from './tallies.ts';
import { asCount, asText } from './untrusted.ts';
import { recount, type UsageRecount } from './usage.ts';

/**
 * A number for each record of a shard, as a sum and an order-dependent hash. The shard's tally is compared with that of
 * the sessions that point to it, so that neither has to be kept record by record.
 */
class RecordTally {
  sum = 0;
  /** Hash that differs if the same numbers are in another order. */
  fold = 0;
  /** Whether every record has a number. */
  isKnown = true;

  add(count: number | undefined): void {
    if (count === undefined) this.isKnown = false;
    else {
      this.sum += count;
      this.fold = (Math.imul(this.fold, 31) + count) | 0;
    }
  }
}

/** Numbers of a record, as far as they are known. */
export interface RecordCounts extends Partial<MessageCounts> {
  readonly tools?: number | undefined;
}

const COUNTED = ['tools', 'messages', 'calls'] as const satisfies readonly (keyof RecordCounts)[];

class RecordTallies {
  readonly tools: RecordTally = new RecordTally();
  readonly messages: RecordTally = new RecordTally();
  readonly calls: RecordTally = new RecordTally();

  add(counts: RecordCounts): void {
    for (const name of COUNTED) this[name].add(counts[name]);
  }
}

export interface ShardFacts {
  readonly format: string;
  readonly group: string;
  readonly records: number;
  /** Undefined if the records are not objects. */
  readonly counts?: RecordTallies;
  /** Records that the usual consumer refuses, by rule. */
  readonly refused?: ReadonlyMap<string, number>;
  /** The answers of each record, if the dataset marks those that are context. */
  readonly answers?: readonly (Answers | undefined)[];
}

/** The name for a group that cannot be a file name: a slug and a hash. */
const DERIVED_NAME = /-[a-z2-7]{16}$/i;
/** A deck of samples: each begins with its header on a separate line, and no text in a sample can look like that. */
const DECK = /\.toml(?:\.gz|\.zst)?$/;
const DECK_RECORD = '[[samples]]';
/** Session traces: each begins with its header. */
const TRACES = /\.sts\.jsonl(?:\.gz|\.zst)?$/;
const SHARD_NAME = /^(data(?:\/[^/]+){0,2})\/([^/]+)-(\d{5,})\.(jsonl|toml|sts\.jsonl)(\.gz|\.zst)?$/;
/** Suffixes by `--compress`. */
const SUFFIXES: ReadonlyMap<unknown, string> = new Map([
  ['gzip', '.gz'],
  ['zstd', '.zst'],
]);

export interface Recounts {
  /** Collects the figures of records in the format `chat`. */
  readonly usage: UsageRecount;
  readonly profile: ProfileRecount;
  readonly onRecord?: ((text: string, shard: string) => void) | undefined;
}

/** Checks the shards. @returns their facts by path, in the order of the manifest */
export async function readShards(
  root: string,
  manifest: ManifestFacts,
  readable: ReadonlySet<string>,
  recounts: Recounts,
  problems: Problems,
): Promise<ReadonlyMap<string, ShardFacts>> {
  const { shards, settings, formats } = manifest;
  const splits = splitsOf(manifest);
  const facts = new Map<string, ShardFacts>();
  const numbers = new Map<string, number>(); // number of shards so far for each folder's groups
  for (const shard of shards) {
    const format = formatOf(shard, formats, splits, problems);
    const series = `${dirname(shard.path)}/${shard.group}`;
    const number = numbers.get(series) ?? 0;
    numbers.set(series, number + 1);
    checkName(shard, number, SUFFIXES.get(settings.compress) ?? '', problems);
    const found = readable.has(shard.path)
      ? await readShard({ root, marks: settings.copies === 'mark' }, shard, format, recounts, problems)
      : { format, group: shard.group, records: 0 };
    problems.equal(shard.path, undefined, 'records', shard.records, found.records);
    facts.set(shard.path, found);
  }
  return facts;
}

/** Returns the format of a shard, by its folder if there are several. With splits, each has a folder below. */
function formatOf(
  { path }: ListedShard,
  formats: readonly string[],
  splits: readonly string[],
  problems: Problems,
): string {
  const [, folder] = SHARD_NAME.exec(path) ?? [];
  const format = formats.find((name) => {
    const own = formats.length === 1 ? 'data' : `data/${name}`;
    return splits.length === 0 ? folder === own : splits.some((split) => folder === `${own}/${split}`);
  });
  if (format === undefined) {
    const ofSplit = splits.length === 0 ? '' : ', and of a split of settings.split';
    problems.add(path, `expected a shard in the folder of a format of settings.format${ofSplit}`);
  }
  return format ?? '';
}

function checkName({ path, group }: ListedShard, number: number, packed: string, problems: Problems): void {
  const [, , stem = '', digits = '', kind = 'jsonl', suffix = ''] = SHARD_NAME.exec(path) ?? [];
  const fits = (stem === group || DERIVED_NAME.test(stem)) && Number(digits) === number && suffix === packed;
  if (fits) return;
  const wanted = `${group}-${String(number).padStart(5, '0')}.${kind}${packed}`;
  problems.add(path, `expected shard ${number} of group '${group}' to be named like ${wanted}`);
}

async function readShard(
  { root, marks }: { readonly root: string; readonly marks: boolean },
  { path, group }: ListedShard,
  format: string,
  recounts: Recounts,
  problems: Problems,
): Promise<ShardFacts> {
  const check = recordCheckOf(format, marks);
  const answers: (Answers | undefined)[] = [];
  const counts = new RecordTallies();
  const refused = new Map<string, number>();
  let records = 0;
  if (DECK.test(path)) {
    for await (const { text } of readTexts(join(root, path), path, problems)) {
      recounts.onRecord?.(text, path);
      if (text === DECK_RECORD) records += 1;
    }
    recounts.profile.deck();
    return { format, group, records };
  }
  if (TRACES.test(path)) {
    recounts.profile.deck();
    return {
      format,
      group,
      records: await readTraces(root, path, check, { problems, ...recounts }),
    };
  }
  for await (const { line, text, value } of readLines(join(root, path), path, problems)) {
    records = line;
    recounts.onRecord?.(text, path);
    if (value === undefined) continue;
    const { problem, tools } = check(value);
    if (problem !== undefined) problems.add(path, `line ${line}: ${problem}`);
    if (format === 'chat') recount(recounts.usage, group, value);
    counts.add({ tools, ...recounts.profile.record(format, text, value) });
    for (const rule of refusalsOf(format, value)) add(refused, rule);
    if (marks) answers[line - 1] = answersOf(format, value);
  }
  return { format, group, records, counts, refused, ...(marks && { answers }) };
}

/** Checks session traces: each header must be followed by a message. @returns the number of headers */
async function readTraces(
  root: string,
  path: string,
  check: RecordCheck,
  { problems, onRecord }: Pick<Recounts, 'onRecord'> & { readonly problems: Problems },
): Promise<number> {
  let records = 0;
  let isEmpty = false;
  for await (const { line, text, value } of readLines(join(root, path), path, problems)) {
    onRecord?.(text, path);
    if (value === undefined) continue;
    const { problem } = check(value);
    if (problem !== undefined) problems.add(path, `line ${line}: ${problem}`);
    const isHeader = value.type === 'session';
    if (line === 1 && !isHeader) problems.add(path, 'line 1: expected the header of a trace, found none');
    if (isHeader && isEmpty) problems.add(path, `line ${line}: expected a message, found another header`);
    if (isHeader) records += 1;
    isEmpty = isHeader;
  }
  if (isEmpty) problems.add(path, 'expected a message after the last header, found none');
  return records;
}

const SESSIONS = 'ledger/sessions.jsonl';

/** Checks the records that the sessions point to, shard by shard. */
export class Pointers {
  readonly #shards: ReadonlyMap<string, ShardFacts>;
  readonly #problems: Problems;
  /** The last record in each shard that a session points to, and the numbers according to the sessions. */
  readonly #reached: ReadonlyMap<string, { last: number; readonly counts: RecordTallies }>;

  constructor(shards: ReadonlyMap<string, ShardFacts>, problems: Problems) {
    this.#shards = shards;
    this.#problems = problems;
    this.#reached = new Map(
      [...shards.keys()].map((path) => [path, { last: 0, counts: new RecordTallies() }]),
    );
  }

  /**
   * Adds the record of a written session.
   * @param line line of ledger/sessions.jsonl
   * @returns the record's shard, if it exists
   */
  point(line: number, shard: unknown, record: unknown, counts: RecordCounts): ShardFacts | undefined {
    const path = asText(shard) ?? '';
    const facts = this.#shards.get(path);
    const at = this.#reached.get(path);
    if (facts === undefined || at === undefined) {
      this.#problems.equal(SESSIONS, line, 'shard', 'one of the manifest', shard);
      return undefined;
    }
    const found = asCount(record) ?? 0;
    if (found > facts.records || found < 1) {
      const range = `a record of ${path}, which has ${facts.records}`;
      this.#problems.add(SESSIONS, `line ${line}: expected ${range}, found ${found}`);
    } else this.#problems.equal(SESSIONS, line, `the line of ${path}`, at.last + 1, found);
    at.last = Math.max(at.last, Math.min(found, facts.records));
    at.counts.add(counts);
    return facts;
  }

  /** Reports records that no session points to, and shards whose numbers contradict their sessions. */
  end(): void {
    for (const [path, { records, counts: found }] of this.#shards) {
      const { last, counts } = this.#reached.get(path) as { last: number; counts: RecordTallies };
      if (last < records) {
        const wanted = `a session in ${SESSIONS} that points to it`;
        this.#problems.add(path, `line ${last + 1}: expected ${wanted}, found none`);
        continue;
      }
      if (found !== undefined)
        for (const name of COUNTED) this.#compare(path, name, counts[name], found[name]);
    }
  }

  #compare(path: string, name: string, stated: RecordTally, found: RecordTally): void {
    if (!stated.isKnown || !found.isKnown) return;
    this.#problems.equal(path, undefined, `${name} of all records, by their sessions`, stated.sum, found.sum);
    if (stated.sum === found.sum && stated.fold !== found.fold)
      this.#problems.add(
        path,
        `expected the numbers of ${name} in the order of the sessions, found another order`,
      );
  }
}
