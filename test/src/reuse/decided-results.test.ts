import { expect, test } from 'vitest';
import type { Context, Result, SessionReport, SourceReport } from '../../../src/ledger/result.ts';
import { DecidedResults } from '../../../src/reuse/decided-results.ts';
import { takeEach } from '../../../src/reuse/reuse.ts';
import type { ContextMarks } from '../../../transforms/formats/context-marks.ts';

const session = (sessionId: string, more: Partial<SessionReport> = {}): SessionReport => ({
  ...{ kind: 'session', sessionId, fate: 'written', snapshot: { line: 3, offset: 9, length: 4 } },
  ...{
    entries: 3,
    superseded: 1,
    truncated: 1,
    root: 'r',
    changes: [['null-fields', 2]],
    path: new Uint8Array(16),
  },
  ...more,
});
const record = (text: string, format = 'chat'): Result => ({
  kind: 'record',
  group: 'g',
  format,
  bytes: Buffer.from(text),
});
const report = (fates: SourceReport['fates']): SourceReport => ({
  ...{
    kind: 'source',
    source: 0,
    status: 'read',
    compression: 'none',
    readBytes: 1,
    lines: 8,
    fates,
    repairs: [],
  },
  framing: {
    bytes: 1,
    bomBytes: 0,
    lineBytes: 1,
    terminatorBytes: 0,
    lines: 8,
    crlf: 0,
    noFinalNewline: false,
  },
});
const marking: ContextMarks = {
  meaning: 'answers are counted',
  mark: (bytes, answers) => Buffer.concat([bytes, Buffer.from(` ${answers}`)]),
};
const begin: Result = { kind: 'source-begin', source: 0, provisional: false };

async function decided(
  results: readonly Result[],
  containers: Readonly<Record<number, number>>,
  contexts: Readonly<Record<number, Context>> = {},
): Promise<Result[]> {
  const found: Result[] = [];
  const decisions = new DecidedResults({
    containerOf: (path) => containers[path],
    contextOf: (path) => contexts[path],
    marks: new Map([
      ['chat', marking],
      ['trl', { ...marking, inAll: true as const }],
    ]),
  });
  await takeEach(decisions.of(results), (result) => void found.push(result));
  return found;
}

test('records with context are marked in the formats that can, and others where a format marks all', async () => {
  const results = [
    begin,
    record('a'),
    record('a', 'trl'),
    session('a'),
    record('b'),
    record('b', 'trl'),
    record('b', 'openai'),
    session('b'),
    record('c'),
    session('c'),
  ];
  const context = { messages: 3, answers: 2 };
  const found = await decided(results, { 2: 1 }, { 1: context, 2: context });
  expect(found).toEqual([
    begin,
    record('a'),
    record('a 0', 'trl'),
    session('a'),
    record('b 2'),
    record('b 2', 'trl'),
    record('b', 'openai'),
    session('b', { context }),
    expect.objectContaining({ fate: 'contained', container: 1 }),
  ]);
});

test('nothing changes if all records stay', async () => {
  const results = [
    begin,
    record('a'),
    session('a'),
    session('b', { fate: 'empty' }),
    report([['snapshot', 1]]),
  ];
  expect(await decided(results, {})).toEqual(results);
});

test('all records of a contained session go, and its lines get the fate', async () => {
  const rejection = {
    reason: 'r',
    stage: 's',
    detail: 'd',
    line: 1,
    log: { count: 0, packed: new Uint8Array(0) },
  };
  const refused = [{ format: 'trl', reason: 'r', stage: 'format', detail: 'd' }];
  const contents = new Map([[9, { sha256: 'hash of the refused entry' }]]);
  const results = [
    begin,
    record('a'),
    session('a'),
    session('x', { fate: 'rejected', rejection }),
    record('b'),
    record('b', 'openai'),
    session('b', { recordRejections: refused, contents }),
    record('c'),
    session('c'),
    report([
      ['rejected:r', 3],
      ['snapshot', 3],
      ['superseded', 3],
      ['truncated', 3],
    ]),
  ];
  const found = await decided(results, { 1: 2 });
  expect(found.filter(({ kind }) => kind === 'record')).toEqual([record('a'), record('c')]);
  expect(found[4]).toEqual({
    ...{ kind: 'session', sessionId: 'b', fate: 'contained', snapshot: { line: 3, offset: 9, length: 4 } },
    ...{ entries: 3, superseded: 0, truncated: 0, root: 'r', changes: [], recordRejections: refused },
    ...{ path: new Uint8Array(16), container: 2, contents },
  });
  expect(found.at(-1)).toMatchObject({
    fates: [
      ['dropped:contained', 3],
      ['rejected:r', 3],
      ['snapshot', 2],
      ['superseded', 2],
      ['truncated', 2],
    ],
  });
});

test('a session that was contained before stays so, and its source is not changed again', async () => {
  const before = session('a', { fate: 'contained', superseded: 0, truncated: 0, changes: [] });
  const fates = [['dropped:contained', 3]] as const;
  const found = await decided([begin, before, record('b'), session('b'), report(fates)], { 0: 1 });
  expect(found[1]).toMatchObject({ fate: 'contained', container: 1 });
  expect(found.at(-1)).toMatchObject({ fates });
});

test('a contained session whose record is needed ends the run', async () => {
  await expect(decided([begin, session('a', { fate: 'contained' })], {})).rejects.toMatchObject({
    code: 'cannot-resume',
    message: expect.stringContaining('session a is gone'),
  });
});
