import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { profileTable } from '../../../src/cli/run-whole.ts';
import { turnmill } from '../../support/command.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { writePlainLogs } from '../../support/plain-logs.ts';
import { entry, writeLog } from './small-logs.ts';

interface Read {
  /** Seconds by part, and their total. */
  readonly parts: Readonly<Record<string, number>>;
  readonly elapsed: number;
  readonly together: number;
  readonly bytes: readonly number[];
  readonly compared: number;
}

/** Parses the table that a run printed. */
function read(stderr: string): Read {
  const text = stderr.slice(stderr.indexOf('profile: '));
  const [, elapsed, together] = /^profile: ([\d.]+) s, ([\d.]+) s in all threads$/m.exec(text) ?? [];
  const parts = [...text.matchAll(/^ {2}([a-z-]+) +([\d.]+) s +([\d.]+) %/gm)];
  const [, bytes = '', compared] = /^ {2}bytes: (.*): ([\d.]+) % compared$/m.exec(text) ?? [];
  return {
    parts: Object.fromEntries(parts.map(([, name, seconds]) => [name, Number(seconds)])),
    elapsed: Number(elapsed),
    together: Number(together),
    bytes: [...bytes.matchAll(/[\d,]+\d|\d/g)].map(([count]) => Number(count.replaceAll(',', ''))),
    compared: Number(compared),
  };
}

test('lists the parts in the order of a run, with unknown ones between them, and never divides by zero', () => {
  const bytes = { read: 1234, framed: 0, compared: 0, scanned: 0 };
  const text = profileTable({ ms: { other: 250, parse: 750, read: 0 }, bytes }, 1000);
  const { parts, elapsed, together, compared } = read(text);
  expect(Object.keys(parts).slice(3, 5)).toEqual(['shortcut', 'parse']);
  expect(Object.keys(parts).at(-1)).toBe('other');
  expect([parts.parse, elapsed, together, compared]).toEqual([0.75, 1, 1, 0]);
  expect(text).toContain('75.0 %');
  expect(text).toContain('1,234 read');
  expect(profileTable({ ms: {}, bytes }, 0)).toContain('0.0 %');
});

describe('--profile of the built command', () => {
  const STAGES = ['--max-depth', '15']; // lower than the shortcut takes
  test.each([
    ['1', []],
    ['2', []],
    ['1', STAGES],
    ['2', STAGES],
  ])('adds up with %s workers and %s, and changes nothing else', async (workers, options) => {
    const folder = temporaryFolder();
    const logs = join(folder, 'logs');
    writePlainLogs(logs, { sessions: 3, entries: 24, messageChars: 8000, seed: 1 });
    const build = (out: string, ...more: string[]) =>
      turnmill(['build', logs, '--out', join(folder, out), '--workers', workers, ...options, ...more]);
    const run = await build('profiled', '--profile');
    const plain = await build('plain');
    expect([run.status, plain.status, run.stdout.length]).toEqual([0, 0, 0]);
    expect(plain.stderr).not.toContain('profile');
    expect(hashesOf(join(folder, 'profiled'))).toEqual(hashesOf(join(folder, 'plain')));

    const { parts, elapsed, together, bytes, compared } = read(run.stderr);
    const takesStages = options.length > 0;
    const road = takesStages ? ['parse', 'snapshot-select', 'format'] : ['shortcut'];
    for (const part of ['read', 'frame', ...road, 'record', 'read-back', 'wait'])
      expect(parts).toHaveProperty(part);
    for (const seconds of Object.values(parts)) expect(seconds).toBeGreaterThanOrEqual(0);
    const sum = Object.values(parts).reduce((all, part) => all + part, 0);
    expect(Math.abs(sum - together)).toBeLessThan(0.001 * Object.keys(parts).length);
    expect(together).toBeLessThanOrEqual((Number(workers) === 1 ? 1 : Number(workers) + 1) * elapsed + 0.01);
    const [readBytes, framed = 0, known = 0, scanned = 0] = bytes;
    expect(readBytes).toBe(framed);
    if (!takesStages) return expect([known, scanned]).toEqual([0, 0]); // the shortcut counts no bytes
    expect(known + scanned).toBeGreaterThan(0.99 * framed);
    expect(known + scanned).toBeLessThanOrEqual(framed);
    expect(compared).toBeGreaterThan(85);
  });

  test('works with check, and compares nothing where no message repeats', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [
      entry({ reply: { role: 'assistant', content: 'x' } }),
    ]);
    const run = await turnmill(['check', log, '--profile']);
    expect(run.status).toBe(0);
    const { bytes, compared } = read(run.stderr);
    const size = readFileSync(log).length;
    expect([bytes, compared]).toEqual([[size, size, 0, size - 1], 0]);
  });

  test('counts the bytes of a gzipped source before and after decompression', async () => {
    const folder = temporaryFolder();
    const text = Buffer.from(`${entry()}\n${entry({ second: 1 })}\n`);
    const packed = gzipSync(text);
    writeFileSync(join(folder, 'a.jsonl.gz'), packed);
    const { stderr } = await turnmill(['check', folder, '--profile']);
    expect(read(stderr).bytes.slice(0, 2)).toEqual([packed.length, text.length]);
    const { stderr: piped } = await turnmill(['check', '-', '--profile'], packed);
    expect(read(piped).bytes.slice(0, 2)).toEqual([packed.length, text.length]);
  });
});
