/** Output and exit status of each command, without a process for each run. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { commands } from '../../../src/cli/commands/index.ts';
import { main } from '../../../src/cli/main.ts';
import { RunNotes } from '../../../src/cli/run-notes.ts';
import { summaryOf } from '../../../src/cli/summary.ts';
import { TurnmillError } from '../../../src/errors.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { RecordingHost, turnmillHere } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], host = new RecordingHost()): Promise<Ran> {
  const status = await main(args, host);
  return { status, stdout: host.stdout.toString(), stderr: host.stderr };
}

/** Builds a dataset of one record and two rejections. */
async function rejecting(...more: string[]): Promise<{ log: string; out: string; folder: string }> {
  const folder = temporaryFolder();
  const log = writeLog(join(folder, 'logs'), 'a.jsonl', [entry(), '{', '[]']);
  const out = join(folder, 'out');
  expect((await run(['build', log, '--out', out, '--workers', '1', ...more])).status).toBe(3);
  return { log, out, folder };
}

const SUMS = {
  ...{ sources: { read: 1 }, skipped: {}, extensions: {}, fates: { snapshot: 1 }, repairs: {}, tools: {} },
  ...{
    sessions: { seen: 1, written: 1 },
    rewrites: {},
    findings: {},
    bytes: { read: 10 },
    lines: 1,
    records: 1,
  },
  ...{ formats: { chat: { records: 1 } }, errors: 0, warnings: 0 },
};

class Terminal extends RecordingHost {
  override readonly isTerminal = true;
}

test.each(commands)('$name cannot run without its arguments', async ({ name, words }) => {
  const { status, stderr } = await run([name]);
  if (words.least === 0) expect([status, stderr]).toEqual([0, '']);
  else
    expect([status, stderr]).toEqual([
      64,
      `turnmill: ${name}: ${words.missing}\nTry 'turnmill ${name} --help'.\n`,
    ]);
});

describe('build', () => {
  test('reports what it wrote, what it rejected and where to look', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry(), '{']);
    const out = join(folder, 'out');
    const { status, stdout, stderr } = await run(['build', log, '--out', out]);
    expect([status, stdout]).toEqual([3, '']);
    expect(stderr).toContain(
      'turnmill: 1 conversation from 1 log; 1 rejection.\n\n  records    1 record, 1 shard, ',
    );
    expect(stderr).toContain(`${log}:2  invalid-json: `);
    expect(stderr).toContain(`  To see why:  turnmill explain ${log}:2 --in ${out}\n`);
    const where = `  All rejections: ${join(out, 'quarantine/rejected.jsonl')}\n`;
    const report = `  Report: ${join(out, 'reports/index.html')}; to see the records:  turnmill view ${out} --open\n`;
    expect(stderr.endsWith(where + report)).toBe(true);
    const without = await run(['build', log, '--out', out, '--replace', '--no-report']);
    expect(without.stderr.endsWith(where)).toBe(true);
  });

  test.each([
    [['--strict-time'], 'time out of order'],
    [
      ['--max-line', '1KiB', '--cleanup', 'goose-info,goose-title', '--on-finding', 'unread-text=keep'],
      'line-too-long',
    ],
    [['--no-cleanup', '--no-integrity', '--format', 'functiongemma-teaching'], 'no-final-call'],
  ])('says how to explain a rejection that depends on %s', async (options, why) => {
    const folder = temporaryFolder();
    const config = join(folder, 'c.json');
    writeFileSync(config, JSON.stringify({ maxDepth: 200 }));
    const isLong = why === 'line-too-long';
    const log = writeLog(folder, 'a.jsonl', isLong ? [entry({ id: 'x'.repeat(1100) })] : [entry(), entry()]);
    for (const out of [['--dry-run'], ['--out', '-'], ['--out', join(folder, 'out')]]) {
      const { status, stderr } = await turnmillHere(['build', log, ...out, '--config', config, ...options]);
      const words = /To see why: {2}turnmill (.*)$/m.exec(stderr)?.[1]?.split(' ') ?? [];
      const explained = await run(words);
      expect([status, explained.status, explained.stdout]).toEqual([3, 0, expect.stringContaining(why)]);
      expect(words.includes('--in')).toBe(out.includes(join(folder, 'out')));
    }
  });

  test('takes options without a flag from a configuration file', async () => {
    const folder = temporaryFolder();
    const config = join(folder, 'c.json');
    writeFileSync(config, JSON.stringify({ compress: 'gzip', groupBy: 'none' }));
    const out = join(folder, 'out');
    const log = writeLog(folder, 'a.jsonl', [entry()]);
    const { status } = await run(['build', log, '--out', out, '--config', config, '--compress', 'none']);
    expect([status, readdirSync(join(out, 'data'))]).toEqual([0, ['conversations-00000.jsonl']]);
  });

  test('shows a progress line on a terminal and clears it before the summary', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
    const { status, stdout, stderr } = await run(['check', log], new Terminal());
    const [before, progress, rest] = stderr.split('\r\u001b[K');
    expect([status, before, progress, rest]).toEqual([0, '', expect.stringContaining('/1 sources  '), '']);
    expect(stdout).toMatch(
      /^turnmill: 1 conversation from 1 log\.\n\n {2}dialect .*\n.*\n\n {2}records {4}1 record would be written/,
    );
  });

  test('ends the summary of --out - with the sums as JSON, but not on a terminal', async () => {
    const summary = {
      ...{ sums: SUMS, rejections: 0, shards: [], out: '-', elapsedMs: 1, readBytes: 10, reusedSources: 0 },
      ...{ nothingChanged: false, workerRestarts: 0, problems: [] },
    };
    const lines = summaryOf(summary, new RunNotes({ out: '-' })).split('\n');
    expect(JSON.parse(lines.at(-2) ?? '')).toEqual({ ledger: SUMS });
    expect(summaryOf(summary, new RunNotes({ out: '-' }), true).split('\n')).toEqual(lines.toSpliced(-2, 1));
  });

  test('reports with --profile where the time went', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
    const { stderr } = await run(['build', log, '--dry-run', '--profile']);
    expect(stderr).toMatch(/^profile: [\d.]+ s, [\d.]+ s in all threads$/m);
    expect(stderr).toContain('reading plain exchanges in one pass');
    const { stderr: ofStages } = await run([
      'build',
      log,
      '--dry-run',
      '--profile',
      '--cleanup',
      'empty-assistant',
    ]);
    expect(ofStages).toContain('comparing and scanning the lines');
  });
});

describe('check', () => {
  test('writes nothing', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry(), '{']);
    const { status, stdout } = await run(['check', log]);
    expect(status).toBe(3);
    expect(stdout).toMatch(/^ {2}records {4}1 record would be written \(dry run\) /m);
    expect(readdirSync(folder)).toEqual(['a.jsonl']);
  });

  test.each([
    [['--target', 'trl', '--format', 'trl'], '--target sets the format'],
    [['--target', 'trl', '--json-tool-calls'], '--target sets the format'],
  ])('%j is a usage error', async (flags, problem) => {
    const { status, stderr } = await run(['check', 'x', ...flags]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(problem)]);
  });
});

/** The summary without the line of the records, which differs in the place and the time, and without what only check shows. */
const sumsOf = ({ stdout, stderr }: Ran): string =>
  `${stdout}${stderr}`
    .replace(/^ {2}dialect .*?\n\n/ms, '')
    .replace(/^ {2}records .*\n/m, '')
    .replace(/\n {2}All rejections: .*\n {2}Report: .*\n/, '\n')
    .replace(/\n {2}text read\n.*$/s, '');

test.each<[name: string, bytes: string | Uint8Array]>([
  ['is not a log', '{"name": "a", "version": "1.0.0"}\n'],
  [
    'is cut after a rejected line',
    Buffer.concat([gzipSync(`${entry()}\n{\n`), gzipSync(entry({ second: 1 })).subarray(0, -8)]),
  ],
])('check, a dry run and a build agree on a file that %s', async (_, bytes) => {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  writeFileSync(join(logs, typeof bytes === 'string' ? 'strange.json' : 'a.jsonl.gz'), bytes);
  const built = await run(['build', logs, '--out', join(folder, 'out'), '--workers', '1']);
  expect(built.status).toBe(3);
  expect(sumsOf(built)).toMatch(
    /sources {4}1 rejected\n {2}lines .*\n {2}rejected {3}\d.*\n.*\n\n {2}What to do about .*\n$/,
  );
  expect(sumsOf(await run(['check', logs, '--workers', '1']))).toBe(sumsOf(built));
  expect(sumsOf(await run(['build', logs, '--dry-run', '--workers', '1']))).toBe(sumsOf(built));
});

describe('verify', () => {
  test('reports its counts', async () => {
    const { out } = await rejecting();
    const { status, stdout, stderr } = await run(['verify', out]);
    expect([status, stdout, stderr]).toEqual([
      0,
      `${out}: 1 record in 1 shard from 1 source: no problems\n`,
      '',
    ]);
  });

  test('names each problem, as text and as JSON', async () => {
    const { out } = await rejecting();
    writeFileSync(join(out, 'data/\u001b[2J.txt'), '');
    const text = await run(['verify', out]);
    expect(text.status).toBe(65);
    expect(text.stdout).toContain('.txt: not listed in the manifest\n');
    expect(text.stdout).not.toContain('\u001b');
    expect(text.stdout).toMatch(/: 1 problem\n$/);
    const json = await run(['verify', out, '--json']);
    expect([json.status, JSON.parse(json.stdout)]).toEqual([
      65,
      expect.objectContaining({ problemCount: 1 }),
    ]);
  });

  test('prints a thousand problems and counts the rest', async () => {
    const { out } = await rejecting();
    for (let i = 0; i < 1003; i++) writeFileSync(join(out, `data/${i}.txt`), '');
    const lines = (await run(['verify', out])).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1002);
    expect(lines.slice(-2)).toEqual(['... and 3 more', expect.stringMatching(/: 1,003 problems$/)]);
  });
});

describe('quarantine', () => {
  test('lists each record and whether the dataset keeps its bytes', async () => {
    const { out } = await rejecting('--quarantine-content', 'raw');
    const { status, stdout } = await run(['quarantine', 'list', out]);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^a\.jsonl:2 {2}line {2}invalid-json \(1 B, raw\): [^\n]+\na\.jsonl:3 {2}line {2}[a-z-]+ \(2 B, raw\): [^\n]+\n2 rejections: 2 by itself\nwhat to do about [^\n]+\nwhat to do about [^\n]+\nto see why: turnmill explain a\.jsonl:2 --in [^\n]+\n$/,
    );
    const json = (await run(['quarantine', 'list', out, '--json'])).stdout.trimEnd().split('\n');
    for (const line of json) {
      expect(JSON.parse(line)).toMatchObject({ scope: 'line', kept: 'raw' });
      expect(line).not.toContain('raw_b64');
    }
    expect(json).toHaveLength(2);
  });

  test('replays exactly the rejected lines into logs', async () => {
    const { out, folder } = await rejecting('--quarantine-content', 'raw');
    const into = join(folder, 'again');
    const { status, stdout } = await run(['quarantine', 'replay', out, '--into', into]);
    expect([status, stdout]).toEqual([0, `2 records replayed in 1 log below ${into}/\n`]);
    expect(readFileSync(join(into, 'a.jsonl'), 'utf8')).toBe('{\n[]\n');
  });

  test('ends with 3 when the bytes of a record cannot be found', async () => {
    const { out, folder } = await rejecting();
    const { status, stdout } = await run([
      ...['quarantine', 'replay', out, '--into', join(folder, 'again'), '--json'],
      ...['--logs', temporaryFolder()],
    ]);
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ replayed: 0, files: 0 });
  });

  test('lists nothing for a dataset without rejections', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    await run(['build', writeLog(folder, 'a.jsonl', [entry()]), '--out', out]);
    expect(await run(['quarantine', 'list', out])).toEqual({
      status: 0,
      stdout: 'nothing was rejected\n',
      stderr: '',
    });
  });

  test.each([
    [['wipe', 'x'], "'wipe' is not one of list, replay"],
    [['list', 'x', '--into', 'y'], 'does not take --into, --logs or --follow-outside'],
    [['list', 'x', '--logs', 'y'], 'does not take --into, --logs or --follow-outside'],
    [['list', 'x', '--follow-outside'], 'does not take --into, --logs or --follow-outside'],
    [['replay', 'x'], '--into is missing'],
  ])('%j is a usage error', async (words, problem) => {
    const { status, stderr } = await run(['quarantine', ...words]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(problem)]);
  });
});

test('formats prints one line for each format', async () => {
  const { stdout } = await run(['formats']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(formats.map(({ name }) => name));
  expect(new Set(lines.map((line) => /^\S+ +/.exec(line)?.[0].length)).size).toBe(1);
});

describe('a fault', () => {
  const missing = (): string => join(temporaryFolder(), 'no');

  test('is reported as one line of JSON with its code and subject', async () => {
    const path = missing();
    const { status, stderr } = await run(['check', path]);
    expect(status).toBe(66);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'error', code: 'no-input', subject: path });
  });

  test('counts the other files of a folder without logs', async () => {
    const path = temporaryFolder();
    mkdirSync(path, { recursive: true });
    for (const name of ['a.parquet', 'b.parquet', 'c.png']) writeFileSync(join(path, name), 'x');
    const { stderr } = await run(['check', path]);
    expect(JSON.parse(stderr).msg).toContain(
      '(skipped because of their names: 2 .parquet, 1 .png); name a file itself to read it; use --allow-empty',
    );
  });

  test('names the options that leave out every log', async () => {
    const path = temporaryFolder();
    for (const name of ['a.jsonl', 'b.jsonl']) writeLog(path, name, [entry()]);
    const { stderr } = await run(['check', path, '--include', 'a*', '--since', '2999-01-01']);
    expect(JSON.parse(stderr).msg).toBe(
      `no sessions found in ${path}: --include leaves out 1 file, --since leaves out 1 file; use --allow-empty to write an empty dataset`,
    );
  });

  test('is reported as a sentence on a terminal', async () => {
    const path = missing();
    const { status, stderr } = await run(['check', path], new Terminal());
    expect([status, stderr]).toEqual([66, `turnmill: ${path} not found\n`]);
  });

  test('is not reported at level silent', async () => {
    expect(await run(['check', missing(), '--log-level', 'silent'])).toEqual({
      status: 66,
      stdout: '',
      stderr: '',
    });
  });

  test('ends the command quietly with 141 when the reader of standard output is gone', async () => {
    class Gone extends RecordingHost {
      override print(): undefined {
        throw new TurnmillError('broken-pipe', 'the reader of standard output is gone', {});
      }
    }
    for (const args of [['--help'], ['list'], ['formats']])
      expect(await run(args, new Gone())).toEqual({ status: 141, stdout: '', stderr: '' });
  });

  test('ends the command with 70 and a stack when it is a bug', async () => {
    class Broken extends RecordingHost {
      override prepareRun(): never {
        throw new Error('boom\u001b[2J');
      }
    }
    const out = join(temporaryFolder(), 'out');
    const { status, stderr } = await run(['build', 'x', '--out', out], new Broken());
    expect(status).toBe(70);
    expect(stderr).toMatch(/^turnmill: internal error, please report it:\nError: boom[^\n]*\n {4}at /);
    expect(stderr).not.toContain('\u001b');
    expect(existsSync(out)).toBe(false);
  });
});

test('a command restores the default action of signals when it ends', async () => {
  const before = process.listenerCount('SIGTERM');
  await run(['check', writeLog(temporaryFolder(), 'a.jsonl', [entry()])]);
  expect(process.listenerCount('SIGTERM')).toBe(before);
});
