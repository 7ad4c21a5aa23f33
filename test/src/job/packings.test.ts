/**
 * `--select leaves` over generated sessions with retries, rewinds, sub-agents and compactions: no answer of the logs is missing, with
 * `--copies drop` no record lies inside another one, and the records are the same however the calls are packed into files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import {
  branchingSession,
  type Call,
  type Packing,
  type Turn,
  writeCalls,
} from '../../support/branching-calls.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';

const SEEDS = LONG ? 5000 : 20;
/** Sessions of one dataset. */
const TOGETHER = 10;
const PACKINGS: readonly (readonly [Packing, Partial<Settings>])[] = [
  ['a file for each session', {}],
  ['a file for each call', {}],
  ['hourly files', { sessionBy: 'id' }],
  ['a daily file', { sessionBy: 'id' }],
];

const keyOf = ({ role, content, tool_calls: calls = [] }: Turn): string =>
  JSON.stringify([role, content ?? '', calls]);
/** A text for a path, with which that of a longer one begins. */
const pathOf = (messages: readonly Turn[]): string => messages.map((one) => `${keyOf(one)}\n`).join('');

const recordsIn = (out: string): readonly string[] =>
  readdirSync(join(out, 'data'))
    .flatMap((name) =>
      readFileSync(join(out, 'data', name), 'utf8')
        .split('\n')
        .slice(0, -1),
    )
    .map((line) => pathOf((JSON.parse(line) as { messages: readonly Turn[] }).messages))
    .sort();

/** Whether each text is the beginning of one of the sorted texts. */
function lost(paths: readonly string[], sorted: readonly string[]): readonly string[] {
  return paths.filter((path) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[middle] as string) < path) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(path) !== true;
  });
}

interface Built {
  readonly files: number;
  readonly records: readonly string[];
  readonly out: string;
}

async function built(
  sessions: readonly (readonly Call[])[],
  packing: Packing,
  more: Partial<Settings>,
): Promise<Built> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  const files = writeCalls(logs, sessions, packing);
  await build({ inputs: [logs], out, workers: 1, report: false, select: 'leaves', ...more });
  return { files, records: recordsIn(out), out };
}

const sessionsFrom = (first: number, count: number): readonly (readonly Call[])[] =>
  Array.from({ length: count }, (_, i) => branchingSession(first + i));

const answersOf = (sessions: readonly (readonly Call[])[]): readonly string[] =>
  sessions.flat().flatMap(({ messages, reply }) => (reply === null ? [] : [pathOf([...messages, reply])]));

for (let first = 0; first < SEEDS; first += TOGETHER) {
  test(`sessions ${first} to ${first + TOGETHER - 1} give the same records in all packings, without loss`, async () => {
    const sessions = sessionsFrom(first, TOGETHER);
    const answers = answersOf(sessions);
    let expected: readonly string[] | undefined;
    for (const [packing, settings] of PACKINGS) {
      const { records, out } = await built(sessions, packing, { ...settings, copies: 'drop' });
      expected ??= records;
      expect(records, packing).toEqual(expected);
      expect((await verifyDataset(out)).problems).toEqual([]);
    }
    const kept = expected as readonly string[];
    expect(lost(answers, kept)).toEqual([]);
    // sorted, so that a record directly follows those that lie inside it
    expect(kept.filter((record, i) => kept[i + 1]?.startsWith(record))).toEqual([]);
    const { records: all } = await built(sessions, 'a file for each session', { copies: 'keep' });
    expect(lost(answers, all)).toEqual([]);
    const { records: calls } = await built(sessions, 'a daily file', {
      dialect: 'responses',
      copies: 'drop',
    });
    expect(calls).toEqual(kept);
  });
}

test('the figures of docs/copies.md', async () => {
  const sessions = sessionsFrom(0, 100);
  const rows: string[] = [];
  for (const [packing, settings] of PACKINGS) {
    const { files, records: all } = await built(sessions, packing, settings);
    const { records } = await built(sessions, packing, { ...settings, copies: 'drop' });
    rows.push(
      [packing, files, all.length, records.length].map((cell) => cell.toLocaleString('en-US')).join(' '),
    );
  }
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/copies.md'), 'utf8');
  const table = page
    .split('\n')
    .filter((line) => PACKINGS.some(([packing]) => line.startsWith(`| ${packing}`)));
  expect(table.map((line) => line.replaceAll(/[|\s]+/g, ' ').trim())).toEqual(rows);
});
