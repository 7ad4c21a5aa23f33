/** Bodies of Gemini and of Converse, and requests for embeddings, in every wrapper of calls. */
import { describe, expect, it, test } from 'vitest';
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
const rulesOf = ({ messages, reply }: Entry) =>
  [...messages, ...(reply === undefined ? [] : [reply])].flatMap(({ notes = [] }) =>
    notes.map(({ rule }) => rule),
  );
const toolsOf = ({ tools }: Entry) => tools.map(({ name }) => name);

const gemini = {
  system_instruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    { role: 'user', parts: [{ text: 'How many bees?' }] },
    {
      role: 'model',
      parts: [
        { thought: true, text: 'Count.' },
        { functionCall: { name: 'count', args: { what: 'bees' } }, thoughtSignature: 'c2lnbg==' },
      ],
    },
    { role: 'function', parts: [{ functionResponse: { name: 'count', response: { bees: 7 } } }] },
  ],
  tools: [{ functionDeclarations: [{ name: 'count' }] }, { googleSearch: {} }],
};
const geminiAnswer = {
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Seven ' }, { text: 'bees.' }] }, finishReason: 'STOP' },
  ],
  usageMetadata: { totalTokenCount: 9 },
};
const chunk = (words: string, finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text: words }] }, finishReason }],
});
const geminiChunks = [chunk('Seven '), chunk('bees.', 'STOP')];
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
const converseEvents = [
  { messageStart: { role: 'assistant' } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Seven ' } } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'bees.' } } },
  { contentBlockStop: { contentBlockIndex: 0 } },
  { messageStop: { stopReason: 'end_turn' } },
  { metadata: { usage: { totalTokens: 9 } } },
];

const string = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const base64 = (value: unknown): string => Buffer.from(string(value)).toString('base64');
const sse = (events: readonly object[]): string => events.map((one) => `data: ${string(one)}\n\n`).join('');
const url = 'https://api.example/v1/models/m:generateContent';

/** Wrappers of one call. */
const WRAPPERS: Readonly<Record<string, (request: object, response: unknown) => object>> = {
  HAR: (request, response) => ({
    log: {
      entries: [
        {
          request: { method: 'POST', url, postData: { mimeType: 'application/json', text: string(request) } },
          response: { status: 200, content: { mimeType: 'application/json', text: string(response) } },
        },
      ],
    },
  }),
  'HAR in base64': (request, response) => ({
    log: {
      entries: [
        {
          request: { method: 'POST', url, postData: { text: base64(request), encoding: 'base64' } },
          response: { status: 200, content: { text: base64(response), encoding: 'base64' } },
        },
      ],
    },
  }),
  capture: (body, response) => ({
    request: { method: 'POST', url, body },
    response: { status: 200, body: response },
  }),
  cassette: (request, response) => ({
    version: 1,
    interactions: [
      {
        request: { method: 'POST', uri: url, body: { base64_string: base64(request) } },
        response: { status: { code: 200 }, body: { string: string(response) } },
      },
    ],
  }),
  gateway: (request, response) => ({ request, response }),
  'gateway with texts': (request, response) => ({ request: string(request), response: string(response) }),
  pairs: (request, response) => ({ session_id: 's', timestamp: 1_767_225_600, request, response }),
  Helicone: (request, response) => ({ request_body: request, response_body: response }),
  OpenPipe: (request, response) => ({ reqPayload: request, respPayload: response }),
  LiteLLM: (request, response) => ({
    ...{ call_type: 'pass_through', startTime: 1_767_225_600, messages: '', response },
    proxy_server_request: request,
  }),
  Kong: (request, response) => ({
    ai: { proxy: { payload: { request: string(request), response: string(response) } } },
    request: { method: 'POST', url },
    response: { status: 200 },
  }),
  Vertex: (request, response) => ({
    ...{ api_method: 'GenerateContent', full_request: request, full_response: response },
  }),
  'batch of Bedrock': (request, response) => ({
    ...{ recordId: 'r', modelInput: request, modelOutput: response },
  }),
};

const conversation = (args: string, result: string) => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'How many bees?' },
  {
    role: 'assistant',
    reasoning_content: 'Count.',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'count', arguments: args } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: result },
];

describe.each(Object.entries(WRAPPERS))('%s', (name, wrap) => {
  it.each([
    ['Gemini', gemini, geminiAnswer],
    ['Gemini, as a stream', gemini, geminiChunks],
    ['Gemini, as events', gemini, sse(geminiChunks)],
    ['Code Assist', { model: 'm', request: gemini }, { response: geminiAnswer }],
    ['Converse', converse, converseAnswer],
    ['Converse, as events', converse, converseEvents],
  ])('holds a call of %s', (_api, request, response) => {
    const entry = entryOf(wrap(request, response));
    const [system, user, call, result, answer] = messagesOf(entry);
    expect([system, user, call, result]).toEqual(conversation('{"what":"bees"}', '{"bees":7}'));
    expect(answer.role).toBe('assistant');
    const { content } = answer;
    expect(typeof content === 'string' ? content.replace('\n', '') : content).toMatch(/^Seven ?bees\.$/);
    expect(toolsOf(entry)).toEqual(['count']);
  });

  it.each([
    ['of OpenAI', { object: 'list', data: [{ embedding: [0.5] }] }],
    ['that are empty', { object: 'list', data: [] }],
    ['of Ollama', { embeddings: [[0.5]] }],
  ])('holds no conversation but embeddings %s', (_what, response) => {
    const elements = read(wrap({ model: 'e', input: 'A note on bees.' }, response));
    expect(elements).toMatchObject([{ fate: 'dropped:no-completion' }]);
  });

  it.skipIf(name === 'pairs')('rejects an answer of an unknown form', () => {
    const request = { messages: [{ role: 'user', content: 'How many bees?' }] };
    expect(read(wrap(request, { bees: 'seven' }))).toMatchObject([{ reason: 'unknown-content' }]);
  });
});

it.each([
  ['null', null],
  ['empty', {}],
  ['without choices', { choices: [] }],
  ['a choice without a message', { choices: [{ index: 0, finish_reason: 'stop' }] }],
  ['a choice whose message is null', { choices: [{ index: 0, message: null }] }],
])('an answer that is %s is no answer, and of no unknown form', (_what, response) => {
  const entry = entryOf({
    request: { messages: [{ role: 'user', content: 'a' }] },
    response: response ?? {},
  });
  expect([messagesOf(entry).length, rulesOf(entry)]).toEqual([1, []]);
});

it.each([
  ['a text', { choices: [{ message: 'b' }] }],
  ['a list', { choices: [{ message: ['b'] }] }],
  ['under another name', { reply: { role: 'assistant', content: 'b' } }],
  ['a number', 7],
])('an answer that is %s rejects its call', (_what, response) => {
  const logged = { request: { messages: [{ role: 'user', content: 'a' }] }, response };
  expect(read(logged)).toMatchObject([{ reason: 'unknown-content' }]);
});

it.each([
  ['whose API the request shows', { request: { system: 's', messages: [{ role: 'user', content: 'a' }] } }],
  [
    'that has a session',
    { session_id: 's', request: { system: 's', messages: [{ role: 'user', content: 'a' }] } },
  ],
])('rejects an unknown answer in a pair %s', (_what, pair) => {
  expect(read({ ...pair, response: { bees: 7 } })).toMatchObject([{ reason: 'unknown-content' }]);
});

test('a failed request in a batch of Vertex AI has an error', () => {
  const line = { processed_time: 't', request: { contents: 'a' }, response: {}, status: 'Bad Request' };
  expect(rulesOf(entryOf(line))).toEqual(['response-error']);
  expect(rulesOf(entryOf({ ...line, response: geminiAnswer, status: '' }))).toEqual([]);
});

test('a body of Bedrock may lie elsewhere', () => {
  const log = (output: object) => ({
    ...{ schemaType: 'ModelInvocationLog', operation: 'Converse', input: { inputBodyJson: converse } },
    output,
  });
  const path = { outputBodyS3Path: 's3://b/data/r_output.json.gz' };
  expect(read(log(path))).toMatchObject([{ reason: 'body-elsewhere' }]);
  expect(read(log({ ...path, outputBodyJson: null }))).toMatchObject([{ reason: 'body-elsewhere' }]);
  expect(messagesOf(entryOf(log({ ...path, outputBodyJson: converseAnswer }))).length).toBe(5);
  const input = { inputBodyS3Path: 's3://b/data/r_input.json.gz' };
  expect(read({ ...log({ outputBodyJson: converseAnswer }), input })).toMatchObject([
    { reason: 'body-elsewhere' },
  ]);
});

it.each([
  [
    'by Helicone',
    {
      request_body: { messages: [{ role: 'user', content: 'a' }] },
      response_body: null,
      signed_body_url: 'u',
    },
  ],
  [
    'by LiteLLM',
    {
      ...{ call_type: 'acompletion', startTime: 1, messages: [{ role: 'user', content: 'a' }] },
      ...{ response: {}, metadata: { cold_storage_object_key: 'k' } },
    },
  ],
  [
    'by a client of OpenTelemetry',
    {
      ...{ traceId: 't', spanId: 's', name: 'chat' },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"a"}]}]',
        'gen_ai.output.messages_ref': 'gs://b/o.json',
      },
    },
  ],
])('an answer may be stored elsewhere %s', (_by, logged) => {
  expect(read(logged)).toMatchObject([{ reason: 'body-elsewhere' }]);
});

describe('an answer of Gemini', () => {
  const call = (response: object) => entryOf({ request: { contents: 'How many bees?' }, response });

  it('may be blocked or cut', () => {
    const blocked = call({ promptFeedback: { blockReason: 'SAFETY' } });
    expect([messagesOf(blocked).length, rulesOf(blocked)]).toEqual([1, ['reply-filtered']]);
    const unsafe = call({ candidates: [{ finishReason: 'SAFETY' }] });
    expect([messagesOf(unsafe).length, rulesOf(unsafe)]).toEqual([1, ['reply-filtered']]);
    const content = { role: 'model', parts: [{ text: 'a', thought: 'They bloom in May.' }] };
    expect(rulesOf(call({ candidates: [{ content }] }))).toEqual(['unread-text']);
    const cut = call({ candidates: [{ ...geminiAnswer.candidates[0], finishReason: 'MAX_TOKENS' }] });
    expect([messagesOf(cut).length, rulesOf(cut)]).toEqual([2, ['reply-cut']]);
    const failed = call({ error: { code: 500, message: 'x' } });
    expect([messagesOf(failed).length, rulesOf(failed)]).toEqual([1, ['response-error']]);
  });

  it('may come from a request of another API, and an answer of another API from its request', () => {
    const question = { role: 'user', content: 'How many bees?' };
    const reply = { role: 'assistant', content: 'Seven.' };
    const converted = call({ choices: [{ message: reply, finish_reason: 'stop' }] });
    expect(messagesOf(converted)).toEqual([question, reply]);
    const raw = entryOf({ request: { messages: [question] }, response: chunk('Seven.', 'STOP') });
    expect(messagesOf(raw)).toEqual([question, reply]);
  });

  it('keeps files, code and calls of the server, and its results may have images', () => {
    const file = { fileData: { mimeType: 'video/mp4', fileUri: 'gs://b/v' } };
    const code = { executableCode: { language: 'PYTHON', code: 'print(7)' } };
    const search = { toolCall: { id: 's', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['bees'] } } };
    const found = { toolResponse: { id: 's', toolType: 'GOOGLE_SEARCH_WEB', response: { chips: '<p>' } } };
    const inlineData = { mimeType: 'image/png', data: 'aGk=' };
    const request = {
      contents: [
        { role: 'user', parts: [file, { text: 'a' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'f', response: { r: 1 }, parts: [{ inlineData }] } }],
        },
      ],
    };
    const content = { role: 'model', parts: [search, found, { text: 'b' }, code] };
    const logged = entryOf({ request, response: { candidates: [{ content, finishReason: 'STOP' }] } });
    const [asked, , result, reply] = messagesOf(logged);
    expect(asked.content).toEqual([file, { type: 'text', text: 'a' }]);
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    expect(result.content).toEqual([{ type: 'text', text: '{"r":1}' }, image]);
    expect(reply.content).toEqual([search, found, { type: 'text', text: 'b' }, code]);
    expect(rulesOf(logged)).toEqual(Array(4).fill('block-kept'));
  });

  it('whose request has a content of no known speaker is rejected', () => {
    const request = { contents: [{ role: 'narrator', parts: [{ text: 'a' }] }] };
    expect(read({ request, response: geminiAnswer })).toMatchObject([{ reason: 'bad-messages' }]);
  });
});

test('a stream of Converse may be cut in the arguments of a call, or fail', () => {
  const events = [
    { messageStart: { role: 'assistant' } },
    { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'count' } } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"what":' } } } },
  ];
  const cut = entryOf({ request: converse, response: events });
  expect(messagesOf(cut).at(-1).tool_calls[0].function.arguments).toBe('{"what":');
  expect(rulesOf(cut)).toEqual(['arguments-cut', 'stream-cut']);
  const failed = entryOf({
    request: converse,
    response: [...events.slice(0, 1), { throttlingException: { message: 'x' } }],
  });
  expect(rulesOf(failed)).toContain('response-error');
});
