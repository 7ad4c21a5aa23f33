/** Tools and system texts of requests, in the words of each API and in the places where each logger puts them. */
import { describe, expect, it } from 'vitest';
import anthropic from '../../../transforms/dialects/anthropic.ts';
import calls from '../../../transforms/dialects/calls.ts';
import type { Dialect } from '../../../transforms/dialects/dialect.ts';
import exchange from '../../../transforms/dialects/exchange.ts';
import messages from '../../../transforms/dialects/messages.ts';
import responses from '../../../transforms/dialects/responses.ts';
import runs from '../../../transforms/dialects/runs.ts';
import spans from '../../../transforms/dialects/spans.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const user = { role: 'user', content: 'a' };
const answer = { role: 'assistant', content: 'b' };
const parameters = { type: 'object', properties: { p: { type: 'string' } } };
const [f, g] = ['f', 'g'].map((name) => ({ name, description: 'd', parameters })) as [object, object];
const choices = [{ message: answer }];

/** The dialect of a log, and the object that it logs with these members of the request. */
type Logger = readonly [dialect: Dialect, log: (members: object) => object];

const inSpan = (attributes: object): object => ({ traceId: 't', spanId: 's', name: 'c', attributes });
const openInference = (input: object, others: object): object =>
  inSpan({
    'openinference.span.kind': 'LLM',
    'input.value': JSON.stringify(input),
    'output.value': JSON.stringify({ choices }),
    ...others,
  });
const braintrust = { span_attributes: { type: 'llm' }, root_span_id: 'r', input: [user], output: choices };
const opik = { trace_id: 't', type: 'llm', input: { messages: [user] }, output: { choices } };
const liteLlm = { call_type: 'acompletion', startTime: 1, messages: [user], response: { choices } };
const langSmith = {
  id: 'r',
  trace_id: 't',
  run_type: 'llm',
  inputs: { messages: [user] },
  outputs: { choices },
};

const placed = { session_id: 's', timestamp: 1 };
const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] };

const LOGGERS: readonly (readonly [name: string, ...logger: Logger])[] = [
  ['a pair', calls, (more) => ({ request: { messages: [user], ...more }, response: { choices } })],
  [
    'a pair, beside the request',
    calls,
    (more) => ({ request: { messages: [user] }, response: { choices }, ...more }),
  ],
  [
    'the Responses API',
    responses,
    (more) => ({ request: { input: 'a', ...more }, response: { object: 'response', output: [item] } }),
  ],
  ['LiteLLM', calls, (more) => ({ ...liteLlm, model_parameters: more })],
  ['OpenInference, with the request', spans, (more) => openInference({ messages: [user], ...more }, {})],
  [
    'OpenInference, with the parameters',
    spans,
    (more) => openInference({ messages: [user] }, { 'llm.invocation_parameters': JSON.stringify(more) }),
  ],
  [
    'MLflow',
    spans,
    (more) =>
      inSpan({
        'mlflow.spanType': 'CHAT_MODEL',
        'mlflow.spanInputs': JSON.stringify({ messages: [user], ...more }),
        'mlflow.spanOutputs': JSON.stringify({ choices }),
      }),
  ],
  [
    'Langfuse',
    spans,
    (more) => ({
      id: 'o',
      traceId: 't',
      type: 'GENERATION',
      input: { messages: [user], ...more },
      output: answer,
    }),
  ],
  ['LangSmith', spans, (more) => ({ ...langSmith, extra: { invocation_params: more } })],
  ['Braintrust', spans, (more) => ({ ...braintrust, metadata: more })],
  ['Opik', spans, (more) => ({ ...opik, metadata: more })],
];

const entryOf = (dialect: Dialect, object: object) => {
  const [entry] = readLog(dialect.create(), [JSON.stringify(object)]);
  return entry?.kind === 'entry' ? entry : undefined;
};
const toolsOf =
  (...[dialect, log]: Logger) =>
  (members: object): unknown =>
    entryOf(dialect, log(members))?.tools.map(({ bytes }) => JSON.parse(text(bytes)));
const textsOf =
  (...[dialect, log]: Logger) =>
  (members: object): unknown => {
    const entry = entryOf(dialect, log(members));
    return (
      entry &&
      [...entry.messages, ...(entry.reply ? [entry.reply] : [])].map(({ bytes }) => JSON.parse(text(bytes)))
    );
  };

const { parameters: _parameters, ...bare } = f as { parameters: object };
/** The tools `f` and `g` as each API has them. */
const FORMS: readonly (readonly [api: string, tools: object])[] = [
  ['chat completions', [f, g].map((one) => ({ type: 'function', function: one }))],
  ['the Responses API', [f, g].map((one) => ({ type: 'function', ...one }))],
  ['the Messages API', ['f', 'g'].map((name) => ({ name, description: 'd', input_schema: parameters }))],
  [
    'the Messages API, with types',
    ['f', 'g'].map((name) => ({ type: 'custom', name, description: 'd', input_schema: parameters })),
  ],
  ['MCP', ['f', 'g'].map((name) => ({ name, description: 'd', inputSchema: parameters }))],
  ['Gemini', [{ functionDeclarations: [f, g] }]],
  ['Gemini in Python', [{ function_declarations: [f] }, { function_declarations: [g] }]],
  [
    'Converse',
    ['f', 'g'].map((name) => ({ toolSpec: { name, description: 'd', inputSchema: { json: parameters } } })),
  ],
  [
    'the AI SDK',
    ['f', 'g'].map((name) => ({ name, description: 'd', parameters: { jsonSchema: parameters } })),
  ],
];

describe.each(LOGGERS)('tools in %s', (_name, ...logger) => {
  it.each(FORMS)('are read in the words of %s', (_api, tools) => {
    expect(toolsOf(...logger)({ tools })).toEqual([f, g]);
  });

  it('may be an object with a definition for each name', () => {
    const { name: _name, ...unnamed } = f as { name: string };
    for (const others of [{}, { count: 1, more: null }])
      expect(toolsOf(...logger)({ tools: { f: unnamed, ...others } })).toEqual([{ ...unnamed, name: 'f' }]);
  });

  it('are none if the object has no definitions, or the members of one without a name', () => {
    for (const tools of [
      { a: { x: 1 }, b: { y: 2 } },
      { description: 'd', parameters },
      { p: { type: 'string' } },
    ])
      expect(toolsOf(...logger)({ tools }) ?? []).toEqual([]);
  });

  it('may be under the older name, also beside an empty list', () => {
    expect(toolsOf(...logger)({ functions: [f, g] })).toEqual([f, g]);
    expect(toolsOf(...logger)({ tools: [], functions: [f, g] })).toEqual([f, g]);
  });

  it.each(['available_tools', 'gen_ai.request.tools'])('may be under the name %s', (name) => {
    expect(toolsOf(...logger)({ [name]: [f, g] })).toEqual([f, g]);
    expect(toolsOf(...logger)({ [name]: ['f', 'g'] })).toEqual([]);
  });

  it.each(['extra_body', 'kwargs', 'invocation_params'])('may be in %s', (place) => {
    expect(toolsOf(...logger)({ [place]: { tools: [f, g] } })).toEqual([f, g]);
    expect(toolsOf(...logger)({ [place]: JSON.stringify({ tools: [f, g] }) })).toEqual([f, g]);
  });
});

describe.each<[dialect: Dialect, response: object]>([
  [exchange, { choices }],
  [anthropic, { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'b' }] }],
])('tools in a second place of a pair of $name', (dialect, response) => {
  const request = { messages: [user] };

  it.each(['functions', 'available_tools', 'gen_ai.request.tools'])('may be under the name %s', (name) => {
    const inRequest = (more: object) => ({ ...placed, request: { ...request, ...more }, response });
    const beside = (more: object) => ({ ...placed, request, response, ...more });
    for (const log of [inRequest, beside])
      for (const empty of [{}, { tools: [] }, { tools: null }])
        expect(toolsOf(dialect, log)({ ...empty, [name]: [f] })).toEqual([f]);
  });

  it.each(['extra_body', 'kwargs', 'invocation_params'])('may be in %s', (place) => {
    const log = (more: object) => ({ ...placed, request: { ...request, ...more }, response });
    expect(toolsOf(dialect, log)({ [place]: { tools: [f] } })).toEqual([f]);
    expect(toolsOf(dialect, log)({ [place]: { tools: [f] }, tools: [g] })).toEqual([g]);
  });
});

describe('tools', () => {
  const conversation: Logger = [messages, (more) => ({ messages: [user, answer], ...more })];

  it.each(FORMS)('of a conversation are read in the words of %s', (_api, tools) => {
    expect(toolsOf(...conversation)({ tools })).toEqual([f, g]);
  });

  const pair = (LOGGERS[0] as (typeof LOGGERS)[0]).slice(1) as unknown as Logger;

  it('that are no definitions of other APIs stay as they are', () => {
    const custom = { type: 'custom', name: 'patch', format: { type: 'text' } };
    const tools = [{ type: 'web_search' }, bare, custom, { type: 'custom', custom }];
    expect(toolsOf(...pair)({ tools })).toEqual(tools);
  });

  it('in an object without a definition are rejected', () => {
    const line = JSON.stringify(pair[1]({ tools: { error: 'not logged' } }));
    expect(readLog(pair[0].create(), [line])).toMatchObject([{ kind: 'rejection', reason: 'bad-tools' }]);
    expect(toolsOf(...pair)({ tools: {} })).toEqual([]);
  });

  it('are those of a response that was logged alone', () => {
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] }];
    const log = (more: object): object => ({ object: 'response', id: 'r', output, ...more });
    expect(toolsOf(responses, log)({ tools: [{ type: 'function', ...f }] })).toEqual([f]);
  });

  it.each<[client: string, found: readonly object[], base: object, tools: object]>([
    [
      'MLflow',
      [f],
      {
        'mlflow.spanType': 'CHAT_MODEL',
        'mlflow.spanInputs': JSON.stringify({ messages: [user] }),
        'mlflow.spanOutputs': JSON.stringify({ choices }),
      },
      { 'mlflow.chat.tools': JSON.stringify([{ type: 'function', function: f }]) },
    ],
    [
      'the AI SDK, with an attribute for each',
      [f, g],
      {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.prompt.messages': JSON.stringify([user]),
        'ai.response.text': 'b',
      },
      { 'ai.prompt.tools.0': JSON.stringify(f), 'ai.prompt.tools.1': JSON.stringify(g) },
    ],
    [
      'OpenLLMetry',
      [f],
      {
        'llm.request.type': 'chat',
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': 'a',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'b',
      },
      { 'gen_ai.tool.definitions': JSON.stringify([f]) },
    ],
    [
      'OpenInference, which have more than those of OpenTelemetry',
      [f],
      {
        'openinference.span.kind': 'LLM',
        'input.value': JSON.stringify({ messages: [user] }),
        'output.value': JSON.stringify({ choices }),
        'llm.tools.0.tool.json_schema': JSON.stringify({ type: 'function', function: f }),
      },
      { 'gen_ai.tool.definitions': JSON.stringify([{ type: 'function', name: 'f' }]) },
    ],
    [
      'OpenTelemetry',
      [f, g],
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'a' }] }]),
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: 'b' }] },
        ]),
      },
      { 'gen_ai.request.tools': JSON.stringify([f, g]) },
    ],
    [
      'OpenInference',
      [f, g],
      {
        'openinference.span.kind': 'LLM',
        'input.value': JSON.stringify({ messages: [user] }),
        'output.value': JSON.stringify({ choices }),
      },
      { 'llm.tools.0.tool.json_schema': JSON.stringify({ functionDeclarations: [f, g] }) },
    ],
  ])('may be in attributes of %s', (_client, found, base, tools) => {
    expect(toolsOf(spans, inSpan)({ ...base, ...tools })).toEqual(found);
  });
});

describe('a call in the first form beside others', () => {
  const call = (name: string, args: string) => ({
    id: 'c',
    type: 'function',
    function: { name, arguments: args },
  });
  const old = (name: string, args: string) => ({ ...answer, function_call: { name, arguments: args } });
  const result = { role: 'tool', tool_call_id: 'c', content: 'r' };
  const logs = (message: object): readonly (readonly [Dialect, readonly object[]])[] => [
    [spans, [{ id: 'o', traceId: 't', type: 'GENERATION', input: [user, message, result], output: answer }]],
    [runs, [user, message, result, answer]],
  ];
  const namesIn = ([dialect, lines]: readonly [Dialect, readonly object[]]) => {
    const entries = readLog(
      dialect.create(),
      lines.map((line) => JSON.stringify(line)),
    );
    const last = entries.findLast((one) => one.kind === 'entry');
    const [, called] = last?.kind === 'entry' ? last.messages : [];
    const read = called && JSON.parse(text(called.bytes));
    return read?.tool_calls.map((one: { function: { name: string } }) => one.function.name);
  };

  it('is a call too, unless it is the same', () => {
    for (const log of logs({ ...old('g', '{"p":2}'), tool_calls: [call('f', '{"p":1}')] }))
      expect(namesIn(log)).toEqual(['f', 'g']);
    for (const log of logs({ ...old('f', '{"p": 1}'), tool_calls: [call('f', '{"p":1}')] }))
      expect(namesIn(log)).toEqual(['f']);
    const twice = { ...old('f', '{"n": 5.0, "q": "\\u00e9"}'), tool_calls: [call('f', '{"q":"é","n":5}')] };
    for (const log of logs(twice)) expect(namesIn(log)).toEqual(['f']);
    for (const log of logs({ ...old('f', ''), tool_calls: [call('f', '{}')] }))
      expect(namesIn(log)).toEqual(['f']);
    for (const log of logs({ ...old('', ''), tool_calls: [call('f', '{"p":1}')] }))
      expect(namesIn(log)).toEqual(['f']);
    for (const log of logs(old('g', '{"p":2}'))) expect(namesIn(log)).toEqual(['g']);
  });
});

it.each(['tool_plan', 'reasoning_text'])('a thought in %s is read in spans', (member) => {
  const messages = [user, { role: 'assistant', content: 'b', [member]: 'Hm.' }, user];
  const observation = { id: 'o', traceId: 't', type: 'GENERATION', input: messages, output: answer };
  expect(textsOf(spans, () => observation)({})).toEqual([
    ...[user, { role: 'assistant', content: 'b', reasoning_content: 'Hm.' }, user],
    answer,
  ]);
});

describe('a list of texts as the answer', () => {
  const lists: readonly (readonly [string, readonly unknown[]])[] = [
    ['contents', [{ content: 'b' }, { content: 'c' }]],
    ['texts in objects', [{ text: 'b' }, { text: 'c' }]],
  ];

  it.each(lists)('is not taught: they may be pieces or choices (%s)', (_name, response) => {
    expect(entryOf(calls, { request: { messages: [user] }, response })).toBeUndefined();
    const observation = { id: 'o', traceId: 't', type: 'GENERATION', input: [user], output: response };
    expect(entryOf(spans, observation)).toBeUndefined();
  });

  it.each(lists)('may be a single one (%s)', (_name, [only]) => {
    const log = (response: unknown): object => ({ request: { messages: [user] }, response });
    expect(textsOf(calls, () => log([only]))({})).toEqual([user, answer]);
  });
});

describe('a system text beside the messages', () => {
  const system = { role: 'system', content: 'Be short.' };
  const named = ['OpenInference, with the parameters', 'Braintrust', 'Opik'];

  it.each(LOGGERS.filter(([name]) => named.includes(name)))(
    'is read among the parameters of %s',
    (_name, ...logger) => {
      expect(textsOf(...logger)({ system: 'Be short.' })).toEqual([system, user, answer]);
      expect(textsOf(...logger)({ instructions: 'Be short.' })).toEqual([system, user, answer]);
      expect(textsOf(...logger)({ system: 'openai' })).toEqual([user, answer]);
    },
  );

  it.each([
    ['Braintrust', { ...braintrust, input: [system, user], metadata: { system: 'Be kind.' } }],
    [
      'OpenInference',
      openInference({ messages: [system, user] }, { 'llm.invocation_parameters': '{"system":"Be kind."}' }),
    ],
  ])('of %s is not taught if the messages have another one', (_name, log) => {
    expect(entryOf(spans, log)).toBeUndefined();
  });

  const asked: Logger[] = LOGGERS.filter(([name]) =>
    /^a pair$|with the request|MLflow|Langfuse/.test(name),
  ).map(([, ...logger]) => logger);

  it('may be beside documents, which are named as left out', () => {
    for (const [dialect, log] of asked) {
      const rulesWith = (documents: readonly object[]): readonly string[] =>
        (entryOf(dialect, log({ documents }))?.messages ?? []).flatMap(({ notes = [] }) =>
          notes.map(({ rule }) => rule),
        );
      expect(rulesWith([{ text: 'It is 4 m tall.' }])).toContain('attachment-missing');
      expect(rulesWith([])).not.toContain('attachment-missing');
    }
  });

  it('is read in a span also under the names of loggers, of which empty ones do not count', () => {
    const spansOnly = asked.filter(([dialect]) => dialect === spans);
    expect(spansOnly).toHaveLength(3);
    for (const logger of spansOnly)
      for (const more of [{ preamble: 'Be short.' }, { system_prompt: '', system_content: 'Be short.' }])
        expect(textsOf(...logger)(more)).toEqual([system, user, answer]);
  });

  it('is not taught if it may be something else, or if the request has two', () => {
    const places = [
      ...[{ developer: 'Be short.' }, { instruction: 'Be short.' }, { extra_body: { system: 'Be short.' } }],
      ...[{ system_prompt: 'Be short.', preamble: 'Be kind.' }],
    ];
    for (const logger of asked)
      for (const more of places) expect(textsOf(...logger)(more), JSON.stringify(more)).toBeUndefined();
  });

  it('in the metadata of Langfuse or LangSmith is not taught unless the messages have it', () => {
    const langfuse = (messages: readonly object[], metadata: object): object => ({
      ...{ id: 'o', traceId: 't', type: 'GENERATION', input: { messages }, output: answer, metadata },
    });
    const smith = (messages: readonly object[], metadata: object): object => ({
      ...{ ...langSmith, inputs: { messages }, extra: { metadata } },
    });
    for (const log of [langfuse, smith])
      for (const name of ['system_prompt', 'preamble', 'instructions']) {
        expect(entryOf(spans, log([user], { [name]: 'Be short.' }))).toBeUndefined();
        expect(textsOf(spans, (more) => log([system, user], more))({ [name]: 'Be short.' })).toEqual([
          ...[system, user, answer],
        ]);
      }
    for (const log of [langfuse, smith])
      for (const more of [{ developer: 'Jo Doe' }, { system: 'Cluster A' }, { instruction: 'Label it.' }])
        expect(textsOf(spans, (one) => log([user], one))(more)).toEqual([user, answer]);
  });

  it('is written once if the messages begin with it too', () => {
    const request = { system: 'Be short.', messages: [system, user] };
    expect(textsOf(calls, () => ({ request, response: { choices } }))({})).toEqual([system, user, answer]);
  });
});
