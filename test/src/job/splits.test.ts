/**
 * `--split` over generated sessions with branches, sub-agents, forks and copies in other files: nothing that belongs
 * together is in two splits, and workers, updates, resumed runs and slices give the bytes of one build.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { build } from '../../../src/job/build.ts';
import type { PartialSettings } from '../../../src/settings/settings.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import { entryLine, sessionLog } from '../../support/build-logs.ts';
import { filesIn } from '../../support/changed-logs.ts';
import { turnmillHere } from '../../support/command-here.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import { randomFrom } from '../../support/plain-logs.ts';
import { buildSlices, mergeAll } from '../../support/sliced-logs.ts';
import { stagingIn, stopAndResume } from '../../support/stopped-run.ts';

const SHARES = { train: 0.5, validation: 0.25, test: 0.25 };
const SEEDS = Array.from({ length: LONG ? 500 : 8 }, (_, seed) => seed);
const SESSIONS = 14;

afterEach(() => vi.unstubAllEnvs());

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: unknown }[];
}

/** A record: its split, its session, and its messages up to the first answer. */
interface Placed {
  readonly split: string;
  readonly session: string;
  readonly beginning: string;
}

interface SessionLine {
  readonly id: string;
  readonly fate: string;
  readonly shard: string;
  readonly line: number;
}

const linesIn = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

/** Reads the records of a dataset in the format `chat`, in the order of the ledger. */
function recordsIn(out: string): Placed[] {
  const sessions = linesIn(join(out, 'ledger/sessions.jsonl')).map((line) => JSON.parse(line) as SessionLine);
  return sessions
    .filter(({ fate }) => fate === 'written')
    .map(({ id, shard, line }) => {
      const { messages } = JSON.parse(linesIn(join(out, shard))[line - 1] as string) as {
        messages: Message[];
      };
      const first = messages.findIndex(({ role }) => role === 'assistant');
      const beginning = messages
        .slice(0, first + 1)
        .map(({ role, content, tool_calls: calls = [] }) => [
          role,
          content ?? '',
          calls.map((call) => call.function),
        ]);
      const session = id.replace(/\/.*/, '').replace(/#\d+$/, '');
      return { split: shard.split('/')[1] as string, session, beginning: JSON.stringify(beginning) };
    });
}

/** Groups the sessions naively: joins the groups of two records until nothing changes. Returns each session's group. */
function groupsOf(records: readonly Placed[]): ReadonlyMap<string, string> {
  const group = new Map(records.map(({ session }) => [session, session]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const one of records)
      for (const other of records) {
        const [a, b] = [group.get(one.session) as string, group.get(other.session) as string];
        if (a === b || one.beginning !== other.beginning) continue;
        for (const [session, now] of group) if (now === b) group.set(session, a);
        changed = true;
      }
  }
  return group;
}

const membersOf = (groups: ReadonlyMap<string, string>, session: string): string =>
  [...groups.keys()]
    .filter((other) => groups.get(other) === groups.get(session))
    .sort()
    .join(' ');

function logsOf(seed: number, sessions = SESSIONS): { logs: string; path: (name: string) => string } {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  writeCopiedLogs(logs, seed, sessions);
  return { logs, path: (name) => join(folder, name) };
}

const settingsFor = (logs: string, more: Partial<PartialSettings> = {}): PartialSettings => ({
  ...{ inputs: [logs], workers: 1, split: SHARES, report: false },
  ...more,
});

const splitsBy = (records: readonly Placed[], key: 'session' | 'beginning'): Set<string>[] => {
  const splits = new Map<string, Set<string>>();
  for (const record of records)
    splits.set(record[key], (splits.get(record[key]) ?? new Set()).add(record.split));
  return [...splits.values()];
};

describe('what belongs together', () => {
  test.each(SEEDS)('is in one split, whatever the files are called: seed %i', async (seed) => {
    const { logs, path } = logsOf(seed);
    await build({ ...settingsFor(logs), out: path('out') });
    const records = recordsIn(path('out'));
    expect(records.length).toBeGreaterThan(SESSIONS);
    for (const key of ['session', 'beginning'] as const)
      expect(Math.max(...splitsBy(records, key).map(({ size }) => size))).toBe(1);
    expect((await verifyDataset(path('out'))).problems).toEqual([]);

    for (const [n, file] of filesIn(logs).entries())
      renameSync(file, join(dirname(file), `${(n * 7919) % 1000}-renamed.jsonl`));
    await build({ ...settingsFor(logs), out: path('renamed') });
    const sides = (placed: readonly Placed[]): string[] => placed.map((one) => JSON.stringify(one)).sort();
    expect(sides(recordsIn(path('renamed')))).toEqual(sides(records));
  });

  test('groups of several sessions, of one session with several beginnings, and all splits occur', async () => {
    const { logs, path } = logsOf(3, 60);
    await build({ ...settingsFor(logs), out: path('out') });
    const records = recordsIn(path('out'));
    const groups = groupsOf(records);
    expect(new Set(groups.values()).size).toBeLessThan(groups.size);
    expect(new Set(records.map(({ beginning }) => beginning)).size).toBeGreaterThan(
      new Set(groups.values()).size,
    );
    expect(new Set(records.map(({ split }) => split))).toEqual(new Set(Object.keys(SHARES)));
  });

  test.each(SEEDS.slice(0, 4))(
    'moves only when groups merge, which an update counts: seed %i',
    async (seed) => {
      const { logs, path } = logsOf(seed, 30);
      const all = filesIn(logs);
      cpSync(logs, path('all'), { recursive: true });
      for (const [n, file] of all.entries()) if (n % 2 === 1) rmSync(file);
      const shared = settingsFor(logs);
      await build({ ...shared, out: path('out') });
      const before = recordsIn(path('out'));
      cpSync(path('all'), logs, { recursive: true });
      const notes: string[] = [];
      const onNote = (note: string): undefined => void notes.push(note);
      const { splitMoved } = await build({ ...shared, out: path('out'), update: true }, { onNote });
      const after = recordsIn(path('out'));
      await build({ ...shared, out: path('fresh') });
      expect(hashesOf(path('out'))).toEqual(hashesOf(path('fresh')));

      const [groupsBefore, groups] = [groupsOf(before), groupsOf(after)];
      const sideOf = (records: readonly Placed[], session: string): string | undefined =>
        records.find((record) => record.session === session)?.split;
      const moved = [...groupsBefore.keys()].filter(
        (session) => sideOf(before, session) !== sideOf(after, session),
      );
      for (const session of moved)
        expect(membersOf(groups, session)).not.toBe(membersOf(groupsBefore, session));
      const count = new Set(moved.map((session) => groups.get(session))).size;
      const said = notes.find((note) => note.includes('moved to another split'));
      expect(Number(/\d+/.exec(said ?? '0')?.[0])).toBe(count);
      const { split_moved = 0 } = JSON.parse(readFileSync(path('out/run.json'), 'utf8'));
      expect([splitMoved, split_moved]).toEqual([count, count]);
    },
  );
});

const VARIANTS: readonly Partial<PartialSettings>[] = [
  { splitSeed: 'other', compress: 'gzip', shardSize: 2000 },
  { copies: 'drop', format: ['chat', 'trl'] },
];

describe.each(VARIANTS)('with %j', (more) => {
  test('two workers give the bytes of one', async () => {
    const { logs, path } = logsOf(5);
    await build({ ...settingsFor(logs, more), out: path('one') });
    await build({ ...settingsFor(logs, more), workers: 2, out: path('two') });
    expect(hashesOf(path('two'))).toEqual(hashesOf(path('one')));
    expect((await verifyDataset(path('one'))).problems).toEqual([]);
  });

  test('merged slices give the bytes of one build', async () => {
    const { logs, path } = logsOf(6);
    const { inputs: _, ...shared } = settingsFor(logs, more);
    await build({ ...shared, inputs: [logs], out: path('whole') });
    const parts = await buildSlices([logs], dirname(logs), 3, shared);
    await mergeAll(parts.toReversed(), path('merged'));
    expect(hashesOf(path('merged'))).toEqual(hashesOf(path('whole')));
  });

  test('a run that is stopped and resumed gives the bytes of a straight one', async () => {
    vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
    const { logs, path } = logsOf(7);
    const shared = settingsFor(logs, more);
    let results = 0;
    await build({ ...shared, out: path('straight') }, { onResult: () => void results++ });
    const random = randomFrom(7);
    await stopAndResume({ ...shared, out: path('out') }, random, results);
    expect(hashesOf(path('out'))).toEqual(hashesOf(path('straight')));
    expect(stagingIn(dirname(logs))).toEqual([]);
  });
});

test('answers of copies are marked in each split', async () => {
  const { logs, path } = logsOf(11);
  const more = { copies: 'mark', format: ['trl', 'openai'], compress: 'zstd' } as const;
  await build({ ...settingsFor(logs, more), out: path('one') });
  await build({ ...settingsFor(logs, more), workers: 2, out: path('two') });
  expect(hashesOf(path('two'))).toEqual(hashesOf(path('one')));
  const { problems } = await verifyDataset(path('one'));
  expect(problems).toEqual([]);
  const { split: _, ...plain } = settingsFor(logs, more);
  await build({ ...plain, out: path('undivided') });
  const answersOf = (out: string): unknown =>
    JSON.parse(readFileSync(join(path(out), 'reports/summary.json'), 'utf8')).formats;
  expect(answersOf('one')).toEqual(answersOf('undivided'));
  for (const format of ['trl', 'openai'])
    for (const split of Object.keys(SHARES))
      expect(
        readdirSync(path(`one/data/${format}/${split}`)).every((name) => name.endsWith('.jsonl.zst')),
      ).toBe(true);
});

test('another seed divides the sessions differently', async () => {
  const { logs, path } = logsOf(8, 30);
  await build({ ...settingsFor(logs), out: path('one') });
  await build({ ...settingsFor(logs), splitSeed: 'other', out: path('two') });
  expect(recordsIn(path('two')).map(({ split }) => split)).not.toEqual(
    recordsIn(path('one')).map(({ split }) => split),
  );
});

describe('the command', () => {
  test('says how many records each split has, and reports one that is empty', async () => {
    const { logs, path } = logsOf(9, 3);
    const args = [
      'build',
      logs,
      '--split',
      'train=0.999999,test=0.000001',
      '--out',
      path('out'),
      '--workers',
      '1',
    ];
    const { status, stdout, stderr } = await turnmillHere(args);
    expect(status).toBe(0);
    expect(`${stdout}${stderr}`).toMatch(/splits {5}train \d+ records; test 0 records/);
    expect(`${stdout}${stderr}`).toContain('1 warning split-empty');
    const findings = readFileSync(path('out/reports/integrity.jsonl'), 'utf8').trim().split('\n');
    const own = findings.map((line) => JSON.parse(line)).filter(({ rule }) => rule === 'split-empty');
    expect(own.length).toBe(1);
    expect(own[0]).toMatchObject({
      ...{ severity: 'WARNING', rule: 'split-empty', session: null, across_sources: true },
      message: expect.stringMatching(
        /^the split test is empty: sessions that belong together stay together, which makes \d+ groups?$/,
      ),
    });
    expect((await verifyDataset(path('out'))).problems).toEqual([]);
    expect(readdirSync(path('out/data'))).toEqual(['train']);
  });

  test('reports empty splits of a dataset whose first log is empty', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.jsonl'), '');
    writeFileSync(join(folder, 'b.jsonl'), `${entryLine()}\n`);
    const out = join(temporaryFolder(), 'out');
    const { stderr } = await turnmillHere([
      'build',
      folder,
      '--split',
      'train=0.999999,test=0.000001',
      '--out',
      out,
    ]);
    expect(stderr).toContain('1 warning split-empty');
    expect((await verifyDataset(out)).problems).toEqual([]);
  });

  test('says how many groups an update moved', async () => {
    const logs = temporaryFolder();
    const out = join(temporaryFolder(), 'out');
    const options = ['--split', 'train=0.5,test=0.5', '--session-by', 'id'];
    for (let i = 0; i < 12; i++)
      writeFileSync(join(logs, `s${i}.jsonl`), sessionLog(`s${i}`, `question ${i}`));
    const first = await turnmillHere(['build', logs, '--out', out, ...options]);
    expect(`${first.stdout}${first.stderr}`).not.toContain('moved');
    // each joins two sessions
    for (let i = 0; i < 12; i += 2)
      writeFileSync(join(logs, `t${i}.jsonl`), sessionLog(`s${i}`, `question ${i + 1}`));
    const { stdout, stderr } = await turnmillHere(['build', logs, '--update', out, ...options]);
    const moved = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).split_moved;
    expect(moved).toBeGreaterThan(1);
    expect(`${stdout}${stderr}`).toMatch(
      new RegExp(`splits {5}.*; ${moved} groups of sessions moved to another split`),
    );
    expect(`${stdout}${stderr}`).not.toContain('split-moved');
  });

  test.each([
    ['train=0.9,test=0.2', 'the shares add up to 1.1, not to 1'],
    ['train=0.5,train=0.5', 'train appears twice'],
    ['train=0.5,=0.5', 'a split needs a name'],
    ['train=1,test=0', 'the share of test must be a number above 0'],
    ['train=x', "the share of train must be a number above 0 and up to 1, not 'x'"],
    ['all=0.9,test=0.1', "'all' means all splits in load_dataset"],
    ['../up=1', "'../up' is not the name of a split"],
    ['train', "'train' is not NAME=SHARE"],
  ])('refuses %s before anything is read', async (split, message) => {
    const { status, stderr } = await turnmillHere([
      'build',
      '/nowhere',
      '--split',
      split,
      '--out',
      '/nowhere/out',
    ]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(message)]);
  });

  test.each([
    [['--split', 'train=1', '--out', '-'], '--split needs an output folder'],
    [['--split-seed', 'x', '--out', '/nowhere/out'], '--split-seed works only together with --split'],
  ])('refuses %j', async (args, message) => {
    const { status, stderr } = await turnmillHere(['build', '/nowhere', ...args]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(message)]);
  });
});

test('sessions with ids of issues are divided, and the branches of each stay together', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'logs'));
  for (let issue = 1; issue <= 30; issue++) {
    const ask = (content: string) =>
      entryLine({ id: `owner/repo#${issue}`, messages: [{ role: 'user', content }] });
    const asked = [`Fix ${issue}`, `Test ${issue}`, `Title of ${issue}`].map(ask);
    writeFileSync(join(folder, 'logs', `${issue}.jsonl`), `${asked.join('\n')}\n`);
  }
  const out = join(folder, 'out');
  await build({ inputs: [join(folder, 'logs')], select: 'leaves', split: SHARES, report: false, out });
  expect((await verifyDataset(out)).problems).toEqual([]);
  const lines = linesIn(join(out, 'ledger/sessions.jsonl')).map((line) => JSON.parse(line) as SessionLine);
  const places = new Map<string, Set<string>>();
  for (const { id, shard } of lines) {
    const issue = /^owner\/repo#\d+/.exec(id)?.[0] as string;
    places.set(issue, (places.get(issue) ?? new Set()).add(shard.split('/')[1] as string));
  }
  expect([lines.length, places.size]).toEqual([90, 30]);
  expect([...places.values()].every(({ size }) => size === 1)).toBe(true);
  expect(new Set([...places.values()].flatMap((splits) => [...splits]))).toEqual(
    new Set(Object.keys(SHARES)),
  );
});
