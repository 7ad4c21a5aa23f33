/**
 * F042, F134, F136: the same input gives the same bytes in every file but run.json, whatever the number of workers, the shortcut, the chunks
 * of standard input, the time zone, the locale or the working folder.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { COMMAND, ended, start, turnmill } from '../support/command.ts';
import { ALL_FAULTS } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { randomFrom, sessionLines } from '../support/plain-logs.ts';

const SEEDS = ALL_FAULTS ? [1, 2, 3] : [2];
const MAX_CHUNKS = ALL_FAULTS ? [1, 7, 100, 65_537] : [7];
const VERIFIED_SEEDS = ALL_FAULTS ? [10, 11, 12, 13, 14, 15] : [10, 11];
const EXAMPLES = resolve(import.meta.dirname, '../../examples/logs');
const BUILT = [0, 3];

interface Variant {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

async function build(
  logs: string,
  out: string,
  { args = [], env = {}, cwd = '/' }: Variant,
): Promise<object> {
  const child = spawn(process.execPath, [COMMAND, 'build', logs, '--out', out, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { status, stderr } = await ended(child);
  expect(BUILT, stderr).toContain(status);
  return hashesOf(out);
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  again: {},
  '2 workers': { args: ['--workers', '2'] },
  '4 workers': { args: ['--workers', '4'] },
  'no shortcut': { env: { TURNMILL_SHORTCUT: 'off' } },
  'no shortcut in 2 workers': { env: { TURNMILL_SHORTCUT: 'off' }, args: ['--workers', '2'] },
  'another time zone and locale': {
    env: { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'sv_SE.UTF-8' },
  },
  'no prototype setter': { env: { NODE_OPTIONS: '--disable-proto=delete' } },
};

it.each(SEEDS)('odd logs, seed %i: the same bytes however they are run', async (seed) => {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  writeOddLogs(logs, seed, { manySessions: 0.3, tally: new Map() });
  const shared =
    seed % 2 === 0
      ? ['--session-by', 'id', '--compress', 'gzip', '--shard-size', '4KiB']
      : ['--format', 'chat-inline'];
  const first = await build(logs, join(folder, 'first'), { args: [...shared, '--workers', '1'] });
  for (const [name, variant] of Object.entries(VARIANTS)) {
    const out = join(folder, name.replaceAll(' ', '-'));
    const found = await build(logs, out, {
      ...variant,
      args: [...shared, ...(variant.args ?? ['--workers', '1'])],
    });
    expect(found, name).toEqual(first);
  }
});

it('a relative path, ./ and another working folder give the same bytes', async () => {
  const folder = temporaryFolder();
  const first = await build(EXAMPLES, join(folder, 'a'), {});
  const root = resolve(EXAMPLES, '..');
  expect(await build('logs', join(folder, 'b'), { cwd: root })).toEqual(first);
  expect(await build('./logs/', join(folder, 'c'), { cwd: root })).toEqual(first);
});

/** Feeds standard input in chunks of random sizes from 1 to `most` bytes. */
async function feed(input: Buffer, most: number, seed: number, args: readonly string[]): Promise<Buffer> {
  const child = start(['build', '-', ...args], 'pipe');
  const end = ended(child);
  const random = randomFrom(seed);
  for (let at = 0; at < input.length; ) {
    const next = Math.min(input.length, at + 1 + Math.floor(random() * most));
    if (child.stdin?.write(input.subarray(at, next)) === false)
      await new Promise((go) => child.stdin?.once('drain', go));
    if (random() < 0.2) await new Promise((go) => setImmediate(go));
    at = next;
  }
  child.stdin?.end();
  const { status, stdout, stderr } = await end;
  expect(BUILT, stderr).toContain(status);
  return stdout;
}

it('F042: any chunking of standard input gives the same dataset and the same records', async () => {
  const folder = temporaryFolder();
  const lines = ['a', 'b', 'c'].flatMap((id, n) =>
    sessionLines(id, { entries: 4, messageChars: 300, seed: n }),
  );
  const odd = Buffer.from(`\ufeff${lines.join('\r\n')}\n\n{"torn": "naïve 😀`);
  const examples = readdirSync(join(EXAMPLES, '2026-01-13')).map((name) =>
    readFileSync(join(EXAMPLES, '2026-01-13', name)),
  );
  const input = Buffer.concat([...examples, odd]);
  const records = await feed(input, input.length, 1, ['--out', '-']);
  expect(records.toString().trimEnd().split('\n').length).toBeGreaterThan(6);
  const whole = join(folder, 'whole');
  await feed(input, input.length, 1, ['--out', whole]);
  for (const [n, most] of MAX_CHUNKS.entries()) {
    expect(await feed(input, most, n, ['--out', '-'])).toEqual(records);
    const out = join(folder, `chunks-${most}`);
    await feed(input, most, n, ['--out', out]);
    expect(hashesOf(out)).toEqual(hashesOf(whole));
  }
});

it('verify accepts every dataset of odd logs', async () => {
  const folder = temporaryFolder();
  for (const seed of VERIFIED_SEEDS) {
    const [logs, out] = [join(folder, `logs-${seed}`), join(folder, `out-${seed}`)];
    writeOddLogs(logs, seed, { manySessions: 0.3, tally: new Map() });
    await build(logs, out, { args: seed % 2 === 0 ? ['--session-by', 'id'] : [] });
    expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
  }
});
