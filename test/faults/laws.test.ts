/**
 * F187: laws that hold for any logs. Blank lines, another compression, another order on disk, a superseded entry and splitting the run in
 * two change no record; one more session adds one record. 10 seeds; 1,000 with TURNMILL_LONG=1.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { build } from '../../src/job/build.ts';
import { entryLine } from '../support/build-logs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LONG } from '../support/long.ts';
import { createDice, type Dice } from '../support/odd-logs/dice.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { sessionLines } from '../support/plain-logs.ts';

const SEEDS = LONG ? 1000 : 10;
const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const SEEDS_PER_TEST = 10;

/** Path relative to the root -> unpacked bytes. */
type Files = ReadonlyMap<string, Buffer>;

function filesOf(seed: number): Files {
  const root = join(temporaryFolder(), 'odd');
  writeOddLogs(root, seed, { manySessions: 0, tally: new Map() });
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return [path.slice(root.length + 1).replace(/\.gz$/, ''), packed ? unpacked(bytes) : bytes] as const;
  });
  rmSync(root, { recursive: true });
  return new Map(files);
}

/** Unpacks a log; a log damaged on purpose becomes empty, which is as good as any other content. */
function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch {
    return Buffer.alloc(0);
  }
}

interface Built {
  readonly records: readonly string[];
  readonly rejected: object;
}

async function run(
  files: Iterable<readonly [string, Uint8Array]>,
  groupBy: 'none' | 'scenario' = 'scenario',
): Promise<Built> {
  const root = join(temporaryFolder(), 'logs');
  mkdirSync(root);
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytes);
  }
  const records: string[] = [];
  const { sums } = await build(
    { inputs: [root], workers: 1, groupBy, allowEmpty: true },
    {
      onResult: (o) =>
        void (o.kind === 'record' && records.push(`${o.group}\n${Buffer.from(o.bytes).toString('latin1')}`)),
    },
  );
  rmSync(root, { recursive: true });
  const rejected = Object.entries(sums.fates).filter(([fate]) => fate.startsWith('rejected:'));
  return { records: records.sort(), rejected: Object.fromEntries(rejected) };
}

const isLines = (name: string): boolean => /\.(?:jsonl|ndjson)$/.test(name);

/** Adds blank lines before, between and after the lines. */
function withBlanks(dice: Dice, bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  const blank = (): string => (dice.chance(0.5) ? dice.pick(['\n', ' \t\n', '\r\n', '\n\n\n']) : '');
  return Buffer.from(lines.map((line, i) => (i === 0 ? '' : blank()) + line).join('\n'), 'latin1');
}

function shuffled<T>(dice: Dice, items: Iterable<T>): T[] {
  const keyed = [...items].map((item) => [dice.int(1 << 30), item] as const);
  return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** Records that the laws were tried on. */
let triedRecords = 0;

async function holds(seed: number): Promise<void> {
  const dice = createDice(seed, new Map());
  const files = filesOf(seed);
  const all = await run(files);
  triedRecords += all.records.length;
  const blanks = [...files].map(
    ([name, bytes]) => [name, isLines(name) ? withBlanks(dice, bytes) : bytes] as const,
  );
  expect(await run(blanks)).toEqual(all);
  const packed = [...files].map(([name, bytes]) =>
    dice.chance(0.7) ? ([`${name}.gz`, gzipSync(bytes)] as const) : ([name, bytes] as const),
  );
  expect(await run(packed)).toEqual(all);
  expect(await run(shuffled(dice, files))).toEqual(all);

  const sides = new Map([...files.keys()].map((name) => [name, dice.int(2)]));
  const runs = await Promise.all(
    [0, 1].map((half) => run([...files].filter(([name]) => sides.get(name) === half))),
  );
  expect(runs.flatMap(({ records }) => records).sort()).toEqual(all.records);

  const extra = sessionLines('one-more', { entries: 1 + dice.int(4), messageChars: 40, seed });
  const more = await run([...files, ['one-more.jsonl', Buffer.from(extra.join('\n'))]]);
  expect(more.records.length).toBe(all.records.length + 1);
  expect(all.records.filter((record) => !more.records.includes(record))).toEqual([]);
  expect(more.rejected).toEqual(all.rejected);

  const plain = await run([['s.jsonl', Buffer.from(extra.join('\n'))]], 'none');
  const before = entryLine({
    at: '2001-01-01T00:00:00Z',
    id: 'one-more',
    messages: [],
    tools: [],
    reply: null,
  });
  const longer = await run([['s.jsonl', Buffer.from([before, ...extra].join('\n'))]], 'none');
  expect(longer).toEqual(plain);
}

const tests = Array.from({ length: SEEDS / SEEDS_PER_TEST }, (_, i) => SEED * 1_000_000 + i * SEEDS_PER_TEST);

it.each(tests)(`F187 the laws hold for ${SEEDS_PER_TEST} seeds from %i`, async (from) => {
  for (let seed = from; seed < from + SEEDS_PER_TEST; seed++) {
    await holds(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
  }
});

it('F187 the logs had records', () => {
  expect(triedRecords).toBeGreaterThan(2 * SEEDS);
});
