/**
 * F020-F022, F024, F026: a file system that is full, out of inodes, read-only or not the expected one, and a file size limit. These are
 * real small tmpfs mounts in a separate mount namespace. Once there is room, a rerun gives the same bytes.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';
import { bash } from '../support/shell.ts';

interface Place {
  readonly folder: string;
  readonly whole: Readonly<Record<string, string>>;
}

async function logsAndWhole(sessions: number): Promise<Place> {
  const folder = temporaryFolder();
  writePlainLogs(join(folder, 'logs'), { sessions, entries: 3, messageChars: 4000, seed: 1 });
  mkdirSync(join(folder, 'disk'));
  const whole = join(folder, 'whole');
  expect(await turnmill(['build', join(folder, 'logs'), '--out', whole])).toMatchObject({ status: 0 });
  return { folder, whole: hashesOf(whole) };
}

interface Round {
  readonly status: number;
  /** Names in the parent of the destination after the run. */
  readonly names: readonly string[];
  readonly stderr: readonly string[];
  readonly rerun: number;
}

/** Builds onto a tmpfs with these options, enlarges it, builds again, and copies the dataset to `copy`. */
async function roundOn(folder: string, options: string): Promise<Round> {
  const script = `
    mount -t tmpfs -o ${options} none disk || exit 99
    turnmill build logs --out disk/out 2>stderr; status=$?
    names=$(ls -A disk | tr '\\n' ' ')
    mount -o remount,size=64m,nr_inodes=9999 disk || exit 98
    if [ -e disk/out ]; then rerun=0; else turnmill build logs --out disk/out 2>/dev/null; rerun=$?; fi
    rm -rf copy; cp -r disk/out copy
    echo "$status|$names|$rerun"; cat stderr`;
  const { status, stdout, stderr } = await bash(script, { cwd: folder, unshare: true });
  expect(status, stderr).toBe(0);
  const [first = '', ...stderrLines] = stdout.toString().trimEnd().split('\n');
  const [code, names = '', rerun] = first.split('|');
  return {
    status: Number(code),
    names: names.split(' ').filter(Boolean),
    stderr: stderrLines,
    rerun: Number(rerun),
  };
}

/** @returns the exit statuses seen */
async function sweep(sizes: readonly string[], sessions: number): Promise<Set<number>> {
  const { folder, whole } = await logsAndWhole(sessions);
  const statuses = new Set<number>();
  for (const size of sizes) {
    const { status, names, stderr, rerun } = await roundOn(folder, size);
    statuses.add(status);
    expect([0, 74], `${size}: ${stderr}`).toContain(status);
    expect(names, size).toEqual(status === 0 ? ['out'] : []);
    if (status !== 0) {
      expect(stderr, size).toHaveLength(1);
      expect(stderr[0], size).toMatch(/"code":"io".*ENOSPC/);
    }
    expect(rerun, size).toBe(0);
    expect(hashesOf(join(folder, 'copy')), size).toEqual(whole);
  }
  return statuses;
}

const range = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

faultTest('F020', 'a disk that fills up halfway', { needs: ['mount'] }, async () => {
  expect(await sweep(['size=64k'], 10)).toEqual(new Set([74]));
});
faultTest('F020', 'a disk of every size that is too small', { needs: ['mount'], long: true }, async () => {
  const sizes = range(4, 400, 12).map((size) => `size=${size}k`);
  expect(await sweep(sizes, 10)).toEqual(new Set([0, 74]));
});
faultTest('F021', 'a limit on inodes, from none to enough', { needs: ['mount'], long: true }, async () => {
  const counts = range(2, 26, 1).map((inodes) => `nr_inodes=${inodes}`);
  expect(await sweep(counts, 3)).toEqual(new Set([0, 74]));
});
faultTest('F021', 'inodes that run out halfway', { needs: ['mount'], long: true }, async () => {
  expect(await sweep(['nr_inodes=10'], 3)).toEqual(new Set([74]));
});

faultTest('F022', 'a file size limit', { needs: ['prlimit'] }, async () => {
  const { folder, whole } = await logsAndWhole(10);
  for (const bytes of [1000, 50_000]) {
    const run = await bash(`prlimit --fsize=${bytes} "$NODE" "$COMMAND" build logs --out disk/out`, {
      cwd: folder,
    });
    expect(run.status, run.stderr).toBe(74);
    expect(JSON.parse(run.stderr)).toMatchObject({ code: 'io', msg: expect.stringContaining('EFBIG') });
    expect(readdirSync(join(folder, 'disk'))).toEqual([]);
  }
  expect(await bash('turnmill build logs --out disk/out', { cwd: folder })).toMatchObject({ status: 0 });
  expect(hashesOf(join(folder, 'disk/out'))).toEqual(whole);
});

faultTest('F024', 'another file system mounted on the destination itself', { needs: ['mount'] }, async () => {
  const { folder } = await logsAndWhole(2);
  const script = `mkdir -p disk/out; mount -t tmpfs none disk/out || exit 99
    turnmill build logs --out disk/out; status=$?; ls -A disk disk/out; exit $status`;
  const run = await bash(script, { cwd: folder, unshare: true });
  expect(run.status, run.stderr).toBe(73);
  expect(run.stderr).toContain('is a mount point'); // reported before any input is read
  expect(run.stdout.toString()).toBe('disk:\nout\n\ndisk/out:\n');
  expect(readdirSync(join(folder, 'disk'))).toEqual(['out']);
});

const CLOSED = [
  ['a read-only file system', 'mount -t tmpfs -o ro none disk || exit 99', '', 73, ['mount']],
  ['mode 0555', 'chmod 755 .; chmod 555 disk', 'setpriv --reuid=65534 --clear-groups', 77, ['setpriv']],
  ['no x', 'chmod 755 .; chmod 666 disk', 'setpriv --reuid=65534 --clear-groups', 77, ['setpriv']],
  ['chattr +i', 'chattr +i disk; trap "chattr -i disk" EXIT', '', 77, ['chattr']],
] as const;

for (const [title, prepare, as, status, needs] of CLOSED) {
  faultTest('F026', `${title}: refused before any input is read`, { needs }, async () => {
    const { folder } = await logsAndWhole(1);
    // an input that never ends: reading it would hang
    const script = `${prepare}\nmkfifo pipe; exec 9<>pipe
      timeout 600 ${as} "$NODE" "$COMMAND" build - --out disk/out <&9`;
    const run = await bash(script, { cwd: folder, unshare: needs.includes('mount' as never) });
    expect(run.status, run.stderr).toBe(status);
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(existsSync(join(folder, 'disk/out'))).toBe(false);
  });
}
