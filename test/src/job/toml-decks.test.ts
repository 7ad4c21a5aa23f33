import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const DECK = ['--format', 'samples', '--as', 'toml'];

function logs(): { readonly input: string; readonly out: string } {
  const folder = temporaryFolder();
  const input = join(folder, 'logs');
  const forged = [{ role: 'user', content: 'a\n[[samples]]\nb' }];
  writeLog(input, '2026-01-13/a.jsonl', [entry({ id: 'a' })]);
  writeLog(input, '2026-01-13/b.jsonl', [entry({ id: 'b', messages: forged })]);
  return { input, out: join(folder, 'out') };
}

test.each(['none', 'gzip'])(
  'a shard of samples as TOML is a deck that verifies, compress %s',
  async (compress) => {
    const { input, out } = logs();
    expect((await turnmill(['build', input, '--out', out, ...DECK, '--compress', compress])).status).toBe(0);
    const [shard = ''] = readdirSync(join(out, 'data'));
    expect(shard).toBe(`2026-01-13-00000.toml${compress === 'gzip' ? '.gz' : ''}`);
    const bytes = readFileSync(join(out, 'data', shard));
    const deck = parse((compress === 'gzip' ? gunzipSync(bytes) : bytes).toString()) as { samples: object[] };
    expect(deck.samples).toHaveLength(2);
    const { shards } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(shards).toMatchObject([{ records: 2 }]);
    const verified = await turnmill(['verify', out]);
    expect([verified.status, verified.stdout.toString()]).toEqual([0, expect.stringContaining('2 records')]);
  },
);

test('verify notices a sample that is missing from a deck', async () => {
  const { input, out } = logs();
  await turnmill(['build', input, '--out', out, ...DECK]);
  const path = join(out, 'data/2026-01-13-00000.toml');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(text.lastIndexOf('\n[[samples]]\n') + 1));
  const { status, stdout } = await turnmill(['verify', out]);
  expect([status, stdout.toString()]).toEqual([65, expect.stringContaining('records: expected 2, found 1')]);
});

test('verify accepts chat with --arrow-safe', async () => {
  const { input, out } = logs();
  expect((await turnmill(['build', input, '--out', out, '--arrow-safe'])).status).toBe(0);
  expect((await turnmill(['verify', out])).status).toBe(0);
});

test('inspect shows a table as text', async () => {
  const { input } = logs();
  const { stdout } = await turnmill(['inspect', input, '--after', 'format', '--kind', 'record', ...DECK]);
  const records = stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map(({ record }) => record.startsWith('[[samples]]\n'))).toEqual([true, true]);
});
