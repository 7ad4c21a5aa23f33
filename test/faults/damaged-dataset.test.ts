/** F168 from outside: whatever is damaged, `turnmill verify` names the file and ends with 65. */
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

let made = '';
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'turnmill-'));
  const logs = join(made, 'logs');
  for (const [day, id] of [
    ['2026-01-13', 'a'],
    ['2026-01-13', 'b'],
    ['2026-01-14', 'c'],
  ] as const)
    writeLog(logs, `${day}/${id}.jsonl`, [entry({ id }), '{', entry({ id, second: 1 })]);
  const run = await turnmill(['build', logs, '--out', join(made, 'out')]);
  expect([run.status, (await turnmill(['verify', join(made, 'out')])).status]).toEqual([3, 0]);
});
afterAll(() => rmSync(made, { recursive: true }));

const change = (file: string, how: (bytes: Buffer) => Buffer | string) => (out: string) =>
  writeFileSync(join(out, file), how(readFileSync(join(out, file))));
const without = (line: number) => (bytes: Buffer) =>
  bytes.toString().split('\n').toSpliced(line, 1).join('\n');

test.each<readonly [string, string, (out: string) => void]>([
  ['a flipped bit of a shard', SHARD, change(SHARD, (b) => b.fill((b[40] as number) ^ 1, 40, 41))],
  ['a byte less of a shard', SHARD, change(SHARD, (b) => b.subarray(0, -1))],
  ['a byte more of a shard', SHARD, change(SHARD, (b) => `${b}\n`)],
  ['a record less', SHARD, change(SHARD, without(0))],
  ['a shard that is gone', OTHER, (out) => rmSync(join(out, OTHER))],
  [
    'two shards that are swapped',
    SHARD,
    (out) => {
      renameSync(join(out, SHARD), join(out, 'x'));
      renameSync(join(out, OTHER), join(out, SHARD));
      renameSync(join(out, 'x'), join(out, OTHER));
    },
  ],
  [
    'an edited count of the manifest',
    'manifest.json',
    change('manifest.json', (b) => b.toString().replace('"superseded": 3', '"superseded": 4')),
  ],
  [
    'an edited count of the ledger',
    'ledger/sessions.jsonl',
    change('ledger/sessions.jsonl', (b) => b.toString().replace('"superseded":1', '"superseded":2')),
  ],
  ['a quarantine line less', QUARANTINE, change(QUARANTINE, without(1))],
  ['a foreign file', 'data/more.jsonl', (out) => writeFileSync(join(out, 'data/more.jsonl'), '{}\n')],
  ['a foreign folder', 'more', (out) => mkdirSync(join(out, 'more'))],
])('F168 %s', async (_what, file, damage) => {
  const out = join(temporaryFolder(), 'out');
  cpSync(join(made, 'out'), out, { recursive: true });
  damage(out);
  const run = await turnmill(['verify', out]);
  expect(run.status).toBe(65);
  expect(run.stdout.toString()).toContain(`${file}: `);
});
