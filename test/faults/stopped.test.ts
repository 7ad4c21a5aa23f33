/**
 * F006, F009, F011: a run that is suspended, one whose heap is full, and one that the kernel kills for its memory use. The first ends
 * normally; the others leave nothing visible, and a rerun with more memory gives the same bytes.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { ended, start, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { halted, hasStaging, reached } from '../support/moments.ts';
import { sessionLines } from '../support/plain-logs.ts';
import { bash } from '../support/shell.ts';

for (const { seconds, long } of [
  { seconds: 1, long: false },
  { seconds: 60, long: true },
]) {
  faultTest('F006', `SIGSTOP, ${seconds} s, SIGCONT`, { long }, async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    const sessions = Array.from({ length: 60 }, (_, i) =>
      sessionLines(`s-${i}`, { entries: 12, messageChars: 4000, seed: i }),
    );
    const lines = sessions.flat().map((line) => `${line}\n`);
    const [first, rest] = [lines.slice(0, 360).join(''), lines.slice(360).join('')];
    const whole = ['build', '-', '--out', join(folder, 'whole')];
    expect(await turnmill(whole, first + rest)).toMatchObject({ status: 0 });
    const child = start(['build', '-', '--out', out], 'pipe');
    const end = ended(child);
    child.stdin?.write(first); // it cannot end before it gets the rest
    expect(await reached(child, () => hasStaging(folder))).toBe(true);
    expect(await halted(child)).toBe(true);
    child.stdin?.end(rest);
    await sleep(seconds * 1000);
    expect(existsSync(out)).toBe(false);
    child.kill('SIGCONT');
    const { status, stderr } = await end;
    expect(status, stderr).toBe(0);
    expect(hashesOf(out)).toEqual(hashesOf(join(folder, 'whole')));
  });
}

/** A session of very many small messages, which fill the heap and not buffers. */
function writeHugeSession(logs: string, messages: number): void {
  mkdirSync(logs);
  const list = Array.from({ length: messages }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `${i}`,
  }));
  const line = {
    timestamp: '2026-01-13T08:00:00Z',
    session_id: 's',
    request: { model: 'm', messages: list, tools: [] },
    response: { choices: [{ index: 0, message: { role: 'assistant', content: 'end' } }] },
  };
  writeFileSync(join(logs, 'a.jsonl'), `${JSON.stringify(line)}\n`);
}

async function rerun(folder: string, more = ''): Promise<void> {
  expect(readdirSync(folder)).not.toContain('out');
  expect((await bash(`turnmill build logs --out out ${more}`, { cwd: folder })).status).toBe(0);
  expect((await bash(`turnmill build logs --out whole ${more}`, { cwd: folder })).status).toBe(0);
  expect(hashesOf(join(folder, 'out'))).toEqual(hashesOf(join(folder, 'whole')));
  expect(readdirSync(folder).filter((name) => /\.(?:staging|link|old)-/.test(name))).toEqual([]);
}

faultTest(
  'F009',
  'the heap of the main thread is full: 134, and nothing is visible',
  { long: true },
  async () => {
    const folder = temporaryFolder();
    writeHugeSession(join(folder, 'logs'), 99_000);
    const script = 'ulimit -c 0; NODE_OPTIONS=--max-old-space-size=32 turnmill build logs --out out';
    const { status, stderr } = await bash(script, { cwd: folder });
    expect(stderr).toContain('heap out of memory');
    expect(status).toBe(134);
    await rerun(folder);
  },
);

faultTest(
  'F011',
  'the kernel kills the run for its memory use: 137, and nothing is visible',
  { needs: ['cgroup'], long: true },
  async () => {
    const folder = temporaryFolder();
    writeHugeSession(join(folder, 'logs'), 99_000);
    const script = `d=/sys/fs/cgroup/memory/turnmill-test-$$; mkdir $d; echo 80M >$d/memory.limit_in_bytes
    (echo $BASHPID >$d/cgroup.procs; exec "$NODE" "$COMMAND" build logs --out out); status=$?
    cat $d/memory.failcnt; sleep 1; rmdir $d; exit $status`;
    const { status, stdout } = await bash(script, { cwd: folder });
    expect(Number(stdout.toString().trim().split('\n').at(-1))).toBeGreaterThan(0);
    expect(status).toBe(137);
    await rerun(folder);
  },
);
