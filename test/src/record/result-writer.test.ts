/** The result writer holds the results of a source until it counts, and drops them if it does not. */
import { describe, expect, it } from 'vitest';
import { LINE_FILES, WORK_FILES } from '../../../src/dataset/layout.ts';
import type { Listing } from '../../../src/input/sources/source.ts';
import { Ledger } from '../../../src/ledger/ledger.ts';
import type { Result } from '../../../src/ledger/result.ts';
import { Recorder } from '../../../src/record/result-writer.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import type { EntryLog } from '../../../transforms/model/element.ts';
import { createEntryLog } from '../../../transforms/model/entry-log.ts';
import { begin, end, MemoryOutput, record, rejectedLine, session } from '../../support/results.ts';

const LISTING: Listing = {
  sources: ['a.jsonl', 'b.jsonl'].map((name) => ({
    name,
    input: 0,
    path: `/absent/${name}`,
    sizeBytes: 100,
  })),
  skipped: [],
  passedOver: {},
  extensions: {},
};

interface Written {
  readonly output: MemoryOutput;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  /** Writes the results; a later call continues. */
  take(...results: readonly Result[]): Promise<void>;
}

function writer(given: Partial<Settings> = {}, streams = false): Written {
  const settings = resolveSettings({ inputs: ['/absent'], out: '/out', ...given });
  const output = new MemoryOutput(streams);
  const ledger = new Ledger(LISTING, settings.format);
  const recorder = new Recorder({
    settings,
    listing: LISTING,
    destination: output,
    ledger,
    usage: new Map(),
  });
  return {
    output,
    ledger,
    recorder,
    async take(...results) {
      for (const result of results) await recorder.accept(result);
    },
  };
}

const CUT = { reason: 'corrupt-gzip', detail: 'cut' };
const SNAPSHOT = { snapshot: { line: 1, offset: 0, length: 10 } };

function logOf(lines: readonly number[]): EntryLog {
  const log = createEntryLog();
  for (const line of lines) log.add({ source: '', line, offset: 10 * line, length: 5 });
  return log.take();
}

it('gives a source that is reused the size that its dataset has, also if its files have another size', async () => {
  const { output, take } = writer();
  await take(
    begin(0, { identity: 'dir:hash:900', size: 7 }),
    rejectedLine(2),
    end(0, [['rejected:invalid-json', 1]]),
  );
  expect(output.linesOf(LINE_FILES.sources)).toMatchObject([{ source: 'a.jsonl', size: 7 }]);
  expect(output.linesOf(LINE_FILES.quarantine)).toMatchObject([{ source: { uri: 'a.jsonl', size: 7 } }]);
});

describe('a source that may be withdrawn', () => {
  it('is held until its report confirms it', async () => {
    const { output, ledger, take } = writer();
    await take(begin(0), record('one'), session('s', SNAPSHOT), rejectedLine(2));
    expect([output.records, output.files.size, ledger.records()]).toEqual([[], 0, 0]);
    await take(
      end(
        0,
        [
          ['rejected:invalid-json', 1],
          ['snapshot', 1],
        ],
        { fingerprint: '1:2:3:4' },
      ),
    );
    expect(output.records).toEqual(['one']);
    expect(output.linesOf(LINE_FILES.sessions)).toMatchObject([
      { id: 's', source: 'a.jsonl', fate: 'written', shard: 'chat/g', line: 1 },
    ]);
    expect(output.linesOf(LINE_FILES.quarantine)).toMatchObject([{ scope: 'line', line: 2 }]);
    expect(output.linesOf(LINE_FILES.sources)).toMatchObject([
      { source: 'a.jsonl', status: 'read', lines: 2 },
    ]);
    expect(output.linesOf(WORK_FILES.fingerprints)).toEqual(['1:2:3:4']);
    expect(ledger.rejectionCounts()).toEqual({ rejections: 1, all: 2 });
  });

  it('leaves only its own line when it is rejected', async () => {
    const { output, ledger, take } = writer();
    await take(begin(0), record('one'), session('s', SNAPSHOT), rejectedLine(2));
    await take(end(0, [['snapshot', 1]], { status: 'rejected', rejection: CUT, fingerprint: '1:2:3:4' }));
    await take(begin(1), record('two'), session('t', SNAPSHOT), end(1, [['snapshot', 1]]));
    expect(output.records).toEqual(['two']);
    expect(output.linesOf(LINE_FILES.sessions)).toMatchObject([{ id: 't', source: 'b.jsonl' }]);
    expect(output.linesOf(LINE_FILES.sources)).toMatchObject([
      { source: 'a.jsonl', status: 'rejected', fates: { 'rejected:corrupt-gzip': 1 }, repairs: {} },
      { source: 'b.jsonl', status: 'read' },
    ]);
    expect(output.linesOf(LINE_FILES.quarantine)).toMatchObject([
      { scope: 'source', reason: 'corrupt-gzip' },
    ]);
    expect(ledger.imbalances()).toEqual([]);
  });

  it('counts only from its second reading when it was rewritten', async () => {
    const { output, take } = writer();
    await take(begin(0), record('old'), session('s', SNAPSHOT), begin(0, { again: true }), record('new'));
    await take(session('s', SNAPSHOT), end(0, [['snapshot', 1]]));
    expect(output.records).toEqual(['new']);
    expect(output.linesOf(LINE_FILES.sessions)).toHaveLength(1);
  });

  it('waits as parts in a file when it is large and keeps its order', async () => {
    const { output, take } = writer();
    const records = Array.from({ length: 40 }, (_, i) => `${i} ${'x'.repeat(200_000)}`);
    await take(begin(0));
    for (const [i, text] of records.entries()) await take(record(text), session(`s${i}`, SNAPSHOT));
    expect(output.openFiles).toBe(1);
    await take(end(0, [['snapshot', 40]]));
    expect(output.records).toEqual(records);
    expect(output.openFiles).toBe(0);
    const places = output.linesOf(LINE_FILES.sessions).map((one) => (one as { line: number }).line);
    expect(places).toEqual(records.map((_, i) => i + 1));
  });

  it('has its file closed when it is withdrawn', async () => {
    const { output, take } = writer();
    await take(begin(0), ...Array.from({ length: 40 }, () => record('x'.repeat(200_000))));
    expect(output.openFiles).toBe(1);
    await take(end(0, [], { status: 'rejected', rejection: CUT }));
    expect([output.openFiles, output.records]).toEqual([0, []]);
  });
});

describe('a source that cannot be withdrawn', () => {
  it('is written at once when it is a pipe', async () => {
    const { output, take } = writer();
    await take(begin(0, { provisional: false }), record('one'));
    expect(output.records).toEqual(['one']);
  });

  it('is written at once to standard output, even if its file is rejected in the end', async () => {
    const { output, ledger, take } = writer({}, true);
    await take(begin(0), record('one'), session('s', SNAPSHOT));
    expect(output.records).toEqual(['one']);
    await take(end(0, [['snapshot', 1]], { status: 'rejected', rejection: CUT }));
    expect(ledger.sums()).toMatchObject({ fates: { snapshot: 1 }, sources: { rejected: 1 } });
  });

  it('ends the run at its first rejection under --on-reject fail', async () => {
    const { take } = writer({ onReject: 'fail' });
    await take(begin(0, { provisional: false, mayReopen: true }), record('one'), session('s', SNAPSHOT));
    await expect(take(rejectedLine(2))).rejects.toThrow(
      'a.jsonl:2: invalid-json; with --on-reject fail the first rejection ends the run',
    );
  });

  it('rejects nothing of a file before its end under --on-reject fail', async () => {
    const { take } = writer({ onReject: 'fail' });
    await take(begin(0), rejectedLine(2));
    await expect(take(end(0, [['rejected:invalid-json', 1]]))).rejects.toThrow('a.jsonl:2: invalid-json');
  });
});

describe('a session that resumes after its end', () => {
  const WRITTEN = { ...SNAPSHOT, entries: 2, superseded: 1 };
  const BACK = {
    fate: 'rejected',
    rejection: { reason: 'session-reopened', stage: 'validate', detail: 'd', line: 9, log: logOf([9]) },
  } as const;

  it('removes its earlier record and findings, and no others', async () => {
    const { output, ledger, take } = writer();
    await take(
      ...[
        begin(0, { mayReopen: true }),
        record('first'),
        session('s', { ...WRITTEN, entryLog: logOf([1, 2]) }),
      ],
      ...[record('other'), session('t', { ...SNAPSHOT, entryLog: logOf([3]) }), session('s', BACK)],
      end(0, [
        ['rejected:session-reopened', 1],
        ['snapshot', 2],
        ['superseded', 1],
      ]),
    );
    expect(output.records).toEqual(['other']);
    expect(output.linesOf(LINE_FILES.sessions)).toMatchObject([
      { id: 's', fate: 'rejected:session-reopened', entries: 2 },
      { id: 't', fate: 'written', line: 1 },
      { id: 's', fate: 'rejected:session-reopened', entries: 1 },
    ]);
    expect(output.linesOf(LINE_FILES.sources)).toMatchObject([
      { lines: 4, fates: { 'rejected:session-reopened': 3, snapshot: 1 } },
    ]);
    expect(output.linesOf(LINE_FILES.quarantine).map((one) => (one as { line: number }).line)).toEqual([
      1, 2, 9,
    ]);
    expect(ledger.imbalances()).toEqual(['I6: 2 sources, 1 accounted for']);
  });

  it('is reported if its first part is already on standard output', async () => {
    const { output, recorder, take } = writer({}, true);
    await take(begin(0, { mayReopen: true }), record('first'), session('s', WRITTEN));
    await take(
      session('s', BACK),
      end(0, [
        ['rejected:session-reopened', 1],
        ['snapshot', 1],
        ['superseded', 1],
      ]),
    );
    expect(output.records).toEqual(['first']);
    expect(recorder.reopened()).toEqual({ sessions: 1, first: 'a.jsonl:9' });
  });
});

it('findings that depend on earlier sources are decided again, and others are kept', async () => {
  const { output, ledger, take } = writer();
  const about = { kind: 'finding', severity: 'WARNING', sessionId: 't', line: 1, message: 'm' } as const;
  const written = { ...SNAPSHOT, root: 'u1' };
  await take(begin(0), record('one'), session('s', written), end(0, [['snapshot', 1]]));
  await take(
    ...[begin(1), { ...about, rule: 'copied-history' }],
    ...[
      { ...about, rule: 'copied-history', acrossSources: true } as const,
      { ...about, rule: 'session-in-parts' },
    ],
    ...[record('two'), session('t', written), end(1, [['snapshot', 1]])],
  );
  const found = { severity: 'WARNING', rule: 'copied-history', session: 't', source: 'b.jsonl', entry: 1 };
  expect(output.linesOf(LINE_FILES.findings)).toEqual([
    { ...found, message: 'm' },
    {
      ...found,
      message: 'the first message of the conversation is in an earlier source too: a.jsonl',
      across_sources: true,
    },
  ]);
  expect(ledger.sums().findings).toEqual({ 'copied-history': 2 });
});

it('a temporary rejection leaves no fingerprint, so that the next update reads the source again', async () => {
  const { output, take } = writer();
  for (const [source, reason] of [
    [0, 'unreadable'],
    [1, 'corrupt-gzip'],
  ] as const) {
    await take(begin(source));
    await take(
      end(source, [], { status: 'rejected', rejection: { reason, detail: '' }, fingerprint: '1:2:3:4' }),
    );
  }
  expect(output.linesOf(WORK_FILES.fingerprints)).toEqual(['', '1:2:3:4']);
});

describe('the messages and calls of a session', () => {
  const sessionLines = async (format: readonly string[], ...records: readonly Result[]) => {
    const { output, take } = writer({ format });
    await take(begin(0), ...records, session('s', SNAPSHOT), end(0, [['snapshot', 1]]));
    return output.linesOf(LINE_FILES.sessions);
  };
  const chat =
    '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"read"}}]}]}';
  const counts = { messages: { user: 1, assistant: 1 }, calls: { read: 1 } };

  it('are those of its only record in the first format', async () => {
    const shape = { roles: { user: 7 }, calls: {} };
    expect(await sessionLines(['chat'], record(chat))).toMatchObject([counts]);
    expect(await sessionLines(['chat'], record(chat, { shape }))).toMatchObject([
      { messages: { user: 7 }, calls: {} },
    ]);
    const other = record('{"text":"q"}', { format: 'trl' });
    expect(await sessionLines(['chat', 'trl'], record(chat), other)).toMatchObject([counts]);
  });

  it('are absent if it has several, or none with messages', async () => {
    const [several] = await sessionLines(['chat'], record(chat), record(chat));
    const [none] = await sessionLines(['chat'], record('{"text":"q"}'));
    for (const line of [several, none]) {
      expect(line).not.toHaveProperty('messages');
      expect(line).not.toHaveProperty('calls');
    }
  });
});

it('lists skipped sources and quarantines those that lose something', () => {
  const { output, recorder } = writer();
  recorder.skipped([
    { name: 'link', input: 0, reason: 'symlink' },
    { name: 'pipe', input: 0, reason: 'not-regular' },
  ]);
  expect(output.linesOf(LINE_FILES.sources)).toMatchObject([
    { source: 'link', status: 'skipped', reason: 'symlink' },
    { source: 'pipe', status: 'skipped', reason: 'not-regular' },
  ]);
  expect(output.linesOf(LINE_FILES.quarantine)).toMatchObject([{ scope: 'source', source: { uri: 'pipe' } }]);
});
