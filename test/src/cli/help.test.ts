import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { commands } from '../../../src/cli/commands/index.ts';
import { flagOf } from '../../../src/settings/settings.ts';
import { COMMAND, turnmill } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { loadedModules } from '../../support/loaded-modules.ts';
import { entry, writeLog } from './small-logs.ts';

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

test('the start is quick: help loads no pipeline, no log, no sinks but standard output', () => {
  const loaded = loadedModules(['build', '--help']).join('\n');
  expect(loaded).toContain('src/cli/parser.');
  for (const late of [
    'pipeline/run.',
    'pipeline/lane.',
    'sinks/shards.',
    'src/input/sources/',
    'src/input/framing/',
    'src/verify/',
    'logger.',
    '/pino/',
    '/stream-json/',
  ]) {
    expect(loaded.includes(late), late).toBe(false);
  }
});

test('a run loads no document reader, no inflating and no threads that it does not need', () => {
  const log = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
  const loaded = loadedModules(['check', log, '--workers', '1']).join('\n');
  expect(loaded).toContain('pipeline/lane.');
  for (const late of ['json-document.', '/stream-json/', 'compression/gzip.', 'lane-thread.', '/pino/']) {
    expect(loaded.includes(late), late).toBe(false);
  }
});
