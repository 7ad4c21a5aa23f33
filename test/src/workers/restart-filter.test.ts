import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/engine/delivery.ts';
import type { Result, SourceReport } from '../../../src/ledger/result.ts';
import type { HandedOver, RecordedSources } from '../../../src/record/recorded-sources.ts';
import { RestartFilter } from '../../../src/workers/restart-filter.ts';

const begin = (source: number, identity = 'file'): Result => ({
  kind: 'source-begin',
  source,
  provisional: true,
  identity,
});
const record = (name: string): Result => ({
  kind: 'record',
  group: name,
  format: 'chat',
  bytes: new Uint8Array(1),
});
const session = (id: string): Result => ({
  kind: 'session',
  sessionId: id,
  fate: 'written',
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
const delivery = (results: readonly Result[], readBytes = 0): Delivery => ({
  results,
  readBytes,
  flushed: false,
});

const source = (index: number, sessions: number): readonly Result[] => [
  begin(index),
  ...Array.from({ length: sessions }, (_, i) => [record(`${index}.${i}`), session(`${index}.${i}`)]).flat(),
  end(index),
];

describe('replay', () => {
  it('passes each result and each byte once, wherever the threads die', () => {
    const deaths = fc.array(
      fc.record({ until: fc.nat(40), sizes: fc.array(fc.integer({ min: 1, max: 9 })) }),
    );
    const sizes = fc.array(fc.nat(4), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(sizes, deaths, (sessions, lives) => {
        const sources = sessions.map((count, i) => source(i, count));
        const replay = new RestartFilter();
        const out: HandedOver[] = [];
        let bytes = 0;
        let reported = 0;
        for (const { until, sizes: cuts } of [...lives, { until: Number.POSITIVE_INFINITY, sizes: [] }]) {
          const left = sources.slice(reported).flat();
          const lived = left.slice(0, until);
          for (let at = 0, n = 0; at < lived.length; n++) {
            const part = lived.slice(at, at + (cuts[n] ?? 5));
            at += part.length;
            // each result after the first one of a source accounts for an equal part of its 100 bytes
            const cost = (result: Result): number => {
              const own = sources.find((one) => one.includes(result)) ?? [];
              return result.kind === 'source-begin' ? 0 : 100 / (own.length - 1);
            };
            const passed = replay.pass(
              delivery(
                part,
                part.reduce((sum, one) => sum + cost(one), 0),
              ),
            );
            reported += part.filter(({ kind }) => kind === 'source').length;
            out.push(...passed.results);
            bytes += passed.readBytes;
          }
          replay.restart();
        }
        expect(out).toEqual(sources.flat());
        expect(bytes).toBeCloseTo(100 * sources.length, 6);
      }),
    );
  });

  it('passes sources that a thread recorded, and counts their bytes once', () => {
    const replay = new RestartFilter();
    const recorded = { kind: 'recorded', readBytes: 100 } as RecordedSources;
    const passed = replay.pass({ results: [recorded], readBytes: 130, flushed: false });
    expect([passed.results, passed.readBytes]).toEqual([[recorded], 130]);
    replay.restart(); // 30 bytes of the next source were read, and will be read again
    expect(replay.pass(delivery(source(1, 1), 100)).readBytes).toBe(70);
  });

  const partly = (): RestartFilter => {
    const replay = new RestartFilter();
    replay.pass(delivery([begin(0), record('a'), session('a'), record('b'), session('b')]));
    replay.restart();
    return replay;
  };

  it('rejects a source that is another file on the second reading, and keeps the fates already delivered', () => {
    const again = [
      begin(0, 'other'),
      record('a'),
      session('a'),
      record('c'),
      session('c'),
      record('d'),
      end(0),
    ];
    expect(partly().pass(delivery(again)).results).toMatchObject([
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

  it('rejects a source that yields less than before', () => {
    expect(partly().pass(delivery([begin(0), record('a'), session('a'), end(0)])).results).toMatchObject([
      { status: 'rejected', rejection: { reason: 'changed-while-read' }, lines: 6 },
    ]);
  });

  it('keeps the reason of a rejected source and continues after it', () => {
    const rejection = { reason: 'worker-crash', detail: 'x' };
    const refused = end(0, { status: 'rejected', rejection, lines: 0, fates: [] });
    const results = [{ ...begin(0), identity: undefined } as Result, refused, ...source(1, 1)];
    const [report, ...rest] = partly().pass(delivery(results)).results;
    expect(report).toMatchObject({ status: 'rejected', rejection, lines: 6 });
    expect(rest).toEqual(source(1, 1));
  });

  const again = (identity: string): Result => ({ ...begin(0, identity), again: true }) as Result;

  it('starts over when a source begins again', () => {
    const replay = partly();
    const first = [begin(0), record('a'), session('a'), record('b'), session('b'), record('c')];
    const second = [again('later'), record('x'), session('x')];
    expect(replay.pass(delivery([...first, ...second])).results).toEqual([record('c'), ...second]);
    replay.restart();
    const third = [begin(0, 'later'), record('x'), session('x'), record('y'), session('y'), end(0)];
    expect(replay.pass(delivery(third)).results).toEqual(third.slice(3));
  });

  it('passes the second reading of a source whose thread died during the first one', () => {
    const second = [again('later'), record('x'), session('x'), end(0)];
    expect(partly().pass(delivery([begin(0, 'other'), record('a'), ...second])).results).toEqual(second);
  });
});
