import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Entry, Rejection, SessionEnd, StreamElement } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { type ParseOptions, parse } from '../../../transforms/stages/parse.ts';
import { buildLogs } from '../../support/build-logs.ts';
import { text } from '../bytes.ts';
import { originOf } from '../checks/samples.ts';
import { lineOf } from '../log-lines.ts';

const DEFAULTS = defaultsOf(parse.options);
const END: SessionEnd = { kind: 'session-end', origin: originOf(99), last: true };
const PIECE = 16 * 1024;

function read(lines: readonly string[], options: Partial<ParseOptions> = {}): readonly StreamElement[] {
  const log = lines.map((json, i) => lineOf(json, undefined, i + 1, i * 100_000));
  return [...apply(parse.create({ ...DEFAULTS, ...options }), [...log, END])];
}
const entriesIn = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((one): one is Entry => one.kind === 'entry');
const rejectionsIn = (elements: readonly StreamElement[]): readonly Rejection[] =>
  elements.filter((one): one is Rejection => one.kind === 'rejection');
const fatesIn = (elements: readonly StreamElement[]): readonly string[] =>
  elements.flatMap((one) => (one.kind === 'fate' ? one.fate : []));
const conversations = (elements: readonly StreamElement[]) =>
  entriesIn(elements).map(({ sessionId, messages, reply }) => ({
    sessionId,
    messages: [...messages, ...(reply ? [reply] : [])].map(({ bytes }) => text(bytes)),
  }));

/** The objects in which Docker keeps a line of a program: several if it is longer than 16 KiB. */
function docker(line: string, stream = 'stdout'): readonly string[] {
  const rest = Buffer.from(`${line}\n`);
  return Array.from({ length: Math.ceil(rest.length / PIECE) }, (_, i) =>
    JSON.stringify({
      log: rest.subarray(i * PIECE, (i + 1) * PIECE).toString(),
      stream,
      time: '2026-01-14T08:00:00.1Z',
    }),
  );
}

const exampleOf = (dialect: string): readonly string[] =>
  readFileSync(resolve(import.meta.dirname, `../../../examples/dialects/${dialect}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');

const session = 'e2b1c0de-0000-4000-8000-000000000001';
const stream = (question: string): readonly string[] =>
  [
    { type: 'system', subtype: 'init', session_id: session, uuid: 'i', tools: ['Bash'], mcp_servers: [] },
    { type: 'user', message: { role: 'user', content: question }, session_id: session, uuid: 'u' },
    {
      ...{ type: 'assistant', session_id: session, uuid: 'a' },
      message: { id: 'm', role: 'assistant', content: [{ type: 'text', text: 'Seven.' }] },
    },
    { type: 'result', subtype: 'success', session_id: session, uuid: 'r', is_error: false, result: 'Seven.' },
  ].map((line) => JSON.stringify(line));

describe('lines in the objects of Docker', () => {
  it.each([
    ...['claude-code', 'codex', 'gemini-cli', 'openhands', 'pi', 'sts', 'spans', 'messages', 'goose'],
    ...['calls', 'anthropic', 'responses', 'batches', 'exchange'],
  ])('give the conversations of the log itself: %s', (dialect) => {
    const lines = dialect === 'goose' ? stream('a') : exampleOf(dialect);
    const [bare, shipped] = [read(lines), read(lines.flatMap((line) => docker(line)))];
    expect(entriesIn(bare).length).toBeGreaterThan(0);
    expect(conversations(shipped)).toEqual(conversations(bare));
    expect(fatesIn(shipped)).toEqual(fatesIn(bare));
    expect(rejectionsIn(shipped).map(({ reason }) => reason)).toEqual(
      rejectionsIn(bare).map(({ reason }) => reason),
    );
  });

  const long = `How many? ${'0123456789 "é" \\ 🐝 '.repeat(4000)}`;

  it('are joined if they are cut into pieces, also the first one', () => {
    const lines = [
      JSON.stringify({ type: 'system', subtype: 'init', session_id: session, uuid: 'i', tools: [long] }),
    ];
    const all = [...lines, ...stream(long).slice(1)];
    const shipped = read(all.flatMap((line) => docker(line)));
    const pieces = all.flatMap((line) => docker(line)).length - all.length;
    expect(pieces).toBeGreaterThan(8);
    expect(conversations(shipped)).toEqual(conversations(read(all)));
    expect(fatesIn(shipped).filter((fate) => fate === 'dropped:joined-row')).toHaveLength(pieces);
  });

  it('may be among texts of the program, before the log too, and pieces of another stream', () => {
    const texts = Array.from({ length: 9 }, (_, i) => docker(`npm warn ${i}`, 'stderr')[0] as string);
    const other = docker('x'.repeat(3 * PIECE), 'stderr');
    const lines = stream(long).flatMap((line) => docker(line));
    const mixed = lines.flatMap((line, i) => [line, ...other.slice(i, i + 1)]);
    const shipped = read(['', ...texts, ...mixed, ...texts]);
    expect(conversations(shipped)).toEqual(conversations(read(stream(long))));
    expect(rejectionsIn(shipped)).toEqual([]);
    expect(fatesIn(shipped).filter((fate) => fate === 'dropped:client-event').length).toBeGreaterThan(18);
  });

  it('are rejected if the end is missing, at the end or before a line that cannot be read', () => {
    const lines = [...stream('a'), ...stream(long).slice(1, 2)].flatMap((line) => docker(line));
    const [rejection, ...others] = rejectionsIn(read(lines.slice(0, -1)));
    expect(rejection).toMatchObject({ reason: 'bad-event', origin: { line: lines.length - 1 } });
    expect(text(rejection?.bytes as Uint8Array)).toBe(lines.at(-2));
    expect(others).toEqual([]);
    const torn = lines.map((line, i) => (i === lines.length - 2 ? line.slice(0, 40) : line));
    expect(rejectionsIn(read(torn)).length).toBeGreaterThan(1);
  });

  it('are rejected with the object if they are not valid, hold two values or lost a character', () => {
    const [first, ...rest] = stream('a') as [string, ...string[]];
    const before = PIECE - first.length - '{"a":"'.length;
    const cut = `${first.slice(0, -1)},"a":"${'x'.repeat(before)}é${'y'.repeat(PIECE)}"}`;
    const bad = [`{"type":"user"`, `${rest[0]}${rest[0]}`, cut].flatMap((line) => docker(line));
    const rejections = rejectionsIn(read([...docker(first), ...bad]));
    expect(rejections.map(({ reason }) => reason)).toEqual([
      'invalid-json',
      'invalid-json',
      'unknown-content',
    ]);
    expect(rejections.map(({ at }) => at)).toEqual([undefined, undefined, undefined]);
    expect(text(rejections[0]?.bytes as Uint8Array)).toBe(bad[0]);
  });

  it('are read in the dialect that the user named', () => {
    const lines = stream('a').flatMap((line) => docker(line));
    expect(conversations(read(lines, { dialect: 'claude-code' }))).toHaveLength(1);
    expect(conversations(read(lines, { dialect: 'codex' }))).toHaveLength(0);
  });

  it('stay unknown if no dialect recognises them', () => {
    const lines = Array.from({ length: 100 }, (_, i) => docker(`line ${i}`)[0] as string);
    const elements = read(lines);
    expect(elements.filter(({ kind }) => kind === 'fate')).toEqual([]);
    expect(rejectionsIn(elements).filter(({ scope }) => scope === 'line')).toHaveLength(100);
    expect(rejectionsIn(elements).at(-1)).toMatchObject({ scope: 'source', reason: 'unknown-dialect' });
  });

  it('keep their numbers and texts byte for byte', () => {
    const line = `{"messages":[{"role":"user","content":"\\u00e9 \\/ é"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"n\\": 1.0e+2}"}}],"n":12345678901234567890}]}`;
    expect(conversations(read(docker(line)))).toEqual(conversations(read([line])));
  });
});

describe('an envelope of a collector', () => {
  const shipped = (...objects: readonly object[]) => read(objects.map((one) => JSON.stringify(one)));
  const contentsOf = (...objects: readonly object[]) =>
    conversations(shipped(...objects)).map(({ messages }) =>
      messages.map((json) => JSON.parse(json).content),
    );
  const asked = { request: { messages: [{ role: 'user', content: 'How many bees?' }] } };
  const answered = { choices: [{ message: { role: 'assistant', content: 'Seven bees.' } }] };
  const call = { ...asked, response: answered };
  const text = JSON.stringify({ timestamp: '2026-01-13T10:00:00Z', session_id: 's1', ...call });

  it.each([
    ['Docker', { log: `${text}\n`, stream: 'stdout', time: '2026-01-13T10:00:00.1Z' }],
    ['journald', { __REALTIME_TIMESTAMP: '1768298400000000', PRIORITY: '6', MESSAGE: text }],
    ['Google Cloud', { insertId: 'a', jsonPayload: call, resource: { type: 'k8s_container' } }],
    ['Google Cloud, as text', { insertId: 'a', textPayload: text }],
    ['Elasticsearch', { _index: 'llm', _id: '1', _source: call }],
    ['Loki', { labels: { app: 'proxy' }, line: text, timestamp: '2026-01-13T10:00:00Z' }],
    ['Splunk', { time: 1768298400, sourcetype: '_json', event: call }],
    ['CloudEvents', { specversion: '1.0', type: 'call', source: '/proxy', id: '1', data: call }],
    ['EventBridge', { version: '0', 'detail-type': 'call', source: 'proxy', detail: call }],
    ['Kafka', { topic: 'llm', partition: 0, offset: 1, key: null, value: text }],
    ['SQS', { MessageId: '1', ReceiptHandle: 'r', Body: text }],
    ['SNS', { Type: 'Notification', MessageId: '1', TopicArn: 'arn', Message: text }],
  ])('holds a call: %s', (_what, logged) => {
    expect(contentsOf(logged)).toEqual([['How many bees?', 'Seven bees.']]);
  });

  const blocks = [{ type: 'text', text: 'Seven bees.' }];
  const items = [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Seven bees.' }] },
  ];

  it.each([
    ['the Messages API', asked.request, { type: 'message', role: 'assistant', content: blocks }],
    ['the Responses API', { input: 'How many bees?' }, { object: 'response', output: items }],
  ])('holds a call of %s', (_what, request, response) => {
    const log = JSON.stringify({ session_id: 's1', request, response });
    expect(contentsOf({ log, stream: 'stdout' })).toEqual([['How many bees?', 'Seven bees.']]);
  });

  it('keeps the session of the call', () => {
    expect(conversations(shipped({ log: text, stream: 'stdout' }))).toMatchObject([{ sessionId: 's1' }]);
  });

  it('is rejected if it ships something else', () => {
    const elements = shipped({ log: text, stream: 'stdout' }, { log: text.slice(0, 40), stream: 'stdout' });
    expect(rejectionsIn(elements)).toMatchObject([{ scope: 'line', reason: 'invalid-json' }]);
    expect(entriesIn(elements)).toHaveLength(1);
  });

  it('is dropped if it ships a text of the program', () => {
    const elements = shipped(
      { log: text, stream: 'stdout' },
      { log: 'listening on :8080\n', stream: 'stdout' },
    );
    expect(fatesIn(elements)).toEqual(['dropped:client-event']);
    expect(entriesIn(elements)).toHaveLength(1);
  });
});

test('other collectors ship logs of clients too', () => {
  const shipped = stream('a').map((MESSAGE) => JSON.stringify({ __REALTIME_TIMESTAMP: '1', MESSAGE }));
  const objects = stream('a').map((line) => JSON.stringify({ insertId: 'a', jsonPayload: JSON.parse(line) }));
  expect(conversations(read(shipped))).toEqual(conversations(read(stream('a'))));
  expect(conversations(read(objects))).toEqual(conversations(read(stream('a'))));
});

test('a build of the log of a container accounts for every object', async () => {
  const long = 'How many? '.repeat(4000);
  const lines = [...docker('npm warn old', 'stderr'), ...stream(long).flatMap((line) => docker(line))];
  const files = { 'a-json.log': `${lines.join('\n')}\n` };
  const { status, sums, records } = await buildLogs({ files });
  expect([status, sums.lines, sums.fates['dropped:joined-row']]).toEqual([0, lines.length, 2]);
  expect(records.map((record) => JSON.parse(record).messages)).toEqual([
    [
      { role: 'user', content: long },
      { role: 'assistant', content: 'Seven.' },
    ],
  ]);
});
