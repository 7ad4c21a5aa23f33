/** Bodies of several APIs in logs of CloudWatch, SGLang and Azure API Management. */
import { describe, expect, it } from 'vitest';
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
