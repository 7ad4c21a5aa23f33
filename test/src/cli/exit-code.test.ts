import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../../src/cli/faults.ts';
import { COMMAND, start, turnmill } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, talk, writeLog } from './small-logs.ts';

/** Parses the one structured line that reports an operational fault. */
function faultIn(stderr: string): { code: string; subject?: string; msg: string } {
  const lines = stderr.trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(stderr).not.toContain('    at ');
  return JSON.parse(lines[0] as string);
}

test('every error code has a status', () => {
  expect(exitCodeOf('unbalanced')).toBe(70);
  expect(exitCodeOf('worker-lost')).toBe(70);
  expect(exitCodeOf('unfinished')).toBe(70);
  expect(exitCodeOf('locked')).toBe(75);
  expect(exitCodeOf('permission')).toBe(77);
});

describe('the built command ends with', () => {
  test('0 and nothing on stdout when all went well', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry()]);
    const run = await turnmill(['build', log, '--out', join(folder, 'out')]);
    expect([run.status, run.stdout.toString()]).toEqual([0, '']);
    expect(run.stderr).toContain('1 record, 1 shard');
  });

  test('3 when something was rejected, with a hint on how to look at it', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a b.jsonl', [entry(), '{']);
    const run = await turnmill(['build', log, '--out', join(folder, 'out')]);
    expect(run.status).toBe(3);
    expect(run.stderr).toContain(`turnmill explain '${log}:2'`);
    expect(run.stderr).toContain(join(folder, 'out/quarantine/rejected.jsonl'));
    expect((await turnmill(['check', log])).status).toBe(3);
  });

  test('65 at the first rejection with --on-reject fail, and commits nothing', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', ['{']);
    const run = await turnmill(['build', log, '--out', join(folder, 'out'), '--on-reject', 'fail']);
    expect(run.status).toBe(65);
    expect(faultIn(run.stderr)).toMatchObject({ code: 'rejected', subject: 'a.jsonl:1' });
    expect((await turnmill(['verify', join(folder, 'out')])).status).toBe(66);
  });

  test('65 when a dataset does not match its manifest', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    await turnmill(['build', writeLog(folder, 'a.jsonl', [entry()]), '--out', out]);
    expect((await turnmill(['verify', out])).status).toBe(0);
    writeFileSync(join(out, 'data/2026-01-13-00000.jsonl'), '{}\n');
    const run = await turnmill(['verify', out]);
    expect(run.status).toBe(65);
    expect(run.stdout.toString()).toContain('data/2026-01-13-00000.jsonl: ');
    const json = await turnmill(['verify', out, '--json']);
    expect(JSON.parse(json.stdout.toString()).problemCount).toBeGreaterThan(0);
  });

  test('66 without input, 0 with --allow-empty', async () => {
    const folder = temporaryFolder();
    const [empty, out] = [join(folder, 'logs'), join(folder, 'out')];
    mkdirSync(empty);
    expect((await turnmill(['build', join(folder, 'no'), '--out', out])).status).toBe(66);
    expect(faultIn((await turnmill(['build', empty, '--out', out])).stderr).code).toBe('no-input');
    expect((await turnmill(['build', empty, '--out', out, '--allow-empty'])).status).toBe(0);
    expect((await turnmill(['verify', join(folder, 'no')])).status).toBe(66);
    for (const command of ['report', 'loop'])
      expect((await turnmill([command, join(folder, 'no')])).status, command).toBe(66);
    expect((await turnmill(['explain', `${empty}/x.jsonl:1`])).status).toBe(66);
    expect((await turnmill(['explain', `${empty}:1`])).status).toBe(66);
  });

  test('73 when the output exists, 0 with --replace', async () => {
    const folder = temporaryFolder();
    const [log, out] = [writeLog(folder, 'a.jsonl', [entry()]), join(folder, 'out')];
    await turnmill(['build', log, '--out', out]);
    const again = await turnmill(['build', log, '--out', out]);
    expect([again.status, faultIn(again.stderr).code]).toEqual([73, 'cannot-create']);
    expect((await turnmill(['build', log, '--out', out, '--replace'])).status).toBe(0);
  });

  test('74 when standard output is full', () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
    const full = openSync('/dev/full', 'w');
    const commands = [
      ['build', log, '--out', '-'],
      ['list'],
      ['--help'],
      ['inspect', log, '--after', 'parse'],
    ];
    for (const args of commands) {
      const run = spawnSync(process.execPath, [COMMAND, ...args], {
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      expect([run.status, faultIn(run.stderr).code]).toEqual([74, 'io']);
    }
    closeSync(full);
  });

  test('75 while another run holds the destination', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    const first = start(['build', '-', '--out', out], 'pipe');
    try {
      await expect.poll(() => readdirSync(folder).some((name) => name.includes('.staging-'))).toBe(true);
      const second = await turnmill(['build', '-', '--out', out], entry());
      expect([second.status, faultIn(second.stderr).code]).toEqual([75, 'locked']);
    } finally {
      first.kill('SIGKILL');
    }
  });

  test('77 when it may not write to the destination', () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'logs/a.jsonl', [entry()]);
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'shut'), { mode: 0o555 });
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}; // root can write anywhere
    const run = spawnSync(process.execPath, [COMMAND, 'build', log, '--out', join(folder, 'shut/out')], {
      encoding: 'utf8',
      ...nobody,
    });
    expect([run.status, faultIn(run.stderr).code]).toEqual([77, 'permission']);
  });

  test('141, quietly, when the reader of standard output goes away', async () => {
    const folder = temporaryFolder();
    const lines = Array.from({ length: 4000 }, (_, i) => entry({ id: `s${i}`, messages: talk(9) }));
    const log = writeLog(folder, 'a.jsonl', lines);
    const head = (args: string): { stdout: string; stderr: string } =>
      spawnSync(
        'bash',
        ['-c', `${process.execPath} ${COMMAND} ${args} | head -1 | wc -l; echo "\${PIPESTATUS[0]}"`],
        { encoding: 'utf8' },
      );
    for (const args of [`build ${log} --session-by id --out -`, `inspect ${log} --after framing`]) {
      const { stdout, stderr } = head(args);
      expect([stdout, stderr]).toEqual(['1\n141\n', '']);
    }
  });
});
