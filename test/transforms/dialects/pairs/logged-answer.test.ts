/** Answers under the many names that loggers give them, and texts that only look like answers. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import calls from '../../../../transforms/dialects/calls.ts';
import type { ReadElement, ReadingOptions } from '../../../../transforms/dialects/dialect.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const read = (objects: readonly object[], options: ReadingOptions = {}): readonly ReadElement[] =>
  readLog(
    calls.create(undefined, options),
    objects.map((one) => JSON.stringify(one)),
  );
const entriesIn = (elements: readonly ReadElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const all = ({ messages, reply }: Entry) => [...messages, ...(reply === undefined ? [] : [reply])];
const messagesOf = (...objects: readonly object[]) =>
  entriesIn(read(objects)).map((entry) => all(entry).map(({ bytes }) => JSON.parse(text(bytes))));
const rulesOf = (...objects: readonly object[]) =>
  entriesIn(read(objects)).map((entry) =>
    all(entry).flatMap(({ notes = [] }) => notes.map(({ rule }) => rule)),
  );

const question = { role: 'user', content: 'a' };
const reply = { role: 'assistant', content: 'b' };
const completion = {
  object: 'chat.completion',
  choices: [{ index: 0, message: reply, finish_reason: 'stop' }],
};
const chunks = ['b', ''].map((content, i) => ({
  ...{ id: 'c', object: 'chat.completion.chunk' },
  choices: [{ index: 0, delta: { content }, finish_reason: i === 0 ? null : 'stop' }],
}));
const sse = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`);
const capture = (response: object, request: object = { body: { messages: [question] } }) => ({
  request: { url: 'https://x/v1/chat/completions', method: 'POST', ...request },
  response,
});

const base64 = (bytes: Buffer): string => bytes.toString('base64');

describe('the response of logged HTTP', () => {
  test('may be compressed, also as a list of its chunks', () => {
    const packed = gzipSync(JSON.stringify(completion));
    const text = JSON.stringify([packed.subarray(0, 20), packed.subarray(20)].map(base64));
    const content = { encoding: 'base64', mimeType: 'application/json', size: text.length, text };
    expect(messagesOf(capture({ status: 200, headers: [], content }))).toEqual([[question, reply]]);
    expect(messagesOf(capture({ status: 200, body: { base64_string: base64(packed) } }))).toEqual([
      [question, reply],
    ]);
    expect(messagesOf(capture({ status: 200, body: base64(packed) }))).toEqual([[question, reply]]);
  });

  test('is not an answer if it is a list of chunks of which one is missing', () => {
    const packed = gzipSync(JSON.stringify(completion));
    const content = { encoding: 'base64', text: JSON.stringify([base64(packed.subarray(0, 40))]) };
    const logged = capture({ status: 200, headers: [], content });
    expect(messagesOf(logged)).toEqual([[question]]);
    expect(rulesOf(logged)).toEqual([['body-placeholder']]);
  });

  test.each([
    'body',
    'body_raw',
    'body_json',
    'json',
    'data',
    'content',
    'text',
    'body_text',
    'raw_body',
    'raw',
  ])('may have its body as %s: an object, or its text', (key) => {
    expect(messagesOf(capture({ status: 200, [key]: completion }))).toEqual([[question, reply]]);
    expect(messagesOf(capture({ status: 200, [key]: JSON.stringify(completion) }))).toEqual([
      [question, reply],
    ]);
  });

  test.each([
    ['a list of chunks', chunks],
    ['a list of pieces of the text', sse],
    ['a list of lines', sse.map((one) => one.trim())],
    ['a list of events with their names', chunks.map((data) => ({ event: 'chunk', data }))],
    [
      'a list of events with the text of their data',
      chunks.map((one) => ({ event: '', data: JSON.stringify(one) })),
    ],
    ['a text with a chunk on each line', chunks.map((one) => JSON.stringify(one)).join('\n')],
    ['the text in base64', Buffer.from(sse.join('')).toString('base64')],
  ])('may be a stream as %s', (_name, body) => {
    expect(messagesOf(capture({ status: 200, headers: {}, body }))).toEqual([[question, reply]]);
    expect(messagesOf(capture({ status: 200, chunks: body }))).toEqual([[question, reply]]);
  });

  test.each([
    ['a page', 200, '<html>Bad gateway</html>', 'body-placeholder'],
    ['the page of an error', 502, '<html>Bad gateway</html>', 'response-error'],
    ['packed', 200, 'H4sIAAAAAAAAA6tWKkktLlGyUlAqSSwuUaoFAFmMi+EQAAAA', 'body-placeholder'],
    ['an error in other words', 500, { detail: 'x' }, 'response-error'],
  ])('is not an answer if it is %s', (_name, status, body, rule) => {
    expect(messagesOf(capture({ status, body }))).toEqual([[question]]);
    expect(rulesOf(capture({ status, body }))).toEqual([[rule]]);
  });
});

it('a stream of another API rejects the call if its events say something', () => {
  const body = (...events: object[]) => events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
  const begun = { event_type: 'interaction.created', interaction: { id: 'i', object: 'interaction' } };
  const delta = { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'Seven bees.' } };
  const reasonOf = (...events: object[]) => read([capture({ status: 200, body: body(...events) })])[0];
  expect(reasonOf(begun, delta)).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  const pieces = ['I', ' look', ' and', ' dig.'].map((value) => ({ value }));
  expect(reasonOf(...pieces)).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  expect(reasonOf(begun, begun)).toMatchObject({ kind: 'entry' });
  const text = (response: string) => read([{ request: { messages: [question] }, response }])[0];
  expect(text(body(begun, delta))).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  for (const said of [body(delta), `${body(begun, delta)}These are its events.`])
    expect(text(said)).toMatchObject({ kind: 'entry' });
});

describe('a logged request', () => {
  it('that is not a model call is dropped; one that cannot be read is rejected', () => {
    const models = capture({ status: 200, body: { data: [] } }, { method: 'GET', body: null });
    const telemetry = capture({ status: 200, body: {} }, { body: { events: [] } });
    const lost = capture({ status: 200, body: completion }, { body: 'H4sIAAAAAAAAA6tW' });
    expect(read([lost])).toMatchObject([{ reason: 'bad-messages' }]);
    expect(read([models, telemetry])).toMatchObject([
      { fate: 'dropped:no-completion' },
      { fate: 'dropped:no-completion' },
    ]);
  });

  it('may have the path of its request in place of the address', () => {
    const sent = { method: 'POST', host: 'x', path: '/v1/chat/completions' };
    const flow = {
      request: { ...sent, content: JSON.stringify({ messages: [question] }) },
      response: { status_code: 200, content: sse.join('') },
    };
    expect(messagesOf(flow)).toEqual([[question, reply]]);
  });

  it('may lie in a cassette of VCR, with its bodies as texts', () => {
    const python = {
      request: { method: 'POST', uri: 'x', body: JSON.stringify({ messages: [question] }) },
      response: { status: { code: 200, message: 'OK' }, body: { string: JSON.stringify(completion) } },
    };
    const ruby = {
      request: {
        method: 'post',
        uri: 'x',
        body: { encoding: 'UTF-8', string: JSON.stringify({ messages: [question] }) },
      },
      response: { status: { code: 200 }, body: { encoding: 'UTF-8', string: sse.join('') } },
    };
    expect(messagesOf({ version: 1, interactions: [python] })).toEqual([[question, reply]]);
    expect(messagesOf({ http_interactions: [ruby], recorded_with: 'VCR' })).toEqual([[question, reply]]);
  });
});

describe('the answer of a simple pair', () => {
  const pair = (response: unknown) => ({ messages: [question], response });

  test.each([
    '{"output": "x", "content": 3}',
    '{"error": "none"}',
    '{"choices": ["a"]}',
    '{"content": "x", "role": "y"}',
    '[1]\n[2]',
  ])('stays the text that the model wrote: %s', (content) => {
    expect(messagesOf(pair(content))).toEqual([[question, { role: 'assistant', content }]]);
    expect(rulesOf(pair(content))).toEqual([[]]);
  });

  it('may be the JSON text of an answer of an API', () => {
    expect(messagesOf(pair(JSON.stringify(completion)))).toEqual([[question, reply]]);
    expect(messagesOf(pair(JSON.stringify(reply)))).toEqual([[question, reply]]);
    expect(rulesOf(pair(JSON.stringify({ error: { message: 'x' } })))).toEqual([['response-error']]);
  });

  it('is rejected if it is a value of another shape', () => {
    for (const value of [{ answer: 42 }, [{ answer: 42 }], 42])
      expect(read([pair(value)])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
    expect(messagesOf(pair({}))).toEqual([[question]]);
  });

  it('may not follow a result that is an object', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const input = [{ role: 'user', content: 'a' }, call];
    const pairOf = (output: unknown) => ({
      request: { model: 'm', input: [...input, { type: 'function_call_output', call_id: 'c', output }] },
      response: { object: 'response', output: [{ type: 'message', role: 'assistant', content: 'b' }] },
    });
    expect(read([pairOf('x')])).toMatchObject([{ kind: 'entry' }]);
    expect(read([pairOf({ spy: 'x' })])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });

  it('may have calls in the words of another API', () => {
    const call = (args: string) => [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }];
    const flat = { content: 'b', tool_calls: [{ id: 'c', name: 'f', arguments: { x: 1 } }] };
    const blocks = {
      content: [
        { type: 'text', text: 'b' },
        { type: 'tool_use', id: 'c', name: 'f', input: { x: 1 } },
      ],
    };
    for (const logged of [flat, { role: 'assistant', ...flat }, blocks])
      expect(messagesOf(pair(logged))).toEqual([[question, { ...reply, tool_calls: call('{"x":1}') }]]);
    const plain = { content: 'b' };
    expect(messagesOf(pair(plain))).toEqual([[question, reply]]);
    const before = { role: 'assistant', ...flat };
    const history = [question, before, { role: 'tool', tool_call_id: 'c', content: 'r' }];
    const [read] = messagesOf({ messages: history, response: 'b' });
    expect(read?.[1]).toEqual({ role: 'assistant', content: 'b', tool_calls: call('{"x":1}') });
  });

  it.each(['text', 'output_text', 'completion'])('may be an object with the member %s', (key) => {
    expect(messagesOf(pair({ [key]: 'b', usage: {} }))).toEqual([[question, reply]]);
    expect(messagesOf(pair({ role: 'assistant', [key]: 'b' }))).toEqual([[question, reply]]);
  });

  it('may be missing beside an error', () => {
    expect(rulesOf({ messages: [question], response: null, error: 'x' })).toEqual([['response-error']]);
  });

  it('of a call that failed is reported', () => {
    for (const failed of [
      { messages: [question], response: 'b', error: 'Connection reset by peer' },
      { request: { messages: [question] }, response: completion, error: { message: 'Connection reset' } },
      { request_body: { messages: [question] }, response_body: completion, response_status: -3 },
      { request: { input: 'a' }, response: { status: 'failed', output: [{ type: 'message', ...reply }] } },
    ])
      expect([messagesOf(failed), rulesOf(failed)]).toEqual([[[question, reply]], [['response-error']]]);
  });

  it.each([
    ['abort', 'reply-cut'],
    ['MAX_TOKENS', 'reply-cut'],
    ['sensitive', 'reply-filtered'],
    ['insufficient_system_resource', 'response-error'],
    ['pause_turn', 'reply-cut'],
    ['FinishReason.MAX_TOKENS', 'reply-cut'],
    ['contentFiltered', 'reply-filtered'],
    ['cancelled_by_policy', 'unknown-stop'],
    ['other', 'unknown-stop'],
  ])('that ended with the reason %s has the finding %s', (finish_reason, rule) => {
    expect(rulesOf(pair({ choices: [{ message: reply, finish_reason }] }))).toEqual([[rule]]);
    const body = { contents: [{ parts: [{ text: 'a' }] }] };
    const candidates = [{ content: { role: 'model', parts: [{ text: 'b' }] }, finishReason: finish_reason }];
    expect(rulesOf({ request: body, response: { candidates } })).toEqual([[rule]]);
  });

  it.each([
    [1, []],
    [2, ['reply-cut']],
    [3, ['reply-filtered']],
    [9, ['unknown-stop']],
  ])('may end with a number, as the older client of Gemini prints it: %d', (finish_reason, rules) => {
    const candidates = [{ content: { role: 'model', parts: [{ text: 'b' }] }, finish_reason }];
    const call = { request: { contents: [{ parts: [{ text: 'a' }] }] }, response: { candidates } };
    expect(rulesOf(call)).toEqual([rules]);
  });

  it.each([
    ...['stop', 'end_turn', 'endTurn', 'toolUse', 'tool-calls', 'COMPLETE', 'FINISH_REASON_UNSPECIFIED'],
    ...['FinishReason.STOP', '<|im_end|>', '[REDACTED]', ''],
  ])('that ended with the reason "%s" has no finding', (finish_reason) => {
    expect(rulesOf(pair({ choices: [{ message: reply, finish_reason }] }))).toEqual([[]]);
  });

  it.each([
    [{ applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 2 }] }, ['context-cut']],
    [{ applied_edits: [{ type: 'clear_thinking_20251015', cleared_thinking_turns: 1 }] }, []],
    [{ applied_edits: [] }, []],
    [null, []],
  ])('says which results the API took out of the context: %j', (context_management, rules) => {
    const message = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'b' }] };
    expect(rulesOf(pair({ ...message, context_management }))).toEqual([rules]);
    const events = [
      { type: 'message_start', message: { ...message, content: [] } },
      { type: 'content_block_start', index: 0, content_block: message.content[0] },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, context_management },
      { type: 'message_stop' },
    ];
    const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    expect(rulesOf(pair(stream))).toEqual([rules]);
  });

  it.each(['cancelled', 'incomplete'])('with the status %s is reported as cut', (status) => {
    const response = { status, incomplete_details: null, output: [{ type: 'message', ...reply }] };
    expect(rulesOf({ request: { input: 'a' }, response })).toEqual([['reply-cut']]);
  });

  it('may be the first of several texts', () => {
    expect(messagesOf(pair(['b', 'c']))).toEqual([[question, reply]]);
    expect(rulesOf(pair(['b', 'c']))).toEqual([['other-choices']]);
  });

  it('may be the messages of a whole loop, also with those of the request in front', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const loop = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      reply,
    ];
    for (const output of [loop, [question, ...loop], { messages: [question, ...loop] }])
      expect(messagesOf({ messages: [question], output })).toEqual([[question, ...loop]]);
  });
});

it('a choice that has its message under an unknown name is not an empty answer', () => {
  const choice = { index: 0, finish_reason: 'stop' };
  const pair = (more: object) => ({ messages: [question], response: { choices: [{ ...choice, ...more }] } });
  expect(read([pair({ odd: reply })])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  expect(messagesOf(pair({}))).toEqual([[question]]);
});

describe('an answer that was logged as the text of a list', () => {
  const text = 'b';
  it.each<[string, readonly object[]]>([
    ['messages', [reply]],
    ['choices', completion.choices],
    ['blocks', [{ type: 'text', text }]],
    ['items', [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]],
  ])('is read: %s', (_kind, list) => {
    for (const response of [list, JSON.stringify(list)])
      expect(messagesOf({ messages: [question], response })).toEqual([[question, reply]]);
  });

  it('has calls in the words of any API', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    for (const one of [
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
      { type: 'tool_call', id: 'c', name: 'f', arguments: {}, raw_name: 'f', raw_arguments: '{}' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} },
      { role: 'assistant', content: null, tool_calls: [call] },
    ])
      for (const response of [[one], JSON.stringify([one])])
        expect(messagesOf({ messages: [question], response })).toMatchObject([
          [question, { role: 'assistant', tool_calls: [call] }],
        ]);
  });

  it.each<[string, unknown]>([
    ['parts of Converse', [{ text }, { toolUse: { toolUseId: 'c', name: 'f', input: {} } }]],
    ['parts of Gemini', [{ text }, { functionCall: { name: 'f', args: {} } }]],
    ['a content of Gemini', { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }],
    ['calls alone', [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]],
    [
      'thoughts of TensorZero',
      [
        { type: 'thought', text: 'x' },
        { type: 'text', text },
      ],
    ],
    ['messages of OpenTelemetry', [{ role: 'assistant', parts: [{ type: 'text', content: text }] }]],
    ['a message of LangChain', { type: 'ai', data: { content: text } }],
    ['generations of LangChain', { generations: [[{ text, message: { type: 'ai', content: text } }]] }],
  ])('is rejected if it is an answer in a form that is not read: %s', (_kind, answer) => {
    for (const response of [answer, JSON.stringify(answer)])
      expect(read([{ messages: [question], response }])).toMatchObject([{ kind: 'rejection' }]);
  });

  it.each([
    [[{ text: 'b' }]],
    [[{ type: 'text', text: 'b', bold: true }]],
    [[{ role: 'admin', content: 'b' }]],
    [[reply, { name: 'Ada' }]],
    [['b']],
    [[]],
  ])('stays a text if the model may have written it: %j', (list) => {
    const content = JSON.stringify(list);
    expect(messagesOf({ messages: [question], response: content })).toEqual([
      [question, { role: 'assistant', content }],
    ]);
  });
});

it('an answer of the first API of Cohere may have its sources beside its text', () => {
  const citations = [{ start: 0, end: 1, text: 'the one', document_ids: ['doc_0'] }];
  const search_queries = [{ text: 'What is the one?', generation_id: 'g' }];
  const answer = { text: 'b', generation_id: 'g', citations, search_queries, chat_history: [] };
  expect(messagesOf({ messages: [question], response: answer })).toEqual([[question, reply]]);
});

describe('a result of the AI SDK', () => {
  const called = { type: 'tool-call', toolCallId: 'c', toolName: 'f', args: { x: 1 } };
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };
  const step = { text: 'b', toolCalls: [], toolResults: [] };
  const messages = [{ role: 'assistant', content: [{ type: 'text', text: 'b' }] }];
  const result = { ...step, finishReason: 'stop', steps: [step], request: { body: '{}' } };
  const answered = (response: object) => ({ messages: [question], response });

  it('is its text and its calls', () => {
    expect(messagesOf(answered({ ...result, response: { id: 'r', messages } }))).toEqual([[question, reply]]);
    for (const text of ['b', '']) {
      const said = text === '' ? { role: 'assistant' } : reply;
      expect(messagesOf(answered({ ...step, text, toolCalls: [called] }))).toEqual([
        [question, { ...said, tool_calls: [call] }],
      ]);
    }
    expect(rulesOf(answered({ ...result, finishReason: 'length' }))).toEqual([['reply-cut']]);
  });

  it('is rejected if it has earlier steps, or calls under another name', () => {
    const steps = [{ text: '', toolCalls: [called], toolResults: [{ ...called, result: 'r' }] }, step];
    const response = { messages: [...messages, ...messages] };
    const content = messages[0]?.content;
    for (const more of [{ steps }, { response }, { content, steps }, { calls: [called] }])
      expect(read([answered({ ...result, ...more })])).toMatchObject([
        { kind: 'rejection', reason: 'unknown-content' },
      ]);
  });
});

describe('a response of the Responses API whose request was logged without its parameters', () => {
  const tool = { type: 'function', name: 'f', parameters: { type: 'object' } };
  const response = {
    ...{ id: 'r', object: 'response', status: 'completed', instructions: 's', tools: [tool] },
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] }],
  };
  const toolsOf = (object: object) =>
    entriesIn(read([object])).map(({ tools }) => ('kind' in tools ? tools : tools.map(({ name }) => name)));

  it.each<[string, object]>([
    ['input and output', { input: [question], output: response }],
    ['both as texts', { input: JSON.stringify([question]), output: JSON.stringify(response) }],
    ['request and response', { request: { model: 'm', input: 'a' }, response }],
  ])('has its system text and its tools: %s', (_name, pair) => {
    expect(messagesOf(pair)).toEqual([[{ role: 'system', content: 's' }, question, reply]]);
    expect(toolsOf(pair)).toEqual([['f']]);
  });

  it('has those of the request if it has any, and no system text twice', () => {
    const own = { model: 'm', input: 'a', instructions: 'own', tools: [{ ...tool, name: 'g' }] };
    expect(messagesOf({ request: own, response })).toEqual([
      [{ role: 'system', content: 'own' }, question, reply],
    ]);
    expect(toolsOf({ request: own, response })).toEqual([['g']]);
    const input = [{ role: 'system', content: 's' }, question];
    expect(messagesOf({ input, output: response })).toEqual([[...input, reply]]);
    const none = { ...response, instructions: null, tools: [] };
    expect(messagesOf({ request: { model: 'm', input: 'a' }, response: none })).toEqual([[question, reply]]);
  });
});

describe('an answer of Ollama', () => {
  const line = (message: object, done: boolean) => ({ model: 'm', created_at: '2026', message, done });
  const lines = [
    line({ role: 'assistant', content: '', thinking: 't' }, false),
    line({ role: 'assistant', content: 'b' }, false),
    line(
      { role: 'assistant', content: 'c', tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }] },
      false,
    ),
    { ...line({ role: 'assistant', content: '' }, true), done_reason: 'stop' },
  ];
  const joined = {
    ...{ role: 'assistant', content: 'bc', reasoning_content: 't' },
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
  };

  it('may be a stream, as a list or one object per line', () => {
    expect(messagesOf(capture({ body: lines }))).toEqual([[question, joined]]);
    const body_raw = lines.map((one) => JSON.stringify(one)).join('\n');
    expect(messagesOf(capture({ body_raw }))).toEqual([[question, joined]]);
  });

  it('may belong to a prompt', () => {
    const request = { body: { model: 'm', system: 's', prompt: 'a' } };
    const body = { model: 'm', response: 'b', done: true };
    expect(messagesOf(capture({ body }, request))).toEqual([
      [{ role: 'system', content: 's' }, question, reply],
    ]);
    const body_raw = '{"response":"","done":false}\n{"response":"b","done":true}';
    expect(messagesOf(capture({ body_raw }, request))).toEqual([
      [{ role: 'system', content: 's' }, question, reply],
    ]);
  });

  it('has its reasoning, and says that it was cut', () => {
    const asked = { body: { model: 'm', prompt: 'a' } };
    const body = { response: 'b', thinking: 't', done: true, done_reason: 'stop' };
    const thought = { ...reply, reasoning_content: 't' };
    expect(messagesOf(capture({ body }, asked))).toEqual([[question, thought]]);
    const body_raw = '{"response":"","thinking":"t","done":false}\n{"response":"b","done":true}';
    expect(messagesOf(capture({ body_raw }, asked))).toEqual([[question, thought]]);
    const message = { model: 'm', message: reply, done: true };
    for (const [answer, rules] of [
      [{ ...body, done_reason: 'length' }, ['reply-cut']],
      [{ ...message, done_reason: 'length' }, ['reply-cut']],
      [{ ...body, done: false }, ['stream-cut']],
      [body, []],
      [message, []],
    ])
      expect(rulesOf(capture({ body: answer }, asked))).toEqual([rules]);
  });

  it('may belong to a prompt with images', () => {
    const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB';
    const body = { response: 'b', done: true };
    const url = `data:image/png;base64,${image}`;
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url } },
    ];
    const asked = (images: readonly unknown[]) => capture({ body }, { body: { prompt: 'a', images } });
    expect(messagesOf(asked([image]))).toEqual([[{ role: 'user', content }, reply]]);
    expect(messagesOf(asked([]))).toEqual([[question, reply]]);
    for (const odd of ['hello', 7])
      expect(read([asked([odd])])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });

  it.each([{ suffix: 'c' }, { raw: true }, { echo: true }])(
    'is refused if it completes its prompt: %j',
    (more) => {
      const body = { response: 'b', done: true };
      const asked = capture({ body }, { body: { model: 'm', prompt: 'a', ...more } });
      expect(read([asked])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
      const none = { suffix: '', raw: false, echo: null };
      expect(messagesOf(capture({ body }, { body: { model: 'm', prompt: 'a', ...none } }))).toEqual([
        [question, reply],
      ]);
    },
  );

  it('is refused if a chat template wrote its prompt', () => {
    const prompt = '<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n';
    const asked = capture({ body: { response: 'b', done: true } }, { body: { model: 'm', prompt } });
    expect(read([asked])).toMatchObject([{ kind: 'rejection', reason: 'bad-messages' }]);
  });

  it('is refused if its prompt continues a conversation that only the server has', () => {
    const body = { response: 'b', done: true };
    const messagesAfter = (parent_message_uuid: string) =>
      messagesOf(capture({ body }, { body: { prompt: 'a', parent_message_uuid } }));
    expect(messagesAfter('00000000-0000-4000-8000-000000000000')).toEqual([[question, reply]]);
    expect(messagesAfter('019a77c0-0000-7000-8000-000000000000')).toEqual([]);
    const messagesIn = (context: readonly number[]) =>
      messagesOf(capture({ body }, { body: { model: 'm', prompt: 'a', context } }));
    expect(messagesIn([])).toEqual([[question, reply]]);
    expect(messagesIn([128_006, 882])).toEqual([]);
  });
});

test.each([
  [{ stop_type: 'limit' }, ['reply-cut']],
  [{ stopped_limit: true }, ['reply-cut']],
  [{ stop_type: 'eos', stopped_limit: false }, []],
])('an answer of the server of llama.cpp is its text alone: %j', (more, rules) => {
  const body = {
    content: 'b',
    stop: true,
    model: 'm',
    generation_settings: { prompt: 'Be brief.' },
    ...more,
  };
  const call = capture({ body }, { body: { prompt: 'a' } });
  expect([messagesOf(call), rulesOf(call)]).toEqual([[[question, reply]], [rules]]);
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
  const called = capture({ body: { content: 'b', stop: true, tool_calls } }, { body: { prompt: 'a' } });
  expect(messagesOf(called)[0]?.[1]).toMatchObject({ content: 'b', tool_calls });
});

test('a stream that was logged as text in an object of Helicone is an answer', () => {
  for (const streamed_data of [sse.join(''), chunks])
    expect(messagesOf({ request_body: { messages: [question] }, response_body: { streamed_data } })).toEqual([
      [question, reply],
    ]);
});

test('the lines of a stream in a list are an answer, also without the empty ones', () => {
  const lines = sse.join('').split('\n');
  for (const sse_lines of [lines, lines.filter((line) => line !== '')])
    for (const more of [{}, { stream: true }, { status_code: 200, stream: true }])
      expect(messagesOf({ request: { messages: [question] }, response: { ...more, sse_lines } })).toEqual([
        [question, reply],
      ]);
});

test('a stream of a completion has all its pieces', () => {
  const texts = Array.from({ length: 40 }, (_, i) => ({
    object: 'text_completion',
    choices: [{ text: `${i} ` }],
  }));
  const content = Array.from({ length: 40 }, (_, i) => `${i} `).join('');
  for (const response of [texts, texts.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')])
    expect(messagesOf({ messages: [question], response })[0]?.[1]).toEqual({ role: 'assistant', content });
});

describe('a call that has only a name', () => {
  const bare = { id: 'c', index: 0, type: 'function', function: { name: 'f' } };
  const answer = (call: object, finish_reason = 'tool_calls') => ({
    ...{ request: { messages: [question] } },
    response: {
      choices: [{ finish_reason, message: { role: 'assistant', content: '', tool_calls: [call] } }],
    },
  });
  const piece = (delta: object, finish_reason: string | null = null) => ({
    ...{ id: 'g', object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, finish_reason }],
  });
  const called = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

  it('has empty arguments in an answer that ends with calls', () => {
    expect(messagesOf(answer(bare))[0]?.[1]).toMatchObject({ content: '', tool_calls: [called] });
  });

  it('has them in the next request too, which continues the answer', () => {
    const messages = [
      ...[question, { role: 'assistant', content: '', tool_calls: [bare] }],
      { role: 'tool', tool_call_id: 'c', content: 'r' },
    ];
    const log = [
      { ...answer(bare), session_id: 's' },
      { request: { messages }, response: completion, session_id: 's' },
    ];
    const [first, ...others] = messagesOf(...log);
    expect(others).toEqual([]);
    expect(first?.[1]).toMatchObject({ tool_calls: [called] });
  });

  it('has empty arguments in a stream that ends with calls', () => {
    const other = { index: 1, id: 'd', function: { name: 'g', arguments: '{"n":1}' } };
    const pieces = [piece({ tool_calls: [bare] }), piece({ tool_calls: [other] }), piece({}, 'tool_calls')];
    const response = pieces.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
    const [messages] = messagesOf({ request: { messages: [question] }, response });
    expect(messages?.[1].tool_calls).toMatchObject([called, { id: 'd' }]);
  });

  it.each([
    ['in an answer that ends otherwise', answer(bare, 'stop')],
    ['beside words', answer({ ...bare, words: 'b c' })],
    ['in a function with words', answer({ ...bare, function: { name: 'f', words: 'b c' } })],
  ])('is rejected %s', (_where, logged) => {
    expect(read([logged])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });
});
