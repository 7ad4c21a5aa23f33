import { spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { COMMAND } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const USAGE_ERRORS: readonly (readonly [string, string])[] = [
  ['', 'name a command'],
  ['biuld x', 'unknown command biuld; did you mean build?'],
  ['biuld --help', 'unknown command biuld; did you mean build?'],
  ['build', 'name at least one input'],
  ['build x', '--out is missing'],
  ['build x --outt d', 'unknown option --outt; did you mean --out?'],
  ['build x --dedupe', 'unknown option --dedupe; did you mean --copies drop?'],
  ['build x --duplicates drop', 'unknown option --duplicates; did you mean --copies drop?'],
  ['check x --newer-than 7d', 'unknown option --newer-than; did you mean --since?'],
  ['build x --last=7d', 'unknown option --last; did you mean --since?'],
  ['build x --out --outt', 'unknown option --outt'],
  ['build x -5', 'unknown option -5'],
  ['build x --update', '--update needs a value'],
  ['build x --update --replace', '--update needs a value'],
  ['build x --update= --out a', '--update: needs a value'],
  ['build x --update a --update b', '--update appears twice'],
  ['help biuld', 'unknown command biuld; did you mean build?'],
  ['build x -o', '-o needs a value'],
  ['build x --ou d', 'unknown option --ou'],
  ['build x -x', 'unknown option -x'],
  ['build x --o d', 'unknown option --o'],
  ['build x -oDIR', 'unknown option -oDIR'],
  ['build x --constructor 1', 'unknown option --constructor'],
  ['build x --__proto__ 1', 'unknown option --__proto__'],
  ['build x --out', '--out needs a value'],
  ['build x --out --replace', '--out needs a value'],
  ['build x --out=', '--out: needs a value'],
  ['build x --out a --out b', '--out appears twice'],
  ['build x --out a -o b', '--out appears twice'],
  ['build x --out a --replace --replace', '--replace appears twice'],
  ['build x --out a --replace=maybe', '--replace takes no value'],
  ['build x --out a --no-replace', 'unknown option --no-replace'],
  ['build x --out a --limit 1e3', "--limit: '1e3' is not a whole number"],
  ['build x --out a --limit 0x10', '--limit'],
  ['build x --out a --limit=-5', '--limit'],
  ['build x --out a --limit 0', '--limit'],
  ['build x --out a --limit 1.5', '--limit'],
  ['build x --out a --workers 0', '--workers'],
  ['build x --out a --workers 9999999999999999999', '--workers'],
  ['build x --out a --max-line 1GiB', '--max-line'],
  ['build x --out a --max-depth 0', "--max-depth: '0' is not a whole number from 1 to 900"],
  ['build x --out a --max-depth 901', '--max-depth'],
  ['build x --out a --max-messages 0', '--max-messages'],
  ['build x --out a --max-sources 1k', '--max-sources'],
  ['build x --out a --shard-size 12Q', "--shard-size: '12Q' is not a size"],
  ['build x --out a --shard-size 0', '--shard-size'],
  ['build x --out a --format nope', "--format: 'nope' is not one of"],
  ['build x --out a --format opnai', '; did you mean openai?'],
  ['check x --limit -1', "--limit: '-1' is not a whole number of at least 1"],
  ['build x --out a --dialect nope', '--dialect'],
  ['build x --out a --group-by week', '--group-by'],
  ['build x --out a --session-by day', '--session-by'],
  ['build x --out a --select all', '--select'],
  ['build x --out a --dialect messages --select leaves', 'the dialect messages is a session by itself'],
  ['check x --dialect streams --select last', 'the dialect streams is a session by itself'],
  [
    'build x --out a --select leaves --strict-time',
    '--strict-time and --select leaves contradict each other',
  ],
  ['build x --out a --dialect codex --strict-time', 'the dialect exchange only, not in codex'],
  ['build x --out a --compress zip', '--compress'],
  ['build x --out a --on-reject stop', '--on-reject'],
  ['build x --out a --quarantine-content all', '--quarantine-content'],
  ['build x --out a --log-level loud', '--log-level'],
  ['build x --out a --cleanup gooose', "--cleanup: 'gooose' is not one of"],
  ['build x --out a --cleanup goose,', '--cleanup'],
  ['build x --out a --cleanup goose --no-cleanup', 'contradict'],
  ['build x --out a --integrity', 'unknown option --integrity'],
  ['build x --out a --json-tool-calls --format chat', '--json-tool-calls means --format chat-inline'],
  ['build x --out a --on-finding control-token-in-content', 'is not RULE=reject'],
  ['build x --out a --on-finding nope=reject', "--on-finding: 'nope'"],
  [
    'build x --out a --on-finding key-not-bare=keep',
    'key-not-bare is a rule of functiongemma, functiongemma-teaching, and --format is chat',
  ],
  ['build x --out a --on-finding control-token-in-content=drop', 'reject or keep'],
  ['build x --out a --on-finding non-text-part=keep --on-finding non-text-part=reject', 'appears twice'],
  ['build - - --out a', 'once'],
  ['check x --out a', 'check does not take --out'],
  ['check x -o a --update a', 'check does not take --out, --update'],
  ['check x --update a', 'check does not take --update'],
  ['check x --resume', 'check does not take --resume'],
  ['check x --no-report', 'check does not take --no-report'],
  ['explain', 'FILE:LINE'],
  ['explain a.jsonl', 'FILE:LINE'],
  ['explain a.jsonl:0', 'FILE:LINE'],
  ['explain a.jsonl:x', 'FILE:LINE'],
  ['explain a:1 b:2', 'unexpected argument'],
  ['inspect x', '--after is missing'],
  ['inspect x --after nope', 'is not one of framing, parse'],
  ['inspect x --after parse --kind lines', '--kind'],
  ['verify', 'name the folder'],
  ['verify a b', 'unexpected argument'],
  ['list nope', 'is not one of stages'],
];

describe('F160 a usage error is one line and a hint, with status 64', () => {
  test.each(USAGE_ERRORS)('turnmill %s', async (line, problem) => {
    const words = line.split(' ').filter((word) => word !== '');
    const { status, stderr, stdout } = await turnmill(words, words.includes('-') ? '' : undefined);
    expect(status, stderr).toBe(64);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^turnmill: /);
    expect(lines[0]).toContain(problem);
    expect(lines[1]).toMatch(/^Try 'turnmill( [a-z]+)? --help'\.$/);
    if (line.includes('biuld')) expect(lines[1]).toBe("Try 'turnmill --help'.");
    expect(stdout.toString()).toBe('');
  });
});

describe('F160 arguments are kept as they are', () => {
  const parsed = (line: string): object => {
    const read = readArguments(line.split(' '));
    return 'text' in read ? {} : { words: read.words, ...read.values };
  };

  test.each<[string, object]>([
    ['build - 00123 1e3 0x10 true --out d', { words: ['-', '00123', '1e3', '0x10', 'true'], out: 'd' }],
    ['build --replace false --out -', { words: ['false'], replace: true, out: '-' }],
    ['build help --out version', { words: ['help'], out: 'version' }],
    ['build --out d -- --weird -x', { words: ['--weird', '-x'], out: 'd' }],
    ['build x --out=-x', { words: ['x'], out: '-x' }],
    ['build x -o a=b', { words: ['x'], out: 'a=b' }],
    ['--out d build x', { words: ['x'], out: 'd' }],
    ['explain -:3', { words: ['-:3'] }],
    ['build x --update --out d', { words: ['x'], update: 'd', out: 'd' }],
    ['build x --out d --update', { words: ['x'], update: 'd', out: 'd' }],
    ['build x -- -:3 --', { words: ['x', '-:3', '--'] }],
  ])('turnmill %s', (line, expected) => {
    expect(parsed(line)).toEqual(expected);
  });
});

describe('F165 standard input', () => {
  const build = (stdin: number, ...words: string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [COMMAND, 'build', '-', '--out', '-', ...words], {
      stdio: [stdin, 'pipe', 'pipe'],
    });

  test('is not an input if it is a folder or /dev/null', () => {
    for (const path of [temporaryFolder(), '/dev/null']) {
      const { status, stderr } = build(openSync(path, 'r'));
      expect(status).toBe(66);
      expect(JSON.parse(String(stderr)).code).toBe('no-input');
    }
  });

  test('is looked at only after the options', () => {
    const { status, stderr } = build(openSync('/dev/null', 'r'), '--limit', '1', '--slice', '1/2');
    expect(status).toBe(64);
    expect(String(stderr)).toContain('--slice and --limit contradict each other');
  });

  test('is not an input if it is closed', () => {
    const run = spawnSync('bash', ['-c', `${process.execPath} ${COMMAND} build - --out - <&-`], {
      encoding: 'utf8',
    });
    expect(run.status).toBe(66);
  });

  test('is read if it is a file or a pipe', async () => {
    const log = writeLog(temporaryFolder(), 'a', [entry()]);
    expect(String(build(openSync(log, 'r')).stdout)).toMatch(/^\{"messages":/);
    expect((await turnmill(['build', '-', '--out', '-'], readFileSync(log))).status).toBe(0);
  });
});

describe('stderr', () => {
  test('F164 may be full or closed without effect on the run', () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry()]);
    const run = (words: string): number | null =>
      spawnSync('bash', ['-c', `${process.execPath} ${COMMAND} ${words}`]).status;
    expect(run(`build ${log} --out ${folder}/1 2>/dev/full`)).toBe(0);
    expect(run(`build ${log} --out ${folder}/2 2>&-`)).toBe(0);
    expect(run(`build ${log} --out ${folder}/1 2>/dev/full`)).toBe(73);
    expect(run(`build ${log} --out ${folder}/1 2>&-`)).toBe(73);
    expect(run(`build 2>/dev/full`)).toBe(64);
  });

  test('is empty at level silent', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry(), '{']);
    const quiet = ['--log-level', 'silent'];
    expect(await turnmill(['check', log, ...quiet])).toMatchObject({ status: 3, stderr: '' });
    expect(await turnmill(['build', join(folder, 'no'), '--out', '-', ...quiet])).toMatchObject({
      status: 66,
      stderr: '',
    });
  });

  test('escapes control characters in names (F115, F116)', async () => {
    const folder = temporaryFolder();
    const bad = 'a\u001b[2J\u009b1m\u202e\u2028\n{"level":"x"}.jsonl';
    mkdirSync(join(folder, 'logs'));
    writeLog(join(folder, 'logs'), bad, ['{']);
    for (const args of [
      ['check', join(folder, 'logs')],
      ['check', join(folder, bad)],
      ['check', 'x', `--${bad}`],
    ]) {
      const { stderr } = await turnmill(args);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
      expect(stderr.split('\n').some((line) => line.startsWith('{"level":"x"'))).toBe(false);
    }
  });
});
