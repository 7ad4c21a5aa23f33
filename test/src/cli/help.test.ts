import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { commands } from '../../../src/cli/commands/index.ts';
import { flagOf } from '../../../src/settings/option.ts';
import { COMMAND, turnmill } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { loadedModules } from '../../support/loaded-modules.ts';
import { entry, writeLog } from './small-logs.ts';

const root = resolve(import.meta.dirname, '../../..');

test('--help lists the commands, and --version shows the version', async () => {
  const { status, stdout, stderr } = await turnmill(['--help']);
  expect([status, stderr]).toEqual([0, '']);
  for (const { name } of commands) expect(stdout.toString()).toContain(`turnmill ${name} `);
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect((await turnmill(['--version'])).stdout.toString()).toBe(`${version}\n`);
});

function helpOf(words: readonly string[], columns?: number): string {
  const read = readArguments(words, columns);
  return 'text' in read ? read.text : '';
}

/** Flags at the beginning of a line, except those of every command. */
const flagsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^ {2}(?:-[a-z], | {4})--([a-z0-9-]+)/gm)]
    .map(([, name]) => name as string)
    .filter((name) => !['help', 'all', 'version'].includes(name));

test.each(commands)(
  '$name --help --all shows each option in its group, with examples',
  ({ name, options }) => {
    const text = helpOf([name, '--help', '--all']);
    for (const option of options) {
      if (option.negative?.only !== true) expect(text).toContain(`--${flagOf(option.name)} `);
      if (option.negative !== undefined) expect(text).toContain(`--no-${flagOf(option.name)} `);
      expect(text).toContain(`${option.group}:`);
    }
    expect(text).toContain('Examples:');
    expect(text.split('\n').every((line) => line.length <= 80)).toBe(true);
  },
);

test.each(commands)('$name --help leaves out the options that are rarely needed', ({ name, options }) => {
  const text = helpOf([name, '--help']);
  const positive = options.filter(({ negative }) => negative?.only !== true);
  const common = positive.filter(({ advanced }) => advanced !== true);
  const shown = flagsIn(text).filter((flag) => !flag.startsWith('no-'));
  expect(new Set(shown)).toEqual(new Set(common.map((option) => flagOf(option.name))));
  const hidden = options.filter(({ advanced }) => advanced === true).length;
  const noun = hidden === 1 ? 'option' : 'options';
  expect(new RegExp(`--all +With --help: show ${hidden} more ${noun}\n`).test(text)).toBe(hidden > 0);
});

test('build --help shows the twenty-five options that matter', () => {
  const shown = flagsIn(helpOf(['build', '--help'])).filter((flag) => !flag.startsWith('no-'));
  expect(shown).toHaveLength(25);
  for (const flag of ['out', 'format', 'since', 'exclude', 'update', 'resume', 'workers'])
    expect(shown).toContain(flag);
});

test('shows values with their choices and their default', () => {
  const text = helpOf(['build', '--help', '--all'], 110);
  expect(text).toMatch(/--max-line SIZE +Reject a line longer than SIZE \[default: 256 MiB\]/);
  expect(text).toMatch(/--format NAME[\s\S]+?: atif, axolotl, chat,/);
  expect(text).toContain('--compress none|gzip|zstd');
  expect(text).not.toContain('[default: false]');
});

test('--all without --help is an error, and help COMMAND is the same as COMMAND --help', () => {
  expect(() => readArguments(['build', 'x', '--all'])).toThrow('--all works only together with --help');
  expect(helpOf(['help', 'build'])).toBe(helpOf(['build', '--help']));
  expect(helpOf(['help'])).toBe(helpOf(['--help']));
});

test.each([60, 80, 100])('wraps at the width of the terminal: %i columns', (columns) => {
  for (const words of [['--help'], ...commands.map(({ name }) => [name, '--help', '--all'])]) {
    const lines = helpOf(words, columns).split('\n');
    const tooLong = lines.filter((line) => line.length > columns && !line.startsWith('  turnmill '));
    expect(tooLong, words.join(' ')).toEqual([]);
  }
  const widest = Math.max(
    ...helpOf(['build', '--help', '--all'], columns)
      .split('\n')
      .map((line) => line.length),
  );
  expect(widest).toBeGreaterThan(columns - 10);
});

test('does not depend on the language of the system', () => {
  const env = { ...process.env, LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8', LANGUAGE: 'de' };
  expect(execFileSync(process.execPath, [COMMAND, '--help'], { env, encoding: 'utf8' })).toContain(
    'Commands:',
  );
});

/** Fails for a path that does not exist, because its absence from the loaded modules would prove nothing. */
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

test('help loads no job, input, dataset or logger', () => {
  const loaded = loadedModules(['build', '--help']);
  expect(loaded).toContain(join(root, 'dist/src/cli/arguments.js'));
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

test('a run loads no document reader, decompression or threads that it does not need', () => {
  const log = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
  const loaded = loadedModules(['check', log, '--workers', '1']);
  expect(loaded).toContain(join(root, 'dist/src/engine/run-task.js'));
  expectNotLoaded(loaded, [
    'src/input/framing/json-document.ts',
    'src/input/decompress/gzip.ts',
    'src/workers/worker-thread.ts',
    'node_modules/stream-json/',
    'node_modules/pino/',
  ]);
});
