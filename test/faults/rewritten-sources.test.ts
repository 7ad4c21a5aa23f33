/**
 * Sources rewritten in place while they are read, at the same size and with their mtime restored: the output has one version of the file or
 * nothing, never half of each.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync, constants as zlib } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import type * as library from '../../src/index.ts';
import { build } from '../../src/job/build.ts';
import type { Result } from '../../src/ledger/result.ts';
import { entry } from '../src/cli/small-logs.ts';
import { COMMAND, ended, start, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';

const SESSIONS = 40;
const CHARS = 250_000;

/** 10 MB: more than a worker buffers, or a worker thread sends, before it waits. */
function logOf(letter: string): Buffer {
  const lines = Array.from({ length: SESSIONS }, (_, i) =>
    entry({ id: `s${i}`, messages: [{ role: 'user', content: letter.repeat(CHARS) }] }),
  );
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** Stored without compression, so that logs of equal size are packed files of equal size. */
const packed = (log: Buffer): Buffer => gzipSync(log, { level: zlib.Z_NO_COMPRESSION });

interface Place {
  readonly folder: string;
  readonly logs: string;
  readonly path: string;
  readonly out: string;
}

function place(name = 'log.jsonl'): Place {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  return { folder, logs, path: join(logs, name), out: join(folder, 'out') };
}

/** Rewrites a file as an attacker would; proves that only its ctime shows it. */
function rewrite(path: string, content: Buffer): void {
  const before = statSync(path, { bigint: true });
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  const fd = openSync(path, 'r+');
  writeSync(fd, content, 0, content.length, 0);
  closeSync(fd);
  utimesSync(path, 1_000_000_000, 1_000_000_000);
  const after = statSync(path, { bigint: true });
  expect([after.size, after.ino, after.mtimeNs]).toEqual([before.size, before.ino, before.mtimeNs]);
  expect(after.ctimeNs).not.toBe(before.ctimeNs);
}

/** Writes a log with the mtime that `rewrite` restores. */
function writeOld(path: string, content: Buffer): void {
  writeFileSync(path, content);
  utimesSync(path, 1_000_000_000, 1_000_000_000);
}

const sumsOf = (out: string): object => JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
const quarantineOf = (out: string): string => readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8');

interface Build {
  readonly inputs: readonly string[];
  readonly out: string;
  readonly workers?: number;
  readonly sessionBy?: 'run' | 'id';
}

/** Builds, and calls `fire` each time a source begins that is still being read, `times` times at most. */
async function building(request: Build, fire: (time: number) => void, times: number): Promise<number> {
  let fired = 0;
  const onResult = (result: Result): void => {
    if (result.kind === 'source-begin' && fired < times) fire(fired++);
  };
  await build({ workers: 1, sessionBy: 'run', ...request }, { onResult });
  return fired;
}

async function expectBuiltAnew({ folder, logs, out }: Place, sessionBy: 'run' | 'id' = 'run'): Promise<void> {
  const full = join(folder, 'full');
  await build({ inputs: [logs], out: full, workers: 1, sessionBy });
  expect(hashesOf(out)).toEqual(hashesOf(full));
  expect((await turnmill(['verify', out])).status).toBe(0);
}

for (const [name, pack] of [
  ['log.jsonl', (log: Buffer) => log],
  ['log.jsonl.gz', packed],
] as const) {
  for (const sessionBy of ['run', 'id'] as const) {
    const title = `${name} rewritten once during the read is read again from its start, by ${sessionBy}`;
    faultTest('F202', title, {}, async () => {
      const at = place(name);
      writeOld(at.path, pack(logOf('a')));
      const request = { inputs: [at.logs], out: at.out, sessionBy };
      const fired = await building(request, () => rewrite(at.path, pack(logOf('b'))), 1);
      expect(fired).toBe(1);
      expect(sumsOf(at.out)).toMatchObject({ records: SESSIONS, sources: { read: 1 } });
      await expectBuiltAnew(at, sessionBy);
    });
  }

  faultTest(
    'F202',
    `${name} rewritten twice is rejected, and the good log beside it is written`,
    {},
    async () => {
      const at = place(name);
      writeOld(at.path, pack(logOf('a')));
      writeFileSync(join(at.logs, 'z.jsonl'), entry({ id: 'good' }));
      const contents = [pack(logOf('b')), pack(logOf('c'))];
      const fire = (time: number): void => rewrite(at.path, contents[time] as Buffer);
      expect(await building({ inputs: [at.logs], out: at.out }, fire, 2)).toBe(2);
      expect(sumsOf(at.out)).toMatchObject({ records: 1, sources: { read: 1, rejected: 1 } });
      expect(quarantineOf(at.out)).toContain('"reason":"changed-while-read"');
      expect((await turnmill(['verify', at.out])).status).toBe(0);
    },
  );
}

faultTest('F202', 'check reads it again too, and counts as build does', {}, async () => {
  const at = place();
  writeOld(at.path, logOf('a'));
  let fired = 0;
  const onResult = (result: Result): void => {
    if (result.kind === 'source-begin' && fired++ === 0) rewrite(at.path, logOf('b'));
  };
  const { sums } = await build({ inputs: [at.logs], workers: 1, sessionBy: 'run' }, { onResult });
  expect(fired).toBe(2);
  expect(sums).toMatchObject({ records: SESSIONS, sources: { read: 1 }, fates: { snapshot: SESSIONS } });
});

faultTest('F202', 'in a worker thread', {}, async () => {
  const at = place();
  writeOld(join(at.logs, 'a.jsonl'), logOf('x')); // the main thread reads the first one
  writeOld(at.path, logOf('a'));
  let begun = 0;
  const again: number[] = [];
  const onResult = (result: Result): void => {
    if (result.kind !== 'source-begin') return;
    begun++;
    if (result.source === 1 && result.again !== true) rewrite(at.path, logOf('b'));
    if (result.again === true) again.push(result.source);
  };
  // the built library, because a worker thread cannot start from TypeScript sources
  const built: typeof library = await import(pathToFileURL(join(COMMAND, '../index.js')).href);
  await built.build({ inputs: [at.logs], out: at.out, workers: 2, sessionBy: 'run' }, { onResult });
  expect([begun, again]).toEqual([3, [1]]);
  expect(sumsOf(at.out)).toMatchObject({ records: 2 * SESSIONS, sources: { read: 2 } });
  await expectBuiltAnew(at);
});

faultTest('F202', 'a file that is rewritten while its gathered lines are read again', {}, async () => {
  const at = place();
  writeOld(at.path, logOf('a'));
  const kinds: string[] = [];
  const onResult = ({ kind }: Result): void => {
    if (kind === 'record' && !kinds.includes(kind)) rewrite(at.path, logOf('b'));
    kinds.push(kind);
  };
  await build({ inputs: [at.logs], out: at.out, workers: 1, sessionBy: 'id' }, { onResult });
  // it was read to its end before the first record, and began once more
  expect(new Set(kinds.slice(0, kinds.indexOf('record')))).toEqual(new Set(['source-begin', 'finding']));
  expect(kinds.filter((kind) => kind === 'source-begin')).toHaveLength(2);
  expect(sumsOf(at.out)).toMatchObject({ records: SESSIONS, sources: { read: 1 } });
  await expectBuiltAnew(at, 'id');
});

faultTest(
  'F202',
  'a file that is deleted, or gets a second name, is read again through the open file',
  {},
  async () => {
    for (const change of [unlinkSync, (path: string) => linkSync(path, `${path}.other`)]) {
      const at = place();
      writeOld(at.path, logOf('a'));
      const changed = statSync(at.path).ctimeMs;
      const fired = await building({ inputs: [at.logs], out: at.out }, () => change(at.path), 1);
      expect(fired).toBe(1);
      expect(existsSync(at.path) && statSync(at.path).ctimeMs === changed).toBe(false);
      expect(sumsOf(at.out)).toMatchObject({ records: SESSIONS, sources: { read: 1 } });
    }
  },
);

faultTest(
  'F202',
  'records already on standard output cannot be taken back: 3, and the source is rejected',
  {},
  async () => {
    const at = place();
    writeOld(at.path, logOf('a'));
    const child = start(['build', at.logs, '--out', '-', '--session-by', 'run', '--workers', '1']);
    await new Promise((done) => child.stdout?.once('readable', done)); // and not read, so that the pipe fills up
    rewrite(at.path, logOf('b'));
    const { status, stderr } = await ended(child);
    expect([status, stderr]).toEqual([3, expect.stringContaining('changed-while-read')]);
  },
);

faultTest(
  'F202',
  'from outside: a command stopped in the middle of a source continues after the source was rewritten',
  { needs: ['ptrace'] },
  async () => {
    const at = place();
    writeOld(at.path, logOf('a'));
    const log = join(at.folder, 'strace');
    const strace = ['-f', '-qq', '-o', log, '-P', at.path, '-e', 'trace=read'];
    const stop = ['-e', 'inject=read:signal=SIGSTOP:when=4'];
    const args = [COMMAND, 'build', at.logs, '--out', at.out, '--session-by', 'run', '--workers', '1'];
    const child = spawn('strace', [...strace, ...stop, process.execPath, ...args], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const status = new Promise((done) => child.on('close', done));
    const stopped = (): string | undefined => /^(\d+).*stopped by SIGSTOP/m.exec(textOf(log))?.[1];
    while (stopped() === undefined && child.exitCode === null) await sleep(20);
    rewrite(at.path, logOf('b'));
    process.kill(Number(stopped()), 'SIGCONT');
    expect(await status).toBe(0);
    expect(readdirSync(join(at.out, 'data')).length).toBeGreaterThan(0);
    await expectBuiltAnew(at);
  },
);

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
