import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/engine/batch.ts';
import { RestartFilter } from '../../../src/engine/restart-filter.ts';
import type { Outcome, SourceReport } from '../../../src/ledger/result.ts';

const begin = (source: number, stamp = 'file'): Outcome => ({
  kind: 'source-begin',
  source,
  provisional: true,
  stamp,
});
const row = (name: string): Outcome => ({
  kind: 'row',
  group: name,
  format: 'chat',
  bytes: new Uint8Array(1),
});
const session = (id: string): Outcome => ({
  kind: 'session',
  sessionId: id,
  outcome: 'written',
  entries: 3,
  superseded: 2,
  truncated: 0,
  changes: [],
});
const FRAMING = {
  bytes: 100,
  bomBytes: 0,
  lineBytes: 90,
  terminatorBytes: 10,
  lines: 10,
  crlf: 0,
  noFinalNewline: false,
};
const end = (source: number, more: Partial<SourceReport> = {}): SourceReport => ({
  kind: 'source',
  source,
  status: 'read',
  compression: 'none',
  readBytes: 100,
  framing: FRAMING,
  lines: 3,
  fates: [
    ['snapshot', 1],
    ['superseded', 2],
  ],
  repairs: [],
  ...more,
});
const batch = (outcomes: readonly Outcome[], readBytes = 0): Batch => ({
  outcomes,
  readBytes,
  flushed: false,
});

const source = (index: number, sessions: number): readonly Outcome[] => [
  begin(index),
  ...Array.from({ length: sessions }, (_, i) => [row(`${index}.${i}`), session(`${index}.${i}`)]).flat(),
  end(index),
];

describe('replay', () => {
  it('gives each outcome and each byte once, wherever the threads die', () => {
    const deaths = fc.array(
      fc.record({ until: fc.nat(40), sizes: fc.array(fc.integer({ min: 1, max: 9 })) }),
    );
    const sizes = fc.array(fc.nat(4), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(sizes, deaths, (sessions, lives) => {
        const sources = sessions.map((count, i) => source(i, count));
        const replay = new RestartFilter();
        const out: Outcome[] = [];
        let bytes = 0;
        let reported = 0;
        for (const { until, sizes: cuts } of [...lives, { until: Number.POSITIVE_INFINITY, sizes: [] }]) {
          const left = sources.slice(reported).flat();
          const lived = left.slice(0, until);
          for (let at = 0, n = 0; at < lived.length; n++) {
            const part = lived.slice(at, at + (cuts[n] ?? 5));
            at += part.length;
            // every outcome but the first of a source costs an equal part of its 100 bytes
            const cost = (outcome: Outcome): number => {
              const own = sources.find((one) => one.includes(outcome)) ?? [];
              return outcome.kind === 'source-begin' ? 0 : 100 / (own.length - 1);
            };
            const passed = replay.pass(
              batch(
                part,
                part.reduce((sum, one) => sum + cost(one), 0),
              ),
            );
            reported += part.filter(({ kind }) => kind === 'source').length;
            out.push(...passed.outcomes);
            bytes += passed.readBytes;
          }
          replay.restart();
        }
        expect(out).toEqual(sources.flat());
        expect(bytes).toBeCloseTo(100 * sources.length, 6);
      }),
    );
  });

  const partly = (): RestartFilter => {
    const replay = new RestartFilter();
    replay.pass(batch([begin(0), row('a'), session('a'), row('b'), session('b')]));
    replay.restart();
    return replay;
  };

  it('rejects a source that is another file when it is read again, and keeps the fates of what is out', () => {
    const again = [begin(0, 'other'), row('a'), session('a'), row('c'), session('c'), row('d'), end(0)];
    expect(partly().pass(batch(again)).outcomes).toMatchObject([
      {
        kind: 'source',
        status: 'rejected',
        rejection: { reason: 'changed-while-read' },
        lines: 6,
        fates: [
          ['snapshot', 2],
          ['superseded', 4],
        ],
      },
    ]);
  });

  it('rejects a source that gives less than before', () => {
    expect(partly().pass(batch([begin(0), row('a'), session('a'), end(0)])).outcomes).toMatchObject([
      { status: 'rejected', rejection: { reason: 'changed-while-read' }, lines: 6 },
    ]);
  });

  it('keeps the reason of a source that is given up, and goes on behind it', () => {
    const rejection = { reason: 'worker-crash', detail: 'x' };
    const refused = end(0, { status: 'rejected', rejection, lines: 0, fates: [] });
    const given = [{ ...begin(0), stamp: undefined } as Outcome, refused, ...source(1, 1)];
    const [report, ...rest] = partly().pass(batch(given)).outcomes;
    expect(report).toMatchObject({ status: 'rejected', rejection, lines: 6 });
    expect(rest).toEqual(source(1, 1));
  });

  const again = (stamp: string): Outcome => ({ ...begin(0, stamp), again: true }) as Outcome;

  it('counts from the start again when a source begins once more', () => {
    const replay = partly();
    const first = [begin(0), row('a'), session('a'), row('b'), session('b'), row('c')];
    const second = [again('later'), row('x'), session('x')];
    expect(replay.pass(batch([...first, ...second])).outcomes).toEqual([row('c'), ...second]);
    replay.restart();
    const third = [begin(0, 'later'), row('x'), session('x'), row('y'), session('y'), end(0)];
    expect(replay.pass(batch(third)).outcomes).toEqual(third.slice(3));
  });

  it('takes the second reading of a thread that was replaced in the first one', () => {
    const second = [again('later'), row('x'), session('x'), end(0)];
    expect(partly().pass(batch([begin(0, 'other'), row('a'), ...second])).outcomes).toEqual(second);
  });
});
