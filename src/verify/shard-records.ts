/** Every shard, record by record: its number of lines, what each of them is, and the name that its group gives it. */
import { join } from 'node:path';
import { readLines, readTexts } from './line-reader.ts';
import type { ListedShard, ManifestFacts } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import type { ProfileRecount } from './profile-recount.ts';
import { recordCheckOf } from './record.ts';
import { addTools, createToolTally, type ToolTally } from './tool-tally.ts';
import { recount, type UsageRecount } from './usage-recount.ts';

export interface ShardFacts {
  readonly format: string;
  readonly group: string;
  /** Lines that were counted. */
  readonly records: number;
  /** Undefined where the format does not show its tools. */
  readonly tools: ToolTally | undefined;
}

/** A name that was made for a group that is none: a slug and a hash. */
const MADE_NAME = /-[a-z2-7]{16}$/i;
/** A deck of samples: each begins with its header on a line of its own, which no text in it can look like. */
const DECK = /\.toml(?:\.gz|\.zst)?$/;
const DECK_RECORD = '[[samples]]';
const SHARD_NAME = /^(data(?:\/[^/]+)?)\/([^/]+)-(\d{5,})\.(jsonl|toml)(\.gz|\.zst)?$/;
/** By `--compress`. */
const SUFFIXES: ReadonlyMap<unknown, string> = new Map([
  ['gzip', '.gz'],
  ['zstd', '.zst'],
]);

/** What is counted again in the records. */
export interface Recounts {
  /** Gets what the records of format `chat` add up to. */
  readonly usage: UsageRecount;
  readonly profile: ProfileRecount;
}

/** By path, in the order of the manifest. */
export async function readShards(
  root: string,
  { shards, settings, formats }: ManifestFacts,
  readable: ReadonlySet<string>,
  recounts: Recounts,
  problems: Problems,
): Promise<ReadonlyMap<string, ShardFacts>> {
  const facts = new Map<string, ShardFacts>();
  const numbers = new Map<string, number>(); // shards of each format's groups so far
  for (const shard of shards) {
    const format = formatOf(shard, formats, problems);
    const series = `${format}/${shard.group}`;
    const number = numbers.get(series) ?? 0;
    numbers.set(series, number + 1);
    checkName(shard, number, SUFFIXES.get(settings.compress) ?? '', problems);
    const found = readable.has(shard.path)
      ? await readShard(root, shard, format, recounts, problems)
      : { format, group: shard.group, records: 0, tools: undefined };
    problems.equal(shard.path, undefined, 'records', shard.records, found.records);
    facts.set(shard.path, found);
  }
  return facts;
}

/** Of several formats each has its folder. */
function formatOf({ path }: ListedShard, formats: readonly string[], problems: Problems): string {
  const [, folder] = SHARD_NAME.exec(path) ?? [];
  const format = formats.find((name) => folder === (formats.length === 1 ? 'data' : `data/${name}`));
  if (format === undefined)
    problems.add(path, 'expected a shard in the folder of a format of settings.format');
  return format ?? '';
}

function checkName({ path, group }: ListedShard, number: number, packed: string, problems: Problems): void {
  const [, , stem = '', digits = '', kind = 'jsonl', suffix = ''] = SHARD_NAME.exec(path) ?? [];
  const fits = (stem === group || MADE_NAME.test(stem)) && Number(digits) === number && suffix === packed;
  if (fits) return;
  const wanted = `${group}-${String(number).padStart(5, '0')}.${kind}${packed}`;
  problems.add(path, `expected shard ${number} of group '${group}' to be named like ${wanted}`);
}

async function readShard(
  root: string,
  { path, group }: ListedShard,
  format: string,
  recounts: Recounts,
  problems: Problems,
): Promise<ShardFacts> {
  const check = recordCheckOf(format);
  const tally = createToolTally();
  let shown = true;
  let records = 0;
  if (DECK.test(path)) {
    for await (const { text } of readTexts(join(root, path), path, problems)) {
      if (text === DECK_RECORD) records += 1;
    }
    recounts.profile.deck();
    return { format, group, records, tools: undefined };
  }
  for await (const { line, text, value } of readLines(join(root, path), path, problems)) {
    records = line;
    if (value === undefined) continue;
    const { problem, tools } = check(value);
    if (problem !== undefined) problems.add(path, `line ${line}: ${problem}`);
    if (format === 'chat') recount(recounts.usage, group, value);
    recounts.profile.record(format, text, value);
    if (tools === undefined) shown = false;
    else addTools(tally, tools);
  }
  return { format, group, records, tools: shown ? tally : undefined };
}
