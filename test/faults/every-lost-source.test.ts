/** Every reason to reject or skip a source, from outside: the built command on real files, one case each. */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Built, entryLine as entry, readDataset, type Sums } from '../support/build-logs.ts';
import { COMMAND, turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const good = entry();

/** Builds from an existing folder. */
async function buildFrom(logs: string, out: string): Promise<Built> {
  const ended = await turnmill(['build', logs, '--out', out, '--group-by', 'none', '--workers', '1']);
  return { ...ended, ...readDataset(out) };
}

describe('rejected or skipped sources leave the others alone', () => {
  const folderWith = (make: (logs: string) => void): { logs: string; out: string } => {
    const folder = temporaryFolder();
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    writeFileSync(join(logs, 'good.jsonl'), good);
    make(logs);
    return { logs, out: join(folder, 'out') };
  };

  it('corrupt-gzip: none of its lines count', async () => {
    const { logs, out } = folderWith((logs) => {
      const path = join(logs, 'cut.jsonl.gz');
      const bytes = gzipSync(`${entry({ id: 'c' })}\n`.repeat(1));
      writeFileSync(path, bytes);
      truncateSync(path, bytes.length - 3);
    });
    const { status, sums, quarantine } = await buildFrom(logs, out);
    expect(status).toBe(3);
    expect(sums.sources).toEqual({ read: 1, rejected: 1 });
    expect(sums.fates.snapshot).toBe(1);
    expect(quarantine).toMatchObject([{ reason: 'corrupt-gzip' }]);
  });

  const zstdFrame = Buffer.from('28b52ffd0458110000780ac3051fc7', 'hex'); // "x\n" with its checksum
  it.each([
    ['corrupt-zstd', 'cut.jsonl.zst', zstdFrame.subarray(0, -1)],
    ['trailing-data', 'more.jsonl.gz', Buffer.concat([gzipSync(good), Buffer.from('more')])],
  ])('%s: none of its lines count', async (reason, name, bytes) => {
    const { logs, out } = folderWith((logs) => writeFileSync(join(logs, name), bytes));
    const { status, sums, quarantine } = await buildFrom(logs, out);
    expect([status, sums.fates, sums.sources]).toEqual([3, { snapshot: 1 }, { read: 1, rejected: 1 }]);
    expect(quarantine).toMatchObject([{ reason }]);
  });

  it('unsupported-compression', async () => {
    const { logs, out } = folderWith((logs) =>
      writeFileSync(join(logs, 'z.jsonl'), Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00])),
    );
    const { status, quarantine } = await buildFrom(logs, out);
    expect([status, quarantine]).toMatchObject([3, [{ reason: 'unsupported-compression' }]]);
  });

  it('not-regular: a FIFO does not hang the run', async () => {
    const { logs, out } = folderWith((logs) => execFileSync('mkfifo', [join(logs, 'pipe.jsonl')]));
    const { status, sums } = await buildFrom(logs, out);
    expect(status).toBe(3);
    expect(sums.skipped).toMatchObject({ 'not-regular': 1 });
  });

  /** Runs as a user to whom file modes apply, if root can switch to it and it may read the command. */
  const nobody = ['setpriv', '--reuid=65534', '--clear-groups'] as const;
  const canBeNobody =
    process.getuid?.() === 0 &&
    spawnSync(nobody[0], [...nobody.slice(1), 'test', '-r', COMMAND]).status === 0;

  it.skipIf(!canBeNobody)('unreadable: a file without read permission does not stop the run', () => {
    const { logs, out } = folderWith((logs) => writeFileSync(join(logs, 'secret.jsonl'), good, { mode: 0 }));
    chmodSync(dirname(logs), 0o777);
    const args = [process.execPath, COMMAND, 'build', logs, '--out', out];
    const { status } = spawnSync(nobody[0], [...nobody.slice(1), ...args]);
    const sums = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')) as Sums;
    expect([status, sums.sources]).toEqual([3, { read: 1, rejected: 1 }]);
    expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).toContain('"unreadable"');
  });

  it('duplicate-inode: a file with two links is read once', async () => {
    const { logs, out } = folderWith((logs) => linkSync(join(logs, 'good.jsonl'), join(logs, 'again.jsonl')));
    const { status, sums } = await buildFrom(logs, out);
    expect([status, sums.skipped, sums.fates]).toMatchObject([0, { 'duplicate-inode': 1 }, { snapshot: 1 }]);
  });

  it('a symbolic link is skipped and counted', async () => {
    const { logs, out } = folderWith((logs) => symlinkSync('good.jsonl', join(logs, 'link.jsonl')));
    const { status, sums } = await buildFrom(logs, out);
    expect([status, sums.skipped]).toMatchObject([0, { symlink: 1 }]);
  });
});
