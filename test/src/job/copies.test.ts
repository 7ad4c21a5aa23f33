/**
 * `--copies drop` and `mark` over generated sessions with branches, retries, sub-agents and copies in other files: no answer is lost, no record
 * lies inside another one, and any number of workers, an update and a resumed run give the bytes of one full build.
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { build } from '../../../src/job/build.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import type { Conversation } from '../../../transforms/model/element.ts';
import type { PlacedStage } from '../../../transforms/stage.ts';
import { changeLogs, filesIn } from '../../support/changed-logs.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import { randomFrom } from '../../support/plain-logs.ts';
import { stagingIn, stopAndResume } from '../../support/stopped-run.ts';
import { hasZstd } from '../../support/zstd.ts';

const SEEDS = LONG ? 5000 : 12;
const seeds = (count: number): readonly number[] => Array.from({ length: count }, (_, seed) => seed);

afterEach(() => vi.unstubAllEnvs());

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: unknown }[];
}

/** The messages of all records in a format whose records are lines with messages. */
function recordsIn(out: string, folder = 'data'): string[][] {
  return readdirSync(join(out, folder))
    .sort()
    .flatMap((name) =>
      readFileSync(join(out, folder, name), 'utf8')
        .split('\n')
        .slice(0, -1),
    )
    .map((line) => (JSON.parse(line) as { messages: Message[] }).messages.map(keyOf));
}

const keyOf = ({ role, content, tool_calls: calls = [] }: Message): string =>
  JSON.stringify([role, content ?? '', calls.map((call) => call.function)]);

const begins = (one: readonly string[], other: readonly string[]): boolean =>
  one.length <= other.length && one.every((message, i) => message === other[i]);

/** The records that a naive comparison of all pairs keeps. */
const notInside = (records: readonly string[][]): string[][] =>
  records.filter(
    (one, i) =>
      !records.some((other, j) => i !== j && begins(one, other) && (one.length < other.length || j < i)),
  );

const answersIn = (records: readonly string[][]): Set<string> =>
  new Set(records.flatMap((record) => record.map((_, i) => JSON.stringify(record.slice(0, i + 1)))));

async function problemsOf(out: string): Promise<readonly unknown[]> {
  return (await verifyDataset(out)).problems;
}

const sessionsOf = (out: string): { fate: string; in?: { shard: string; line: number } }[] =>
  readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

function folders(
  seed: number,
  sessions = 12,
): { folder: string; logs: string; path: (name: string) => string } {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  writeCopiedLogs(logs, seed, sessions);
  return { folder, logs, path: (name) => join(folder, name) };
}

const settingsFor = (logs: string, more: Partial<Settings> = {}) => ({
  ...{ inputs: [logs], workers: 1, copies: 'drop' as const, report: false },
  ...more,
});

describe('the records', () => {
  test.each(seeds(SEEDS))(
    'those that a naive comparison keeps, in the same order; all answers: seed %i',
    async (seed) => {
      const { logs, path } = folders(seed);
      await build({ ...settingsFor(logs), copies: 'keep', out: path('keep') });
      const { sums } = await build({ ...settingsFor(logs), out: path('drop') });
      const all = recordsIn(path('keep'));
      const kept = recordsIn(path('drop'));
      expect(kept).toEqual(notInside(all));
      expect(answersIn(kept)).toEqual(answersIn(all));
      expect(sums.sessions.contained ?? 0).toBe(all.length - kept.length);
      expect(sums.formats.chat?.contained ?? 0).toBe(all.length - kept.length);
      expect(await problemsOf(path('drop'))).toEqual([]);
      for (const { fate, in: place } of sessionsOf(path('drop')))
        expect(place !== undefined).toBe(fate === 'contained');
    },
  );

  test('other names of the files change which copy stays, never how many', async () => {
    for (const seed of seeds(4)) {
      const { logs, path } = folders(seed, 20);
      await build({ ...settingsFor(logs), out: path('one') });
      const random = randomFrom(seed);
      for (const file of filesIn(logs)) renameSync(file, join(dirname(file), `${random()}.jsonl`));
      await build({ ...settingsFor(logs), out: path('other') });
      const [one, other] = [recordsIn(path('one')), recordsIn(path('other'))];
      expect(new Set(other.map(String))).toEqual(new Set(one.map(String)));
      expect(other.length).toBe(one.length);
    }
  });
});

test('calls whose ids differ in the last of 19 digits are no copies of each other', async () => {
  const folder = temporaryFolder();
  const call = (id: string): object => ({
    ...{ role: 'assistant', content: null },
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: `{"id":${id}}` } }],
  });
  const lines = ['1234567890123456789', '1234567890123456788', '1.0', '1'].map((id) =>
    JSON.stringify({ messages: [{ role: 'user', content: 'Read it.' }, call(id)], tools: [] }),
  );
  writeFileSync(join(folder, 'a.jsonl'), `${lines.join('\n')}\n`);
  await build({ ...settingsFor(join(folder, 'a.jsonl')), out: join(folder, 'out') });
  expect(sessionsOf(join(folder, 'out')).map(({ fate }) => fate)).toEqual([
    ...['written', 'written', 'written', 'contained'],
  ]);
});

const VARIANTS: readonly (readonly [string, Partial<Settings>])[] = [
  ['plain', {}],
  ['gzip and small shards', { compress: 'gzip', shardSize: 2000 }],
  [hasZstd ? 'zstd' : 'gzip in one group', { compress: hasZstd ? 'zstd' : 'gzip', groupBy: 'none' }],
  ['several formats', { format: ['chat', 'trl', 'sharegpt'], shardSize: 5000, groupBy: 'none' }],
  [
    'samples as TOML, by scenario',
    { format: ['samples'], formatOptions: { as: 'toml' }, groupBy: 'scenario' },
  ],
  ['traces', { format: ['sts'], quarantineContent: 'raw' }],
  [
    'marked in all formats that can say it',
    { copies: 'mark', format: ['chat', 'openai', 'axolotl', 'trl', 'atif'], shardSize: 5000 },
  ],
  [
    'split and packed',
    { copies: 'mark', format: ['trl'], compress: 'gzip', meta: ['model'], shardSize: 3000 },
  ],
];

describe.each(VARIANTS)('%s', (_, more) => {
  test('any number of workers gives the same bytes', async () => {
    const { logs, path } = folders(1, 20);
    for (const workers of [1, 2, 3])
      await build({ ...settingsFor(logs, more), workers, out: path(`${workers}`) });
    expect(hashesOf(path('2'))).toEqual(hashesOf(path('1')));
    expect(hashesOf(path('3'))).toEqual(hashesOf(path('1')));
    expect(await problemsOf(path('1'))).toEqual([]);
  });

  test('an update gives the bytes of a full build', async () => {
    for (const seed of seeds(LONG ? 50 : 1)) {
      const { logs, path } = folders(seed, 20);
      const random = randomFrom(seed);
      const shared = settingsFor(logs, { ...more, allowShrink: true });
      await build({ ...shared, out: path('out') });
      for (let night = 0; night < 3; night++) {
        const changes = changeLogs(logs, random).join(', ');
        await build({ ...shared, out: path(`full-${night}`) });
        await build({ ...shared, out: path('out'), update: true });
        expect(hashesOf(path('out')), `seed ${seed}, night ${night}: ${changes}`).toEqual(
          hashesOf(path(`full-${night}`)),
        );
      }
    }
  });

  test('a run that is stopped and resumed gives the bytes of a straight one', async () => {
    vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
    const { folder, logs, path } = folders(7, 10);
    const shared = settingsFor(logs, more);
    let results = 0;
    await build({ ...shared, out: path('straight') }, { onResult: () => void results++ });
    const random = randomFrom(7);
    for (let point = 0; point < 2; point++) {
      await stopAndResume({ ...shared, out: path('out') }, random, results);
      expect(hashesOf(path('out'))).toEqual(hashesOf(path('straight')));
      expect(stagingIn(folder)).toEqual([]);
      rmSync(path('out'), { recursive: true });
    }
  });
});

test('a conversation that a stage of a plug-in splits is not compared', async () => {
  const { logs, path } = folders(3);
  const split = {
    ...{
      name: 'split',
      summary: 'Splits conversations.',
      after: 'snapshot-select',
      takes: 'conversation',
      options: {},
    },
    create: () => ({
      conversation: (one: Conversation) => [one, { ...one, messages: one.messages.slice(0, 1) }],
    }),
  } as unknown as PlacedStage;
  const shared = { ...settingsFor(logs), stages: [split], onFinding: { 'no-answer': 'keep' as const } };
  const { sums } = await build({ ...shared, out: path('out') });
  expect(sums.sessions.contained).toBeUndefined();
  expect(sums.records).toBe(2 * (sums.sessions.written ?? 0));
  // verify reports figures of such sessions that depend on there being one conversation, but nothing about paths
  const problems = (await verifyDataset(path('out'))).problems.map(({ message }) => message);
  expect(problems.filter((message) => /path|contain/.test(message))).toEqual([]);
});
