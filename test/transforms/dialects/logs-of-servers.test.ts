/** Bodies of several APIs in logs of CloudWatch, other collectors, SGLang and Azure API Management. */
import { describe, expect, it } from 'vitest';
import calls from '../../../transforms/dialects/calls.ts';
import type { ReadElement } from '../../../transforms/dialects/dialect.ts';
import { dialects } from '../../../transforms/dialects/index.ts';
import { isPairDialect, PairReader } from '../../../transforms/dialects/pairs/pair-reader.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const pairReader = (first: string): PairReader =>
  new PairReader(first, new Map(dialects.filter(isPairDialect).map((one) => [one.name, one.create()])));

function read(...objects: readonly object[]): readonly ReadElement[] {
  const lines = objects.map((one) => JSON.stringify(one));
  const name = detectDialect(asBuffer(lines[0] as string))?.name;
  const dialect = dialects.find((one) => one.name === name);
  if (dialect === undefined) throw new Error('no dialect');
  return readLog(isPairDialect(dialect) ? pairReader(dialect.name) : dialect.create(), lines);
}
const entryOf = (...objects: readonly object[]): Entry =>
  read(...objects).find((one) => one.kind === 'entry') as Entry;
const messagesOf = ({ messages, reply }: Entry) =>
  [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => JSON.parse(text(bytes)));
const converse = {
  system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
  messages: [
    { role: 'user', content: [{ text: 'How many bees?' }, { cachePoint: { type: 'default' } }] },
    {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Count.' } } },
        { toolUse: { toolUseId: 'call_1', name: 'count', input: { what: 'bees' } } },
      ],
    },
    {
      role: 'user',
      content: [{ toolResult: { toolUseId: 'call_1', content: [{ json: { bees: 7 } }] } }],
    },
  ],
  toolConfig: { tools: [{ toolSpec: { name: 'count', inputSchema: { json: {} } } }, { cachePoint: {} }] },
};
const converseAnswer = {
  output: { message: { content: [{ text: 'Seven bees.' }] } },
  stopReason: 'end_turn',
};

describe('events of CloudWatch', () => {
  const log = (output: unknown) =>
    JSON.stringify({
      ...{ schemaType: 'ModelInvocationLog', operation: 'Converse' },
      ...{ input: { inputBodyJson: converse }, output: { outputBodyJson: output } },
    });

  it.each([
    ['a list', { events: [{ message: 'START' }, { timestamp: 1, message: log(converseAnswer) }] }],
    ['those of a subscription', { logEvents: [{ id: '1', message: log(converseAnswer) }] }],
    ['one of them', { timestamp: 1, message: log(converseAnswer), eventId: '1' }],
    ['a row of a query', { '@timestamp': 't', '@message': log(converseAnswer) }],
  ])('hold calls: %s', (_what, logged) => {
    expect(messagesOf(entryOf(logged)).at(-1).content).toBe('Seven bees.');
  });
});

describe('an envelope of a collector', () => {
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
    const contents = messagesOf(entryOf(logged)).map(({ content }) => content);
    expect(contents).toEqual(['How many bees?', 'Seven bees.']);
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
    const contents = messagesOf(entryOf({ log, stream: 'stdout' })).map(({ content }) => content);
    expect(contents).toEqual(['How many bees?', 'Seven bees.']);
  });

  it('keeps the session of the call', () => {
    expect(entryOf({ log: text, stream: 'stdout' }).sessionId).toBe('s1');
  });

  it('is rejected if it ships something else', () => {
    const elements = read({ log: text, stream: 'stdout' }, { log: text.slice(0, 40), stream: 'stdout' });
    expect(elements).toMatchObject([{ kind: 'rejection', scope: 'line' }, { kind: 'entry' }]);
  });

  it('is dropped if it ships a text of the program', () => {
    const elements = read({ log: text, stream: 'stdout' }, { log: 'listening on :8080\n', stream: 'stdout' });
    expect(elements).toMatchObject([{ fate: 'dropped:client-event' }, { kind: 'entry' }]);
  });
});

describe('a line that Docker cut into pieces', () => {
  const PIECE = 16 * 1024;
  const question = '0123456789 "quoted" \\ é '.repeat(1600);
  const call = (session_id: string, content = question) => ({
    ...{ timestamp: '2026-01-13T10:00:00Z', session_id, request: { messages: [{ role: 'user', content }] } },
    response: { choices: [{ message: { role: 'assistant', content: `to ${session_id}` } }] },
  });
  function pieces(line: object, stream = 'stdout') {
    const rest = Buffer.from(`${JSON.stringify(line)}\n`);
    return Array.from({ length: Math.ceil(rest.length / PIECE) }, (_, i) => ({
      ...{
        log: rest.subarray(i * PIECE, (i + 1) * PIECE).toString(),
        stream,
        time: '2026-01-13T10:00:00.1Z',
      },
    }));
  }
  const kindsOf = (elements: readonly ReadElement[]) =>
    elements.map((one) => (one.kind === 'fate' ? one.fate : one.kind));
  const entriesOf = (elements: readonly ReadElement[]) =>
    elements.filter((one): one is Entry => one.kind === 'entry');

  it('is one call, which the last piece has', () => {
    const elements = read(...pieces(call('a')));
    expect(kindsOf(elements).sort()).toEqual(['dropped:joined-row', 'dropped:joined-row', 'entry']);
    const [entry] = entriesOf(elements);
    expect([entry?.sessionId, entry?.origin.line]).toEqual(['a', 3]);
    expect(messagesOf(entry as Entry).map(({ content }) => content)).toEqual([question, 'to a']);
  });

  it('may be among short calls, and pieces of another stream', () => {
    const [a, b] = [pieces(call('a')), pieces(call('b'), 'stderr')];
    const mixed = a.flatMap((piece, i) => [piece, b[i] as object]);
    const elements = read({ log: `${JSON.stringify(call('c', 'short'))}\n`, stream: 'stdout' }, ...mixed);
    expect(entriesOf(elements).map((one) => messagesOf(one).at(-1).content)).toEqual(
      expect.arrayContaining(['to a', 'to b', 'to c']),
    );
  });

  it('is rejected if its last piece is missing', () => {
    const entries = entriesOf(read(...pieces(call('a')).slice(0, -1)));
    expect(entries).toMatchObject([{ refused: { reason: 'context-missing' }, messages: [] }]);
  });

  it('is rejected if a line in it cannot be read', () => {
    const lines = pieces(call('a')).map((one) => JSON.stringify(one));
    const damaged = lines.map((line, i) => (i === 1 ? line.slice(0, -1) : line));
    const entries = entriesOf(readLog(calls.create(), damaged));
    expect(entries).toMatchObject([{ refused: { reason: 'context-missing' }, messages: [] }]);
  });

  it('is rejected if a character was cut in two, of which the logger kept nothing', () => {
    const before = PIECE - JSON.stringify(call('a', '')).indexOf('""') - 2;
    const elements = read(...pieces(call('a', `${'x'.repeat(before)}é${'y'.repeat(PIECE)}`)));
    expect(elements).toContainEqual(
      expect.objectContaining({ kind: 'rejection', reason: 'unknown-content' }),
    );
    expect(entriesOf(elements)).toEqual([]);
  });

  it('is dropped if it is a text of the program', () => {
    const [long] = [{ log: 'x'.repeat(PIECE), stream: 'stdout' }];
    const elements = readLog(
      calls.create(),
      [long, long, { log: 'y\n', stream: 'stdout' }].map((one) => JSON.stringify(one)),
    );
    expect(kindsOf(elements).sort()).toEqual([
      ...['dropped:client-event', 'dropped:joined-row', 'dropped:joined-row'],
    ]);
  });

  it('is rejected if it is no call, or longer than the limit', () => {
    const log = pieces({ level: 'info', dump: question });
    expect(kindsOf(read(...log)).sort()).toEqual(['dropped:joined-row', 'dropped:joined-row', 'rejection']);
    const lines = pieces(call('a')).map((one) => JSON.stringify(one));
    const elements = readLog(calls.create(undefined, { maxConversation: PIECE }), lines);
    expect(kindsOf(elements)).toContain('rejection');
    expect(entriesOf(elements)).toMatchObject([{ refused: { reason: 'context-missing' } }]);
  });
});

describe('a line of SGLang', () => {
  const line = (obj: object, out: object) => ({ event: 'request.finished', rid: 'r', obj, out });

  it.each([
    ['is a conversation in a template', line({ text: '[INST] a [/INST]' }, { text: 'b' }), 'bad-messages'],
    ['has tokens of a template', line({ text: '<｜User｜>a' }, { text: 'b' }), 'bad-messages'],
    ['ends with the turn of the model', line({ text: 'USER: a ASSISTANT:' }, { text: 'b' }), 'bad-messages'],
    ['has only tokens', line({ input_ids: [1] }, { text: 'b' }), 'bad-messages'],
    ['has the text of its tokens', line({ text: 'a', input_ids: [1] }, { text: 'b' }), 'bad-messages'],
    ['has messages', line({ messages: [{ role: 'user', content: 'a' }] }, { text: 'b' }), 'bad-messages'],
    [
      'was cut',
      line({ text: `${'a'.repeat(1024)}...${'b'.repeat(1024)}` }, { text: 'b' }),
      'unknown-content',
    ],
    [
      'was cut among characters of four bytes',
      line({ text: 'a' }, { text: `${'🐝'.repeat(1024)}...${'b'.repeat(1024)}` }),
      'unknown-content',
    ],
    ['was abbreviated', line({ text: 'a' }, { text: '<text: 9000 chars, blake2b=0a1b>' }), 'unknown-content'],
    ['has tokens as its answer', line({ text: 'a' }, { text: ['b'] }), 'unknown-content'],
    ['has no answer', line({ text: 'a' }, { output_ids: [1] }), 'unknown-content'],
    [
      'has the last piece of a stream',
      line({ text: 'a', stream: true }, { text: 'b', output_ids: [2], meta_info: { completion_tokens: 2 } }),
      'unknown-content',
    ],
  ])('is rejected if it %s', (_what, logged, reason) => {
    expect(read(logged)).toMatchObject([{ reason }]);
  });

  it('is a call if three dots are in the middle of a text that was not cut', () => {
    const text = `${'a'.repeat(1023)}...${'b'.repeat(1024)}`;
    expect(read(line({ text }, { text: 'b' }))).toMatchObject([{ kind: 'entry' }]);
  });

  it('that is the request of a client, without an id, is dropped', () => {
    const asked = { event: 'request.received.openai', obj: { messages: [{ role: 'user', content: 'a' }] } };
    expect(read(asked)).toMatchObject([{ fate: 'dropped:no-completion' }]);
  });
});

describe('rows of Azure API Management', () => {
  const row = (SequenceNumber: number, more: object) => ({ CorrelationId: 'c', SequenceNumber, ...more });
  const asked = row(1, { RequestMessages: '[{"role":"user","content":"a"}]' });

  it('are joined in the order of their numbers', () => {
    const answered = [
      row(3, { ResponseMessages: '"content":"b"}]' }),
      row(2, { ResponseMessages: '[{"role":"assistant",' }),
    ];
    const question = { role: 'user', content: 'a' };
    const elements = read(asked, ...answered);
    expect(elements.map((one) => (one.kind === 'fate' ? one.fate : one.kind)).sort()).toEqual([
      ...['dropped:joined-row', 'dropped:joined-row', 'entry'],
    ]);
    const entry = elements.find((one) => one.kind === 'entry') as Entry;
    expect(messagesOf(entry)).toEqual([question, { role: 'assistant', content: 'b' }]);
  });

  it('are rejected if one is missing', () => {
    const [entry] = read(asked, row(3, { ResponseMessages: '"content":"b"}]' })).filter(
      (one) => one.kind === 'entry',
    ) as Entry[];
    expect(entry?.refused?.reason).toBe('context-missing');
  });
});
