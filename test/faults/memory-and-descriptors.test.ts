/** Memory and descriptors of a run do not grow with its input. The benchmarks measure 5 GB. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { entry } from '../src/cli/small-logs.ts';
import { COMMAND } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';

/** Writes VmHWM (KiB) and the number of open descriptors on exit. */
const WATCH = `process.on('exit', () => {
  const fs = require('node:fs');
  const peak = /VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
  const descriptors = fs.readdirSync('/proc/self/fd').length;
  fs.writeFileSync(process.env.WATCHED, JSON.stringify({ peak: Number(peak) / 1024, descriptors }));
});`;

interface Watched {
  readonly status: number | null;
  /** Peak resident memory, MiB. */
  readonly peak: number;
  readonly descriptors: number;
}

function watched(folder: string, args: readonly string[], before: readonly string[] = []): Watched {
  const [watch, measured] = [join(folder, 'watch.cjs'), join(folder, 'watched')];
  writeFileSync(watch, WATCH);
  const node = [process.execPath, '--max-old-space-size=256', '--require', watch, COMMAND];
  const [command = '', ...rest] = [...before, ...node, ...args];
  const { status } = spawnSync(command, rest, { env: { ...process.env, WATCHED: measured } });
  return { status, ...JSON.parse(readFileSync(measured, 'utf8')) };
}

/** Sessions of about 100 KB. */
function logsOf(folder: string, megabytes: number): string {
  const logs = join(folder, `${megabytes}`);
  writePlainLogs(logs, { sessions: megabytes * 10, entries: 10, messageChars: 1000, seed: megabytes });
  return logs;
}

faultTest('F140', 'ten times the input takes no more memory', { long: true }, () => {
  const folder = temporaryFolder();
  for (const workers of ['1', '2']) {
    const run = (megabytes: number): Watched => {
      const logs = logsOf(join(folder, workers), megabytes);
      return watched(folder, [
        'build',
        logs,
        '--out',
        join(folder, `${workers}-${megabytes}`),
        '--workers',
        workers,
      ]);
    };
    const [small, large] = [run(20), run(200)];
    expect([small.status, large.status]).toEqual([0, 0]);
    expect(large.peak, `${small.peak} MiB with 20 MB`).toBeLessThan(small.peak * 1.5 + 32);
    expect(large.peak).toBeLessThan(400);
  }
});

faultTest('F141', 'a run completes in 400 MB', { long: true, needs: ['cgroup'] }, () => {
  const folder = temporaryFolder();
  const logs = logsOf(folder, 200);
  const script = `
    group=/sys/fs/cgroup/memory/turnmill-test-$$
    mkdir $group && echo 400M >$group/memory.limit_in_bytes
    (echo $BASHPID >$group/cgroup.procs && exec "$@"); status=$?
    cat $group/memory.limit_in_bytes; rmdir $group; exit $status`;
  const args = [process.execPath, COMMAND, 'build', logs, '--out', join(folder, 'out')];
  const run = spawnSync('bash', ['-c', script, 'bash', ...args], { encoding: 'utf8' });
  expect([run.status, Number(run.stdout)]).toEqual([0, 400 * 1024 * 1024]);
});

faultTest('F143', 'the ids of 300,000 sessions in one source', { long: true }, () => {
  const folder = temporaryFolder();
  const log = join(folder, 'a.jsonl');
  for (let i = 0; i < 30; i++) {
    const lines = Array.from({ length: 10_000 }, (_, n) => `${entry({ id: `session-${i}-${n}` })}\n`);
    appendFileSync(log, lines.join(''));
  }
  const args = ['build', log, '--session-by', 'run', '--out', join(folder, 'out')];
  const { status, peak } = watched(folder, args);
  expect(status).toBe(0);
  expect(peak).toBeLessThan(145);
});

faultTest('F143', 'a session of 300,000 calls of which none continues another', { long: true }, () => {
  const folder = temporaryFolder();
  const log = join(folder, 'a.jsonl');
  for (let i = 0; i < 30; i++) {
    const lines = Array.from({ length: 10_000 }, (_, n) => {
      const messages = [{ role: 'user', content: `question ${i}-${n}` }];
      return `${entry({ second: i * 10_000 + n, messages })}\n`;
    });
    appendFileSync(log, lines.join(''));
  }
  const { status, peak } = watched(folder, ['build', log, '--out', join(folder, 'out')]);
  expect(status).toBe(0);
  const bytesACall = 200;
  expect(peak).toBeLessThan(145 + (300_000 * bytesACall) / 1024 ** 2);
});

faultTest('F143', 'a chain of 16,000 calls in one source', { long: true }, () => {
  const folder = temporaryFolder();
  const log = join(folder, 'a.jsonl');
  const lines = Array.from({ length: 16_000 }, (_, n) => {
    const request = {
      model: 'm',
      input: `question ${n}`,
      ...(n > 0 && { previous_response_id: `r${n - 1}` }),
    };
    const content = [{ type: 'output_text', text: `answer ${n}`, annotations: [] }];
    const output = [{ type: 'message', id: `m${n}`, role: 'assistant', status: 'completed', content }];
    const response = { id: `r${n}`, object: 'response', status: 'completed', model: 'm', output };
    return `${JSON.stringify({ timestamp: '2026-02-03T10:00:09.000Z', request, response })}\n`;
  });
  writeFileSync(log, lines.join(''));
  const out = join(folder, 'out');
  const { status, peak } = watched(folder, ['build', log, '--out', out]);
  expect(status).toBe(0);
  const [name = ''] = readdirSync(join(out, 'data'));
  const { messages } = JSON.parse(readFileSync(join(out, 'data', name), 'utf8'));
  expect(messages).toHaveLength(32_000);
  expect(peak).toBeLessThan(145);
});

faultTest('F143', 'the ids of a million lines of an event log', { long: true }, () => {
  const folder = temporaryFolder();
  const log = join(folder, 'a.jsonl');
  const first = { type: 'user', uuid: 'first', sessionId: 'S', message: { role: 'user', content: 'hello' } };
  writeFileSync(log, `${JSON.stringify(first)}\n`);
  for (let i = 0; i < 100; i++) {
    const lines = Array.from({ length: 10_000 }, (_, n) => {
      const end = `${i * 10_000 + n}`.padStart(12, '0');
      const uuid = `0a1b2c3d-4e5f-4a6b-8c7d-${end}`;
      return `{"type":"progress","uuid":"${uuid}","parentUuid":"first","sessionId":"S"}\n`;
    });
    appendFileSync(log, lines.join(''));
  }
  const { status, peak } = watched(folder, ['build', log, '--out', join(folder, 'out'), '--workers', '1']);
  expect(status).toBe(0);
  expect(peak).toBeLessThan(130);
});

/** In turn: good sources, sources with rejected lines, with a rejected session, and lost ones. */
function faultySources(logs: string, count: number): void {
  mkdirSync(logs);
  const cut = gzipSync(entry()).subarray(0, -3);
  const late = `${entry({ second: 2 })}\n${entry({ second: 1 })}\n`;
  const packed = gzipSync(late);
  const kinds = [entry(), '{\n', late, cut, packed];
  for (let i = 0; i < count; i++) {
    const content = kinds[i % kinds.length] as string | Buffer;
    writeFileSync(join(logs, `${i}.jsonl${typeof content === 'string' ? '' : '.gz'}`), content);
  }
}

function withFewDescriptors(count: number): void {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  faultySources(logs, count);
  for (const workers of ['1', '2']) {
    const args = ['build', logs, '--out', join(folder, workers), '--workers', workers];
    const { status, descriptors } = watched(folder, args, ['prlimit', '--nofile=256']);
    const { sources, sessions } = JSON.parse(
      readFileSync(join(folder, workers, 'reports/summary.json'), 'utf8'),
    );
    expect(status).toBe(3);
    expect(sources).toEqual({ read: (count / 5) * 4, rejected: count / 5 });
    expect(sessions).toMatchObject({ written: count / 5, rejected: (count / 5) * 2 });
    expect(descriptors).toBeLessThan(40);
  }
}

faultTest('F145', '1,000 sources with errors through 256 descriptors', { needs: ['prlimit'] }, () =>
  withFewDescriptors(1000),
);

faultTest(
  'F145',
  '10,000 sources with errors through 256 descriptors',
  { needs: ['prlimit'], long: true },
  () => withFewDescriptors(10_000),
);
