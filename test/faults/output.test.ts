/**
 * F027, F029-F037, from outside: few descriptors, closed standard streams, slow readers and disks, and destinations that exist, overlap,
 * are locked by another run or change during the run.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ended, start } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { sessionLines, writePlainLogs } from '../support/plain-logs.ts';
import { bash } from '../support/shell.ts';

const BULK = { sessions: 6, entries: 3, messageChars: 2000, seed: 1 };

function logsIn(folder: string, bulk: typeof BULK = BULK): string {
  const logs = join(folder, 'logs');
  writePlainLogs(logs, bulk);
  return logs;
}

faultTest(
  'F027',
  '64 descriptors are enough for any number of files and groups',
  { needs: ['prlimit'] },
  async () => {
    const folder = temporaryFolder();
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    for (let n = 0; n < 300; n++) {
      const [line = ''] = sessionLines(`s${n}`, { entries: 1, messageChars: 80, seed: n });
      writeFileSync(join(logs, `${n}.jsonl`), `${line}\n`);
    }
    const args = ['build', logs, '--group-by', 'scenario', '--workers', '1', '--out'];
    expect(await turnmill([...args, join(folder, 'a')])).toMatchObject({ status: 0 });
    const limited = (files: number, out: string): Promise<{ status: number | null; stderr: string }> =>
      bash(`prlimit --nofile=${files} "$NODE" "$COMMAND" ${args.join(' ')} ${out}`, { cwd: folder });
    expect(readdirSync(join(folder, 'a/data')).length).toBe(300);
    expect(await limited(64, 'b')).toMatchObject({ status: 0 });
    expect(hashesOf(join(folder, 'b'))).toEqual(hashesOf(join(folder, 'a')));
    // 24 leave about six: the run either succeeds, or says that there are too few and leaves nothing.
    const { status, stderr } = await limited(24, 'c');
    if (status === 0) expect(hashesOf(join(folder, 'c'))).toEqual(hashesOf(join(folder, 'a')));
    else {
      expect([status, stderr]).toEqual([74, expect.stringMatching(/EMFILE|too few file descriptors/)]);
      expect(readdirSync(folder).sort()).toEqual(['a', 'b', 'logs']);
    }
  },
);

faultTest('F029', 'the reader of standard output goes away: 141, and no message', {}, async () => {
  const folder = temporaryFolder();
  logsIn(folder, { ...BULK, sessions: 40, entries: 12 });
  const script = `turnmill build logs --out - | head -c 10 >/dev/null; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await bash(script, { cwd: folder });
  expect([stdout.toString(), stderr]).toEqual(['141\n', '']);
});

const CLOSED = [
  ['standard input', '<&-', 'build logs --out out', 0],
  ['standard error', '2>&-', 'build logs --out out', 0],
  ['standard output of a run that writes a dataset', '>&-', 'build logs --out out', 0],
  // Node opens /dev/null instead before our code runs, so the records are discarded
  ['standard output of a run that writes to it', '>&-', 'build logs --out -', 0],
  ['all three', '<&- >&- 2>&-', 'build logs --out out', 0],
  ['standard input that should be read', '<&-', 'build - --out out', 66],
] as const;

for (const [title, closing, command, status] of CLOSED) {
  faultTest('F030', `${title} is closed`, {}, async () => {
    const folder = temporaryFolder();
    logsIn(folder);
    expect(await turnmill(['build', join(folder, 'logs'), '--out', join(folder, 'whole')])).toMatchObject({
      status: 0,
    });
    const run = await bash(`turnmill ${command} ${closing}`, { cwd: folder });
    expect(run.status, run.stderr).toBe(status);
    if (command.endsWith('out') && status === 0)
      expect(hashesOf(join(folder, 'out'))).toEqual(hashesOf(join(folder, 'whole')));
    else expect(existsSync(join(folder, 'out'))).toBe(false);
  });
}

/** Peak resident memory, in KiB, of a run with its records piped through this command. */
async function peakThrough(folder: string, reader: string): Promise<number> {
  const script = `"$NODE" --import 'data:text/javascript,process.on("exit",()=>{const fs=process.getBuiltinModule("fs");
    fs.writeFileSync("peak",/VmHWM:\\s+(\\d+)/.exec(fs.readFileSync("/proc/self/status","utf8"))[1])})' \\
    "$COMMAND" build logs --out - --workers 1 2>/dev/null | ${reader} >/dev/null; exit "\${PIPESTATUS[0]}"`;
  const run = await bash(script, { cwd: folder });
  expect(run.status, run.stderr).toBe(0);
  return Number(readFileSync(join(folder, 'peak'), 'utf8'));
}

faultTest('F031', 'a slow reader of standard output costs no memory', { long: true }, async () => {
  const folder = temporaryFolder();
  logsIn(folder, { sessions: 300, entries: 3, messageChars: 40_000, seed: 1 });
  const slow = `"$NODE" -e 'const fs=require("fs"),b=Buffer.alloc(65536);while(fs.readSync(0,b))Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,15)'`;
  const [fastKib, slowKib] = [await peakThrough(folder, 'cat'), await peakThrough(folder, slow)];
  expect(slowKib).toBeLessThan(fastKib * 1.1);
});

faultTest('F032', 'a slow disk: the same bytes, no timeout', { needs: ['ptrace'], long: true }, async () => {
  const folder = temporaryFolder();
  logsIn(folder);
  expect(await turnmill(['build', join(folder, 'logs'), '--out', join(folder, 'whole')])).toMatchObject({
    status: 0,
  });
  const script =
    'strace -f -qq -o log -e trace=fsync -e inject=fsync:delay_enter=700000 "$NODE" "$COMMAND" build logs --out out; s=$?; grep -c DELAYED log; exit $s';
  const run = await bash(script, { cwd: folder });
  expect(run.status, run.stderr).toBe(0);
  expect(Number(run.stdout.toString())).toBeGreaterThan(10);
  expect(hashesOf(join(folder, 'out'))).toEqual(hashesOf(join(folder, 'whole')));
});

faultTest('F033', 'the output exists: a dataset, something else, an empty folder', {}, async () => {
  const folder = temporaryFolder();
  const logs = logsIn(folder);
  const [out, foreign, empty] = ['out', 'foreign', 'empty'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const build = (...words: string[]): Promise<{ status: number | null }> =>
    turnmill(['build', logs, '--out', ...words]);
  expect(await build(out)).toMatchObject({ status: 0 });
  const whole = hashesOf(out);
  expect(await build(out)).toMatchObject({ status: 73 });
  expect(hashesOf(out)).toEqual(whole);
  expect(await build(out, '--replace')).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(whole);
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'mine.txt'), 'mine');
  for (const more of [[], ['--replace']]) expect(await build(foreign, ...more)).toMatchObject({ status: 73 });
  expect(readdirSync(foreign)).toEqual(['mine.txt']);
  rmSync(join(out, 'manifest.json'));
  expect(await build(out, '--replace')).toMatchObject({ status: 73 });
  mkdirSync(empty);
  expect(await build(empty)).toMatchObject({ status: 0 });
  expect(hashesOf(empty)).toEqual(whole);
});

faultTest('F034', 'output and input overlap: 64, and nothing is created', {}, async () => {
  const folder = temporaryFolder();
  const logs = logsIn(folder);
  symlinkSync('logs', join(folder, 'link'));
  for (const [input, out] of [
    ['logs', 'logs/out'],
    ['logs', 'link/out'],
    ['link', 'logs/2026-01-13/out'],
    ['logs', 'x/../logs/out'],
    ['logs/2026-01-13', 'logs/'],
    ['logs', 'logs'],
  ] as const) {
    mkdirSync(join(folder, 'x'), { recursive: true });
    const run = await bash(`turnmill build ${input} --out ${out} --replace`, { cwd: folder });
    expect(run.status, `${input} ${out}: ${run.stderr}`).toBe(64);
    expect(readdirSync(logs)).toEqual(['2026-01-13', '2026-01-14']);
  }
});

faultTest(
  'F035',
  'two runs, one destination, ten times: one commits, the other ends with 75',
  { long: true },
  async () => {
    const folder = temporaryFolder();
    const logs = logsIn(folder, { ...BULK, sessions: 40, entries: 12 });
    const out = join(folder, 'out');
    let refused = 0;
    for (let round = 0; round < 10; round++) {
      rmSync(out, { recursive: true, force: true });
      const runs = [1, 2].map(() => ended(start(['build', logs, '--out', out])));
      const statuses = (await Promise.all(runs)).map(({ status }) => status).sort();
      // the second signal may arrive after the first run has ended: the output then exists
      expect([
        [0, 73],
        [0, 75],
      ]).toContainEqual(statuses);
      if (statuses[1] === 75) refused++;
      expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
      expect(readdirSync(folder).sort()).toEqual(['logs', 'out']);
    }
    expect(refused).toBeGreaterThan(0);
  },
);

faultTest('F035', 'the lock of a killed run is free at once', {}, async () => {
  const folder = temporaryFolder();
  const [log, out] = [join(folder, 'a.jsonl'), join(folder, 'out')];
  writeFileSync(log, sessionLines('s', { entries: 1, messageChars: 80, seed: 1 }).join('\n'));
  const holder = start(['build', '-', '--out', out], 'pipe');
  const end = ended(holder);
  await expect.poll(() => readdirSync(folder).some((name) => name.includes('.staging-'))).toBe(true);
  expect(await turnmill(['build', log, '--out', out])).toMatchObject({ status: 75 });
  holder.kill('SIGKILL');
  await end;
  expect(await turnmill(['build', log, '--out', out])).toMatchObject({ status: 0 });
  expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'out']);
});

faultTest(
  'F036',
  'the destination becomes a link, or its parent another folder, during the run',
  {},
  async () => {
    for (const change of ['link', 'parent']) {
      const folder = temporaryFolder();
      const parent = join(folder, 'parent');
      mkdirSync(parent);
      const child = start(['build', '-', '--out', join(parent, 'out')], 'pipe');
      const end = ended(child);
      await expect.poll(() => readdirSync(parent).some((name) => name.includes('.staging-'))).toBe(true);
      if (change === 'link') symlinkSync('/etc', join(parent, 'out'));
      else {
        renameSync(parent, join(folder, 'moved'));
        mkdirSync(parent);
      }
      child.stdin?.end(`${sessionLines('s', { entries: 1, messageChars: 80, seed: 1 })[0]}\n`);
      const { status, stderr } = await end;
      expect([73, 74], `${change}: ${stderr}`).toContain(status);
      expect(readdirSync(parent)).toEqual(change === 'link' ? ['out'] : []);
    }
  },
);

faultTest('F037', 'umask 000 and 077: the same bytes, quarantine only for the owner', {}, async () => {
  const folder = temporaryFolder();
  const logs = logsIn(folder);
  writeFileSync(join(logs, 'torn.jsonl'), '{"torn\n');
  await bash('chmod -R a+rw logs', { cwd: folder }); // leaves only the umask to decide
  const seen: Record<string, string>[] = [];
  for (const [mask, mode] of [
    ['000', 0o777],
    ['077', 0o700],
  ] as const) {
    const run = await bash(`umask ${mask}; turnmill build logs --out out-${mask}`, { cwd: folder });
    expect(run.status, run.stderr).toBe(3);
    const out = join(folder, `out-${mask}`);
    expect(statSync(out).mode & 0o777).toBe(mode);
    expect(statSync(join(out, 'quarantine')).mode & 0o777).toBe(0o700);
    expect(statSync(join(out, 'quarantine/rejected.jsonl')).mode & 0o777).toBe(0o600);
    expect(statSync(join(out, 'manifest.json')).mode & 0o777).toBe(mode & 0o666);
    seen.push(hashesOf(out));
  }
  expect(seen[0]).toEqual(seen[1]);
});
