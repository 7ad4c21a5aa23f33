/** How a run reports, and which files it reads: --exit-zero, --quiet, --include, --exclude, --since; and the scripts for shells. */
import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../../src/cli/commands/index.ts';
import { completionScript } from '../../../src/cli/completion.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

function damaged(): { folder: string; log: string } {
  const folder = temporaryFolder();
  return { folder, log: writeLog(folder, 'a.jsonl', [entry(), '{']) };
}

test.each(['build', 'check'])('%s --exit-zero succeeds although a line is rejected', async (command) => {
  const { folder, log } = damaged();
  const args = [command, log, ...(command === 'build' ? ['--out', join(folder, 'out')] : [])];
  expect((await turnmill(args)).status).toBe(3);
  const again = command === 'build' ? ['--replace'] : [];
  const { status, stdout, stderr } = await turnmill([...args, ...again, '--exit-zero']);
  expect(status).toBe(0);
  expect(`${stdout}${stderr}`).toContain('rejected: 1 invalid-json');
});

test('--exit-zero hides no error', async () => {
  const { folder, log } = damaged();
  const args = ['build', log, '--out', join(folder, 'out'), '--on-reject', 'fail', '--exit-zero'];
  expect((await turnmill(args)).status).toBe(65);
  expect(readdirSync(folder)).toEqual(['a.jsonl']);
});

test('--quiet reports errors only', async () => {
  const { folder, log } = damaged();
  const args = ['build', log, '--out', join(folder, 'out'), '--quiet'];
  const { status: first, stdout, stderr: said } = await turnmill(args);
  expect([first, stdout.toString(), said]).toEqual([3, '', '']);
  const { status, stderr } = await turnmill(args);
  expect(status).toBe(73);
  expect(JSON.parse(stderr).msg).toContain('use --replace');
});

test('reads the files that are chosen, and says how many were not', async () => {
  const folder = temporaryFolder();
  for (const name of ['a.jsonl', 'b.jsonl', 'c.jsonl', 'd.log']) writeLog(folder, name, [entry()]);
  utimesSync(join(folder, 'a.jsonl'), 1, 1);
  const args = ['check', folder, '--since', '2020-01-01', '--include', '*.jsonl', '--exclude', 'b*'];
  const { status, stdout } = await turnmill(args);
  expect(status).toBe(0);
  expect(stdout.toString()).toContain(
    '  sources    1 read\n  skipped    3 files: 1 left out by --exclude, 1 left out by --include, 1 left out by --since (2 .jsonl, 1 .log)\n',
  );
});

test('a configuration file may be in TOML', async () => {
  const { folder, log } = damaged();
  const config = join(folder, 'options.toml');
  writeFileSync(config, 'format = ["openai", "trl"]\nexitZero = true\nmaxLine = "1MiB"\n');
  const out = join(folder, 'out');
  expect((await turnmill(['build', log, '--out', out, '--config', config])).status).toBe(0);
  expect(readdirSync(join(out, 'data')).sort()).toEqual(['openai', 'trl']);
  writeFileSync(config, 'exitZero = true\nformat = [openai]\n');
  const { status, stderr } = await turnmill(['build', log, '--out', out, '--config', config]);
  expect(status).toBe(78);
  expect(JSON.parse(stderr).msg).toBe(`configuration file ${config}: not valid TOML, at line 2`);
});

/** Completes the last word as bash would. */
function completed(...words: readonly string[]): readonly string[] {
  const script = `${completionScript('bash', commands)}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _turnmill; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync('bash', ['-c', script, 'bash', 'turnmill', ...words], { encoding: 'utf8' });
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes commands, options and values', () => {
  expect(completed('ver')).toEqual(['verify']);
  expect(completed('build', '--exc')).toEqual(['--exclude']);
  expect(completed('verify', '--exc')).toEqual([]);
  expect(completed('build', '--dialect', 'cl')).toEqual(['claude-code', 'cline']);
  expect(completed('build', 'x', '--compress', '')).toEqual(['none', 'gzip', 'zstd']);
  expect(completed('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(completed('quarantine', 'r')).toEqual(['replay']);
  for (const words of [
    ['quarantine', 'list', ''],
    ['build', ''],
    ['build', 'x', '--on-finding', ''],
  ])
    expect(completed(...words)).toEqual([]); // files, or a value of the user's own
});

test.each(['bash', 'zsh', 'fish'])('completion %s names every command', async (shell) => {
  const { status, stdout } = await turnmill(['completion', shell]);
  expect(status).toBe(0);
  for (const { name } of commands) expect(stdout.toString()).toMatch(new RegExp(`\\b${name}\\b`));
});

test('an unknown shell is a usage error', async () => {
  const { status, stderr } = await turnmill(['completion', 'tcsh']);
  expect([status, stderr]).toEqual([64, expect.stringContaining("'tcsh' is not one of bash, zsh, fish")]);
});
