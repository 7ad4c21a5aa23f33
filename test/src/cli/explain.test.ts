import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Ended } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, talk, title, writeLog } from './small-logs.ts';

type Answer = Record<string, unknown>;

async function explain(where: string, ...options: readonly string[]): Promise<readonly Answer[]> {
  const run = await turnmill(['explain', where, '--json', ...options]);
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  return run.stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const rulesIn = (findings: unknown): readonly string[] =>
  (findings as { rule: string }[]).map(({ rule }) => rule);

const text = async (where: string, ...options: readonly string[]): Promise<string> =>
  (await turnmill(['explain', where, ...options])).stdout.toString();

describe('the fate of a line', () => {
  test('is snapshot, superseded, truncated, blank, dropped or rejected', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, '2026-01-13/a.jsonl', [
      entry({ second: 0 }),
      '  ',
      title(1),
      entry({ second: 2, messages: talk(3) }),
      entry({ second: 3, messages: talk(1) }),
      '{"timestamp": 1,',
    ]);
    const out = join(folder, 'out');
    expect((await turnmill(['build', join(folder, '2026-01-13'), '--out', out])).status).toBe(3);
    const all = (
      await Promise.all([1, 2, 3, 4, 5, 6].map((line) => explain(`${log}:${line}`, '--in', out)))
    ).flat();
    expect(all.map(({ fate }) => fate)).toEqual([
      'superseded',
      'blank',
      'dropped:goose-title',
      'snapshot',
      'truncated',
      'rejected:invalid-json',
    ]);
    expect(all.map(({ session }) => session)).toEqual(['s', undefined, 's', 's', 's', 's']);
    expect(all.map(({ snapshotLine }) => snapshotLine)).toEqual([4, undefined, undefined, 4, 4, undefined]);
    const at = [{ shard: 'data/2026-01-13-00000.jsonl', line: 1 }];
    expect(all.map(({ records }) => records)).toEqual([at, [], [], at, at, []]);
    expect(all[5]).toMatchObject({
      stage: 'parse',
      detail: expect.stringMatching(/at byte \d+ of the line/),
    });
    expect(all[3]).toMatchObject({
      group: '2026-01-13',
      sessionFate: 'written',
      messages: [
        { logged: 0, kept: 0 },
        { logged: 1, kept: 1 },
        { logged: 2, kept: 2 },
        { logged: 3, kept: 3, isReply: true },
      ],
    });
    expect(rulesIn(all[3]?.sessionFindings)).toEqual(['role-sequence', 'damaged-tail']);
    expect(rulesIn(all[3]?.findings)).toEqual(['no-tools', 'truncated']);
    expect((await explain(`${log}:4`, '--no-integrity'))[0]).toMatchObject({
      findings: [],
      sessionFindings: [],
    });
    expect((await explain(`${log}:3`, '--no-cleanup'))[0]?.fate).toBe('superseded');
  });

  test('names the line that caused the rejection of its session', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [
      entry({ second: 5 }),
      entry({ second: 6 }),
      entry({ second: 4 }),
    ]);
    for (const line of [1, 2, 3]) {
      const [found] = await explain(`${log}:${line}`);
      expect(found).toMatchObject({
        fate: 'rejected:timestamp-not-increasing',
        violationLine: 3,
        sessionFate: 'rejected',
        stage: 'validate',
      });
    }
    expect(await text(`${log}:1`)).toContain('the whole session was rejected because of line 3: ');
    const two = writeLog(temporaryFolder(), 'a.jsonl', [entry(), entry({ second: 1, id: 't' })]);
    expect((await explain(`${two}:1`))[0]).toMatchObject({
      fate: 'rejected:session-id-mismatch',
      violationLine: 2,
      session: 's',
    });
    expect((await explain(`${two}:1`, '--session-by', 'id'))[0]).toMatchObject({
      fate: 'snapshot',
      session: 's',
    });
    const again = writeLog(temporaryFolder(), 'a.jsonl', [
      entry(),
      entry({ second: 1, id: 't' }),
      entry({ second: 2 }),
    ]);
    expect((await explain(`${again}:3`, '--session-by', 'run'))[0]?.fate).toBe('rejected:session-reopened');
    expect((await explain(`${again}:1`, '--session-by', 'run'))[0]).toMatchObject({
      ...{ fate: 'rejected:session-reopened', stage: 'validate', violationLine: 3, sessionFate: 'rejected' },
    });
    expect((await explain(`${again}:2`, '--session-by', 'run'))[0]?.fate).toBe('snapshot');
  });

  test('names the rule when the format rejects its session', async () => {
    const messages = [{ role: 'user', content: '<tool_call>x' }];
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry({ messages })]);
    const options = ['--json-tool-calls', '--on-finding', 'control-token-in-content=reject'];
    expect((await explain(`${log}:1`, ...options))[0]).toMatchObject({
      fate: 'rejected:control-token-in-content',
      stage: 'format',
    });
    expect((await explain(`${log}:1`, '--json-tool-calls'))[0]).toMatchObject({ fate: 'snapshot' });
  });

  test('follows the times of a session that was gathered by its id', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [
      entry({ second: 4 }),
      entry({ second: 2, messages: talk(3) }),
      entry({ second: 0 }),
    ]);
    const fates = [1, 2, 3].map(
      async (line) => (await explain(`${log}:${line}`, '--session-by', 'id'))[0]?.fate,
    );
    expect(await Promise.all(fates)).toEqual(['truncated', 'snapshot', 'superseded']);
  });

  test('is explained for each object of the line', async () => {
    const line = `${entry()}${entry({ second: 1, messages: talk(3) })}`;
    const log = writeLog(temporaryFolder(), 'a.jsonl', [line]);
    const found = await explain(`${log}:1`);
    expect(found.map(({ fate }) => fate)).toEqual(['superseded', 'snapshot']);
    expect(found[1]?.offset).toBe(entry().length);
    const two = writeLog(temporaryFolder(), 'a.jsonl', [`${entry()}${entry({ id: 't' })}`]);
    expect((await explain(`${two}:1`, '--session-by', 'id')).map(({ session }) => session)).toEqual([
      's',
      't',
    ]);
  });

  test('is explained for a line that is too long', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry(), entry({ second: 1, messages: talk(99) })]);
    expect((await explain(`${log}:2`, '--max-line', '1k'))[0]).toMatchObject({
      fate: 'rejected:line-too-long',
      stage: 'framing',
    });
  });

  test('is rejected in a source that cannot be read to its end', async () => {
    const path = join(temporaryFolder(), 'a.jsonl.gz');
    const packed = gzipSync(`${entry()}\n`);
    writeFileSync(path, packed.subarray(0, -4));
    expect((await explain(`${path}:1`))[0]).toMatchObject({
      fate: 'rejected:corrupt-gzip',
      stage: 'source',
      sessionFate: 'rejected',
    });
    writeFileSync(path, packed);
    expect((await explain(`${path}:1`))[0]).toMatchObject({ fate: 'snapshot' });
    expect(await text(`${path}:1`)).toContain('line 1, bytes 0 to ');
  });

  test('lists the changes that cleanup made', async () => {
    const messages = [{ role: 'user', content: '<info-msg>x</info-msg>' }, ...talk(1)];
    const log = writeLog(temporaryFolder(), 'a.jsonl', [
      entry({ messages }),
      entry({ second: 1, messages: [...messages, ...talk(2)] }),
    ]);
    expect((await explain(`${log}:1`))[0]).toMatchObject({
      changes: { 'goose-info': 1 },
      messages: [
        { logged: 0, kept: null, rule: 'goose-info' },
        { logged: 1, kept: 0 },
        { logged: 2, kept: 1, isReply: true },
      ],
    });
    expect(await text(`${log}:1`)).toMatch(/messages +2, 1 after cleanup\n +changes +goose-info 1/);
  });

  test('is explained for an entry of a document and for a line of standard input', async () => {
    const path = join(temporaryFolder(), 'a.json');
    writeFileSync(path, `[${entry()},\n${entry({ second: 1, messages: talk(3) })}]`);
    expect((await explain(`${path}:2`))[0]).toMatchObject({ fate: 'snapshot', line: 2 });
    const run = await turnmill(['explain', '-:2', '--json'], `${entry()}\n${entry({ id: 't' })}\n`);
    expect(JSON.parse(run.stdout.toString())).toMatchObject({ source: '-', fate: 'snapshot', session: 't' });
  });

  test('is that of an event in a log of events', async () => {
    const said = (role: string, content: string, ts: number): string => JSON.stringify({ role, content, ts });
    const path = join(temporaryFolder(), 'task.jsonl');
    writeFileSync(path, `${said('user', 'Hello?', 1)}\n${said('assistant', 'Hello.', 2)}\n`);
    expect(await text(`${path}:1`)).toContain(
      'why        the conversation begins with this event; the record is made from it and the events after it\n',
    );
    expect(await text(`${path}:2`)).toContain(
      'why        it is part of the conversation that begins in line 1\n',
    );
  });
});

describe('the file of the line', () => {
  test('has the same group as in build when it is below a root', async () => {
    const root = temporaryFolder();
    const log = writeLog(root, '2025-02-03/a.jsonl', [entry()]);
    const groupOf = async (...args: readonly [string, ...string[]]): Promise<unknown> =>
      (await explain(...args))[0]?.group;
    expect(await groupOf(`${log}:1`)).toBe('2026-01-13');
    expect(await groupOf(`${log}:1`, '--root', root)).toBe('2025-02-03');
    expect(await groupOf('2025-02-03/a.jsonl:1', '--root', root)).toBe('2025-02-03');
    const outside = await turnmill([
      'explain',
      `${log}:1`,
      '--root',
      join(root, '2025-02-03/..//2025-02-04'),
    ]);
    expect(outside.status).toBe(64);
  });

  test('causes a usage error with its number of lines when it has fewer', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry(), entry({ second: 1 })]);
    const run: Ended = await turnmill(['explain', `${log}:3`]);
    expect([run.status, run.stderr.split('\n')[0]]).toEqual([
      64,
      'turnmill: a.jsonl has 2 lines, so it has no line 3',
    ]);
  });

  test('has findings about the end of the file at its last line', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [entry(), '{']);
    const out = join(temporaryFolder(), 'out');
    expect((await turnmill(['build', log, '--out', out, '--workers', '1'])).status).toBe(3);
    expect((await turnmill(['verify', out])).status).toBe(0);
    const finding = readFileSync(join(out, 'reports/integrity.jsonl'), 'utf8').split('\n').at(-2);
    expect(JSON.parse(finding ?? '')).toMatchObject({ rule: 'damaged-tail', entry: 2 });
    expect(await explain(`${log}:2`)).toMatchObject([
      { findings: [{ rule: 'damaged-tail', line: 2 }], sessionFindings: [{ rule: 'no-tools', line: 1 }] },
    ]);
  });

  test('does not say that another line continues an entry that is not its beginning', async () => {
    const log = writeLog(temporaryFolder(), 'a.jsonl', [
      entry(),
      entry({ second: 1, messages: [{ role: 'user', content: 'Write a title.' }] }),
      entry({ second: 2, messages: talk(3) }),
    ]);
    expect(await text(`${log}:1`)).toContain('line 3 repeats and continues this conversation');
    const side = await text(`${log}:2`);
    expect(side).toContain(
      '  why        line 3 has at least as many messages, so the record is made from that line\n',
    );
    expect(side).toContain(
      'WARNING turns that the record lacks (not-a-prefix): differs from line 3 at messages[0]: the entry is not',
    );
  });

  test('is not guessed in a folder whose files are sessions of their own', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry()]);
    writeLog(folder, 'b.jsonl', [entry({ second: 1, messages: talk(3) })]);
    const { status, stderr } = await turnmill(['explain', `${folder}:1`]);
    expect([status, stderr]).toEqual([
      64,
      expect.stringContaining(
        `turnmill: ${folder} is a folder: name one of its files, such as ${log}:1, or add --session-by folder`,
      ),
    ]);
    const [answer] = await explain(`${folder}:1`, '--session-by', 'folder');
    expect(answer).toMatchObject({ fate: 'superseded', snapshotLine: 3 });
  });

  test('is that of the whole file when it is not a log', async () => {
    const folder = temporaryFolder();
    const table = writeLog(folder, 't.csv', ['a,b', '1,2']);
    expect(await text(`${table}:1`)).toBe(
      `${table}: rejected: not-json-lines\n  why        the whole source was rejected: the content is not JSON lines, but CSV\n  to do      Leave the file out with --exclude GLOB.\n`,
    );
    const stranger = writeLog(folder, 's.jsonl', ['{"name":"a"}', '{"name":"b"}']);
    expect(await text(`${stranger}:2`)).toMatch(
      /^\/\S*\/s\.jsonl: rejected: kind of log not recognised \(unknown-dialect\)\n {2}why {8}the whole source was rejected: no dialect has .*\n {2}to do {6}Name its kind with --dialect NAME; .*\n$/,
    );
    expect(await text(stranger)).toMatch(
      /\n {2}to do {6}.*\(--plugin FILE\).*\n {2}lines {6}2: 2 rejected: kind of log not recognised \(unknown-dialect\)\n$/,
    );
  });

  test('cannot be looked up in a folder that is not a dataset', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry()]);
    expect((await turnmill(['explain', `${log}:1`, '--in', join(folder, 'no')])).status).toBe(66);
    expect((await turnmill(['explain', `${log}:1`, '--in', folder])).status).toBe(66);
  });
});
