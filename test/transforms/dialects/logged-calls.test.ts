/** Calls as Helicone, OpenPipe and the API itself log them, in lists and inside other objects. */
import { describe, expect, it, test } from 'vitest';
import streams from '../../../transforms/dialects/streams.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { readLog } from '../log-lines.ts';
import {
  completion,
  conversations,
  dialectOf,
  entriesOf,
  messagesOf,
  metaOf,
  question,
  read,
  reply,
  tool,
} from './call-logs.ts';

describe('a chat completion without its request', () => {
  it('is a session of its own, after the supplied question', () => {
    expect(dialectOf(completion)).toBe('calls');
    const [one, two] = entriesOf(read([completion, completion], { userTurn: 'a' }));
    expect(one && messagesOf(one)).toEqual([question, reply]);
    expect(one?.sessionId).not.toBe(two?.sessionId);
    expect(one?.alone).toBe(true);
    const rules = (entry: Entry | undefined) => entry?.reply?.notes?.map(({ rule }) => rule);
    expect(rules(one)).toBeUndefined();
    expect(rules(entriesOf(read([completion]))[0])).toEqual(['no-question']);
    expect(one?.lacks).toEqual(['tools']);
    expect(metaOf(one, 'usage')).toEqual({ total_tokens: 3 });
  });

  it('may be stored with its tools, in a list', () => {
    const stored = [
      { ...completion, tools: null },
      { ...completion, tools: [tool] },
    ];
    const list = { object: 'list', data: stored, first_id: 'c', last_id: 'c', has_more: false };
    expect(dialectOf(list)).toBe('calls');
    const elements = read([list]);
    expect(elements[0]).toMatchObject({ kind: 'repair', repair: 'split-objects', count: 1 });
    expect(entriesOf(elements).map(({ tools, lacks }) => [tools.length, lacks])).toEqual([
      [0, ['tools']],
      [1, undefined],
    ]);
    expect(dialectOf({ object: 'list', data: [{ object: 'model', id: 'm' }] })).toBeUndefined();
  });
});

test('a list of an API may hold the requests of Helicone', () => {
  const row = { request_id: 'r', request_body: { messages: [question] }, response_body: completion };
  expect(dialectOf({ data: [row], error: null })).toBe('calls');
  expect(conversations({ data: [row], error: null })).toEqual([[question, reply]]);
});

describe('calls of Ollama', () => {
  const calling = (...calls: (readonly [string, object])[]): object => ({
    role: 'assistant',
    content: '',
    tool_calls: calls.map(([name, args]) => ({ function: { name, arguments: args } })),
  });
  const result = (name: string, content: string): object => ({ role: 'tool', tool_name: name, content });
  const answered = (message: object): object => ({ model: 'm', message, done: true, done_reason: 'stop' });
  const call = (id: string, name: string, json: string): object => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  });

  it('get ids, and results answer the first open call of their name', () => {
    const first = calling(['sum', { a: 1 }], ['look', {}], ['sum', { a: 2 }]);
    const history = [question, first, result('look', 'sea'), result('sum', '1'), result('sum', '2')];
    const second = calling(['look', { b: 1 }]);
    const lines = [
      { request: { messages: [question] }, response: answered(first) },
      { request: { messages: history }, response: answered(second) },
    ];
    expect(conversations(...lines)).toEqual([
      [
        question,
        {
          role: 'assistant',
          tool_calls: [
            call('call_1', 'sum', '{"a":1}'),
            call('call_2', 'look', '{}'),
            call('call_3', 'sum', '{"a":2}'),
          ],
        },
        { role: 'tool', tool_call_id: 'call_2', content: 'sea' },
        { role: 'tool', tool_call_id: 'call_1', content: '1' },
        { role: 'tool', tool_call_id: 'call_3', content: '2' },
        { role: 'assistant', tool_calls: [call('call_4', 'look', '{"b":1}')] },
      ],
    ]);
  });

  it.each([
    ['a pair', (request: object, response: object) => ({ request, response })],
    [
      'a generation of Langfuse',
      (input: object, output: object) => ({ type: 'GENERATION', traceId: 't', input, output }),
    ],
  ])('get ids as those with an empty text for one, which Gemini returned, do: %s', (_what, logged) => {
    const asked = {
      role: 'assistant',
      content: '',
      tool_calls: [call('', 'sum', '{}'), call('', 'look', '{}')],
    };
    const results = ['1', 'sea'].map((content) => ({ role: 'tool', tool_call_id: '', content }));
    const read = conversations(
      logged({ messages: [question] }, { choices: [{ message: asked }] }),
      logged({ messages: [question, asked, ...results] }, { choices: [{ message: reply }] }),
    );
    const named = [call('call_1', 'sum', '{}'), call('call_2', 'look', '{}')];
    expect(read).toMatchObject([
      [
        question,
        { role: 'assistant', tool_calls: named },
        { role: 'tool', tool_call_id: 'call_1', content: '1' },
        { role: 'tool', tool_call_id: 'call_2', content: 'sea' },
        reply,
      ],
    ]);
  });

  it('keep the ids of newer versions, and have images as parts', () => {
    const named = { ...calling(), tool_calls: [call('c', 'sum', '{}')] };
    const whole = [question, named, { role: 'tool', tool_call_id: 'c', content: '1' }];
    expect(conversations({ request: { messages: whole }, response: answered(reply) })).toEqual([
      [...whole, reply],
    ]);
    const shown = { role: 'user', content: 'Look.', images: ['iVBORw0KGgo='] };
    const image_url = { url: 'data:image/png;base64,iVBORw0KGgo=' };
    const parts = [
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url },
    ];
    const again = {
      request: { messages: [shown, reply, question] },
      response: answered(calling(['sum', {}])),
    };
    expect(conversations({ request: { messages: [shown] }, response: answered(reply) }, again)).toEqual([
      [
        { role: 'user', content: parts },
        reply,
        question,
        { role: 'assistant', tool_calls: [call('call_1', 'sum', '{}')] },
      ],
    ]);
  });
});

describe('bodies in two members', () => {
  const asked = { messages: [question] };

  it.each([
    ['of a program in JavaScript', { requestBody: asked, responseBody: completion }],
    [
      "of Cloudflare's Logpush",
      { Timestamp: '2026-01-01T00:00:00Z', RequestBody: asked, ResponseBody: completion },
    ],
    ['that are text', { RequestBody: JSON.stringify(asked), ResponseBody: JSON.stringify(completion) }],
  ])('are a call: %s', (_what, call) => {
    expect(dialectOf(call)).toBe('calls');
    expect(conversations(call)).toEqual([[question, reply]]);
  });

  it('are rejected if they are encrypted, and are no call of another API', () => {
    const sealed = { type: 'encrypted', data: 'AAAA', key: 'BBBB', iv: 'CC' };
    const call = { RequestBody: sealed, ResponseBody: sealed };
    expect(dialectOf(call)).toBe('calls');
    expect(read([call])).toMatchObject([{ kind: 'rejection', reason: 'body-elsewhere' }]);
    expect(dialectOf({ requestBody: { name: 'a' }, responseBody: { ok: true } })).toBeUndefined();
  });
});

it('rejects a call with a message of the model that names another speaker', () => {
  const reasonsOf = (sent: object, said: object) =>
    read([
      { messages: [question, sent, question], response: { choices: [{ index: 0, message: said }] } },
    ]).map((element) =>
      element.kind === 'entry' ? element.refused?.reason : 'reason' in element && element.reason,
    );
  expect(reasonsOf(reply, reply)).toEqual([undefined]);
  expect(reasonsOf({ ...reply, author: 'human' }, reply)).toEqual(['unknown-speaker']);
  expect(reasonsOf(reply, { ...reply, sender: 'human' })).toEqual(['unknown-speaker']);
});

it('says that a call has another answer under a second name', () => {
  const rulesOf = (more: object, message: object = reply) =>
    entriesOf(read([{ messages: [question], response: { choices: [{ index: 0, message }] }, ...more }])).map(
      (entry) => [messagesOf(entry).at(-1).content, entry.reply?.notes?.map(({ rule }) => rule)],
    );
  expect(rulesOf({ output: ' b\n', completion: '', choices: [] })).toEqual([['b', undefined]]);
  expect(rulesOf({ output: 'c' })).toEqual([['b', ['other-choices']]]);
  expect(rulesOf({ choices: [{ index: 0, message: { ...reply, content: 'c' } }] })).toEqual([
    ['b', ['other-choices']],
  ]);
  const parts = { ...reply, content: [{ type: 'text', text: 'b' }] };
  expect(rulesOf({ output: 'b' }, parts)).toEqual([[parts.content, undefined]]);
});

it('says that a call with a request has another answer beside the first', () => {
  const rulesOf = (more: object) =>
    entriesOf(read([{ request: { messages: [question] }, response: completion, ...more }])).flatMap(
      ({ reply: { notes = [] } = { notes: [] } }) => notes.map(({ rule }) => rule),
    );
  expect(rulesOf({ output: 'b', choices: completion.choices })).toEqual([]);
  expect(rulesOf({ output: 'c' })).toEqual(['other-choices']);
  expect(rulesOf({ choices: [{ index: 0, message: { ...reply, content: 'c' } }] })).toEqual([
    'other-choices',
  ]);
  for (const name of ['output_text', 'text', 'content', 'completion']) {
    expect(rulesOf({ response: { ...completion, [name]: 'b' } })).toEqual([]);
    expect(rulesOf({ response: { ...completion, [name]: 'c' } })).toEqual(['other-choices']);
  }
});

describe('a call with two lists of messages', () => {
  const readAs = (object: object) =>
    read([object]).map((one) =>
      one.kind === 'entry'
        ? [...one.messages, one.reply].flatMap((message) => message?.notes?.map(({ rule }) => rule) ?? [])
        : 'reason' in one && one.reason,
    );
  const other = { role: 'user', content: 'c' };
  const wrappers = (list: readonly object[]): readonly object[] => [
    { request: { messages: [question] }, messages: list, response: completion },
    { request: { messages: [question], input: list }, response: completion },
    { request: { body: { messages: [question] }, messages: list }, response: completion },
    {
      request: { contents: [{ role: 'user', parts: [{ text: 'a' }] }] },
      messages: list,
      response: completion,
    },
    { messages: [question], input: list, response: completion },
    { messages: [question], prompt: JSON.stringify(list), response: completion },
    { request_body: { messages: [question] }, messages: list, response_body: completion },
    { input: { messages: [question] }, messages: list, output: completion },
  ];

  it('is rejected if the second one says something else', () => {
    const parts = { role: 'user', content: [{ type: 'text', text: 'c' }] };
    for (const list of [[other], [question, reply, other], [parts]])
      for (const one of wrappers(list)) expect([one, ...readAs(one)]).toEqual([one, 'unknown-content']);
  });

  it('is not if it says the same, with other spaces, as parts or with the answer', () => {
    const parts = { role: 'user', content: [{ type: 'text', text: ' a' }] };
    for (const list of [[question], [parts], [question, reply], []])
      for (const one of wrappers(list)) expect(readAs(one)).toEqual([[]]);
    const system = { role: 'system', content: 's' };
    const request = { system: 's', messages: [question], max_tokens: 9 };
    expect(readAs({ request, messages: [system, question], response: completion })).toEqual([[]]);
  });
});

it.each(['user', 'tool', 'system', 'developer', 'function'])(
  'rejects a call whose answer is of the role %s, in every form',
  (role) => {
    const said = { role, content: 'b' };
    const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: said }] };
    const answers: readonly unknown[] = [
      { choices: [{ index: 0, message: said, finish_reason: 'stop' }] },
      { id: 'r', object: 'response', output: [{ type: 'message', ...said }] },
      `data: ${JSON.stringify(chunk)}\n\n`,
      said,
    ];
    for (const response of answers)
      expect(read([{ messages: [question], response }])).toMatchObject([{ reason: 'unknown-speaker' }]);
    expect(readLog(streams.create(), [JSON.stringify(chunk)])).toMatchObject([
      { kind: 'entry', messages: [], refused: { reason: 'unknown-speaker' } },
    ]);
    const loop = [reply, { role: 'tool', tool_call_id: 'c', content: 'd' }];
    expect(conversations({ messages: [question], response: loop })).toEqual([[question, ...loop]]);
  },
);

describe('an answer that a program printed into a text', () => {
  const asked = { messages: [question] };
  const http = { method: 'POST', url: 'https://x/v1/chat/completions', body: asked };
  const litellm = { call_type: 'acompletion', startTime: 1_767_225_600, status: 'success', ...asked };
  const printed = "ModelResponse(id='r', choices=[Choices(message=Message(content='b', role='assistant'))])";
  const wrappers: readonly (readonly [name: string, (response: unknown) => object])[] = [
    ['a pair', (response) => ({ ...asked, response })],
    ['a gateway', (response) => ({ request: asked, response })],
    ['LiteLLM', (response) => ({ ...litellm, response })],
    ['Helicone', (response) => ({ request_body: asked, response_body: response })],
    ['OpenPipe', (response) => ({ reqPayload: asked, respPayload: response })],
    ['HTTP', (body) => ({ request: http, response: { status: 200, body } })],
    ['choices', (choice) => ({ ...asked, response: { ...completion, choices: [choice] } })],
    ['content', (block) => ({ ...asked, response: { role: 'assistant', content: [block] } })],
  ];

  it.each(wrappers)('rejects a call of %s', (_name, wrap) => {
    for (const text of [printed, "{'choices': [{'message': {'role': 'assistant', 'content': 'b'}}]}"])
      expect(read([wrap(text)])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });

  it('is rejected in place of the messages too', () => {
    const messages = "[{'role': 'user', 'content': 'a'}]";
    const pairs = [{ ...litellm, messages, response: completion }];
    expect(read(pairs)).toMatchObject([{ kind: 'rejection', reason: 'bad-messages' }]);
  });

  it('is rejected in place of the messages if these are cut JSON', () => {
    const messages = '[{"role":"system","content":"a"},{"role":"user","cont';
    for (const cut of [{ messages }, { messages: undefined, input: messages }])
      expect(read([{ ...litellm, ...cut, response: completion }])).toMatchObject([
        { kind: 'rejection', reason: 'bad-messages' },
      ]);
    const instructions = '[{"type":"text","text":"Be br';
    const pair = { request: { model: 'm', input: 'a', instructions }, response: completion };
    expect(read([pair])).toMatchObject([{ kind: 'rejection', reason: 'bad-messages' }]);
  });

  it('is not one that a model may write', () => {
    for (const content of ["{'a': 1}", 'print(x)', '[1] b'])
      expect(conversations({ ...asked, response: content })).toEqual([
        [question, { role: 'assistant', content }],
      ]);
  });

  it('has a finding if it is JSON that was cut', () => {
    const response = '{"choices": [{"message": {"role": "assistant", "content": "b';
    const [entry] = entriesOf(read([{ ...asked, response }]));
    expect(entry?.reply).toBeUndefined();
    expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).toEqual(['stream-cut']);
  });

  it.each(['Helicone', 'OpenPipe'])('has a finding if the body of %s is any other text', (name) => {
    const wrap = wrappers.find(([one]) => one === name)?.[1];
    const [entry] = entriesOf(read([wrap?.('b') ?? {}]));
    expect(entry?.reply).toBeUndefined();
    expect(entry?.messages[0]?.notes?.map(({ rule }) => rule)).toEqual(['body-placeholder']);
  });
});

test('the tokens of a streamed answer are those that its stream names', () => {
  const chunk = (delta: object, finish_reason: string | null, more: object = {}) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', model: 'n', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
  const response = `${chunk({ role: 'assistant', content: 'b' }, null)}${chunk({}, 'stop', { usage: { total_tokens: 3 } })}data: [DONE]\n\n`;
  const [entry] = entriesOf(read([{ request: { messages: [question] }, response }]));
  expect(entry && messagesOf(entry)).toEqual([question, reply]);
  expect([metaOf(entry, 'model'), metaOf(entry, 'finish'), metaOf(entry, 'usage')]).toEqual([
    'n',
    'stop',
    { total_tokens: 3 },
  ]);
});

it('rejects a call with a system text beside its messages', () => {
  const kinds = (more: object) =>
    read([{ messages: [{ role: 'system', content: 's t' }, question], response: completion, ...more }]).map(
      ({ kind }) => kind,
    );
  expect(kinds({ instructions: 's t', system_prompt: null })).toEqual(['entry']);
  expect(kinds({ instructions: 'x y' })).toEqual(['rejection']);
  expect(kinds({ system_prompt: 'x y' })).toEqual(['rejection']);
  expect(kinds({ system_message: 'x y' })).toEqual(['rejection']);
  expect(kinds({ systemMessage: 's t' })).toEqual(['entry']);
  for (const name of ['system_content', 'preamble', 'developer', 'instruction']) {
    expect(kinds({ [name]: 'x y' }), name).toEqual(['rejection']);
    expect(kinds({ [name]: 's t' }), name).toEqual(['entry']);
  }
  for (const more of [{ developer: 'A B' }, { instruction: 'x y' }, { params: { instruction: 'x y' } }]) {
    const [beside] = read([{ request: { messages: [question] }, response: completion, ...more }]);
    expect(beside?.kind).toBe('entry');
  }
});

it('rejects a call with a template of Humanloop that its messages lack', () => {
  const kinds = (content: string, template: unknown) =>
    read([{ messages: [{ role: 'system', content }, question], output: 'b', prompt: { template } }]).map(
      ({ kind }) => kind,
    );
  for (const template of ['Keep {{what}} dry.', [{ role: 'system', content: 'Keep {{what}} dry.' }]]) {
    expect(kinds('Keep the bees dry.', template)).toEqual(['entry']);
    expect(kinds('Be brief.', template)).toEqual(['rejection']);
  }
  expect(kinds('Be brief.', [])).toEqual(['entry']);
  const others = [
    'Keep {what} dry.',
    '{# Bees #}Keep {{{what}}} dry.',
    '{% if wet %}Dry{% endif %} the bees.',
  ];
  for (const template of [...others, '{{#wet}}Dry{{/wet}} the bees.'])
    expect(kinds('Keep the bees dry.', template)).toEqual(['entry']);
});

it('rejects a call with a system text in its parameters, or beside its request, that is not in its messages', () => {
  const logged = (messages: readonly object[], more: object) =>
    read([{ messages, response: completion, ...more }]).map(({ kind }) => kind);
  const system = [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }];
  for (const place of ['model_parameters', 'parameters', 'kwargs', 'optional_params', 'params', 'extra_body'])
    for (const beside of [{ [place]: { system } }, { [place]: JSON.stringify({ system: 'Be brief' }) }]) {
      expect(logged([question], beside)).toEqual(['rejection']);
      expect(logged([{ role: 'system', content: 'Be brief' }, question], beside)).toEqual(['entry']);
    }
  expect(logged([question], { parameters: { system: 'linux', temperature: 1 } })).toEqual(['entry']);
  const [rejected] = read([{ input: [question], output: reply, system: 'Be brief' }]);
  expect(rejected).toMatchObject({ reason: 'unknown-content' });
});

it('rejects a call whose response is a single piece of a stream with a text', () => {
  const kinds = (delta: object) =>
    read([{ messages: [question], response: { choices: [{ index: 0, delta, finish_reason: 'stop' }] } }]).map(
      (one) => ('reason' in one ? one.reason : one.kind),
    );
  expect(kinds({ role: 'assistant', content: '' })).toEqual(['entry']);
  expect(kinds({ role: 'assistant', content: 'b' })).toEqual(['unknown-content']);
});

describe('a list of messages to which the program has added the answer', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const calling = (id: string) => ({ role: 'assistant', content: null, tool_calls: [call(id)] });

  it('has the answer once, with its reasoning', () => {
    const thought = { ...reply, reasoning_content: 't' };
    expect(conversations({ messages: [question, reply], response: completion })).toEqual([[question, reply]]);
    expect(conversations({ messages: [question, thought], response: 'b' })).toEqual([[question, thought]]);
    const ofCall = { choices: [{ message: calling('1') }] };
    expect(conversations({ messages: [question, calling('1')], response: ofCall })[0]).toHaveLength(2);
  });

  it('has an answer that says something else, or calls again', () => {
    const other = { role: 'assistant', content: 'c' };
    expect(conversations({ messages: [question, other], response: 'b' })).toEqual([[question, other, reply]]);
    const again = { choices: [{ message: calling('2') }] };
    expect(conversations({ messages: [question, calling('1')], response: again })[0]).toHaveLength(3);
  });
});

describe('an answer of the Messages API after a text of the model', () => {
  const asked = (content: unknown) => ({
    max_tokens: 9,
    messages: [question, { role: 'assistant', content }],
  });
  const said = (...content: readonly object[]) => ({ type: 'message', role: 'assistant', content });
  const pair = (begun: unknown, ...content: readonly object[]) => ({
    request_body: asked(begun),
    response_body: said(...content),
  });
  const words = (text: string) => ({ type: 'text', text });

  it('continues it', () => {
    const whole = [[question, { role: 'assistant', content: 'It is 12.' }]];
    expect(conversations(pair('It', words(' is 12.')))).toEqual(whole);
    expect(conversations(pair([words('It')], words(' is 12.')))).toEqual(whole);
    const [[, called] = []] = conversations(pair('It', { type: 'tool_use', id: 'c', name: 'f', input: {} }));
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    expect(called).toEqual({ role: 'assistant', content: 'It', tool_calls: [call] });
  });

  it('stays apart from one with other parts', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    expect(conversations(pair([words('It'), search], words('b')))[0]).toHaveLength(3);
  });
});

it('joins calls whose system text begins with a billing line of Claude Code, which differs', () => {
  const line = (hash: string) => `x-anthropic-billing-header: cc_version=2.1; cch=${hash};`;
  const system = { role: 'system', content: 'S' };
  const next = { role: 'user', content: 'c' };
  const last = { role: 'assistant', content: 'd' };
  const first = { role: 'system', content: `${line('a')}\nS` };
  const again = { role: 'system', content: `${line('b')}\n\nS` };
  expect(
    conversations(
      { messages: [first, question], response: 'b' },
      { messages: [again, question, reply, next], response: 'd' },
    ),
  ).toEqual([[system, question, reply, next, last]]);
  const parts = { role: 'system', content: [line('a'), 'S'].map((words) => ({ type: 'text', text: words })) };
  const [[only] = []] = conversations({ messages: [parts, question], response: 'b' });
  expect(only).toEqual({ role: 'system', content: [{ type: 'text', text: 'S' }] });
});

it('rejects a request of Gemini that names cached content', () => {
  const contents = [{ role: 'user', parts: [{ text: 'a' }] }];
  const response = { candidates: [{ content: { role: 'model', parts: [{ text: 'b' }] } }] };
  const [plain] = read([{ request: { contents }, response }]);
  const [cached] = read([{ request: { contents, config: { cachedContent: 'cachedContents/c' } }, response }]);
  expect([plain?.kind, cached]).toMatchObject(['entry', { kind: 'rejection', reason: 'body-elsewhere' }]);
});

it.each([
  [
    { text: JSON.stringify({ messages: [question] }) },
    { text: JSON.stringify({ choices: [{ message: reply }] }) },
  ],
  [
    { text: JSON.stringify({ messages: [question] }), size: 9 },
    { text: JSON.stringify({ choices: [{ message: reply }] }), size: 9 },
  ],
])('reads the texts of a HAR file without a type: %j', (postData, content) => {
  const sent = { method: 'POST', url: 'https://example.com/v1/chat/completions', postData };
  const entries = [{ request: sent, response: { status: 200, content } }];
  expect(conversations({ log: { entries } })).toEqual([[question, reply]]);
  const own = { status: 200, content: { text: '{"d":12}' } };
  expect(conversations({ log: { entries: [{ request: sent, response: own }] } })[0]).toEqual([
    question,
    { role: 'assistant', content: '{"d":12}' },
  ]);
});

it('rejects a request that names a prompt which is stored at the server', () => {
  const stored = { input: 'a', prompt: { id: 'pmpt_1', variables: { name: 'the rose garden' } } };
  const [rejection] = read([{ request: stored, response: { object: 'response', output: [] } }]);
  expect(rejection).toMatchObject({ kind: 'rejection', reason: 'body-elsewhere' });
});

it('reads pairs without a session in the order of the log, and the session of those that have one', () => {
  const at = (second: number, messages: readonly object[], content: string, more: object = {}) => ({
    ...{ timestamp: `2026-01-01T00:00:0${second}Z`, ...more, request: { messages } },
    response: { choices: [{ message: { role: 'assistant', content } }] },
  });
  const next = { role: 'user', content: 'c' };
  const lines = [at(1, [question], 'b'), at(2, [question, reply, next], 'd')];
  expect(conversations(...lines)).toEqual([[question, reply, next, { role: 'assistant', content: 'd' }]]);
  const [entry] = entriesOf(read([at(1, [question], 'b', { session_id: 's' })]));
  expect(entry).toMatchObject({ sessionId: 's', timestamp: 1_767_225_601_000_000_000n });
});

it('reads a list of messages as input, and items beside a response', () => {
  expect(conversations({ input: [question], output: 'b' })).toEqual([[question, reply]]);
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] };
  const response = { object: 'response', id: 'r', status: 'completed', input: [question], output: [said] };
  expect(conversations(response)).toEqual([[question, reply]]);
});
