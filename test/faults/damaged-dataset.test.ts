/** F168 from outside: `turnmill verify` exits with 65 and names the damaged file, whatever the damage. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entry, writeLog } from '../src/cli/small-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const SHARD = 'data/2026-01-13-00000.jsonl';
const OTHER = 'data/2026-01-14-00000.jsonl';
const QUARANTINE = 'quarantine/rejected.jsonl';

let parent = '';
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'turnmill-'));
  const logs = join(parent, 'logs');
  for (const [day, id] of [
    ['2026-01-13', 'a'],
    ['2026-01-13', 'b'],
    ['2026-01-14', 'c'],
  ] as const)
    writeLog(logs, `${day}/${id}.jsonl`, [entry({ id }), '{', entry({ id, second: 1 })]);
  const run = await turnmill(['build', logs, '--out', join(parent, 'out')]);
  expect([run.status, (await turnmill(['verify', join(parent, 'out')])).status]).toEqual([3, 0]);
});
afterAll(() => rmSync(parent, { recursive: true }));

const change = (file: string, how: (bytes: Buffer) => Buffer | string) => (out: string) =>
  writeFileSync(join(out, file), how(readFileSync(join(out, file))));
const without = (line: number) => (bytes: Buffer) =>
  bytes.toString().split('\n').toSpliced(line, 1).join('\n');

test.each<readonly [string, string, (out: string) => void]>([
  ['a flipped bit of a shard', SHARD, change(SHARD, (b) => b.fill((b[40] as number) ^ 1, 40, 41))],
  ['a shard that is one byte short', SHARD, change(SHARD, (b) => b.subarray(0, -1))],
  ['a shard with one byte too many', SHARD, change(SHARD, (b) => `${b}\n`)],
  ['a record less', SHARD, change(SHARD, without(0))],
  ['a missing shard', OTHER, (out) => rmSync(join(out, OTHER))],
  [
    'two shards swapped',
    SHARD,
    (out) => {
      renameSync(join(out, SHARD), join(out, 'x'));
      renameSync(join(out, OTHER), join(out, SHARD));
      renameSync(join(out, 'x'), join(out, OTHER));
    },
  ],
  [
    'an edited count in the manifest',
    'manifest.json',
    change('manifest.json', (b) => b.toString().replace('"superseded": 3', '"superseded": 4')),
  ],
  [
    'an edited count in the ledger',
    'ledger/sessions.jsonl',
    change('ledger/sessions.jsonl', (b) => b.toString().replace('"superseded":1', '"superseded":2')),
  ],
  ['a missing quarantine line', QUARANTINE, change(QUARANTINE, without(1))],
  ['a foreign file', 'data/more.jsonl', (out) => writeFileSync(join(out, 'data/more.jsonl'), '{}\n')],
  ['a foreign folder', 'more', (out) => mkdirSync(join(out, 'more'))],
])('F168 %s', async (_what, file, damage) => {
  const out = join(temporaryFolder(), 'out');
  cpSync(join(parent, 'out'), out, { recursive: true });
  damage(out);
  const run = await turnmill(['verify', out]);
  expect(run.status).toBe(65);
  expect(run.stdout.toString()).toContain(`${file}: `);
});
