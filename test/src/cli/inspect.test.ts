import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, talk, title, writeLog } from './small-logs.ts';

type Element = Record<string, unknown> & { kind: string };

async function inspect(...args: readonly string[]): Promise<readonly Element[]> {
  const run = await turnmill(['inspect', ...args]);
  expect([run.status, run.stderr]).toEqual([0, '']);
  return run.stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const LINES = [entry(), '', title(1), entry({ second: 2, messages: talk(3) }), '{'];

test.each<[string, readonly string[]]>([
  ['framing', ['line', 'line', 'line', 'line', 'line', 'session-end']],
  ['parse', ['entry', 'fate', 'entry', 'entry', 'rejection', 'session-end']],
  ['cleanup', ['entry', 'fate', 'fate', 'entry', 'rejection', 'session-end']],
  ['validate', ['entry', 'fate', 'fate', 'entry', 'rejection', 'session-end']],
  ['check-entries', ['entry', 'fate', 'fate', 'entry', 'rejection', 'session-end']],
  ['snapshot-select', ['fate', 'fate', 'rejection', 'conversation', 'session-end']],
  ['limit-parts', ['fate', 'fate', 'rejection', 'conversation', 'session-end']],
  ['supply', ['fate', 'fate', 'rejection', 'conversation', 'session-end']],
  ['tool-dedupe', ['fate', 'fate', 'rejection', 'conversation', 'session-end']],
  ['reasoning', ['fate', 'fate', 'rejection', 'conversation', 'session-end']],
  ['check-conversations', ['fate', 'fate', 'rejection', 'finding', 'conversation', 'finding', 'session-end']],
  ['format', ['fate', 'fate', 'rejection', 'finding', 'record', 'finding', 'session-end']],
  ['check-records', ['fate', 'fate', 'rejection', 'finding', 'record', 'finding', 'session-end']],
])('after %s', async (stage, kinds) => {
  const log = writeLog(temporaryFolder(), 'a.jsonl', LINES);
  expect((await inspect(log, '--after', stage)).map(({ kind }) => kind)).toEqual(kinds);
});

test('messages and records keep their bytes, and times are nanoseconds as text', async () => {
  const message = '{"b":1.0, "role":"user","2":1,"1":12345678901234567890,"content":"\\u00e9"}';
  const line = `{"timestamp":"2026-01-13T00:00:00.000000001Z","session_id":"s","request":{"messages":[${message}]}}`;
  const log = writeLog(temporaryFolder(), 'a.jsonl', [line]);
  const run = await turnmill(['inspect', log, '--after', 'parse', '--kind', 'entry']);
  expect(run.stdout.toString()).toContain(`"messages":[${message}],"tools":[]`);
  expect(JSON.parse(run.stdout.toString()).timestamp).toBe('1768262400000000001');
  const record = await turnmill(['inspect', log, '--after', 'format', '--kind', 'record']);
  expect(record.stdout.toString()).toContain(`"record":{"messages":[${message}],"tools":[]}`);
  const [framed] = await inspect(log, '--after', 'framing');
  expect(framed).toMatchObject({
    kind: 'line',
    bytes: line,
    origin: { source: 'a.jsonl', line: 1, offset: 0, length: line.length },
  });
});

test('--kind and --limit select elements', async () => {
  const log = writeLog(temporaryFolder(), 'a.jsonl', LINES);
  const kinds = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await inspect(log, '--after', 'parse', ...args)).map(({ kind }) => kind);
  expect(await kinds('--kind', 'entry,rejection')).toEqual(['entry', 'entry', 'entry', 'rejection']);
  expect(await kinds('--kind', 'entry', '--limit', '2')).toEqual(['entry', 'entry']);
  expect(await kinds('--limit', '1')).toEqual(['entry']);
});

test('reads several sources in order, ends with 3 for a broken one, and reads standard input', async () => {
  const folder = temporaryFolder();
  writeLog(folder, 'b.jsonl', [entry()]);
  writeFileSync(join(folder, 'a.jsonl.gz'), gzipSync(entry()).subarray(0, 30));
  const run = await turnmill(['inspect', folder, '--after', 'parse', '--kind', 'entry,rejection']);
  const found = run.stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([run.status, found.map(({ kind }) => kind)]).toEqual([3, ['rejection', 'entry']]);
  expect(found[0]).toMatchObject({
    scope: 'source',
    reason: 'corrupt-gzip',
    origin: { source: 'a.jsonl.gz' },
  });
  const piped = await turnmill(['inspect', '-', '--after', 'parse'], `${entry()}\n${entry({ id: 't' })}\n`);
  expect(piped.stdout.toString().match(/"kind":"[a-z-]+"/g)).toEqual(
    ['entry', 'session-end', 'entry', 'session-end'].map((kind) => `"kind":"${kind}"`),
  );
});

test('writes the members of an element in a fixed order', async () => {
  const path = writeLog(temporaryFolder(), 'a.jsonl', [entry()]);
  const elements = await inspect(path, '--after', 'snapshot-select');
  expect(elements.map((element) => Object.keys(element).join(' '))).toEqual([
    'kind origin sessionId messages changes startedAt superseded truncated tools toolCounts',
    'kind origin last dialect sessionId entries fate',
  ]);
});
