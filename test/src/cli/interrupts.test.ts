import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, start } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { catchAtWork, hasStaging, reached } from '../../support/moments.ts';
import { writePlainLogs } from '../../support/plain-logs.ts';
import { entry, talk, writeLog } from './small-logs.ts';

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/** Waits until the run has made its staging folder. */
const atWork = (folder: string): Promise<void> => expect.poll(() => hasStaging(folder)).toBe(true);

test.each(SIGNALS)(
  'F005: %s ends a run that waits for standard input with %i and leaves nothing',
  async (signal, status) => {
    const folder = temporaryFolder();
    const child = start(['build', '-', '--out', join(folder, 'out')], 'pipe');
    const end = ended(child);
    child.stdin?.write(`${entry()}\n`);
    await atWork(folder);
    child.kill(signal);
    const { status: exitStatus, stderr, signal: by } = await end;
    expect([exitStatus, by, JSON.parse(stderr).code]).toEqual([status, null, 'interrupted']);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test.each([
  ['build', '-', '--out', '-'],
  ['check', '-'],
  ['inspect', '-', '--after', 'parse'],
  ['explain', '-:3'],
])('F005: a signal that comes before standard input is opened ends the run: %s %s', async (...args) => {
  // the first listener is added at the start of the process, the second one by the command
  const early =
    "let n=0;process.on('newListener',(name)=>name==='SIGTERM'&&++n===2&&queueMicrotask(()=>process.emit(name,name)))";
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(early)}` };
  const child = start(args, 'pipe', env);
  expect(await ended(child)).toMatchObject({ status: 143, stderr: expect.stringContaining('interrupted') });
});

test.each(['1', '2'])(
  'F004: SIGTERM in the middle of a run with %s workers leaves nothing',
  async (workers) => {
    const names = await catchAtWork(async (times) => {
      const folder = temporaryFolder();
      const logs = join(folder, 'logs');
      writePlainLogs(logs, { sessions: 20 * times, entries: 30, messageChars: 4000, seed: 1 });
      const child = start(['build', logs, '--out', join(folder, 'out'), '--workers', workers]);
      const end = ended(child);
      await reached(child, () => hasStaging(folder));
      child.kill('SIGTERM');
      const { status, stderr } = await end;
      if (status === 0) return undefined; // the run was over before the signal
      expect(status, stderr).toBe(143);
      return readdirSync(folder);
    });
    expect(names).toEqual(['logs']);
  },
);

test.each(SIGNALS)('%s ends a run whose output is not read with %i (F005)', async (signal, status) => {
  const lines = Array.from({ length: 400 }, (_, i) => entry({ id: `s${i}`, messages: talk(99) }));
  const log = writeLog(temporaryFolder(), 'a.jsonl', lines);
  const child = start(['build', log, '--session-by', 'run', '--out', '-']);
  const { stdout } = child;
  await new Promise((readable) => stdout?.once('readable', readable));
  await new Promise((later) => setTimeout(later, 300)); // by then it usually waits for its reader; otherwise it ends the same way
  child.kill(signal);
  expect(await new Promise((exit) => child.on('exit', exit))).toBe(status);
  stdout?.destroy();
});

test('F004: a second SIGINT ends the process at once', async () => {
  const folder = temporaryFolder();
  const child = start(['build', '-', '--out', join(folder, 'out')], 'pipe');
  const end = ended(child);
  await atWork(folder);
  child.kill('SIGINT');
  child.kill('SIGINT');
  expect((await end).status).toBe(130);
});

test('SIGTERM ends inspect, explain and check too', async () => {
  for (const args of [
    ['inspect', '-', '--after', 'parse'],
    ['explain', '-:3'],
    ['check', '-'],
  ]) {
    const child = start(args, 'pipe');
    const end = ended(child);
    // more than a pipe holds: once it is written, the command is reading
    const lines = Array.from({ length: 4000 }, (_, second) => `${entry({ second })}\n`).join('');
    await new Promise((through) => child.stdin?.write(lines, through));
    child.kill('SIGTERM');
    expect((await end).status).toBe(143);
  }
});
