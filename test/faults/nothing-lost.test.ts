/**
 * The central promises, from outside: every session has its record, in the order of the sources, with its numbers unchanged; one run at a
 * time; and a verify that does not trust the writer. Each test is the target of a sabotage.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ended, start } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { sessionLines } from '../support/plain-logs.ts';

const SHARD = 'data/conversations-00000.jsonl';
const NUMBERS = ['9007199254740993', '1.10', '1E400', '-0', '1e-400', '0.1000000000000000055'];

/** Files of sessions whose first message is `Session N.`; returns the numbers in listing order. */
function writeLogs(logs: string, files: number, each: number, messageChars: number): number[] {
  mkdirSync(logs, { recursive: true });
  return Array.from({ length: files }, (_, file) => {
    const ids = Array.from({ length: each }, (_, i) => file * each + i);
    const lines = ids.flatMap((id) =>
      sessionLines(`s${id}`, { entries: 2, messageChars, seed: id }).map((line) =>
        line.replace('You help.', `Session ${id}.`),
      ),
    );
    writeFileSync(join(logs, `${String(file).padStart(3, '0')}.jsonl`), `${lines.join('\n')}\n`);
    return ids;
  }).flat();
}

const sessionsIn = (text: string): number[] =>
  [...text.matchAll(/"Session (\d+)\./g)].map(([, id]) => Number(id));

const ARGS = ['--session-by', 'id', '--group-by', 'none'];

faultTest('F134', 'every session has its record', {}, async () => {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  const ids = writeLogs(logs, 4, 10, 200);
  expect(await turnmill(['build', logs, '--out', out, ...ARGS])).toMatchObject({ status: 0 });
  expect(sessionsIn(readFileSync(join(out, SHARD), 'utf8'))).toEqual(ids);
  expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
});

faultTest('F134', 'records come in the order of the sources with 4 workers', {}, async () => {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  const ids = writeLogs(logs, 12, 30, 8000);
  const run = await turnmill(['build', logs, '--out', '-', ...ARGS, '--workers', '4']);
  expect(run.status, run.stderr).toBe(0);
  expect(sessionsIn(run.stdout.toString())).toEqual(ids);
});

faultTest('F055', 'every number keeps its text in the record', {}, async () => {
  const folder = temporaryFolder();
  const [log, out] = [join(folder, 'a.jsonl'), join(folder, 'out')];
  const [line = ''] = sessionLines('s', { entries: 1, messageChars: 80, seed: 1 });
  const extra = NUMBERS.map((number, i) => `"n${i}":${number}`).join(',');
  writeFileSync(log, `${line.replace('"role":"user"', `${extra},"role":"user"`)}\n`);
  expect(await turnmill(['build', log, '--out', out, ...ARGS])).toMatchObject({ status: 0 });
  expect(readFileSync(join(out, SHARD), 'utf8')).toContain(extra);
});

faultTest('F035', 'a second run with the same destination ends with 75', {}, async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const first = start(['build', '-', '--out', out], 'pipe');
  onTestFinished(() => void first.kill('SIGKILL'));
  const end = ended(first);
  const [line] = sessionLines('s', { entries: 1, messageChars: 80, seed: 1 });
  const log = join(folder, 'a.jsonl');
  writeFileSync(log, `${line}\n`);
  await expect.poll(() => readdirSync(folder).some((name) => name.includes('.staging-'))).toBe(true);
  expect(await turnmill(['build', log, '--out', out])).toMatchObject({ status: 75 });
  first.stdin?.end(`${line}\n`);
  expect(await end).toMatchObject({ status: 0 });
});

faultTest('F168', 'verify counts the records itself', {}, async () => {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writeLogs(logs, 1, 3, 80);
  expect(await turnmill(['build', logs, '--out', out, ...ARGS])).toMatchObject({ status: 0 });
  // Imitates a writer that loses a record and counts it: everything that can be corrected without recounting is corrected.
  const shard = join(out, SHARD);
  const lines = readFileSync(shard, 'utf8').split('\n');
  const less = Buffer.from(lines.slice(1).join('\n'));
  writeFileSync(shard, less);
  const path = join(out, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.shards[0].bytes = less.length;
  manifest.shards[0].sha256 = createHash('sha256').update(less).digest('hex');
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
  const { status, stdout, stderr } = await turnmill(['verify', out]);
  expect(status).toBe(65);
  expect(`${stdout}${stderr}`).toContain(`${SHARD}: records: expected 3, found 2`);
});
