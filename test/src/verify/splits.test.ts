/** `verify` finds conversations that belong together in two splits, with its own code. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { Problems } from '../../../src/verify/problems.ts';
import { checkSplits } from '../../../src/verify/splits.ts';
import { turnmillHere } from '../../support/command-here.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';

const SESSIONS = 'ledger/sessions.jsonl';
const READABLE = new Set([SESSIONS, 'ledger/paths.bin']);

async function dataset(): Promise<string> {
  const folder = temporaryFolder();
  writeCopiedLogs(join(folder, 'logs'), 4, 20);
  const out = join(folder, 'out');
  const split = { train: 0.5, test: 0.5 };
  await build({ inputs: [join(folder, 'logs')], workers: 1, split, report: false, out });
  return out;
}

interface Line {
  id: string;
  fate: string;
  shard?: string;
}

async function problemsOf(root: string): Promise<string[]> {
  const problems = new Problems();
  await checkSplits({ root, readable: READABLE, sessions: 20, problems });
  return problems.kept.map(({ file, message }) => `${file}: ${message}`);
}

/** Changes the lines of the sessions. */
function rewrite(root: string, change: (lines: Line[]) => void): void {
  const path = join(root, SESSIONS);
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
  change(lines);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const toOther = (shard: string): string =>
  shard.includes('/train/') ? shard.replace('/train/', '/test/') : shard.replace('/test/', '/train/');

test('finds a session in two splits', async () => {
  const out = await dataset();
  expect(await problemsOf(out)).toEqual([]);
  rewrite(out, (lines) => {
    const branch = lines.find(({ id, fate }) => fate === 'written' && id.endsWith('#2')) as Line;
    branch.shard = toOther(branch.shard as string);
  });
  expect((await problemsOf(out)).join('\n')).toMatch(
    /line \d+: expected its session in \w+ only \(line \d+\), found it in/,
  );
});

test('finds a sub-agent in another split than its session, and lets samples of one evaluation be in two', async () => {
  const out = await dataset();
  const named = (ids: readonly string[]): void =>
    rewrite(out, (lines) => {
      const written = lines.filter(({ fate }) => fate === 'written');
      const [train, test] = ['/train/', '/test/'].map((split) =>
        written.find(({ shard = '' }) => shard.includes(split)),
      ) as [Line, Line];
      [train.id, test.id] = ids as [string, string];
    });
  named(['eval/tulips/1', 'eval/roses/1']);
  expect(await problemsOf(out)).toEqual([]);
  named(['eval/tulips', 'eval/tulips/sorter']);
  expect(await problemsOf(out)).toEqual([expect.stringContaining('expected its session in ')]);
});

test('finds the path of an answer in two splits', async () => {
  const out = await dataset();
  // every session gets another id, and half of them go to the other split: only the paths still tell
  rewrite(out, (lines) => {
    const written = lines.filter(({ fate }) => fate === 'written');
    for (const [n, line] of written.entries()) {
      line.id = `own-${n}`;
      if (n % 2 === 0) line.shard = toOther(line.shard as string);
    }
  });
  expect((await problemsOf(out)).join('\n')).toMatch(/expected the path of its first answer in \w+ only/);
});

test('the command ends with 65 for a shard in a folder that is not a split', async () => {
  const out = await dataset();
  const [shard = ''] = readdirSync(join(out, 'data/test'));
  renameSync(join(out, 'data/test'), join(out, 'data/other'));
  const manifest = join(out, 'manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll('data/test/', 'data/other/'));
  const { status, stdout, stderr } = await turnmillHere(['verify', out]);
  expect(status).toBe(65);
  expect(`${stdout}${stderr}`).toContain(
    `data/other/${shard}: expected a shard in the folder of a format of settings.format, and of a split of settings.split`,
  );
});
