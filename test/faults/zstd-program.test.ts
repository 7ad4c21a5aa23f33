/**
 * A zstd program that is missing, not executable, silent, wrong or killed. If this Node's zlib has zstd, no program is needed and the tests
 * are skipped.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startZstdProgram } from '../../src/input/decompress/zstd-program.ts';
import { entry } from '../src/cli/small-logs.ts';
import { type Ended, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { zstd } from '../support/zstd.ts';

const needs = ['zstd'] as const;
const log = Buffer.from(`${entry()}\n`);

interface Run extends Ended {
  readonly out: string;
  readonly beside: readonly string[];
}

/** Builds a plain and a packed log, with this script as the zstd program, or without one. */
async function withProgram(script: string | undefined, mode = 0o755, ...args: string[]): Promise<Run> {
  const folder = temporaryFolder();
  const [logs, path, out] = ['logs', 'path', 'out'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(logs);
  mkdirSync(path);
  writeFileSync(join(logs, 'a.jsonl'), log);
  writeFileSync(join(logs, 'b.jsonl.zst'), zstd(log, `--stream-size=${log.length}`));
  if (script !== undefined) {
    writeFileSync(join(path, 'zstd'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(path, 'zstd'), mode);
  }
  const env = { ...process.env, PATH: path, REAL: process.env.PATH ?? '' };
  const run = await turnmill(['build', logs, '--out', out, ...args], undefined, env);
  return { ...run, out, beside: readdirSync(folder).sort() };
}

const ANSWER = '[ "$1" = --version ] && { echo "Zstandard CLI"; exit 0; }';

describe.skipIf('createZstdDecompress' in zlib)('the zstd program', () => {
  const useless: readonly (readonly [
    what: string,
    script: string | undefined,
    mode: number,
    message: string,
  ])[] = [
    ['missing', undefined, 0o755, 'it was not found'],
    ['not executable', 'exit 0', 0o644, 'EACCES'],
    ['something else', 'exit 0', 0o755, 'the program of this name is not zstd'],
    ['broken', 'echo Zstandard; exit 1', 0o755, 'the program of this name is not zstd'],
  ];
  for (const [what, script, mode, message] of useless) {
    faultTest(
      'F078',
      `${what}: reported at the start, with how to install it, and no dataset is created`,
      { needs },
      async () => {
        const { status, stderr, beside } = await withProgram(script, mode);
        expect([status, beside]).toEqual([69, ['logs', 'path']]);
        expect(JSON.parse(stderr)).toMatchObject({ code: 'unavailable', subject: 'b.jsonl.zst' });
        expect(stderr).toContain(`needs zstd (${message}): install the zstd program`);
      },
    );
  }

  faultTest('F078', 'does not answer: reported at the start', { needs, long: true }, async () => {
    const { status, stderr } = await withProgram('while :; do :; done');
    expect([status, stderr]).toEqual([69, expect.stringContaining('ETIMEDOUT')]);
  });

  test('F078 is not looked for when no source has its extension', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.jsonl'), log);
    const args = ['build', join(folder, 'a.jsonl'), '--out', join(folder, 'out')];
    expect(await turnmill(args, undefined, { ...process.env, PATH: folder })).toMatchObject({ status: 0 });
  });

  const failing: readonly (readonly [what: string, script: string, reason: string, message: string])[] = [
    [
      'prints and then exits with 1',
      'PATH=$REAL zstd "$@"; exit 1',
      'corrupt-zstd',
      'zstd ended with status 1',
    ],
    ['complains', 'cat >/dev/null; echo "x : the end" >&2; exit 1', 'corrupt-zstd', 'the end'],
    ['is killed', 'kill -9 $$', 'unreadable', 'zstd was killed by SIGKILL'],
    [
      'is killed after its output',
      'PATH=$REAL zstd "$@"; kill -9 $$',
      'unreadable',
      'zstd was killed by SIGKILL',
    ],
    ['gives less than the header says', 'PATH=$REAL cat >/dev/null', 'corrupt-zstd', 'the header says'],
  ];
  for (const [what, script, reason, message] of failing) {
    faultTest(
      'F003, F078',
      `${what}: that source is rejected, the other one is read`,
      { needs },
      async () => {
        const { status, stderr, out } = await withProgram(`${ANSWER}\n${script}`);
        expect([status, stderr]).toEqual([3, expect.stringContaining('1 record')]);
        expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
        const quarantine = readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8');
        expect(JSON.parse(quarantine)).toMatchObject({
          reason,
          error: { message: expect.stringContaining(message) },
        });
      },
    );
  }

  faultTest('F003', 'is killed once, or twice, midway: its source is read again', { needs }, async () => {
    const half = 'PATH=$REAL zstd "$@" | PATH=$REAL head -c 100';
    const killOnce = (mark: string): string =>
      `[ -e "$PATH/${mark}" ] || { : >"$PATH/${mark}"; ${half}; kill -9 $$; }`;
    for (const marks of [['1'], ['1', '2']]) {
      const script = [ANSWER, ...marks.map(killOnce), 'PATH=$REAL zstd "$@"'].join('\n');
      const { status, stderr, out, beside } = await withProgram(script);
      expect([status, stderr, beside]).toEqual([
        0,
        expect.stringContaining('2 records'),
        ['logs', 'out', 'path'],
      ]);
      expect(readdirSync(join(out, '../path'))).toEqual([...marks, 'zstd']);
      expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
      const records = readFileSync(join(out, 'data/2026-01-13-00000.jsonl'), 'utf8').trimEnd().split('\n');
      expect([records.length, new Set(records).size]).toEqual([2, 1]);
    }
  });

  faultTest(
    'F078',
    'shards: missing at the start, or failing later: no dataset is created',
    { needs },
    async () => {
      const args = ['--compress', 'zstd'];
      const missing = await withProgram(undefined, 0o755, ...args);
      expect([missing.status, missing.beside]).toEqual([69, ['logs', 'path']]);
      expect(JSON.parse(missing.stderr)).toMatchObject({ subject: '--compress zstd' });
      const reads = 'case "$1" in -d*) PATH=$REAL exec zstd "$@";; esac';
      for (const [end, message] of [
        ['exit 9', 'zstd ended with status 9'],
        ['kill -9 $$', 'zstd was killed by SIGKILL'],
      ]) {
        const { status, stderr, beside } = await withProgram(`${ANSWER}\n${reads}\n${end}`, 0o755, ...args);
        expect([status, beside]).toEqual([74, ['logs', 'path']]);
        expect(JSON.parse(stderr)).toMatchObject({ code: 'io', msg: `cannot pack with zstd: ${message}` });
      }
    },
  );

  test('F078 a file that is zstd only by its content is rejected with a hint', async () => {
    const folder = temporaryFolder();
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    writeFileSync(join(logs, 'a.jsonl'), log);
    writeFileSync(join(logs, 'b.jsonl'), zstd(log));
    const env = { ...process.env, PATH: folder };
    const run = await turnmill(['build', logs, '--out', join(folder, 'out')], undefined, env);
    expect([run.status, run.stderr]).toEqual([3, expect.stringContaining('unsupported-compression')]);
    const packed = await turnmill(['build', '-', '--out', '-'], zstd(log), env);
    expect([packed.status, packed.stderr]).toEqual([3, expect.stringContaining('unsupported-compression')]);
  });
});

faultTest('F078', 'ends a hanging program, and one that is no longer needed', { needs }, async () => {
  const hanging = startZstdProgram(200);
  hanging.write(zstd('x\n'.repeat(100_000)).subarray(0, 20), () => undefined);
  while (hanging.ending() === undefined) await hanging.nextEvent();
  expect(hanging.ending()).toMatchObject({
    reason: 'unreadable',
    message: 'zstd made no progress for 0.2 s',
  });
  await hanging.close();
  const left = startZstdProgram();
  await left.close();
  expect(left.ending()).toMatchObject({ message: 'zstd was killed by SIGKILL' });
});
