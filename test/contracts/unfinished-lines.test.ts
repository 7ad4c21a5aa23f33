/**
 * Cuts every example and golden log of lines in its last line. The half line is dropped as `unfinished-line`, the log is
 * otherwise read as if it ended before that line, and a finding says so. Also with a carriage return or NULs at its end.
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../src/ledger/result.ts';
import { type DialectLog, dialectLogs } from '../support/dialect-logs.ts';
import { LONG } from '../support/long.ts';
import { readLogs } from '../support/read-log.ts';

const LF = 0x0a;
const LINES = /\.(?:jsonl|log|txt|sse)$/;
/** Rules about the end of the log. */
const END_RULES: ReadonlySet<string> = new Set(['damaged-tail', 'no-record']);

/** A log of lines: everything before its last line, and that line. */
interface Parted {
  readonly log: DialectLog;
  readonly before: Uint8Array;
  readonly last: Uint8Array;
}

/** Whether a line is an object, perhaps after a time, or an event of a stream. */
function isWhole(line: string): boolean {
  const text = line.replace(/^(?:data: ?|\d[\d:T.Z-]+ )(?=[{[])/, '');
  if (text === '[DONE]') return true;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

function parted(log: DialectLog): Parted | undefined {
  const bytes = Buffer.from(log.bytes.toString().trimEnd());
  const start = bytes.lastIndexOf(LF) + 1;
  const last = bytes.subarray(start);
  return isWhole(last.toString()) ? { log, before: bytes.subarray(0, start), last } : undefined;
}

/** Lengths of the half line: few of them where the cut is not what matters. */
function cutsOf(last: Uint8Array, few: boolean): readonly number[] {
  const all = Array.from({ length: last.length - 1 }, (_, i) => i + 1);
  if (LONG) return all;
  const escaped = Buffer.from(last).indexOf('\\') + 1;
  const ends = [1, last.length >> 1, last.length - 1];
  const places = few ? ends : [...ends, 2, 3, escaped, last.length >> 2];
  return all.filter((length) => places.includes(length));
}

async function read(
  log: DialectLog,
  all: readonly Uint8Array[],
  packed = false,
): Promise<readonly (readonly Result[])[]> {
  const logs = all.map((bytes) => ({
    name: log.name + (packed ? '.gz' : ''),
    bytes: packed ? gzipSync(bytes) : bytes,
  }));
  const read: (readonly Result[])[] = [];
  for await (const results of readLogs(logs, { ...log.settings, groupBy: 'none' })) read.push(results);
  return read;
}

const recordsIn = (results: readonly Result[]): readonly string[] =>
  results.flatMap((result) => (result.kind === 'record' ? [Buffer.from(result.bytes).toString()] : []));

/** The results that must be the same with the half line and without it. */
function essence(results: readonly Result[]): object {
  const report = results.at(-1);
  if (report?.kind !== 'source') return { report: 'none' };
  return {
    records: recordsIn(results),
    rejected: results.flatMap((result) => (result.kind === 'rejected-line' ? [result.line] : [])),
    status: report.status,
    fates: report.fates.filter(([fate]) => fate !== 'dropped:unfinished-line'),
    findings: results.flatMap((result) =>
      result.kind === 'finding' && !END_RULES.has(result.rule) ? [`${result.rule}: ${result.message}`] : [],
    ),
  };
}

const unfinishedIn = (results: readonly Result[]): number => {
  const report = results.at(-1);
  const fates = report?.kind === 'source' ? report.fates : [];
  return fates.find(([fate]) => fate === 'dropped:unfinished-line')?.[1] ?? 0;
};

const endRulesIn = (results: readonly Result[]): readonly string[] =>
  results.flatMap((result) => (result.kind === 'finding' && END_RULES.has(result.rule) ? [result.rule] : []));

const isRejected = (result: Result): boolean =>
  (result.kind === 'session' && result.fate === 'rejected') ||
  (result.kind === 'source' && result.status === 'rejected');

const isUnread = (result: Result): boolean => result.kind === 'source' && result.status === 'rejected';

const logs = Object.entries(dialectLogs()).flatMap(([path, log]) => {
  const parts = LINES.test(path) ? parted(log) : undefined;
  return parts === undefined ? [] : [[path, parts] as const];
});

describe.each(logs)('%s', (_path, { log, before, last }) => {
  it.each<[string, boolean, readonly string[]]>([
    ['plain', false, ['']],
    ['gzip', true, ['']],
    ['before NULs or a carriage return', false, ['\r', '\0'.repeat(4096), '\r\0']],
  ])('cut in its last line, %s', async (name, packed, paddings) => {
    const lengths = cutsOf(last, name !== 'plain');
    const cuts = lengths.map((length, i) =>
      Buffer.concat([before, last.subarray(0, length), Buffer.from(paddings[i % paddings.length] as string)]),
    );
    const [whole = [], ...halves] = await read(log, [before, ...cuts], packed);
    for (const [i, half] of halves.entries()) {
      const length = lengths[i];
      expect({ length, unfinished: unfinishedIn(half) }).toEqual({ length, unfinished: 1 });
      if (before.length > 0) expect({ length, ...essence(half) }).toEqual({ length, ...essence(whole) });
      if (half.some(isRejected)) continue;
      const rule = recordsIn(half).length > 0 ? 'damaged-tail' : 'no-record';
      expect({ length, rules: endRulesIn(half) }).toEqual({ length, rules: [rule] });
    }
  });

  it('with NULs right after its last line', async () => {
    const whole = Buffer.concat([before, last, Buffer.from('\n')]);
    const padded = Buffer.concat([before, last, Buffer.from('\0\0\0')]);
    const [expected = [], found = []] = await read(log, [whole, padded]);
    if (expected.some(isUnread)) return; // every line is rejected
    expect(essence(found)).toEqual(essence(expected));
  });
});
