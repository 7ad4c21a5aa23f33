/** Logs that cannot be read, or change, vanish or grow while they are read: the log beside them is always written. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFile } from '../../src/input/sources/file.ts';
import { build } from '../../src/job/build.ts';
import { entry } from '../src/cli/small-logs.ts';
import { COMMAND } from '../support/command.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { type Place, place, sumsOf } from '../support/log-folder.ts';

/** Builds while strace tampers with one read of `path`; the trace proves that it did. */
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

/** The second attempt reads by position, with pread64. */
const READS = 'read,pread64';

function large(at: Place): string {
  const path = join(at.logs, 'large.jsonl');
  writeFileSync(
    path,
    `${entry({ id: 'large', messages: [{ role: 'user', content: 'x'.repeat(3_999_999) }] })}\n`,
  );
  return path;
}

faultTest(
  'F084',
  'a read that reports the end too early does not end the file',
  { needs: ['ptrace'] },
  () => {
    const at = place();
    const { status, log } = tampered(at, large(at), READS, 'retval=0:when=2+');
    expect(log).toContain('INJECTED');
    expect([status, sumsOf(at.out).sources]).toEqual([3, { read: 1, rejected: 1 }]);
    expect(readFileSync(join(at.out, 'quarantine/rejected.jsonl'), 'utf8')).toContain('changed-while-read');
  },
);

const SELDOM = [
  ['openat', 'error=ESTALE'],
  ['openat', 'error=ELOOP'],
] as const;

faultTest(
  'F086',
  'a source with a permanent read error is rejected, and the others are read',
  { needs: ['ptrace'] },
  () => {
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
  },
);

faultTest('F086', 'a source with one read error is read again', { needs: ['ptrace'] }, () => {
  for (const how of ['error=EIO:when=2', 'retval=0:when=2']) {
    const at = place();
    const { status, log } = tampered(at, large(at), 'read', how);
    expect(log, how).toContain('INJECTED');
    expect([status, sumsOf(at.out).sources], how).toEqual([0, { read: 2 }]);
  }
});

faultTest(
  'F086',
  'an unreadable folder is named; if it is the input itself: 77',
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

test('F085 a file that is replaced or deleted while it is read: the opened file counts', () => {
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

test('F085 a file that vanishes after the listing is rejected, and one that appears is not read', async () => {
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
