/** Datasets that verify accepts, its counts, and folders that it refuses as datasets. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { smallDataset } from './small-dataset.ts';

const COUNTS = { problems: [], problemCount: 0, records: 3, sources: 7, sessions: 5 };

describe.each([
  ['by date', { quarantineContent: 'raw' } as const, 2],
  ['by scenario, packed', { groupBy: 'scenario', compress: 'gzip' } as const, 3],
  ['in one group, of small shards', { groupBy: 'none', shardSize: 1 } as const, 3],
  ['with calls in the text', { format: 'chat-inline' } as const, 2],
])('a dataset %s', (_name, settings, shards) => {
  const dataset = smallDataset(settings);

  test('has no problems and is counted', async () => {
    expect(await dataset.copy().verify()).toEqual({ ...COUNTS, shards });
  });

  test('is not changed by verify', async () => {
    const copy = dataset.copy();
    const before = readdirSync(copy.path, { recursive: true });
    await copy.verify();
    expect(readdirSync(copy.path, { recursive: true })).toEqual(before);
  });
});

test('a dataset of one document, whatever its name, has no problems', async () => {
  const folder = temporaryFolder();
  const history = '[{"role":"user","content":"a"},\n{"role":"assistant","content":"b"}]';
  for (const name of ['a.json', 'a.traj'])
    writeFileSync(join(folder, name), `{"trajectory":[],"history":${history},"info":{}}`);
  for (const name of ['a.json', 'a.traj']) {
    const out = join(folder, `out ${name}`);
    await build({ inputs: [join(folder, name)], out });
    expect((await verifyDataset(out)).problems).toEqual([]);
  }
});

test('a dataset in which an object has several calls that are rejected has no problems', async () => {
  const folder = temporaryFolder();
  const answer = { choices: [{ message: { role: 'assistant', content: 'b' } }] };
  const calls = [5, 6].map((messages) => ({ request_body: { messages }, response_body: answer }));
  writeFileSync(join(folder, 'a.json'), JSON.stringify({ data: calls }));
  const out = join(folder, 'out');
  expect((await build({ inputs: [join(folder, 'a.json')], out })).rejections).toBe(2);
  expect((await verifyDataset(out)).problems).toEqual([]);
});

describe('a path', () => {
  const dataset = smallDataset();
  const codeOf = (out: string): Promise<string> =>
    verifyDataset(out).then(
      () => 'none',
      (error) => `${error.name} ${error.code}`,
    );

  test('is a dataset when it is a link to one', async () => {
    const link = join(dataset.root, 'link');
    symlinkSync(dataset.copy().path, link);
    expect((await verifyDataset(link)).problems).toEqual([]);
  });

  test('is a dataset without run.json', async () => {
    const copy = dataset.copy();
    rmSync(join(copy.path, 'run.json'));
    expect((await copy.verify()).problems).toEqual([]);
  });

  test('is refused when it is missing, a file or a folder without a manifest', async () => {
    const at = (name: string): string => join(dataset.root, name);
    mkdirSync(at('empty'));
    writeFileSync(at('file'), '');
    expect(await codeOf(at('nothing'))).toBe('TurnmillError no-input');
    expect(await codeOf(at('file'))).toBe('TurnmillError no-input');
    expect(await codeOf(at('empty'))).toBe('TurnmillError no-input');
  });

  test.each([
    ['no JSON', 'oops'],
    ['a list', '[]'],
    ['of another tool', '{"schema":1,"tool":{"name":"other"}}'],
    ['newer', '{"schema":2,"tool":{"name":"turnmill"}}'],
    ['of no schema', '{"schema":"1","tool":{"name":"turnmill"}}'],
  ])('is refused when its manifest is %s', async (_name, text) => {
    const copy = dataset.copy();
    copy.write('manifest.json', text);
    expect(await codeOf(copy.path)).toBe('TurnmillError invalid-dataset');
  });

  test('is refused when its manifest is a folder', async () => {
    const copy = dataset.copy();
    rmSync(join(copy.path, 'manifest.json'));
    mkdirSync(join(copy.path, 'manifest.json'));
    expect(await codeOf(copy.path)).toBe('TurnmillError invalid-dataset');
  });

  test('has problems when its manifest lacks members, and the rest is read', async () => {
    const copy = dataset.copy();
    copy.write('manifest.json', '{"schema":1,"tool":{"name":"turnmill"}}');
    const { problems, shards } = await copy.verify();
    expect(shards).toBe(0);
    expect(problems.map(({ file }) => file)).toContain('manifest.json');
    expect(problems.map(({ file }) => file)).toContain('data/2026-01-13-00000.jsonl');
  });
});

const said = (id: string, second: number, text: string): string =>
  `${JSON.stringify({
    session_id: id,
    timestamp: `2026-02-03T10:00:0${second}Z`,
    request: { model: 'm', messages: [{ role: 'user', content: text }] },
    response: { choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' } }] },
  })}\n`;

test('a dataset in which a format refuses both sessions of a document has no problems', async () => {
  const out = join(temporaryFolder(), 'out');
  const format = ['functiongemma-teaching', 'trl'] as const; // the first one wants a call at the end
  await build({ inputs: ['examples/dialects/atif.json'], format: [...format], out });
  const refused = readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8').split('\n').slice(0, -1);
  expect(refused.map((line) => JSON.parse(line)).map(({ format: by, line }) => [by, line])).toEqual([
    ['functiongemma-teaching', 1],
    ['functiongemma-teaching', 1],
  ]);
  expect((await verifyDataset(out)).problems).toEqual([]);
});

test('a dataset of a folder read as one session, with a packed file and rejected lines, has no problems', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'logs', 'a.jsonl'), `${said('s', 1, 'Is it so?')}${said('s', 5, 'Still?')}`);
  writeFileSync(join(folder, 'logs', 'b.jsonl.gz'), gzipSync(said('s', 3, 'And now? '.repeat(99))));
  const out = join(folder, 'out');
  const { rejections } = await build({ inputs: [join(folder, 'logs')], sessionBy: 'folder', out });
  expect(rejections).toBeGreaterThan(0); // the packed file goes back in time
  expect((await verifyDataset(out)).problems).toEqual([]);
});

test('a dataset of gathered sessions of a packed file with a rejected line has no problems', async () => {
  const folder = temporaryFolder();
  const log = join(folder, 'a.jsonl.gz');
  const members = [said('s', 1, 'a'), said('t', 2, 'b'), '{"session_id":7}\n', said('s', 3, 'c')];
  writeFileSync(log, Buffer.concat(members.map((line) => gzipSync(line))));
  const out = join(folder, 'out');
  const { rejections } = await build({ inputs: [log], sessionBy: 'id', out });
  expect(rejections).toBe(1);
  expect((await verifyDataset(out)).problems).toEqual([]);
});
