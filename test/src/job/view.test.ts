/** The viewer reads the lines of a dataset with the settings of its manifest. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openView } from '../../../src/job/view.ts';
import { turnmill as builtCommand, ended, start } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const IMAGE = {
  type: 'image_url',
  image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB' },
};

async function changesWith(...flags: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const path = writeLog(folder, 'a.jsonl', [entry({ messages: [{ role: 'user', content: [IMAGE] }] })]);
  expect((await turnmill(['build', path, '--out', out, ...flags])).status).toBe(0);
  const { viewed, close } = await openView({ target: out, logs: [path] });
  onTestFinished(close);
  const ref = { name: 'a.jsonl', input: 0, path, sizeBytes: 0 };
  return JSON.stringify(await viewed.changesOf?.(ref, 1, 0));
}

test('shows a change that a limit made', async () => {
  expect(await changesWith('--max-part', '10')).toContain('part-too-big');
  expect(await changesWith()).not.toContain('part-too-big');
});

test('ignores settings of formats and of runs', async () => {
  const flags = ['--max-part', '10', '--format', 'openai', '--on-finding', 'no-answer=keep', '--limit', '1'];
  expect(await changesWith(...flags)).toContain('part-too-big');
});

test('finds the logs of the build by itself, unless another machine named them', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const log = writeLog(folder, 'logs/a.jsonl', [entry()]);
  expect((await turnmill(['build', join(folder, 'logs'), '--out', out])).status).toBe(0);
  const found = async (): Promise<string | undefined> => {
    const { viewed, close } = await openView({ target: out });
    close();
    return viewed.sources?.find({ source: 'a.jsonl' })?.path;
  };
  expect(await found()).toBe(log);
  const facts = join(out, 'run.json');
  const run = readFileSync(facts, 'utf8');
  const { host, ...others } = JSON.parse(run);
  writeFileSync(facts, JSON.stringify({ ...others, host: `not-${host}` }));
  expect(await found()).toBeUndefined();
  writeFileSync(facts, run);
  rmSync(log);
  rmdirSync(join(folder, 'logs'));
  expect(await found()).toBeUndefined();
});

test('explain finds a line with the options that a page shows; exported pages name no folder', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const logs = join(folder, 'logs');
  writeLog(folder, 'logs/a.jsonl', [entry(), '{']);
  expect((await turnmill(['build', logs, '--out', out])).status).toBe(3);
  for (const [target, named, options] of [
    [out, undefined, ['--in', out]],
    [out, [logs], ['--in', out, '--root', logs]],
    [logs, undefined, ['--root', logs]],
  ] as const) {
    const { viewed, close } = await openView({ target, logs: named });
    close();
    expect(viewed.explainWith).toEqual(options);
    const { status, stdout } = await turnmill(['explain', 'a.jsonl:2', ...options]);
    expect([status, String(stdout)]).toEqual([0, expect.stringContaining('a.jsonl, line 2, ')]);
  }
  const pages = join(folder, 'pages');
  expect((await builtCommand(['view', out, '--export', pages])).status).toBe(0);
  const summary = readFileSync(join(pages, 'data/summary-0.js'), 'utf8');
  expect(summary).toContain('--in');
  expect(summary).not.toContain(folder);
});

test('exported pages have parts of the logs only if the user names the logs', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const path = writeLog(folder, 'a.jsonl', [entry(), '{"password":"hunter22"', entry({ second: 1 })]);
  expect((await turnmill(['build', path, '--out', out])).status).toBe(3);
  const exported = async (name: string, ...logs: readonly string[]): Promise<string> => {
    const pages = join(folder, name);
    expect((await builtCommand(['view', out, '--export', pages, ...logs])).status).toBe(0);
    return readFileSync(join(pages, 'data/rejection-0.js'), 'utf8');
  };
  expect(await exported('without')).not.toContain('hunter22');
  expect(await exported('with', '--logs', path)).toContain('hunter22');
});

test('exported pages get their name once they are complete', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const pages = join(folder, 'pages');
  const lines = Array.from({ length: 50 }, (_, i) => entry({ id: `s${i}`, second: i }));
  const path = writeLog(folder, 'a.jsonl', lines);
  expect((await turnmill(['build', path, '--out', out, '--session-by', 'id'])).status).toBe(0);
  mkdirSync(join(folder, '.pages.export-999999999/data'), { recursive: true }); // left by a killed process
  mkdirSync(join(folder, '.pages.export-1')); // process 1 is running
  let isKilled = false;
  while (!isKilled) {
    const child = start(['view', out, '--export', pages]);
    const end = ended(child);
    while (!isKilled && child.exitCode === null) {
      isKilled = existsSync(join(folder, `.pages.export-${child.pid}`)) && child.kill('SIGKILL');
      await setImmediate();
    }
    await end;
    if (existsSync(pages)) isKilled = false;
    rmSync(pages, { recursive: true, force: true });
  }
  expect(existsSync(pages)).toBe(false);
  expect((await builtCommand(['view', out, '--export', pages])).status).toBe(0);
  expect(existsSync(join(pages, 'data/rejected-0.js'))).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith('.pages'))).toEqual(['.pages.export-1']);
});
