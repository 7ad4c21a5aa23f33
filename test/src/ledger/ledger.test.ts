/** Each identity of the ledger (docs/contributing/faults.md) fails when a number is off by one. */
import { describe, expect, it } from 'vitest';
import type { Listing } from '../../../src/input/sources/source.ts';
import { Ledger } from '../../../src/ledger/ledger.ts';
import type { SessionReport, SourceReport } from '../../../src/ledger/result.ts';

const LISTING = {
  sources: [{ name: 'a.jsonl', input: 0, path: '/a.jsonl', sizeBytes: 100 }],
  skipped: [],
  passedOver: {},
  extensions: {},
} as unknown as Listing;

const SESSION: SessionReport = {
  kind: 'session',
  sessionId: 's',
  fate: 'written',
  entries: 3,
  superseded: 1,
  truncated: 1,
  changes: [['null-fields', 2]],
  toolCounts: { seen: 3, kept: 1, duplicateSame: 1, duplicateConflict: 1 },
};

const SOURCE: SourceReport = {
  kind: 'source',
  source: 0,
  status: 'read',
  compression: 'none',
  readBytes: 103,
  framing: {
    bytes: 103,
    bomBytes: 3,
    lineBytes: 95,
    terminatorBytes: 5,
    lines: 5,
    crlf: 0,
    noFinalNewline: false,
  },
  lines: 5,
  fates: [
    ['blank', 1],
    ['rejected:invalid-json', 1],
    ['snapshot', 1],
    ['superseded', 1],
    ['truncated', 1],
  ],
  repairs: [],
};

interface Run {
  readonly session?: Partial<SessionReport>;
  readonly source?: Partial<SourceReport>;
  readonly framing?: Partial<SourceReport['framing']>;
  readonly listing?: Listing;
  readonly wrote?: boolean;
  readonly overLimit?: number;
}

function ledgerOf({ session, source, framing, listing = LISTING, wrote = true, overLimit = 0 }: Run): Ledger {
  const ledger = new Ledger(listing, ['chat']);
  ledger.record('chat');
  if (wrote) ledger.wrote('chat');
  ledger.session({ ...SESSION, ...session });
  ledger.source({ ...SOURCE, ...source, framing: { ...SOURCE.framing, ...framing } });
  ledger.overLimit(overLimit);
  return ledger;
}

const fates = (name: string, count: number): SourceReport['fates'] =>
  SOURCE.fates.map(([fate, n]) => [fate, fate === name ? count : n] as const);

describe('the ledger', () => {
  it('accepts a run that adds up', () => {
    expect(ledgerOf({}).imbalances()).toEqual([]);
  });

  it.each<[string, Run, RegExp]>([
    ['a byte of the content is in no line', { framing: { lineBytes: 94 } }, /^I1: the bytes of a\.jsonl/],
    [
      'a byte of the file was not read',
      { source: { readBytes: 102 } },
      /^I1: 102 bytes of a\.jsonl were read/,
    ],
    [
      'a byte of a compressed file is in no member',
      { source: { packed: { members: 1, memberBytes: 100, paddingBytes: 2 } } },
      /^I1: 103 bytes of a\.jsonl were read, but 102/,
    ],
    ['a line has no fate', { framing: { lines: 6 } }, /^I2: a\.jsonl has 6 lines, but 5/],
    [
      'an object of a split line has no fate',
      { source: { repairs: [['split-objects', 1]] } },
      /^I2: a\.jsonl has 6 lines, but 5/,
    ],
    ['the fates are not the lines', { source: { fates: fates('blank', 2) } }, /^I2: 5 lines, but 6 fates/],
    [
      'an entry of a session is missing in its source',
      { source: { fates: fates('superseded', 0) } },
      /^I3: a\.jsonl has 0 entries 'superseded', its sessions have 1/,
    ],
    [
      'a snapshot has no session',
      { session: { fate: 'empty' }, wrote: false },
      /^I3: a\.jsonl has 1 entries 'snapshot', its sessions have 0/,
    ],
    [
      'a session has no result',
      { session: { fate: 'none' as SessionReport['fate'] } },
      /^I4: 1 sessions, but 0 have a result/,
    ],
    [
      'a written session is missing in a format',
      { wrote: false },
      /^I4: 1 written sessions, 0 accounted for in chat/,
    ],
    [
      'a written session counts twice in a format',
      { session: { recordRejections: [{ format: 'chat', reason: 'x', stage: 'format', detail: '' }] } },
      /^I4: 1 written sessions, 2 accounted for in chat/,
    ],
    ['a source counts twice', { overLimit: 1 }, /^I6: 1 sources, 2 accounted for/],
    [
      'a source is missing',
      { listing: { ...LISTING, sources: [...LISTING.sources, ...LISTING.sources] } },
      /^I6: 2 sources, 1 accounted for/,
    ],
    [
      'a tool definition is missing',
      { session: { toolCounts: { seen: 4, kept: 1, duplicateSame: 1, duplicateConflict: 1 } } },
      /^I7: session s has 4 tool definitions/,
    ],
  ])('notices that %s', (_what, run, problem) => {
    expect(ledgerOf(run).imbalances()).toContainEqual(expect.stringMatching(problem));
  });

  it('does not check the entries of a rejected source, whose lines share its fate', () => {
    const source = { status: 'rejected', fates: [['rejected:corrupt-gzip', 5]] } as const;
    const problems = ledgerOf({ source }).imbalances();
    expect(problems.filter((problem) => problem.includes('a.jsonl'))).toEqual([]);
  });

  it('counts a rejected source without a rejected line as one more rejection', () => {
    const rejection = { reason: 'unreadable', detail: '', code: 'EACCES' };
    const ledger = ledgerOf({ source: { status: 'rejected', lines: 0, fates: [], rejection } });
    expect(ledger.rejectionCounts()).toEqual({ rejections: 1, all: 1 });
    expect(ledger.allUnreadable()).toBe('permission');
    expect(ledgerOf({}).rejectionCounts()).toEqual({ rejections: 1, all: 5 });
    expect(ledgerOf({}).allUnreadable()).toBeUndefined();
  });

  it('sorts its sums by name', () => {
    const ledger = ledgerOf({});
    ledger.finding({
      kind: 'finding',
      severity: 'ERROR',
      rule: 'x',
      sessionId: 's',
      line: 1,
      message: '',
      count: 3,
    });
    const sums = ledger.sums();
    expect(Object.keys(sums.fates)).toEqual(Object.keys(sums.fates).toSorted());
    expect(sums).toMatchObject({
      lines: 5,
      records: 1,
      errors: 3,
      warnings: 0,
      formats: { chat: { records: 1 } },
    });
    expect(sums.tools).toEqual({ 'duplicate-conflict': 1, 'duplicate-same': 1, kept: 1, seen: 3 });
  });
});
