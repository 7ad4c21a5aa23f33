/** Follows docs/reference/tutorial-dialect.md as a reader would: in an empty folder, with its files as shown and its commands in order. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/reference/tutorial-dialect.md'), 'utf8');
const bin = join(root, 'dist/package/bin.js');

const files = [...page.matchAll(/^<!-- file: (\S+) -->\n\n```\w+\n([\s\S]*?)^```/gm)].map(
  ([, path, text]) => ({ path: path as string, text: text as string }),
);

/** Commands of one block, with their output if the page shows it. */
const steps = [...page.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```)?/gm)].map(
  ([, block = '', shown]) => ({ lines: block.trimEnd().split('\n'), shown }),
);

/** Removes the duration of a run. */
const timeless = (text: string): string => text.replace(/ in [\d.]+ s, [\d.]+ \w+\/s\)/g, ' in T)').trimEnd();

let folder: string;
let bins: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnmill-tutorial-'));
  bins = mkdtempSync(join(tmpdir(), 'turnmill-bin-'));
  writeFileSync(join(bins, 'turnmill'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
    mode: 0o755,
  });
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});
afterAll(() => {
  for (const path of [folder, bins]) rmSync(path, { recursive: true });
});

describe('docs/reference/tutorial-dialect.md', () => {
  it('shows two logs, each with a dialect of about 40 lines', () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(['logs/desk.jsonl', 'desk.mjs', 'events/patrol.jsonl', 'patrol.mjs']);
    for (const { path, text } of files.filter(({ path: name }) => name.endsWith('.mjs')))
      expect({ path, isShort: text.trimEnd().split('\n').length <= 42 }).toEqual({ path, isShort: true });
    expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThanOrEqual(5);
  });

  it.each(steps)('$lines', ({ lines, shown }) => {
    const env = { ...process.env, PATH: `${bins}:${process.env.PATH}`, NO_COLOR: '1' };
    let output = '';
    for (const line of lines) {
      const status = Number(/# exit status (\d+)/.exec(line)?.[1] ?? 0);
      const run = spawnSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8' });
      expect({ line, status: run.status, errors: run.status === status ? '' : run.stderr }).toEqual({
        line,
        status,
        errors: '',
      });
      output = run.stdout + run.stderr;
    }
    if (shown !== undefined) expect(timeless(output)).toBe(timeless(shown));
  });

  it('leaves a dataset that matches its manifest', () => {
    const run = spawnSync(process.execPath, [bin, 'verify', join(folder, 'dataset')], { encoding: 'utf8' });
    expect(run.status).toBe(0);
    expect(readdirSync(join(folder, 'dataset/data'))).toEqual(['2026-02-01-00000.jsonl']);
  });
});
