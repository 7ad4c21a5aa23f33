/** Objects other than logs in a folder of logs, through the built command: the good log beside them is always written, and skipped objects are counted with their reason. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { entry } from '../src/cli/small-logs.ts';
import { COMMAND } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { buildPlace, place, sumsOf } from '../support/log-folder.ts';

test('F080 links are not followed, wherever they lead', async () => {
  const at = place();
  const targets = {
    'self.jsonl': 'self.jsonl',
    'dangling.jsonl': 'nothing',
    'good-again.jsonl': 'good.jsonl',
    'out-of-the-root.jsonl': '../other.jsonl',
    'passwd.jsonl': '/etc/passwd',
    'descriptors.jsonl': '/proc/self/fd',
    'round.jsonl': '.',
  };
  writeFileSync(join(at.folder, 'other.jsonl'), entry({ id: 'other' }));
  for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(at.logs, name));
  const { status, sums } = await buildPlace(at);
  expect([status, sums.records, sums.skipped]).toEqual([0, 1, { symlink: 7 }]);
});

test('F080 links are followed on request: each target once, and outside the root only with another flag', async () => {
  const at = place();
  const links = {
    'again.jsonl': 'good.jsonl',
    'dangling.jsonl': 'nothing',
    'inside.jsonl': 'blobs/1',
    'outside.jsonl': '../outside/1',
    'passwd.jsonl': '/etc/passwd',
    'self.jsonl': 'self.jsonl',
    more: '../outside',
    round: '.',
    'round.jsonl': 'blobs',
  };
  mkdirSync(join(at.logs, 'blobs'));
  writeFileSync(join(at.logs, 'blobs/1'), entry({ id: 'inside' }));
  mkdirSync(join(at.folder, 'outside'));
  writeFileSync(join(at.folder, 'outside/1'), entry({ id: 'outside' }));
  writeFileSync(join(at.folder, 'outside/2.jsonl'), entry({ id: 'more' }));
  symlinkSync('../logs', join(at.folder, 'outside/back'));
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(at.logs, name));
  const build = async (out: string, ...flags: string[]): Promise<object> => {
    const { status } = await turnmill(['build', at.logs, '--out', out, ...flags]);
    const { records, skipped } = sumsOf(out);
    return { status, records, skipped };
  };
  expect(await build(at.out)).toMatchObject({ status: 0, records: 1, skipped: { symlink: 7 } });
  expect(await build(`${at.out}-inside`, '--follow')).toMatchObject({
    status: 0,
    records: 2,
    skipped: { symlink: 5, 'duplicate-inode': 1 },
  });
  expect(await build(`${at.out}-anywhere`, '--follow-outside')).toMatchObject({
    status: 3, // every line of /etc/passwd is rejected
    records: 4,
    skipped: { symlink: 3, 'duplicate-inode': 1 },
  });
  expect(readFileSync(`${at.out}-anywhere/ledger/sources.jsonl`, 'utf8')).toContain(
    '"source":"more/2.jsonl"',
  );
  expect((await turnmill(['verify', `${at.out}-anywhere`])).status).toBe(0);
});

faultTest(
  'F081',
  'anything but a regular file is skipped, and does not hang the run',
  { needs: ['mkfifo', 'mknod'] },
  async () => {
    const at = place();
    execFileSync('mkfifo', [join(at.logs, 'pipe.jsonl')]);
    execFileSync('mknod', [join(at.logs, 'zero.jsonl'), 'c', '1', '5']);
    execFileSync('mknod', [join(at.logs, 'block.jsonl'), 'b', '7', '200']);
    mkdirSync(join(at.logs, 'folder.jsonl'));
    const server = createServer().listen(join(at.logs, 'socket.jsonl'));
    onTestFinished(() => void server.close());
    await new Promise((done) => server.once('listening', done));
    const kinds = ['pipe', 'zero', 'block', 'socket'].map((name) =>
      lstatSync(join(at.logs, `${name}.jsonl`)).isFile(),
    );
    expect(kinds).toEqual([false, false, false, false]);
    const { status, sums } = await buildPlace(at);
    expect([status, sums.records, sums.skipped]).toEqual([3, 1, { 'not-regular': 4 }]);
    const named = await turnmill(['build', join(at.logs, 'pipe.jsonl'), '--out', '-']);
    expect([named.status, named.stderr]).toEqual([
      66,
      expect.stringContaining('for a pipe, use - as the input'),
    ]);
  },
);

test('F088 a file reached by several paths is read once; one session in two files is two sessions', async () => {
  const at = place();
  const good = join(at.logs, 'good.jsonl');
  linkSync(good, join(at.logs, 'hard.jsonl'));
  writeFileSync(join(at.logs, 'copy.jsonl'), readFileSync(good));
  const inputs = [at.logs, good, `${at.logs}/../logs`];
  const run = await turnmill(['build', ...inputs, '--out', at.out]);
  expect([run.status, sumsOf(at.out)]).toMatchObject([0, { records: 2, skipped: { 'duplicate-inode': 5 } }]);
});

/** Nests folders until paths exceed the system's limit. */
const DEEP = `for (let i = 0; i < 10000; i++) { require('fs').mkdirSync('d'); process.chdir('d'); }`;

faultTest(
  'F089',
  'a tree 10,000 folders deep: the part that no path reaches is named',
  { long: true },
  async () => {
    const at = place();
    execFileSync(process.execPath, ['-e', DEEP], { cwd: at.logs });
    try {
      const { status, sums } = await buildPlace(at);
      expect([status, sums.records, sums.skipped]).toEqual([3, 1, { unreadable: 1 }]);
    } finally {
      execFileSync('rm', ['-rf', at.logs]);
    }
  },
);

function manyFiles(logs: string, count: number): void {
  for (let i = 0; i < count; i++) writeFileSync(join(logs, `${i}.jsonl`), '');
}

faultTest('F089', '5,000 files in one folder', { long: true }, async () => {
  const at = place();
  manyFiles(at.logs, 5000);
  const { status, sums } = await buildPlace(at);
  expect([status, sums.sources]).toEqual([0, { read: 1, empty: 5000 }]);
});

faultTest('F089', '1,000,000 files in one folder, in a heap of 1 GB', { long: true }, () => {
  const at = place();
  manyFiles(at.logs, 1_000_000);
  try {
    const args = ['--max-old-space-size=1024', COMMAND, 'build', at.logs, '--out', at.out];
    const { status } = spawnSync(process.execPath, args);
    expect([status, sumsOf(at.out).sources]).toEqual([0, { read: 1, empty: 1_000_000 }]);
  } finally {
    execFileSync('rm', ['-rf', at.logs]);
  }
});

test('F090 a file with size 0 and content is rejected as not regular', async () => {
  const run = await turnmill(['check', '/proc/self/status']);
  expect(run.status).toBe(3);
  expect(`${run.stdout}`).toContain('not-regular');
});

faultTest(
  'F090',
  'a sparse file is one line that is too long, in bounded memory',
  { long: true },
  async () => {
    const at = place();
    const path = join(at.logs, 'sparse.jsonl');
    writeFileSync(path, '');
    truncateSync(path, 4 * 1024 ** 3);
    expect(lstatSync(path).blocks).toBe(0);
    const args = [
      '-c',
      `ulimit -d 2000000; exec "$0" "$@"`,
      process.execPath,
      COMMAND,
      'build',
      at.logs,
      '--out',
      at.out,
    ];
    const { status } = spawnSync('bash', args);
    expect(status).toBe(3);
    expect(readFileSync(join(at.out, 'quarantine/rejected.jsonl'), 'utf8')).toMatch(
      /"line-too-long".*"byte_end":4294967296/,
    );
  },
);

test('F091 timestamps in the distant past and future', async () => {
  const at = place();
  const years = [1901, 1969, 2106, 2286];
  for (const year of years) {
    const path = join(at.logs, `${year}.jsonl`);
    writeFileSync(path, entry({ id: `${year}` }));
    execFileSync('touch', ['-d', `${year}-01-01T00:00:00.000000001Z`, path]);
    expect(lstatSync(path).mtime.getUTCFullYear()).toBe(year);
  }
  const { status, sums } = await buildPlace(at);
  expect([status, sums.records]).toEqual([0, years.length + 1]);
});
