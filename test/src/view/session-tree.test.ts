/** The tree of a session shows what a naive comparison of the records finds. */
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import type { TreeAnswer, TreeMember } from '../../../src/view/app/types.ts';
import { treeOf } from '../../../src/view/session-tree.ts';
import { ViewedDataset } from '../../../src/view/viewed-dataset.ts';
import { entryLine } from '../../support/build-logs.ts';
import { copiedLogs } from '../../support/copied-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';

async function datasetOf(
  logs: Readonly<Record<string, string>>,
  more: Partial<Settings> = {},
): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(logs)) {
    mkdirSync(dirname(join(folder, 'logs', name)), { recursive: true });
    writeFileSync(join(folder, 'logs', name), text);
  }
  const out = join(folder, 'out');
  await build({ inputs: [join(folder, 'logs')], out, workers: 1, report: false, copies: 'drop', ...more });
  return out;
}

async function opened(out: string): Promise<ViewedDataset> {
  const dataset = await ViewedDataset.open(out);
  onTestFinished(() => dataset.close());
  return dataset;
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: unknown }[];
}

const messagesIn = (dataset: ViewedDataset, record: number): readonly string[] => {
  const { messages } = JSON.parse(String(dataset.recordPage(record, 1)[0]?.content)) as {
    messages: Message[];
  };
  return messages.map(({ role, content, tool_calls: calls = [] }) =>
    JSON.stringify([role, content ?? '', calls.map((call) => call.function)]),
  );
};

function sharedBy(one: readonly string[], other: readonly string[]): number {
  const parts = one.findIndex((message, i) => message !== other[i]);
  return parts < 0 ? one.length : parts;
}

async function treesOf(dataset: ViewedDataset): Promise<readonly TreeAnswer[]> {
  const trees = Array.from({ length: dataset.sessions }, (_, i) => treeOf(dataset, i));
  return (await Promise.all(trees)) as TreeAnswer[];
}

const written = ({ members }: TreeAnswer): readonly (TreeMember & { readonly record: number })[] =>
  members.filter((member): member is TreeMember & { readonly record: number } => member.record !== undefined);

test.each([1, 2, 3, 4, 5])(
  'each record hangs on the one that shares the most first messages: seed %i',
  async (seed) => {
    const dataset = await opened(await datasetOf(copiedLogs(seed, 12)));
    const records = Array.from({ length: dataset.records }, (_, i) => messagesIn(dataset, i));
    const of = (record: number): readonly string[] => records[record] as readonly string[];
    let branches = 0;
    for (const tree of await treesOf(dataset)) {
      expect([tree.isCut, tree.isCompared]).toEqual([false, true]);
      for (const [at, member] of written(tree).entries()) {
        const before = written(tree).slice(0, at);
        const most = Math.max(0, ...before.map(({ record }) => sharedBy(of(member.record), of(record))));
        expect(member.messages).toBe(of(member.record).length);
        expect(member.shared ?? 0).toBe(most);
        if (most === 0) continue;
        branches += 1;
        const parent = tree.members[member.parent as number] as TreeMember;
        expect(sharedBy(of(member.record), of(parent.record as number))).toBe(most);
      }
    }
    expect(branches).toBeGreaterThan(5);
  },
);

test.each([1, 2, 3])(
  'a session finds all records that begin as it does, in any source: seed %i',
  async (seed) => {
    const dataset = await opened(await datasetOf(copiedLogs(seed, 12)));
    const records = Array.from({ length: dataset.records }, (_, i) => messagesIn(dataset, i));
    for (const [session, tree] of (await treesOf(dataset)).entries()) {
      const own = dataset.recordOfSession(dataset.sessionPage(session, 1)[0] as never);
      if (own === undefined) continue;
      const found = new Set(written(tree).map(({ record }) => record));
      for (const [other, messages] of records.entries())
        if (sharedBy(records[own] as readonly string[], messages) >= 2) expect(found).toContain(other);
    }
  },
);

test('a contained session hangs on the record that contains it', async () => {
  const dataset = await opened(await datasetOf(copiedLogs(3, 12)));
  let contained = 0;
  for (const [session, tree] of (await treesOf(dataset)).entries()) {
    const [line] = dataset.sessionPage(session, 1);
    if (line?.in === undefined) continue;
    contained += 1;
    const member = tree.members.find(({ i }) => i === session) as TreeMember;
    const parent = tree.members[member.parent as number] as TreeMember;
    expect(parent.record).toBe(dataset.recordAt(line.in));
    expect([member.fate, member.shared]).toEqual(['contained', member.messages]);
  }
  expect(contained).toBe(8);
});

test('the record that contains another one keeps its own session', async () => {
  const dataset = await opened(await datasetOf(copiedLogs(3, 12)));
  for (let record = 0; record < dataset.records; record++) {
    const session = await dataset.sessionOfRecord(record);
    expect(session?.line.fate).toBe('written');
    expect(session && dataset.recordOfSession(session.line)).toBe(record);
  }
});

test('without compared records, the branches of a session are a list', async () => {
  const dataset = await opened(await datasetOf(copiedLogs(3, 12), { copies: 'keep' }));
  const tree = await treeOf(dataset, 6);
  expect(tree?.isCompared).toBe(false);
  expect(tree?.members).toEqual(
    ['session-2', 'session-2#2', 'session-2#3', 'session-2#4'].map((id, k) => ({
      ...{ i: 5 + k, record: 5 + k, id, fate: 'written' },
      ...(k === 1 && { isShown: true }),
    })),
  );
});

test('sessions whose ids only look like those of branches are on their own', async () => {
  const line = (id: string, n: number): string =>
    `${entryLine({ id, at: n, messages: [{ role: 'user', content: id }] })}\n`;
  const ids = ['issue#1', 'issue#2', 'issue#3'];
  const text = ids.map(line).join('');
  const settings = { copies: 'keep', sessionBy: 'id', dialect: 'exchange' } as const;
  const dataset = await opened(await datasetOf({ 'all.jsonl': text }, settings));
  expect(dataset.sessions).toBe(3);
  for (const [i, tree] of (await treesOf(dataset)).entries())
    expect(tree.members.map(({ id }) => id)).toEqual([ids[i]]);
});

test('so are they in a log with more sessions than are looked through, beside one that has branches', async () => {
  const line = (id: string, n: number): string =>
    `${entryLine({ id, at: n, messages: [{ role: 'user', content: id }] })}\n`;
  const [issues, parts] = [300, 230];
  const ids = Array.from({ length: issues }, (_, i) => `owner/repo#${i + 2}`);
  const branches = ['own', ...Array.from({ length: parts }, (_, i) => `own#${i + 2}`)];
  const text = [...ids, ...branches].map(line).join('');
  const settings = { copies: 'keep', sessionBy: 'id', dialect: 'exchange' } as const;
  const dataset = await opened(await datasetOf({ 'all.jsonl': text }, settings));
  const shown = async (number: number) => (await treeOf(dataset, number))?.members.map(({ id }) => id);
  expect(await shown(issues - 10)).toEqual([ids[issues - 10]]);
  expect(await shown(issues)).toEqual(branches.slice(0, 40));
  expect(await shown(issues + parts)).toEqual(branches.slice(-40));
});

test('sessions without an id are on their own', async () => {
  const text = ['a', 'b'].map((content) => JSON.stringify({ messages: [{ role: 'user', content }] }));
  const out = await datasetOf({ 'all.jsonl': `${text.join('\n')}\n` }, { copies: 'keep' });
  const sessions = join(out, 'ledger/sessions.jsonl');
  writeFileSync(sessions, readFileSync(sessions, 'utf8').replaceAll(/"id":"[^"]*"/g, '"id":null'));
  for (const tree of await treesOf(await opened(out))) expect(tree.members).toHaveLength(1);
});

test('of many branches the nearest are shown', async () => {
  const line = (uuid: string, parentUuid: string | null, type: string, text: string): string => {
    const message = { role: type, content: [{ type: 'text', text }] };
    return `${JSON.stringify({ uuid, parentUuid, type, sessionId: 'one', timestamp: '2026-01-14T08:00:00Z', message })}\n`;
  };
  const branch = (n: number): string =>
    line(`u${n}`, 'a', 'user', `and number ${n}?`) + line(`a${n}`, `u${n}`, 'assistant', `it is ${n}`);
  const start = line('u', null, 'user', 'count') + line('a', 'u', 'assistant', 'to where?');
  const text = start + Array.from({ length: 90 }, (_, n) => branch(n)).join('');
  const dataset = await opened(await datasetOf({ 'one.jsonl': text }));
  expect(dataset.records).toBe(90);
  const tree = (await treeOf(dataset, 60)) as TreeAnswer;
  expect(tree.isCut).toBe(true);
  expect(tree.members.map(({ i }) => i)).toEqual(Array.from({ length: 40 }, (_, k) => 40 + k));
  expect(tree.members.slice(1).every(({ shared, parent }) => shared === 2 && parent === 0)).toBe(true);
});

test('a file of paths that is cut hides what it no longer says', async () => {
  const out = await datasetOf(copiedLogs(3, 12));
  truncateSync(join(out, 'ledger/paths.bin'), 200);
  const trees = await treesOf(await opened(out));
  expect(trees[0]?.members[0]?.messages).toBeGreaterThan(0);
  expect(trees.at(-1)?.members.every(({ messages }) => messages === undefined)).toBe(true);
});

test('a session that is not there has no tree', async () => {
  const dataset = await opened(await datasetOf(copiedLogs(3, 2)));
  expect(await treeOf(dataset, -1)).toBeUndefined();
  expect(await treeOf(dataset, dataset.sessions)).toBeUndefined();
});
