/** The lists of the viewer: sorted, filtered, and what they can be filtered by. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Row } from '../../../src/view/app/types.ts';
import { ROUTES } from '../../../src/view/routes.ts';
import { ViewedDataset } from '../../../src/view/viewed-dataset.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const failing = (id: string) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: `fail "${id}"`, arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: id, content: '{"error":{"code":"E","message":"no"}}' },
];
const ask = (content: string) => ({ role: 'user', content });
const YES = { role: 'assistant', content: 'Yes.' };
/**
 * The requests; `entry` adds the last answer. Turns 2, 6, 2, 4; errors 0, 2, 1, 0; messages 2, 10, 4, 4. The third is the
 * largest, then come the second, the last and the first.
 */
const SESSIONS: Readonly<Record<string, readonly object[]>> = {
  a: [ask('Is it?')],
  b: [ask('One?'), YES, ask('Two?'), YES, ask('Three?'), ...failing('x'), ...failing('y')],
  c: [ask('w'.repeat(5000)), ...failing('z')],
  d: [ask('Is it now?'), YES, ask('And now?')],
};

async function viewing(input: string, ...args: readonly string[]) {
  const out = join(temporaryFolder(), 'out');
  const { status, stderr } = await turnmill(['build', input, '--out', out, '--exit-zero', ...args]);
  expect(status, stderr).toBe(0);
  const dataset = await ViewedDataset.open(out);
  onTestFinished(() => dataset.close());
  const request = (path: string) => {
    const [route = '', query = ''] = path.split('?');
    return ROUTES.get(route)?.({ name: 'x', dataset }, new URLSearchParams(query));
  };
  const read = async (path: string) => JSON.parse(String(await request(path)));
  return {
    read,
    numbers: async (path: string) => ((await read(path)) as readonly Row[]).map(({ i }) => i),
    async found(list: string, q: string, more: Readonly<Record<string, string>> = {}) {
      const lines: { readonly i?: number; readonly next?: number | null }[] = [];
      const answer = await request(`search?${new URLSearchParams({ in: list, q, ...more })}`);
      if (typeof answer !== 'object' || !('run' in answer)) throw new Error('no stream');
      await answer.run((line) => lines.push(line), new AbortController().signal);
      return lines.flatMap(({ i }) => i ?? []);
    },
  };
}

function smallLogs(): string {
  const logs = join(temporaryFolder(), 'logs');
  for (const [id, messages] of Object.entries(SESSIONS))
    writeLog(logs, `2026-01-1${id === 'd' ? 4 : 3}/${id}.jsonl`, [entry({ id, messages })]);
  writeLog(logs, '2026-01-14/e.jsonl', ['{{', '{{']);
  return logs;
}

test('lists are sorted by size, turns and errors, the greatest first', async () => {
  const { numbers, read, found } = await viewing(smallLogs());
  expect(await numbers('records?from=0&count=9')).toEqual([0, 1, 2, 3]);
  expect(await numbers('records?from=0&count=9&sort=size')).toEqual([2, 1, 3, 0]);
  expect(await numbers('records?from=0&count=9&sort=turns')).toEqual([1, 3, 0, 2]);
  expect(await numbers('records?from=1&count=2&sort=errors')).toEqual([2, 0]);
  // the last session is that of the broken log: that it has no record is an error
  expect(await numbers('sessions?from=0&count=9&sort=errors')).toEqual([1, 2, 4, 0, 3]);
  expect(await numbers('records?from=0&count=9&sort=constructor')).toEqual([0, 1, 2, 3]);
  expect((await read('session?i=4')).todo).toBe('Its lines were rejected: the tab Rejected lists them.');
  expect((await read('rejection?i=0')).todo).toMatch(/^Correct the line, or delete it\./); // the page shows the place
  const [most] = await read('records?from=0&count=1&sort=errors');
  expect(most.sorted).toEqual({ turns: 6, errors: 2 });
  expect(await read('place?in=records&sort=size&i=3')).toEqual({ place: 2 });
  expect(await found('records', 'Yes', { sort: 'size' })).toEqual([1, 3]);
  expect(await found('records', 'Yes', { sort: 'size', from: '1' })).toEqual([3]);
  expect(await found('sessions', 'written', { sort: 'turns' })).toEqual([1, 3, 0, 2]);
});

test('rows are filtered by findings, tools, groups, reasons and ranges', async () => {
  const { found, read } = await viewing(smallLogs());
  expect(await found('records', 'finding:tool-result-error')).toEqual([1, 2]);
  expect(await found('records', 'tool:"fail \\"z\\""')).toEqual([2]);
  expect(await found('records', 'group:2026-01-14')).toEqual([3]);
  expect(await found('records', 'group:2026-01-14 group:2026-01-13')).toEqual([0, 1, 2, 3]);
  expect(await found('records', 'bytes:5000..')).toEqual([2]);
  expect(await found('records', 'calls:1..2')).toEqual([1, 2]);
  expect(await found('records', 'messages:4..9 role:tool')).toEqual([2]);
  expect(await found('records', 'calls:many')).toEqual([]);
  expect(await found('rejected', 'reason:invalid-json')).toEqual([0, 1]);
  expect(await found('rejected', 'reason:bad-stream')).toEqual([]);
  expect(await read('facets?in=records')).toMatchObject([
    {
      field: 'finding',
      names: [
        { name: 'no-tools', count: 4 },
        { name: 'tool-result-error', count: 2 },
      ],
    },
    { field: 'tool', names: [{ name: 'fail "x"' }, { name: 'fail "y"' }, { name: 'fail "z"' }] },
  ]);
  expect(await read('facets?in=rejected')).toEqual([
    { field: 'reason', names: [{ name: 'invalid-json', count: 2 }] },
  ]);
});

test('lists are filtered by model, and records by split', async () => {
  const logs = temporaryFolder();
  const examples = join(import.meta.dirname, '../../../examples/claude-code');
  mkdirSync(join(logs, 'a'));
  for (const [i, name] of readdirSync(examples).sort().entries()) {
    const text = readFileSync(join(examples, name), 'utf8');
    writeFileSync(join(logs, 'a', name), i === 1 ? text.replaceAll('"model":"m"', '"model":"n 2"') : text);
  }
  const options = ['--split', 'train=0.6,test=0.4'];
  for (const format of ['chat', 'axolotl']) {
    const { found, read } = await viewing(join(logs, 'a'), ...options, '--format', format);
    const facets: readonly { field: string; names: readonly { name: string; count: number }[] }[] =
      await read('facets?in=records');
    const namesOf = (field: string) => facets.find((facet) => facet.field === field)?.names ?? [];
    expect(namesOf('model')).toEqual([
      { name: 'm', count: 4 },
      { name: 'n 2', count: 1 },
    ]);
    expect(await found('sessions', 'model:"n 2"')).toHaveLength(1);
    expect(await found('records', 'model:"n 2"')).toHaveLength(1);
    expect(await found('records', 'model:"n 2" model:m')).toHaveLength(5);
    for (const { name, count } of namesOf('split'))
      expect(await found('records', `split:${name}`)).toHaveLength(count);
    expect(namesOf('split').reduce((sum, { count }) => sum + count, 0)).toBe(5);
  }
});

test('lists are filtered by dialect, if the build read several', async () => {
  const logs = smallLogs();
  const one = await viewing(logs);
  expect((await one.read('facets?in=records')).map(({ field }: { field: string }) => field)).not.toContain(
    'dialect',
  );
  const events = [
    {
      type: 'user',
      uuid: '1',
      parentUuid: null,
      sessionId: 'cc',
      message: { role: 'user', content: 'Hello.' },
    },
    {
      ...{ type: 'assistant', uuid: '2', parentUuid: '1', sessionId: 'cc' },
      message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] },
    },
  ];
  writeLog(
    logs,
    '2026-01-15/f.jsonl',
    events.map((event) => JSON.stringify(event)),
  );
  const { read, found } = await viewing(logs);
  const names = [
    { name: 'exchange', count: 4 },
    { name: 'claude-code', count: 1 },
  ];
  expect(await read('facets?in=records')).toContainEqual({ field: 'dialect', names });
  expect(await found('records', 'dialect:claude-code')).toEqual([4]);
  expect(await found('records', 'dialect:exchange Yes')).toEqual([1, 3]);
  expect(await found('records', 'dialect:exchange dialect:claude-code')).toEqual([0, 1, 2, 3, 4]);
  expect(await found('sessions', 'dialect:claude-code')).toHaveLength(1);
  expect(await found('sessions', 'dialect:codex')).toEqual([]);
});
