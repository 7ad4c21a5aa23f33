/** The environment of the command (docs/contributing/faults.md): a bare environment as under cron, overlapping runs, every kind of standard input. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entry, writeLog } from '../src/cli/small-logs.ts';
import { COMMAND, ended, start, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';

/** Writes the log that every run reads and builds the expected dataset. */
async function peace(): Promise<{ folder: string; log: string; hashes: object }> {
  const folder = temporaryFolder();
  const log = writeLog(folder, 'logs/a.jsonl', [entry(), entry({ second: 1 })]);
  await turnmill(['build', log, '--out', join(folder, 'peace')]);
  return { folder, log, hashes: hashesOf(join(folder, 'peace')) };
}

test('F166 an empty environment and an empty working folder: the same bytes, and nothing beside the destination', async () => {
  const { folder, log, hashes } = await peace();
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const out = join(folder, 'out');
  const { status } = spawnSync(process.execPath, [COMMAND, 'build', log, '--out', out, '--workers', '2'], {
    cwd: empty,
    env: {},
  });
  expect([status, readdirSync(empty)]).toEqual([0, []]);
  expect(hashesOf(out)).toEqual(hashes);
});

faultTest('F166', 'HOME and TMPDIR are missing or not writable', { long: true }, async () => {
  const { folder, log, hashes } = await peace();
  for (const [i, place] of ['/nonexistent', '/proc', ''].entries()) {
    const out = join(folder, `out-${i}`);
    const env = { HOME: place, TMPDIR: place, TMP: place, XDG_CACHE_HOME: place };
    expect(spawnSync(process.execPath, [COMMAND, 'build', log, '--out', out], { env }).status, place).toBe(0);
    expect(hashesOf(out)).toEqual(hashes);
  }
});

faultTest('F166', 'nice, with the lowest disk priority', { long: true }, async () => {
  const { folder, log, hashes } = await peace();
  const out = join(folder, 'out');
  expect(spawnSync('nice', ['-n', '19', process.execPath, COMMAND, 'build', log, '--out', out]).status).toBe(
    0,
  );
  expect(hashesOf(out)).toEqual(hashes);
});

faultTest('F166', 'a user without a passwd entry', { needs: ['setpriv'] }, async () => {
  const { folder, log, hashes } = await peace();
  chmodSync(folder, 0o777);
  const [command, ...user] = ['setpriv', '--reuid=54321', '--regid=54321', '--clear-groups'] as const;
  const out = join(folder, 'out');
  const run = spawnSync(command, [...user, process.execPath, COMMAND, 'build', log, '--out', out], {
    env: {},
  });
  expect(run.status).toBe(0);
  expect(hashesOf(out)).toEqual(hashes);
});

faultTest('F166', 'with a read-only /tmp', { needs: ['mount'] }, async () => {
  const { log, hashes } = await peace();
  const script = `
    set -e
    mount -t tmpfs none /mnt && mkdir /mnt/logs && cp "$1" /mnt/logs/a.jsonl
    mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp && ! touch /tmp/x 2>/dev/null
    "$2" "$3" build /mnt/logs/a.jsonl --out /mnt/out
    sha256sum /mnt/out/data/* | cut -d' ' -f1`;
  const args = ['-m', 'bash', '-c', script, 'bash', log, process.execPath, COMMAND];
  const run = spawnSync('unshare', args, { encoding: 'utf8' });
  expect(run.status).toBe(0);
  expect(Object.values(hashes)).toContain(run.stdout.trim());
});

test('F166 a run that starts while another is writing exits with 75 and disturbs nothing', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const first = start(['build', '-', '--out', out], 'pipe');
  const firstEnded = ended(first);
  await expect.poll(() => readdirSync(folder).some((name) => name.includes('.staging-'))).toBe(true);
  const second = await turnmill(['build', '-', '--out', out, '--replace'], entry({ id: 'second' }));
  expect(second.status).toBe(75);
  first.stdin?.end(entry({ id: 'first' }));
  expect((await firstEnded).status).toBe(0);
  expect(readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8')).toContain('"id":"first"');
  expect((await turnmill(['verify', out])).status).toBe(0);
});

test('F165 standard input may be a socket; - may be named only once', async () => {
  const folder = temporaryFolder();
  const socket = `
    const { createServer, connect } = require('node:net');
    const { spawn } = require('node:child_process');
    const [path, ...command] = process.argv.slice(1);
    const server = createServer((peer) => peer.end(process.env.LOG)).listen(path, () => {
      const stdin = connect(path, () => {
        const child = spawn(process.execPath, command, { stdio: [stdin, 'inherit', 'inherit'] });
        child.on('exit', (status) => { process.exitCode = status; server.close(); stdin.destroy(); });
      }).pause();
    });`;
  const args = ['-e', socket, join(folder, 'socket'), COMMAND, 'build', '-', '--out', '-'];
  const run = spawnSync(process.execPath, args, { env: { LOG: entry() }, encoding: 'utf8' });
  expect([run.status, run.stdout]).toEqual([0, expect.stringMatching(/^\{"messages":/)]);
  expect((await turnmill(['build', '-', '-', '--out', '-'], entry())).status).toBe(64);
});

test('F165 unreadable standard input is a lost source: no dataset is created', () => {
  const folder = temporaryFolder();
  const writeOnly = openSync(join(folder, 'log'), 'w');
  const out = join(folder, 'out');
  const run = spawnSync(process.execPath, [COMMAND, 'build', '-', '--out', out, '--max-quarantine', '0'], {
    stdio: [writeOnly, 'pipe', 'pipe'],
  });
  expect([run.status, existsSync(out)]).toEqual([65, false]);
});

test('F164 a log that nothing reads changes neither the status nor the bytes', async () => {
  const { folder, log, hashes } = await peace();
  writeFileSync(join(folder, 'logs/b.jsonl'), '{');
  const run = (out: string, redirect: string): number | null =>
    spawnSync('bash', ['-c', `"$0" "$@" ${redirect}`, process.execPath, COMMAND, 'build', log, '--out', out])
      .status;
  for (const [i, redirect] of ['2>/dev/full', '2>&-', '2> >(exec true)'].entries()) {
    expect(run(join(folder, `out-${i}`), redirect), redirect).toBe(0);
    expect(hashesOf(join(folder, `out-${i}`))).toEqual(hashes);
  }
});

test.each([
  ['2>/dev/full', 1],
  ['2>/dev/null', 0],
])('F164 with %s run.json says how much of the log was lost', async (redirect, lost) => {
  const { folder, log, hashes } = await peace();
  const out = join(folder, 'out');
  const args = ['build', log, '--out', out, '--resume']; // reports that there is no checkpoint to continue from
  const run = spawnSync('bash', ['-c', `"$0" "$@" ${redirect}`, process.execPath, COMMAND, ...args]);
  expect([run.status, JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).log_lost]).toEqual([0, lost]);
  expect(hashesOf(out)).toEqual(hashes);
});
