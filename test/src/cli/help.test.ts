import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { commands } from '../../../src/cli/commands/index.ts';
import { flagOf } from '../../../src/settings/settings.ts';
import { COMMAND, turnmill } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { loadedModules } from '../../support/loaded-modules.ts';
import { entry, writeLog } from './small-logs.ts';

const root = resolve(import.meta.dirname, '../../..');

test('--help tells the commands, --version the version', async () => {
  const { status, stdout, stderr } = await turnmill(['--help']);
  expect([status, stderr]).toEqual([0, '']);
  for (const { name } of commands) expect(stdout.toString()).toContain(`turnmill ${name} `);
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect((await turnmill(['--version'])).stdout.toString()).toBe(`${version}\n`);
});

test.each(commands)('$name --help tells each option in its group, with examples', ({ name, options }) => {
  const read = readArguments([name, '--help']);
  const text = 'text' in read ? read.text : '';
  for (const option of options) {
    if (option.negative?.only !== true) expect(text).toContain(`--${flagOf(option.name)} `);
    if (option.negative !== undefined) expect(text).toContain(`--no-${flagOf(option.name)} `);
    expect(text).toContain(`${option.group}:`);
  }
  expect(text).toContain('Examples:');
  expect(text.split('\n').every((line) => line.length <= 80)).toBe(true);
});

test('wraps at the width of the terminal', () => {
  const read = readArguments(['build', '--help'], 100);
  const widest = Math.max(...('text' in read ? read.text : '').split('\n').map((line) => line.length));
  expect(widest).toBeGreaterThan(80);
  expect(widest).toBeLessThanOrEqual(100);
});

test('does not depend on the language', () => {
  const env = { ...process.env, LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8', LANGUAGE: 'de' };
  expect(execFileSync(process.execPath, [COMMAND, '--help'], { env, encoding: 'utf8' })).toContain(
    'Commands:',
  );
});

/** Fails for a name that no module and no package has: its absence would prove nothing. */
function expectNotLoaded(loaded: readonly string[], modules: readonly string[]): void {
  for (const late of modules) {
    expect(existsSync(join(root, late)), late).toBe(true);
    const built = late.startsWith('src/') ? `dist/${late.replace(/\.ts$/, '.js')}` : late;
    expect(
      loaded.filter((file) => file.startsWith(join(root, built))),
      late,
    ).toEqual([]);
  }
}

test('help loads no job, no input, no dataset and no log', () => {
  const loaded = loadedModules(['build', '--help']);
  expect(loaded).toContain(join(root, 'dist/src/cli/parser.js'));
  expectNotLoaded(loaded, [
    'src/job/build.ts',
    'src/engine/',
    'src/dataset/shards.ts',
    'src/input/sources/file.ts',
    'src/input/framing/',
    'src/verify/',
    'src/logger.ts',
    'node_modules/pino/',
    'node_modules/stream-json/',
  ]);
});

test('a run loads no document reader, no inflating and no threads that it does not need', () => {
  const log = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
  const loaded = loadedModules(['check', log, '--workers', '1']);
  expect(loaded).toContain(join(root, 'dist/src/engine/run-task.js'));
  expectNotLoaded(loaded, [
    'src/input/framing/json-document.ts',
    'src/input/decompress/gzip.ts',
    'src/engine/worker-thread.ts',
    'node_modules/stream-json/',
    'node_modules/pino/',
  ]);
});
