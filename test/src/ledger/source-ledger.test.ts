/** The fate of every line of a source, and the results that its elements become. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Result } from '../../../src/ledger/result.ts';
import { SourceLedger, type SourceLedgerOptions } from '../../../src/ledger/source-ledger.ts';
import { sha256 } from '../../../src/sha256.ts';
import type {
  Conversation,
  Finding,
  Rejection,
  SessionEnd,
  StreamElement,
  WrittenRecord,
} from '../../../transforms/model/element.ts';
import { createEntryLog } from '../../../transforms/model/entry-log.ts';

const at = (line: number): StreamElement['origin'] => ({
  source: 'a.jsonl',
  line,
  offset: 10 * line,
  length: 5,
});

function recordOf(line: number, superseded: number, truncated = 0): WrittenRecord {
  const toolCounts = { seen: 0, kept: 0, duplicateSame: 0, duplicateConflict: 0 };
  const conversation: Conversation = {
    ...{ kind: 'conversation', origin: at(line), sessionId: 's', startedAt: undefined },
    ...{ messages: [], tools: [], superseded, truncated, changes: new Map([['null-fields', 2]]), toolCounts },
  };
  const bytes = Buffer.from(`record ${line}`);
  return {
    kind: 'record',
    origin: at(line),
    sessionId: 's',
    group: 'g',
    format: 'chat',
    bytes,
    conversation,
    written: [],
  };
}

function endOf(
  lines: readonly number[],
  fate: SessionEnd['fate'],
  more: Partial<SessionEnd> = {},
): SessionEnd {
  const log = createEntryLog();
  for (const line of lines) log.add(at(line));
  return {
    kind: 'session-end',
    origin: at(99),
    last: false,
    sessionId: 's',
    entries: log.take(),
    ...(fate && { fate }),
    ...more,
  };
}

const rejection = (scope: Rejection['scope'], line: number, more: Partial<Rejection> = {}): Rejection => ({
  ...{ kind: 'rejection', scope, stage: 'parse', reason: 'invalid-json', detail: 'd', origin: at(line) },
  ...more,
});
const finding = (line: number): Finding => ({
  ...{ kind: 'finding', severity: 'ERROR', rule: 'r', sessionId: 's', origin: at(line), message: `m${line}` },
});

let results: Result[];
beforeEach(() => {
  results = [];
});

function ledgerWith(options: Partial<SourceLedgerOptions> = {}): SourceLedger {
  return new SourceLedger({
    keepRaw: () => false,
    onResult: (result) => void results.push(result),
    ...options,
  });
}

function accept(ledger: SourceLedger, ...elements: readonly StreamElement[]): SourceLedger {
  for (const element of elements) ledger.accept(element);
  return ledger;
}

describe('the fate', () => {
  it('is counted for entries of a written session and for blank, dropped and rejected lines', () => {
    const ledger = accept(
      ledgerWith(),
      { kind: 'fate', fate: 'blank', origin: at(1) },
      recordOf(4, 2, 1),
      endOf([2, 3, 4, 5], 'written'),
      rejection('line', 6),
      { kind: 'fate', fate: 'dropped:goose-title', origin: at(7) },
      { kind: 'repair', repair: 'split-objects', origin: at(8), count: 3 },
      endOf([], 'none', { last: true }),
    );
    expect(ledger.sessions).toBe(1);
    expect(ledger.endSource()).toEqual({
      lines: 7,
      fates: [
        ['blank', 1],
        ['dropped:goose-title', 1],
        ['rejected:invalid-json', 1],
        ['snapshot', 1],
        ['superseded', 2],
        ['truncated', 1],
      ],
      repairs: [['split-objects', 3]],
    });
    expect(results.map(({ kind }) => kind)).toEqual(['record', 'session', 'rejected-line']);
    expect(results[1]).toMatchObject({
      ...{ fate: 'written', entries: 4, superseded: 2, truncated: 1, changes: [['null-fields', 2]] },
      snapshot: { line: 4, offset: 40, length: 5 },
    });
  });

  it('is the first rejection for all entries of a rejected session, which has no record', () => {
    const violation = { reason: 'timestamp-not-increasing', stage: 'validate' };
    const ledger = accept(
      ledgerWith(),
      rejection('session', 2, violation),
      rejection('session', 3, { reason: 'later' }),
      endOf([1, 2, 3], 'rejected'),
    );
    expect(ledger.endSource().fates).toEqual([['rejected:timestamp-not-increasing', 3]]);
    expect(results).toMatchObject([
      { kind: 'session', fate: 'rejected', rejection: { ...violation, line: 2 } },
    ]);
  });

  it('does not exist for an empty session', () => {
    const ledger = accept(ledgerWith(), endOf([], 'empty'));
    expect(ledger.endSource()).toEqual({ lines: 0, fates: [], repairs: [] });
    expect(results).toMatchObject([{ kind: 'session', fate: 'empty' }]);
  });

  it('ends the run when an entry has none', () => {
    const ledger = accept(ledgerWith(), recordOf(2, 0));
    expect(() => ledger.accept(endOf([1, 2], 'written'))).toThrow(
      expect.objectContaining({ code: 'unbalanced', message: 'a session has 2 entries, but 1 got a fate' }),
    );
  });

  it('is not defined for an element that no stage emits, which ends the run', () => {
    expect(() => ledgerWith().accept({ kind: 'line', origin: at(1), bytes: Buffer.from('') })).toThrow(
      expect.objectContaining({ code: 'unbalanced' }),
    );
  });

  it('is not carried over to the next source', () => {
    const ledger = accept(ledgerWith(), recordOf(1, 0), endOf([1], 'written'), rejection('line', 2));
    ledger.endSource();
    expect(ledger.sessions).toBe(0);
    accept(ledger, { kind: 'fate', fate: 'blank', origin: at(1) });
    expect(ledger.endSource()).toEqual({ lines: 1, fates: [['blank', 1]], repairs: [] });
  });
});

describe('rejected lines', () => {
  it('have the hash of their bytes, which are kept on request', () => {
    const bytes = Buffer.from('{"a"');
    const keepRaw = (length: number): boolean => length < 5;
    accept(
      ledgerWith({ keepRaw, memberAt: () => 2 }),
      rejection('line', 1, { bytes }),
      rejection('line', 2, { bytes: Buffer.from('long enough') }),
    );
    expect(results).toMatchObject([
      {
        line: 1,
        offset: 10,
        length: 5,
        sha256: sha256('{"a"'),
        member: 2,
        raw: new Uint8Array(Buffer.from('{"a"')),
      },
      { line: 2, sha256: sha256('long enough') },
    ]);
    expect(results[1]).not.toHaveProperty('raw');
    bytes.fill(0);
    expect((results[0] as { raw: Uint8Array }).raw[0]).not.toBe(0); // a copy, not a view of the line
  });

  it('list up to 100 rejections of one line and count all', () => {
    const ledger = accept(ledgerWith(), ...Array.from({ length: 150 }, () => rejection('line', 1)));
    expect(ledger.endSource().fates).toEqual([['rejected:invalid-json', 150]]);
    expect(results).toHaveLength(100);
    expect(results.at(-1)).toMatchObject({ rest: [['invalid-json', 50]] });
  });
});

it('a record that one of several formats refuses is reported with its session', () => {
  accept(
    ledgerWith(),
    recordOf(1, 0),
    rejection('record', 1, { format: 'trl', reason: 'no-prompt' }),
    endOf([1], 'written'),
  );
  expect(results).toMatchObject([
    { kind: 'record' },
    { recordRejections: [{ format: 'trl', reason: 'no-prompt' }] },
  ]);
});

it('a session that may resume reports the places of its entries, unless it is alone in its source', () => {
  const ledger = ledgerWith({ mayReopen: () => true });
  accept(
    ledger,
    recordOf(1, 0),
    endOf([1], 'written'),
    recordOf(2, 0),
    endOf([2], 'written', { alone: true }),
  );
  const sessions = results.filter(({ kind }) => kind === 'session');
  expect(sessions.map((one) => 'entryLog' in one && one.entryLog !== undefined)).toEqual([true, false]);
});

it('a thousand findings come before their session, then the number of the others', () => {
  accept(
    ledgerWith(),
    ...Array.from({ length: 1200 }, (_, i) => finding(i)),
    recordOf(1, 0),
    endOf([1], 'written'),
  );
  expect(results).toHaveLength(1003);
  expect(results[1000]).toMatchObject({ kind: 'finding', rule: 'r', count: 200 });
  expect(results.at(-1)?.kind).toBe('session');
});

it('nothing is counted after the limit of sessions', () => {
  let ledger: SourceLedger;
  ledger = ledgerWith({ full: () => ledger.sessions >= 1 });
  accept(
    ledger,
    recordOf(1, 0),
    endOf([1], 'written'),
    recordOf(2, 0),
    endOf([2], 'written'),
    rejection('line', 3),
  );
  expect(ledger.endSource()).toMatchObject({ lines: 1, fates: [['snapshot', 1]] });
});
