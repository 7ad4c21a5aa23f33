import { describe, expect, it } from 'vitest';
import { encodePart } from '../../../src/ledger/part.ts';
import type {
  FindingResult,
  RecordResult,
  Result,
  SessionReport,
  SourceBegin,
  SourceReport,
} from '../../../src/ledger/result.ts';
import { decodeThreadPart, encodeThreadPart } from '../../../src/ledger/thread-part.ts';

/** Does not compile when a result has a member that its row of values leaves out. */
type Known<T, Names extends string> = Exclude<keyof T, Names> extends never ? true : never;
const ALL_MEMBERS: readonly true[] = [
  true satisfies Known<
    SourceBegin,
    'kind' | 'source' | 'provisional' | 'mayReopen' | 'identity' | 'size' | 'again'
  >,
  true satisfies Known<
    FindingResult,
    'kind' | 'severity' | 'rule' | 'sessionId' | 'line' | 'message' | 'count' | 'acrossSources'
  >,
  true satisfies Known<RecordResult, 'kind' | 'group' | 'format' | 'bytes' | 'shape' | 'refusals' | 'seal'>,
  true satisfies Known<
    SessionReport,
    | (
        | 'kind'
        | 'sessionId'
        | 'fate'
        | 'snapshot'
        | 'entries'
        | 'superseded'
        | 'truncated'
        | 'folded'
        | 'root'
      )
    | ('changes' | 'toolCounts' | 'usage' | 'recordRejections' | 'entryLog' | 'rejection')
    | ('path' | 'container' | 'context' | 'contents')
  >,
  true satisfies Known<NonNullable<SessionReport['snapshot']>, 'line' | 'offset' | 'length'>,
  true satisfies Known<
    NonNullable<SessionReport['toolCounts']>,
    'seen' | 'kept' | 'duplicateSame' | 'duplicateConflict'
  >,
  true satisfies Known<
    NonNullable<SessionReport['usage']>,
    'toolCalls' | 'definitions' | 'clientTurns' | 'assistantTurns' | 'assistantTurnsWithTools'
  >,
  true satisfies Known<
    SourceReport,
    | ('kind' | 'source' | 'status' | 'rejection' | 'compression' | 'packed' | 'fingerprint' | 'readBytes')
    | ('framing' | 'lines' | 'fates' | 'repairs' | 'dialect' | 'text')
  >,
  true satisfies Known<
    SourceReport['framing'],
    'bytes' | 'bomBytes' | 'lineBytes' | 'terminatorBytes' | 'lines' | 'crlf' | 'noFinalNewline'
  >,
];

const NAMES = ['search', 'read "it"'];

const begin = (source: number, more: Partial<SourceBegin> = {}): SourceBegin => ({
  kind: 'source-begin',
  source,
  provisional: false,
  identity: `1:${source}:3:4`,
  ...more,
});
const record = (source: number): RecordResult => ({
  kind: 'record',
  group: '2026-01-13',
  format: 'chat',
  bytes: new Uint8Array(Buffer.from(`{"messages":[${source}]}`)),
});
const session = (more: Partial<SessionReport> = {}): SessionReport => ({
  kind: 'session',
  sessionId: 's \ud800',
  fate: 'written',
  snapshot: { line: 3, offset: 2 ** 40, length: 5 },
  entries: 4,
  superseded: 2,
  truncated: 1,
  changes: [['null-fields', 6]],
  toolCounts: { seen: 7, kept: 8, duplicateSame: 9, duplicateConflict: 10 },
  usage: {
    toolCalls: 11,
    definitions: NAMES,
    clientTurns: 12,
    assistantTurns: 13,
    assistantTurnsWithTools: 14,
  },
  ...more,
});
const report = (source: number, more: Partial<SourceReport> = {}): SourceReport => ({
  kind: 'source',
  source,
  status: 'read',
  compression: 'none',
  fingerprint: '1:2:3:4::ab',
  readBytes: 15,
  framing: {
    bytes: 16,
    bomBytes: 17,
    lineBytes: 18,
    terminatorBytes: 19,
    lines: 20,
    crlf: 21,
    noFinalNewline: true,
  },
  lines: 22,
  fates: [['snapshot', 1]],
  repairs: [['crlf', 2]],
  ...more,
});
const finding = (more: Partial<FindingResult> = {}): FindingResult => ({
  kind: 'finding',
  severity: 'WARNING',
  rule: 'protocol-open',
  sessionId: 's \ud800',
  line: 30,
  message: 'no "reply"',
  ...more,
});
const SHAPE = { roles: { user: 1, assistant: 2 }, calls: { search: 3 } };
const file = (source: number): Result[] => [begin(source), record(source), session(), report(source)];

const back = (results: readonly Result[]): Result[] => decodeThreadPart(encodeThreadPart(results));
const textOf = (results: readonly Result[]): string =>
  Buffer.concat(encodeThreadPart(results)).toString('latin1');

describe('the results of plain files', () => {
  it('decode to the same values', () => {
    expect(ALL_MEMBERS).not.toContain(false);
    const results = [...file(0), ...file(1)];
    expect(back(results)).toEqual(results);
  });

  it('keep the seal of a record', () => {
    const sealed: RecordResult = { ...record(0), seal: { crc32: 2 ** 32 - 1, sessionId: 's \ud800' } };
    const results = [begin(0), sealed, session(), report(0)];
    expect(back(results)).toEqual(results);
  });

  it.each([[[]], [['reader-role']]])('keep the refusals %j of a record', (refusals) => {
    const results = [begin(0), { ...record(0), refusals }, session(), report(0)];
    expect(back(results)).toEqual(results);
  });

  it('keep the shape of a record and the dialect', () => {
    const shaped: RecordResult = { ...record(0), shape: SHAPE };
    const results = [begin(0), shaped, session(), report(0, { dialect: 'calls' })];
    expect(back(results)).toEqual(results);
    expect(textOf(results)).not.toContain('"superseded"');
  });

  it('keep the path of their conversation', () => {
    const path = Uint8Array.from({ length: 32 }, (_, i) => i * 7);
    const results = [begin(0), record(0), session({ path }), report(0), ...file(1)];
    expect(back(results)).toEqual(results);
    expect(textOf(results)).not.toContain('"superseded"');
  });

  it('keep their findings', () => {
    const found = [finding(), finding({ severity: 'ERROR', count: 41 })];
    const results = [begin(0), ...found, record(0), session(), report(0), ...file(1)];
    expect(back(results)).toEqual(results);
    expect(textOf(results)).not.toContain('"severity"');
  });

  it('travel as objects if a finding belongs to another session or place', () => {
    const other = [begin(0), finding({ sessionId: undefined }), record(0), session(), report(0)];
    const late = [begin(1), record(1), finding(), session(), report(1)];
    expect(back([...other, ...late])).toEqual([...other, ...late]);
    expect(textOf(other)).toContain('"severity"');
  });

  it('travel as values that name each tool once', () => {
    const text = textOf([...file(0), ...file(1), ...file(2)]);
    expect(text).not.toContain('"superseded"');
    expect(text.split('search').length - 1).toBe(1);
    expect(text.length).toBeLessThan(Buffer.concat(encodePart(file(0))).length * 1.5);
  });

  it('do not share names that merely look the same', () => {
    const other = session({
      usage: {
        toolCalls: 0,
        definitions: [],
        clientTurns: 0,
        assistantTurns: 0,
        assistantTurnsWithTools: 0,
      },
    });
    const results = [...file(0), begin(1), record(1), other, report(1), ...file(2)];
    expect(back(results)).toEqual(results);
  });
});

describe('all other results travel as objects', () => {
  const NOTHING = { count: 0, packed: Uint8Array.of(1) };
  const rejection = { reason: 'r', stage: 's', detail: 'd', line: 1, log: NOTHING };
  it.each<[string, Result[]]>([
    [
      'a source whose text was measured',
      [begin(0), record(0), session(), { ...report(0), text: { bytes: 9, read: 3, unread: [['a', 6]] } }],
    ],
    ['a source that may reopen', [begin(0, { mayReopen: true }), record(0), session(), report(0)]],
    ['a second reading', [begin(0, { again: true }), record(0), session(), report(0)]],
    [
      'a source without an identity',
      [{ kind: 'source-begin', source: 0, provisional: true }, record(0), session(), report(0)],
    ],
    ['another source', [begin(0), record(0), session(), report(1)]],
    ['a folded session', [begin(0), record(0), session({ folded: 3 }), report(0)]],
    ['a session with a root', [begin(0), record(0), session({ root: 'u1' }), report(0)]],
    [
      'a finding that depends on earlier sources',
      [begin(0), finding({ acrossSources: true }), record(0), session(), report(0)],
    ],
    ['an empty session', [begin(0), record(0), session({ fate: 'empty' }), report(0)]],
    ['a rejected session', [begin(0), record(0), session({ rejection }), report(0)]],
    ['places of entries', [begin(0), record(0), session({ entryLog: NOTHING }), report(0)]],
    [
      'a recordRejection',
      [
        begin(0),
        record(0),
        session({ recordRejections: [{ format: 'f', reason: 'r', stage: 's', detail: 'd' }] }),
        report(0),
      ],
    ],
    ['a packed source', [begin(0), record(0), session(), report(0, { compression: 'gzip' })]],
    ['an empty source', [begin(0), record(0), session(), report(0, { status: 'empty' })]],
    [
      'a rejected source',
      [begin(0), record(0), session(), report(0, { rejection: { reason: 'r', detail: 'd' } })],
    ],
    ['two records', [begin(0), record(0), record(0), session(), report(0)]],
    ['a source that is cut off', [begin(0), record(0), session()]],
  ])('%s', (_name, results) => {
    expect(textOf(results)).not.toContain('plain-file');
    expect(back(results)).toEqual(results);
    const among = [...file(7), ...results, ...file(8)];
    expect(back(among)).toEqual(among);
  });
});
