/**
 * Something other than a regular file in place of a dataset file, or named by an option: the command does not hang on it or read it without
 * end, and never rebuilds a dataset because of it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { build } from '../../src/job/build.ts';
import { entry } from '../src/cli/small-logs.ts';
import { COMMAND } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Longer than any of these commands takes on a busy machine; a command that opens a pipe would wait for ever. */
const HANGS_MS = 120_000;

interface Run {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

function run(args: readonly string[]): Run {
  const options = { timeout: HANGS_MS, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
  const { status, signal, stderr } = spawnSync(process.execPath, [COMMAND, ...args], options);
  return { status, signal, stderr };
}

/** Things to put in a file's place. A link to `/dev/zero` never ends; neither does a device node. */
const KINDS: Readonly<Record<string, (path: string) => void>> = {
  pipe: (path) => execFileSync('mkfifo', [path]),
  'link to /dev/zero': (path) => symlinkSync('/dev/zero', path),
  device: (path) => execFileSync('mknod', [path, 'c', '1', '5']),
  folder: (path) => mkdirSync(path),
};

interface Place {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
}

/** A dataset with records and rejections, with one of its files replaced. */
async function dataset(file: string, put: (path: string) => void): Promise<Place> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  writeFileSync(join(logs, 'a.jsonl'), `${entry()}\n`);
  if (file !== 'quarantine/rejected.jsonl') writeFileSync(join(logs, 'b.jsonl'), 'oops\n');
  await build({ inputs: [logs], out, workers: 1, groupBy: 'none' });
  const path = join(out, file);
  rmSync(path);
  put(path);
  expect(lstatSync(path).isFile()).toBe(false);
  return { folder, logs, out };
}

const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

const FILES = [
  'manifest.json',
  'ledger/sources.jsonl',
  'ledger/sessions.jsonl',
  'quarantine/rejected.jsonl', // empty, so its size equals that of a pipe
  'reports/integrity.jsonl',
  'reports/summary.json',
  'data/conversations-00000.jsonl',
];
/** Pipes are tried everywhere, the other kinds only here. */
const FEW = ['ledger/sessions.jsonl', 'quarantine/rejected.jsonl'];

for (const [kind, put] of Object.entries(KINDS)) {
  faultTest(
    'F207',
    `a ${kind} in place of a file of the dataset`,
    { needs: ['mkfifo', 'mknod'] },
    async () => {
      for (const file of kind === 'pipe' ? FILES : FEW) {
        const { folder, logs, out } = await dataset(file, put);
        const before = namesIn(folder);
        for (const args of [
          ['build', logs, '--update', out, '--group-by', 'none'],
          ['verify', out],
        ]) {
          const { status, signal, stderr } = run(args);
          expect([status, signal], `${file}: ${args.join(' ')}`).toEqual([65, null]);
          if (args[0] === 'build') expect(stderr).toContain(file);
        }
        expect(namesIn(folder)).toEqual(before);
        expect(lstatSync(join(out, file)).isFile()).toBe(false);
      }
    },
  );

  faultTest(
    'F207',
    `a ${kind} in place of manifest.json or run.json`,
    { needs: ['mkfifo', 'mknod'] },
    async () => {
      const { folder, logs, out } = await dataset('manifest.json', put);
      const before = namesIn(folder);
      for (const args of [
        ['build', logs, '--out', out],
        ['build', logs, '--out', out, '--replace'],
        ['quarantine', 'list', out],
        ['quarantine', 'replay', out, '--into', join(folder, 'again')],
      ]) {
        expect(run(args), args.join(' ')).toMatchObject({
          status: 65,
          stderr: expect.stringContaining('manifest.json'),
        });
      }
      expect(namesIn(folder)).toEqual(before);
      const facts = await dataset('run.json', put);
      expect(run(['build', facts.logs, '--update', facts.out, '--group-by', 'none'])).toMatchObject({
        status: 65,
        stderr: expect.stringContaining('run.json'),
      });
      expect(run(['verify', facts.out])).toMatchObject({ status: 65, signal: null });
    },
  );

  faultTest(
    'F207',
    `a ${kind} in place of files that other commands read`,
    { needs: ['mkfifo', 'mknod'] },
    async () => {
      const rejected = await dataset('quarantine/rejected.jsonl', put);
      expect(run(['quarantine', 'list', rejected.out])).toMatchObject({ status: 65, signal: null });
      const { logs, out } = await dataset('ledger/sessions.jsonl', put);
      const explained = run(['explain', `${join(logs, 'a.jsonl')}:1`, '--in', out]);
      expect(explained).toMatchObject({ status: 65, stderr: expect.stringContaining('sessions.jsonl') });
    },
  );

  faultTest('F207', `a ${kind} in place of a checkpoint`, { needs: ['mkfifo', 'mknod'] }, async () => {
    const folder = temporaryFolder();
    const [logs, work] = [join(folder, 'logs'), join(folder, `.out.staging-${'0'.repeat(16)}`, 'work')];
    mkdirSync(logs);
    mkdirSync(work, { recursive: true });
    writeFileSync(join(logs, 'a.jsonl'), `${entry()}\n`);
    put(join(work, 'checkpoint.part'));
    const resumed = run(['build', logs, '--out', join(folder, 'out'), '--resume']);
    expect(resumed).toMatchObject({ status: 65, stderr: expect.stringContaining('checkpoint.part') });
  });

  faultTest('F207', `a ${kind} named by an option`, { needs: ['mkfifo', 'mknod'] }, async () => {
    const folder = temporaryFolder();
    const [log, path] = [join(folder, 'a.jsonl'), join(folder, 'option')];
    writeFileSync(log, `${entry()}\n`);
    put(path);
    for (const [option, status] of [
      ['--config', 78],
      ['--user-turn', 64],
    ] as const) {
      const refused = run(['build', log, '--out', join(folder, 'out'), option, path]);
      expect(refused).toMatchObject({ status, stderr: expect.stringContaining('not a regular file') });
    }
  });
}

faultTest('F207', 'a file named by an option has a size limit', {}, () => {
  const folder = temporaryFolder();
  const [log, path] = [join(folder, 'a.jsonl'), join(folder, 'option')];
  writeFileSync(log, `${entry()}\n`);
  writeFileSync(path, '');
  truncateSync(path, 1024 ** 4); // sparse
  for (const [option, status] of [
    ['--config', 78],
    ['--user-turn', 64],
  ] as const) {
    const refused = run(['build', log, '--out', join(folder, 'out'), option, path]);
    expect(refused).toMatchObject({ status, stderr: expect.stringMatching(/longer than \d+ bytes/) });
  }
  writeFileSync(path, '{"groupBy": "none"}');
  expect(run(['build', log, '--out', join(folder, 'out'), '--config', path]).status).toBe(0);
  expect(readFileSync(join(folder, 'out/manifest.json'), 'utf8')).toContain('"groupBy": "none"');
});

faultTest('F207', 'a manifest of a terabyte is not read', {}, async () => {
  const { logs, out } = await dataset('manifest.json', (path) => mkdirSync(path));
  rmSync(join(out, 'manifest.json'), { recursive: true });
  writeFileSync(join(out, 'manifest.json'), '{');
  truncateSync(join(out, 'manifest.json'), 1024 ** 4);
  for (const args of [
    ['build', logs, '--update', out, '--group-by', 'none'],
    ['verify', out],
  ])
    expect(run(args)).toMatchObject({ status: 65, stderr: expect.stringMatching(/longer than \d+ bytes/) });
});
