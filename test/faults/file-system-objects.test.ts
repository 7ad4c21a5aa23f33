/**
 * Things that a folder of logs may hold beside logs, from outside: the good log beside it is always
 * written, and what is not read is counted with its reason.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFile } from '../../src/input/sources/file.ts';
import { build } from '../../src/job/build.ts';
import { entry } from '../src/cli/small-logs.ts';
import { COMMAND } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Place {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
}

/** A folder of logs with one good one in it. */
function place(): Place {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  writeFileSync(join(logs, 'good.jsonl'), entry());
  return { folder, logs, out: join(folder, 'out') };
}

interface Sums {
  readonly sources: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly records: number;
}

const sumsOf = (out: string): Sums => JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));

async function built({ logs, out }: Place): Promise<{ status: number | null; stderr: string; sums: Sums }> {
  const { status, stderr } = await turnmill(['build', logs, '--out', out, '--workers', '1']);
  const sums = sumsOf(out);
  expect((await turnmill(['verify', out])).status).toBe(0);
  return { status, stderr, sums };
}

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
  const { status, sums } = await built(at);
  expect([status, sums.records, sums.skipped]).toEqual([0, 1, { symlink: 7 }]);
});

test('F080 links are followed on request, each target once, and out of the root only with another flag', async () => {
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
    status: 3, // of /etc/passwd every line is rejected
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
  'what is no regular file is passed over, and holds nobody up',
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
    const { status, sums } = await built(at);
    expect([status, sums.records, sums.skipped]).toEqual([3, 1, { 'not-regular': 4 }]);
    const named = await turnmill(['build', join(at.logs, 'pipe.jsonl'), '--out', '-']);
    expect([named.status, named.stderr]).toEqual([
      66,
      expect.stringContaining('for a pipe, use - as the input'),
    ]);
  },
);

/** Runs a build with a system call of its reading of `path` tampered with; the log proves that it was. */
function tampered(
  at: Place,
  path: string,
  call: string,
  how: string,
): { status: number | null; log: string } {
  const log = join(at.folder, 'strace');
  const strace = ['-f', '-qq', '-o', log, '-P', path, '-e', `trace=${call}`, '-e', `inject=${call}:${how}`];
  const args = [process.execPath, COMMAND, 'build', at.logs, '--out', at.out, '--workers', '1'];
  const { status } = spawnSync('strace', [...strace, ...args]);
  return { status, log: readFileSync(log, 'utf8') };
}

/** A file that is read again is read at positions. */
const READS = 'read,pread64';

function large(at: Place): string {
  const path = join(at.logs, 'large.jsonl');
  writeFileSync(
    path,
    `${entry({ id: 'large', messages: [{ role: 'user', content: 'x'.repeat(3_999_999) }] })}\n`,
  );
  return path;
}

faultTest('F084', 'a read that says "end" too early is no end', { needs: ['ptrace'] }, () => {
  const at = place();
  const { status, log } = tampered(at, large(at), READS, 'retval=0:when=2+');
  expect(log).toContain('INJECTED');
  expect([status, sumsOf(at.out).sources]).toEqual([3, { read: 1, rejected: 1 }]);
  expect(readFileSync(join(at.out, 'quarantine/rejected.jsonl'), 'utf8')).toContain('changed-while-read');
});

const SELDOM = [
  ['openat', 'error=ESTALE'],
  ['openat', 'error=ELOOP'],
] as const;

faultTest('F086', 'a source that gives an error is rejected, the others go on', { needs: ['ptrace'] }, () => {
  for (const [call, how] of [
    [READS, 'error=EIO:when=1+'],
    [READS, 'error=EIO:when=2+'],
    ...(ALL_FAULTS ? SELDOM : []),
  ] as const) {
    const at = place();
    const { status, log } = tampered(at, large(at), call, how);
    expect(log, how).toContain('INJECTED');
    expect([status, sumsOf(at.out).sources], how).toEqual([3, { read: 1, rejected: 1 }]);
    const record = JSON.parse(readFileSync(join(at.out, 'quarantine/rejected.jsonl'), 'utf8'));
    expect(record.error.code).toBe(/E[A-Z]+/.exec(how)?.[0]);
  }
});

faultTest('F086', 'a source that gives an error once is read again', { needs: ['ptrace'] }, () => {
  for (const how of ['error=EIO:when=2', 'retval=0:when=2']) {
    const at = place();
    const { status, log } = tampered(at, large(at), 'read', how);
    expect(log, how).toContain('INJECTED');
    expect([status, sumsOf(at.out).sources], how).toEqual([0, { read: 2 }]);
  }
});

faultTest(
  'F086',
  'a folder that may not be read is named; when it is the input: 77',
  { needs: ['setpriv'] },
  () => {
    const at = place();
    execFileSync('chmod', ['777', at.folder]);
    mkdirSync(join(at.logs, 'shut'), { mode: 0 });
    const [setpriv, ...nobody] = [
      'setpriv',
      '--reuid=65534',
      '--clear-groups',
      process.execPath,
      COMMAND,
    ] as const;
    const run = spawnSync(setpriv, [...nobody, 'build', at.logs, '--out', at.out]);
    expect([run.status, sumsOf(at.out).skipped]).toEqual([3, { unreadable: 1 }]);
    const shut = spawnSync(setpriv, [
      ...nobody,
      'build',
      join(at.logs, 'shut'),
      '--out',
      join(at.folder, 'b'),
    ]);
    expect(shut.status).toBe(77);
    const dataset = readFileSync(join(at.out, 'manifest.json'));
    execFileSync('chmod', ['000', join(at.logs, 'good.jsonl')]);
    const blind = spawnSync(setpriv, [...nobody, 'build', at.logs, '--out', at.out, '--replace']);
    expect([blind.status, blind.stderr.toString()]).toEqual([
      77,
      expect.stringContaining('none of the sources'),
    ]);
    expect(readFileSync(join(at.out, 'manifest.json'))).toEqual(dataset);
  },
);

test('F085 a file that is replaced or deleted while it is read is read as it was opened', () => {
  const { logs } = place();
  const path = join(logs, 'good.jsonl');
  const other = join(logs, 'other');
  const content = readFileSync(path);
  for (const change of [() => renameSync(other, path), () => unlinkSync(path)]) {
    writeFileSync(path, content);
    writeFileSync(other, 'something else');
    const file = openFile(Buffer.from(path), { follow: false });
    const room = Buffer.alloc(content.length);
    const half = file.read(room.subarray(0, 10));
    change();
    expect(half + file.read(room.subarray(10))).toBe(content.length);
    expect(room.equals(content)).toBe(true);
    expect(() => file.verify()).not.toThrow();
    file.close();
  }
});

test('F085 what vanishes after the listing is rejected, what appears is not read', async () => {
  const { logs, out } = place();
  const path = join(logs, 'a.jsonl');
  writeFileSync(path, `${entry({ messages: [{ role: 'user', content: 'x'.repeat(500_000) }] })}\n`);
  let fired = false;
  const onResult = (): void => {
    if (fired) return;
    fired = true;
    unlinkSync(join(logs, 'good.jsonl'));
    writeFileSync(join(logs, 'z.jsonl'), entry());
  };
  await build({ inputs: [logs], out, workers: 1 }, { onResult });
  expect(fired).toBe(true);
  expect(sumsOf(out)).toMatchObject({ records: 1, sources: { read: 1, rejected: 1 } });
  expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).toContain('"reason":"vanished"');
});

const NAMES: readonly (string | Buffer)[] = [
  'new\nline',
  'tab\t',
  '-rf',
  '--rm',
  `quote"'\``,
  '\u001b[31mred\u001b[0m',
  Buffer.from([0xff, 0xfe, 0x80]),
  Buffer.from([0x61, 0xc3]),
  'x'.repeat(249),
  '%s%n%x',
  '{{name}}',
  '$(id)',
  '😀',
  'trailing ',
  ' leading',
  'a\\b',
  '\u202egpj',
  '\u009b1m',
  '*',
];

test('F087 names of every kind are read, named without loss, and shown without effect', async () => {
  const at = place();
  for (const [i, name] of NAMES.entries()) {
    const path = Buffer.concat([Buffer.from(`${at.logs}/`), Buffer.from(name), Buffer.from('.jsonl')]);
    writeFileSync(path, `${entry({ id: `s${i}` })}\n{\n`);
  }
  const { status, stderr, sums } = await built(at);
  expect([status, sums.records]).toEqual([3, NAMES.length + 1]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  const named = readFileSync(join(at.out, 'ledger/sources.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ source, source_b64 }) =>
      Buffer.from(source_b64 ?? source, source_b64 ? 'base64' : 'utf8').toString('hex'),
    );
  for (const name of NAMES)
    expect(named).toContain(Buffer.concat([Buffer.from(name), Buffer.from('.jsonl')]).toString('hex'));
});

test('F088 the same file is read once, by whatever ways it comes; the same session in two files is two', async () => {
  const at = place();
  const good = join(at.logs, 'good.jsonl');
  linkSync(good, join(at.logs, 'hard.jsonl'));
  writeFileSync(join(at.logs, 'copy.jsonl'), readFileSync(good));
  const inputs = [at.logs, good, `${at.logs}/../logs`];
  const run = await turnmill(['build', ...inputs, '--out', at.out]);
  expect([run.status, sumsOf(at.out)]).toMatchObject([0, { records: 2, skipped: { 'duplicate-inode': 5 } }]);
});

/** Makes folders in folders, beyond the longest path that there is. */
const DEEP = `for (let i = 0; i < 10000; i++) { require('fs').mkdirSync('d'); process.chdir('d'); }`;

faultTest(
  'F089',
  'a tree of 10,000 folders in each other: what no path reaches is named',
  { long: true },
  async () => {
    const at = place();
    execFileSync(process.execPath, ['-e', DEEP], { cwd: at.logs });
    try {
      const { status, sums } = await built(at);
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
  const { status, sums } = await built(at);
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

test('F090 a file that claims to be empty and is not is rejected as not regular', async () => {
  const run = await turnmill(['check', '/proc/self/status']);
  expect(run.status).toBe(3);
  expect(run.stderr).toContain('not-regular');
});

faultTest('F090', 'a sparse file is a line that is too long, in bounded memory', { long: true }, async () => {
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
});

test('F091 times long ago and far ahead', async () => {
  const at = place();
  const years = [1901, 1969, 2106, 2286];
  for (const year of years) {
    const path = join(at.logs, `${year}.jsonl`);
    writeFileSync(path, entry({ id: `${year}` }));
    execFileSync('touch', ['-d', `${year}-01-01T00:00:00.000000001Z`, path]);
    expect(lstatSync(path).mtime.getUTCFullYear()).toBe(year);
  }
  const { status, sums } = await built(at);
  expect([status, sums.records]).toEqual([0, years.length + 1]);
});

test('F092 names that differ only in case or composition are different names', async () => {
  const at = place();
  const names = ['Plan', 'plan', 'caf\u00e9', 'cafe\u0301'];
  for (const name of names) writeFileSync(join(at.logs, `${name}.jsonl`), entry({ id: name }));
  const run = await turnmill(['build', at.logs, '--out', at.out, '--group-by', 'scenario']);
  expect([run.status, sumsOf(at.out).records]).toEqual([0, names.length + 1]);
  const { shards } = JSON.parse(readFileSync(join(at.out, 'manifest.json'), 'utf8')) as {
    shards: { path: string; group: string }[];
  };
  expect(shards.map(({ group }) => group).sort()).toEqual([...names, 'good'].sort());
  expect(new Set(shards.map(({ path }) => path)).size).toBe(names.length + 1);
});

test('F082 a file that grows while it is read is rejected, and the run continues', async () => {
  const { logs, out } = place();
  const path = join(logs, 'a.jsonl');
  const line = `${entry({ messages: [{ role: 'user', content: 'x'.repeat(500_000) }] })}\n`;
  writeFileSync(path, line.repeat(20));
  let fired = false;
  const onResult = (): void => {
    if (!fired) appendFileSync(path, line);
    fired = true;
  };
  await build({ inputs: [logs], out, workers: 1 }, { onResult });
  expect(sumsOf(out)).toMatchObject({ records: 1, sources: { read: 1, rejected: 1 } });
  expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).toContain('changed-while-read');
});
