/**
 * F040, F041, F043, F044, F180: logs that end too early, are empty, or have other line ends. Complete lines are used, half of a line at
 * the end is dropped, and the session says that its end may be missing.
 */
import { isUtf8 } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { asEverySource, buildLogs, entryLine, type Input, type Sums } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';

const pack = (log: string | Uint8Array): Uint8Array => gzipSync(log);
const message = { role: 'user', content: 'naïve 😀 \u2028 "quoted" \\ \n' };
const log = Buffer.from(
  `${entryLine({ messages: [message] })}\n${entryLine({ at: 2, messages: [message, message] })}\r\n`,
);

interface Expected {
  /** Number of complete entries. */
  readonly entries: number;
  /** Whether half of a line follows. */
  readonly isTorn: boolean;
  readonly noFinalNewline: boolean;
}

/** Expected result for the first `cut` bytes of the log, by definition. */
function expectedOf(cut: number): Expected {
  const bytes = log.subarray(0, cut);
  const last = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, last).filter((byte) => byte === 0x0a).length;
  const rest = bytes.subarray(last);
  const noFinalNewline = rest.length > 0;
  if (rest.length === 0) return { entries: lines, isTorn: false, noFinalNewline };
  const isTorn = !isComplete(rest);
  return { entries: isTorn ? lines : lines + 1, isTorn, noFinalNewline };
}

function isComplete(rest: Buffer): boolean {
  try {
    JSON.parse(rest.toString());
    return isUtf8(rest);
  } catch {
    return false;
  }
}

function expectedSums(all: readonly Expected[]): Pick<Sums, 'fates' | 'findings' | 'records'> {
  const count = (holds: (one: Expected) => boolean): number => all.filter(holds).length;
  const fates = {
    'dropped:unfinished-line': count(({ isTorn }) => isTorn),
    snapshot: count(({ entries }) => entries > 0),
    superseded: count(({ entries }) => entries > 1),
  };
  const findings = {
    'damaged-tail': count(({ entries, isTorn }) => entries > 0 && isTorn),
    'no-record': count(({ entries, isTorn }) => entries === 0 && isTorn),
  };
  const present = (counts: object): Record<string, number> =>
    Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
  return { fates: present(fates), findings: present(findings), records: fates.snapshot };
}

const cuts = Array.from({ length: log.length }, (_, i) => i + 1);
const name = (cut: number): string => `c${String(cut).padStart(5, '0')}.jsonl`;

describe('F040 a log that is cut', () => {
  for (const [kind, suffix, packed] of [
    ['a file', '', (bytes: Buffer): Uint8Array => bytes],
    ['gzip', '.gz', pack],
  ] as const) {
    faultTest(
      'F040, F041',
      `after every byte, ${kind}: complete lines are used, the rest is dropped`,
      {},
      async () => {
        const files = Object.fromEntries(
          cuts.map((cut) => [name(cut) + suffix, packed(log.subarray(0, cut))]),
        );
        const { status, sums, quarantine, records } = await buildLogs({ files });
        const expected = cuts.map(expectedOf);
        expect(status).toBe(0);
        expect(sums).toMatchObject(expectedSums(expected));
        expect(sums.repairs['no-final-newline']).toBe(expected.filter((one) => one.noFinalNewline).length);
        expect(cuts.filter((cut) => !isUtf8(log.subarray(0, cut))).length).toBeGreaterThan(10);
        expect(quarantine).toEqual([]);
        expect(new Set(records).size).toBe(2);
      },
    );
  }

  faultTest('F040, F041', 'on standard input', {}, async () => {
    const quick = [2, log.indexOf('ï') + 1, log.indexOf(0x0a) + 1];
    const more = ALL_FAULTS ? [1, 30, log.indexOf(0x0a), log.length - 3] : [];
    for (const cut of [...quick, ...more]) {
      const { sums, quarantine } = await buildLogs({ stdin: log.subarray(0, cut) });
      const expected = expectedOf(cut);
      expect([cut, sums]).toMatchObject([cut, expectedSums([expected])]);
      expect(quarantine).toEqual([]);
    }
  });

  faultTest('F180', 'the session is its last complete entry, and says so', {}, async () => {
    const files = { 's.jsonl': `${entryLine()}\n${entryLine({ at: 2 }).slice(0, 90)}` };
    const { status, findings, quarantine, records } = await buildLogs({ files }, ['--on-reject', 'fail']);
    expect(status).toBe(0);
    expect(findings).toMatchObject([{ rule: 'damaged-tail', session: 's', severity: 'ERROR' }]);
    expect([quarantine, records.length]).toEqual([[], 1]);
  });

  faultTest(
    'F180',
    'half of a line that has a line feed is rejected, and --on-reject fail ends the run',
    {},
    async () => {
      const files = { 's.jsonl': `${entryLine()}\n${entryLine({ at: 2 }).slice(0, 90)}\n` };
      const { status, findings, quarantine, records } = await buildLogs({ files });
      expect(status).toBe(3);
      expect(findings).toMatchObject([{ rule: 'damaged-tail', session: 's', severity: 'ERROR' }]);
      expect(quarantine).toMatchObject([{ reason: 'invalid-json', line: 2 }]);
      expect(records).toHaveLength(1);
      await expect(buildLogs({ files }, ['--on-reject', 'fail'])).rejects.toThrow('status 65');
    },
  );

  faultTest('F180', 'a damaged line with an entry after it is not a damaged end', {}, async () => {
    const { findings } = await buildLogs({
      files: { 's.jsonl': `${entryLine()}\n{"torn\n${entryLine({ at: 2 })}` },
    });
    expect(findings).toEqual([]);
  });
});

const empty: Readonly<Record<string, string>> = {
  nothing: '',
  'line feeds': '\n\n\n',
  blanks: ' \t \r\n  ',
  'a byte order mark': '\ufeff',
};

describe('F043 sources without a line', () => {
  for (const [kind, text] of Object.entries(empty)) {
    faultTest('F043', `${kind}: counted as empty beside other sources, and 66 alone`, {}, async () => {
      const files = { 'a.jsonl': entryLine(), 'x.jsonl': text, 'x.jsonl.gz': pack(text) };
      const { status, sums, records } = await buildLogs({ files });
      expect([status, sums.sources, records.length]).toEqual([0, { empty: 2, read: 1 }, 1]);
      expect(sums.fates).toEqual({ ...(sums.lines > 1 ? { blank: sums.lines - 1 } : {}), snapshot: 1 });
      expect(await turnmill(['check', '-'], text)).toMatchObject({ status: 66 });
      expect(await turnmill(['check', '-', '--allow-empty'], text)).toMatchObject({ status: 0 });
    });
  }

  faultTest('F043', 'one byte that is not a log', {}, async () => {
    for (const [kind, input] of asEverySource('x')) {
      const { status, sums, quarantine } = await buildLogs(input);
      expect([kind, status, sums.fates]).toEqual([kind, 3, { 'rejected:invalid-json': 1 }]);
      expect(quarantine).toMatchObject([{ line: 1, byte_start: 0, byte_end: 1 }]);
    }
  });

  faultTest('F043', 'the last line of one gzip member continues in the next', {}, async () => {
    const line = entryLine();
    const packed = Buffer.concat([pack(line), pack('\n'), pack(''), pack(entryLine({ at: 2 }))]);
    const { status, sums } = await buildLogs({ files: { 's.jsonl.gz': packed } });
    expect([status, sums.fates]).toEqual([0, { snapshot: 1, superseded: 1 }]);
  });
});

describe('F044 line ends', () => {
  const lines = [1, 2, 3].map((at) => entryLine({ at, messages: [message] }));
  const written: Readonly<Record<string, readonly [text: string, crlf: number]>> = {
    CRLF: [`${lines.join('\r\n')}\r\n`, 3],
    mixed: [`${lines[0]}\r\n${lines[1]}\n${lines[2]}`, 1],
    'a lone CR around tokens': [
      lines.map((line) => `\r${line.replace(',"request"', ',\r"request"')}\r`).join('\n'),
      2,
    ],
    'several CR': [lines.map((line) => `${line}\r\r`).join('\n'), 2],
  };

  for (const [kind, [text, crlf]] of Object.entries(written)) {
    const long = kind === 'mixed' || kind === 'several CR';
    faultTest('F044', `${kind}: the same record, counted`, { long }, async () => {
      const { records } = await buildLogs({ files: { 's.jsonl': lines.join('\n') } });
      for (const [source, input] of asEverySource(text)) {
        const built = await buildLogs(input);
        expect([source, built.status, built.records]).toEqual([source, 0, records]);
        expect(built.sums.repairs.crlf).toBe(crlf);
      }
    });
  }

  faultTest('F044', 'a lone CR does not end a line', {}, async () => {
    const input: Input = { files: { 's.jsonl': lines.join('\r') } };
    const { status, sums } = await buildLogs(input);
    expect([status, sums.fates, sums.repairs]).toMatchObject([
      0,
      { snapshot: 1, superseded: 2 },
      { 'split-objects': 2 },
    ]);
  });
});
