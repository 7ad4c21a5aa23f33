/**
 * F061: example logs with bytes flipped, deleted, doubled, spliced from each other and invented, through the whole main job in this
 * process. It never crashes, the ledger adds up, each record is one line of JSON, the shortcut and the stages agree, and the work is bounded by the
 * bytes. 400 logs; 100,000 with TURNMILL_LONG=1. Seeds that failed go into KEPT.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/job/build.ts';
import type { Result } from '../../src/ledger/result.ts';
import { formats } from '../../transforms/formats/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LONG } from '../support/long.ts';
import { mutated } from '../support/mutated-logs.ts';
import { createDice, type Dice } from '../support/odd-logs/dice.ts';

const CASES = LONG ? 100_000 : 400;
const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const CASES_PER_RUN = 50;
const MAX_BYTES = 64 * 1024;
/** Seeds that once failed. */
const KEPT: readonly number[] = [];

const EXAMPLES = resolve(import.meta.dirname, '../../examples/logs');
const logs = (readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }) as string[])
  .filter((name) => /\.jsonl?(?:\.gz)?$/.test(name))
  .sort()
  .map((name) => readFileSync(join(EXAMPLES, name)))
  .map((bytes) => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes)) as unknown as readonly [
  Buffer,
  ...Buffer[],
];

const PIECES = [
  ...[
    '\ufeff',
    '\0',
    '\0'.repeat(3000),
    '\n',
    '\r\n',
    '\n\n\n',
    '\u2028',
    '{"',
    '"}',
    '[',
    '\\',
    '\\u',
    '\\ud83d',
    '"',
  ],
  ...[
    '['.repeat(600),
    '{"a":'.repeat(600),
    `${'['.repeat(510)}${']'.repeat(510)}`,
    '9'.repeat(400),
    '1e999',
    '-0',
    'null',
  ],
  ...[
    '"__proto__":{},',
    '<tool_call>',
    '</tool_result>',
    '<info-msg>',
    '<info-msg>'.repeat(200),
    ' '.repeat(2000),
  ],
  ...[
    '<start_of_turn>',
    '<escape>',
    '*/',
    '<think>',
    '"session_id":"other",',
    '"timestamp":"1970-01-01T00:00:00Z",',
  ],
].map((text) => Buffer.from(text));
const BROKEN = [
  [0xff],
  [0xc3],
  [0xed, 0xa0, 0x80],
  [0xff, 0xfe],
  [0x1f, 0x8b, 8],
  [0x28, 0xb5, 0x2f, 0xfd],
].map((bytes) => Buffer.from(bytes));

/** Applies one to six changes to one of the logs. */
function fuzzed(dice: Dice): Buffer {
  const base = dice.pick(logs);
  // mostly short prefixes, so that changes hit different places
  let bytes = dice.chance(0.5) ? base.subarray(0, dice.int(base.length)) : base;
  for (let left = 1 + dice.int(6); left > 0; left--) {
    bytes = dice.chance(0.3) ? inserted(dice, bytes) : mutated(dice, bytes, dice.pick(logs));
  }
  return bytes.subarray(0, MAX_BYTES);
}

function inserted(dice: Dice, bytes: Buffer): Buffer {
  const at = dice.int(bytes.length + 1);
  const piece = dice.pick([...PIECES, ...BROKEN] as unknown as readonly [Buffer, ...Buffer[]]);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

interface Built {
  readonly results: readonly Result[];
  readonly sums: object;
}

async function run(folder: string, shortcut: boolean, seed: number): Promise<Built> {
  const results: Result[] = [];
  const format = formats[seed % formats.length]?.name as string;
  const sessionBy = seed % 3 === 0 ? 'id' : 'file';
  const settings = { inputs: [folder], format, sessionBy, shortcut, workers: 1, allowEmpty: true } as const;
  const { sums } = await build(
    { ...settings, maxLine: seed % 5 === 0 ? 3000 : 1 << 20, groupBy: 'none' },
    { onResult: (result) => void results.push(withoutFingerprint(result)) },
  );
  return { results, sums };
}

/** Drops the fingerprint of the file: it has a checksum only right after the file was written, which depends on the clock. */
function withoutFingerprint(result: Result): Result {
  return result.kind === 'source' ? { ...result, fingerprint: undefined } : result;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function checkRecords(results: readonly Result[]): number {
  const records = results.filter((result) => result.kind === 'record');
  for (const { bytes, format } of records) {
    const lines = strict.decode(bytes).split('\n');
    if (lines.length > 1 && format !== 'sts') throw new Error('a record with a line feed in it');
    for (const line of lines) {
      const value: unknown = JSON.parse(line);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new Error('not an object');
    }
  }
  return records.length;
}

/** Checks I1 and I2 again, from the reports alone: every byte of every source is in them, and every line has a fate. */
function checkReports(results: readonly Result[], sizes: readonly number[]): void {
  const reports = results.filter((result) => result.kind === 'source');
  expect(reports.length).toBe(sizes.length);
  for (const { source, status, framing, lines, fates } of reports) {
    expect(fates.reduce((sum, [, n]) => sum + n, 0)).toBe(lines);
    if (status !== 'rejected') expect(framing.bytes).toBe(sizes[source]);
  }
}

/** Ignores `provisional`: sessions that took the shortcut are handed out whole. */
const settled = (result: Result | undefined): Result | undefined =>
  result?.kind === 'source-begin' ? { ...result, provisional: true } : result;

async function fuzz(seed: number, fates: Map<string, number>): Promise<void> {
  const dice = createDice(seed, new Map());
  const folder = join(temporaryFolder(), 'logs');
  mkdirSync(folder);
  const sizes: number[] = [];
  for (let i = 0; i < CASES_PER_RUN; i++) {
    const bytes = fuzzed(dice);
    const [document, packed] = [dice.chance(0.15), dice.chance(0.1)];
    const name = `${String(i).padStart(3, '0')}.json${document ? '' : 'l'}${packed ? '.gz' : ''}`;
    writeFileSync(join(folder, name), packed ? gzipSync(bytes) : bytes);
    sizes.push(bytes.length);
  }
  const fast = await run(folder, true, seed);
  const plain = await run(folder, false, seed);
  rmSync(folder, { recursive: true });
  expect(plain.sums).toEqual(fast.sums);
  expect(plain.results.length).toBe(fast.results.length);
  for (const [i, result] of fast.results.entries()) {
    const other = plain.results[i];
    if (JSON.stringify(other) !== JSON.stringify(result)) expect(settled(other)).toEqual(settled(result));
  }
  checkReports(fast.results, sizes);
  fates.set('records', (fates.get('records') ?? 0) + checkRecords(fast.results));
  for (const [fate, n] of Object.entries((fast.sums as { fates: Record<string, number> }).fates))
    fates.set(fate, (fates.get(fate) ?? 0) + n);
}

describe('F061 fuzzed logs', () => {
  const fates = new Map<string, number>();
  const RUNS_PER_TEST = Math.min(CASES / CASES_PER_RUN, 100);
  const tests = Array.from(
    { length: CASES / CASES_PER_RUN / RUNS_PER_TEST },
    (_, i) => SEED * 1_000_000 + i * RUNS_PER_TEST,
  );

  it.each(tests)(`F061 ${RUNS_PER_TEST * CASES_PER_RUN} logs, seeds from %i`, async (from) => {
    for (let seed = from; seed < from + RUNS_PER_TEST; seed++) {
      await fuzz(seed, fates).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  });

  it.each(KEPT)('F061 the kept seed %i', (seed) => fuzz(seed, new Map()));

  it('the logs produced every kind of result', () => {
    expect(fates.get('records')).toBeGreaterThan(CASES / 20);
    for (const fate of [
      'invalid-json',
      'invalid-utf8',
      'not-an-object',
      'too-deep',
      'line-too-long',
      'timestamp-not-increasing',
    ])
      expect([fate, fates.get(`rejected:${fate}`)]).toEqual([fate, expect.any(Number)]);
    expect(fates.get('superseded')).toBeGreaterThan(CASES / 20);
  });
});
