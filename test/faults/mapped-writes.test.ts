/**
 * A log that a program writes through a mapped file: its times change only when the kernel writes the page back. `--update` must not call
 * it unchanged; with `--checksum` it compares the content, whatever the times.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, vi } from 'vitest';
import { build } from '../../src/job/build.ts';
import { entry } from '../src/cli/small-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';

/** Maps the file, changes its first byte and confirms it; then writes `LETTER` at `OFFSET` for each line received. */
const WRITER = `
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    view = mmap.mmap(file.fileno(), 0)
    view[0] = view[0]
    print('ready', flush=True)
    for line in sys.stdin:
        offset, letter = line.split()
        view[int(offset)] = ord(letter)
        print('written', flush=True)
`;

interface Place {
  readonly folder: string;
  readonly logs: string;
  readonly path: string;
  readonly out: string;
}

function place(): Place {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const path = join(logs, 'a.jsonl');
  writeFileSync(path, `${entry({ messages: [{ role: 'user', content: 'mapped' }] })}\n`);
  return { folder, logs, path, out: join(folder, 'out') };
}

interface Writer {
  /** Writes another letter at `mapped`; proves that the bytes changed while size and times did not. */
  write(letter: string): Promise<void>;
}

async function mapping(path: string): Promise<Writer> {
  const child: ChildProcess = spawn('python3', ['-c', WRITER, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the writer has no pipes');
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  expect((await answers.next()).value).toBe('ready');
  const offset = readFileSync(path).indexOf('mapped');
  return {
    async write(letter) {
      // writes the first byte again: the page is dirty from here on even if it was written back meanwhile
      stdin.write(`0 {\n`);
      expect((await answers.next()).value).toBe('written');
      const before = statSync(path, { bigint: true });
      stdin.write(`${offset} ${letter}\n`);
      expect((await answers.next()).value).toBe('written');
      expect(readFileSync(path)[offset]).toBe(letter.charCodeAt(0));
      const after = statSync(path, { bigint: true });
      const { size, mtimeNs, ctimeNs } = before;
      expect([after.size, after.mtimeNs, after.ctimeNs]).toEqual([size, mtimeNs, ctimeNs]);
    },
  };
}

/** Moves this process's clock to `ms` after the file's last change. */
function later(path: string, ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(statSync(path).ctimeMs) + ms });
  onTestFinished(() => void vi.useRealTimers());
}

const updateOf = ({ logs, out }: Place) => ({ inputs: [logs], out, workers: 1, update: true });

async function expectBuiltAnew({ folder, logs, out }: Place): Promise<void> {
  const full = join(folder, 'full');
  await build({ inputs: [logs], out: full, workers: 1 });
  expect(hashesOf(out)).toEqual(hashesOf(full));
}

faultTest('F203', 'a write within the write-back time is detected', { needs: ['python3'] }, async () => {
  const at = place();
  const writer = await mapping(at.path);
  later(at.path, 30_000);
  await build(updateOf(at));
  expect((await build(updateOf(at))).nothingChanged).toBe(true);
  await writer.write('X');
  expect((await build(updateOf(at))).nothingChanged).toBe(false);
  await expectBuiltAnew(at);
});

faultTest(
  'F203',
  '--checksum detects a write at any time, and only touching a file does not read it again',
  { needs: ['python3'] },
  async () => {
    const at = place();
    const writer = await mapping(at.path);
    later(at.path, 36_000); // as if write-back were late: by its times the file cannot have changed
    const checksum = { ...updateOf(at), checksum: true };
    await build(checksum);
    await writer.write('X');
    expect((await build(updateOf(at))).nothingChanged).toBe(true);
    expect((await build(checksum)).nothingChanged).toBe(false);
    await expectBuiltAnew(at);
    utimesSync(at.path, 5, 5);
    expect((await build(checksum)).nothingChanged).toBe(true);
    expect((await build(updateOf(at))).nothingChanged).toBe(false);
  },
);

faultTest('F203', 'from outside: --update --checksum', { needs: ['python3'] }, async () => {
  const at = place();
  const writer = await mapping(at.path);
  const update = ['build', at.logs, '--update', at.out];
  expect((await turnmill([...update, '--checksum'])).status).toBe(0);
  const { proofs } = JSON.parse(readFileSync(join(at.out, 'run.json'), 'utf8'));
  expect(proofs).toEqual([expect.stringMatching(/^\d+:\d+:\d+:\d+::?[0-9a-f]{64}$/)]);
  await writer.write('X');
  const changed = await turnmill([...update, '--checksum']);
  expect([changed.status, changed.stderr]).toEqual([0, expect.not.stringContaining('nothing changed')]);
  await expectBuiltAnew(at);
  utimesSync(at.path, 5, 5);
  const same = await turnmill([...update, '--checksum']);
  expect([same.status, same.stderr]).toEqual([0, expect.stringContaining('nothing changed')]);
  expect((await turnmill(update)).stderr).not.toContain('nothing changed');
  const unknown = await turnmill([...update, '--checksum']);
  expect([unknown.status, unknown.stderr]).toEqual([0, expect.stringContaining('1 of 1 sources')]);
  expect(unknown.stderr).toContain('have no SHA-256 yet');
  const alone = await turnmill(['build', at.logs, '--out', `${at.out}-2`, '--checksum']);
  expect([alone.status, alone.stderr]).toEqual([64, expect.stringContaining('--update')]);
});
