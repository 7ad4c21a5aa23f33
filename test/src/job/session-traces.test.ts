/** Datasets of session traces, whose records have several lines. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

function logs(): { readonly input: string; readonly out: string; readonly again: string } {
  const folder = temporaryFolder();
  const input = join(folder, 'logs');
  const forged = [{ role: 'user', content: 'a\n{"type":"session","harness":"x","id":"y"}\nb' }];
  writeLog(input, '2026-01-13/a.jsonl', [entry({ id: 'a' })]);
  writeLog(input, '2026-01-13/b.jsonl', [entry({ id: 'b', messages: forged })]);
  return { input, out: join(folder, 'out'), again: join(folder, 'again') };
}

const linesIn = (path: string): readonly string[] => readFileSync(path, 'utf8').trimEnd().split('\n');

test.each(['none', 'gzip'])('verifies and updates a shard of traces, compress %s', async (compress) => {
  const { input, out } = logs();
  const args = ['build', input, '--format', 'sts', '--compress', compress];
  expect((await turnmill([...args, '--out', out])).status).toBe(0);
  const [shard = ''] = readdirSync(join(out, 'data'));
  expect(shard).toBe(`2026-01-13-00000.sts.jsonl${compress === 'gzip' ? '.gz' : ''}`);
  const bytes = readFileSync(join(out, 'data', shard));
  const text = (compress === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  const headers = text
    .trimEnd()
    .split('\n')
    .filter((line) => JSON.parse(line).type === 'session');
  expect(headers.map((line) => JSON.parse(line).id)).toEqual(['a', 'b']);
  const { shards } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  expect(shards).toMatchObject([{ records: 2 }]);
  const verified = await turnmill(['verify', out]);
  expect([verified.status, verified.stdout.toString()]).toEqual([0, expect.stringContaining('2 records')]);

  writeLog(input, '2026-01-13/c.jsonl', [entry({ id: 'c' })]);
  expect((await turnmill([...args, '--update', out])).status).toBe(0);
  const whole = join(out, '..', 'whole');
  expect((await turnmill([...args, '--out', whole])).status).toBe(0);
  const same = (root: string): Buffer => readFileSync(join(root, 'data', shard));
  expect(same(out).equals(same(whole))).toBe(true);
  expect((await turnmill(['verify', out])).status).toBe(0);
});

test('reads traces back as the records of chat', async () => {
  const { input, out, again } = logs();
  expect((await turnmill(['build', input, '--out', out, '--format', 'sts', '--format', 'chat'])).status).toBe(
    0,
  );
  expect((await turnmill(['build', join(out, 'data/sts'), '--out', again])).status).toBe(0);
  const records = (folder: string): unknown[] =>
    readdirSync(folder).flatMap((file) =>
      linesIn(join(folder, file)).map((line) => JSON.parse(line).messages),
    );
  expect(records(join(again, 'data'))).toEqual(records(join(out, 'data/chat')));
});

test('writes one record into each shard with a small --shard-size, and --meta into its header', async () => {
  const { input, out } = logs();
  const args = ['--format', 'sts', '--shard-size', '1', '--meta', 'source_id'];
  expect((await turnmill(['build', input, '--out', out, ...args])).status).toBe(0);
  const shards = readdirSync(join(out, 'data'));
  expect(shards).toHaveLength(2);
  const heads = shards.map((file) => JSON.parse(linesIn(join(out, 'data', file))[0] as string));
  expect(heads.map(({ id, metadata }) => [id, metadata])).toEqual([
    ['a', { source_id: 'a' }],
    ['b', { source_id: 'b' }],
  ]);
  expect((await turnmill(['verify', out])).status).toBe(0);
});

test.each([
  ['a trace that is cut out', (lines: string[]) => lines.slice(0, lines.length / 2), 'records: expected 2'],
  ['a header without messages', (lines: string[]) => [...lines, lines[0]], 'a message after the last header'],
  ['two headers', ([head, ...lines]: string[]) => [head, head, ...lines], 'found another header'],
  ['a message before all headers', ([, ...lines]: string[]) => lines, 'line 1: expected the header'],
  ['a line of another kind', (lines: string[]) => [...lines, '{"type":"note"}'], 'session or message'],
])('verify finds %s', async (_name, change, problem) => {
  const { input, out } = logs();
  await turnmill(['build', input, '--out', out, '--format', 'sts']);
  const path = join(out, 'data/2026-01-13-00000.sts.jsonl');
  writeFileSync(path, `${change([...linesIn(path)]).join('\n')}\n`);
  const { status, stdout } = await turnmill(['verify', out]);
  expect([status, stdout.toString()]).toEqual([65, expect.stringContaining(problem)]);
});

test('names the client that wrote the log, without --meta', async () => {
  const folder = temporaryFolder();
  for (const [log, harness] of [
    ['examples/dialects/claude-code.jsonl', 'claude-code'],
    ['examples/dialects/codex.jsonl', 'codex'],
    ['examples/dialects/exchange.jsonl', 'unknown'],
  ]) {
    const out = join(folder, harness as string);
    expect((await turnmill(['build', log as string, '--out', out, '--format', 'sts'])).status).toBe(0);
    const [shard = ''] = readdirSync(join(out, 'data'));
    expect(JSON.parse(linesIn(join(out, 'data', shard))[0] as string)).toMatchObject({ harness });
  }
});
