/** The forms that the input and the output of a model call in a trace may have. */
import { describe, expect, it } from 'vitest';
import { OF_LOGGERS } from '../../../transforms/dialects/shared/said-texts.ts';
import { text } from '../bytes.ts';
import { messagesOf, observation, only, read, rulesOf } from './span-samples.ts';

const messagesFor = (input: unknown, output: unknown): readonly object[] =>
  messagesOf(only(observation(input, output)));
const user = { role: 'user', content: 'a' };
const reply = { role: 'assistant', content: 'b' };
const call = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});

describe('a call without an output', () => {
  it.each(['said', 'repaid', 'reply', 'overtime'])('is rejected if the member %s has words', (name) => {
    const [element] = read([observation([user], null, { [name]: 'It is hot by now.' })]);
    expect(element).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  });

  it.each(['id', 'promptId', 'start_time', 'endTime', 'updated_at', 'cost', 'costDetails', 'release_url'])(
    'is read if the member %s has',
    (name) => {
      const [element] = read([observation([user], null, { [name]: 'It is hot by now.' })]);
      expect(element).toMatchObject({ kind: 'entry' });
    },
  );
});

describe('a request', () => {
  it.each([
    ['messages', [user]],
    ['messages as text', JSON.stringify([user])],
    ['an object with messages', { model: 'm', messages: [user] }],
    ['an object as text', JSON.stringify({ messages: [user] })],
    ['a batch of one', [[user]]],
    ['a text', 'a'],
    ['one message', user],
    ['parts of OpenTelemetry', [{ role: 'user', parts: [{ type: 'text', content: 'a' }] }]],
    ['contents of Gemini', { contents: [{ role: 'user', parts: [{ text: 'a' }] }] }],
    ['types of LangChain', [{ type: 'human', content: 'a', additional_kwargs: {} }]],
    ['data of LangChain', [{ type: 'human', data: { content: 'a' } }]],
    ['input items', { input: [{ role: 'user', content: [{ type: 'input_text', text: 'a' }] }] }],
    ['an input text', { input: 'a' }],
    ['a prompt', { prompt: 'a' }],
    ['parts alone', [{ type: 'text', text: 'a' }]],
  ])('may be %s', (_what, input) => {
    expect(messagesFor(input, 'b')).toEqual([user, reply]);
  });

  it.each([
    '<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n',
    '<|start_header_id|>user<|end_header_id|>\n\na<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
    '<s>[INST] a [/INST]',
    '<｜begin▁of▁sentence｜><｜User｜>a<｜Assistant｜><think>\n',
    '<start_of_turn>user\na<end_of_turn>\n<start_of_turn>model\n',
    '<|start|>user<|message|>a<|end|><|start|>assistant',
    '<|user|>\na<|end|>\n<|assistant|>\n',
    '\n\nHuman: a\n\nAssistant:',
    '### Instruction:\na\n\n### Response:',
    '<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
    '<|start|>user<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>',
    '<|im_user|>user<|im_middle|>a<|im_end|><|im_assistant|>assistant<|im_middle|>',
    'A chat. USER: a ASSISTANT:',
    'User: a\nAssistant:',
    'System: Be brief.\nHuman: a',
    'Human: a',
  ])('is rejected if it is a conversation as one text: %j', (prompt) => {
    for (const input of [prompt, { prompt }, [prompt]])
      expect(read([observation(input, 'b')])).toMatchObject([
        { kind: 'rejection', reason: 'unknown-content' },
      ]);
  });

  it.each([
    'Assistant: is it warm?',
    'Define AI:',
    'Continue the story.\n\nAI:',
    'Write "<|im_start|>assistant" in Go.',
    'System: Debian. Is it old?',
  ])('is the text of the user if only its beginning or its middle looks so: %s', (content) => {
    expect(messagesFor(content, 'b')).toEqual([{ role: 'user', content }, reply]);
  });

  it('may have its system text beside the messages', () => {
    expect(messagesFor({ system: 's', messages: [user] }, 'b')[0]).toEqual({ role: 'system', content: 's' });
    const gemini = {
      systemInstruction: { parts: [{ text: 's' }] },
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
    };
    expect(messagesFor(gemini, 'b')[0]).toEqual({ role: 'system', content: 's' });
  });

  it('has no question if its input is an empty text', () => {
    expect(messagesFor('', 'b')).toMatchObject([{ role: 'assistant', content: 'b' }]);
  });

  it.each(['system', ...OF_LOGGERS])('may have its system text as %s', (name) => {
    expect(messagesFor({ messages: [user], [name]: 's' }, 'b')).toMatchObject([
      { role: 'system', content: 's' },
      user,
      { role: 'assistant', content: 'b' },
    ]);
  });

  it('keeps the bytes of an OpenAI message', () => {
    const message = '{"content":"\\u0061","role":"user"}';
    const line = observation(null, 'b').replace('"input":null', `"input":[${message}]`);
    expect(text(only(line).messages[0]?.bytes as Uint8Array)).toBe(message);
  });

  it('may have calls and results of the AI SDK', () => {
    const history = [
      user,
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: { n: 1 } }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'f', output: { type: 'text', value: 'r' } },
        ],
      },
    ];
    expect(
      messagesFor(
        { messages: history },
        { text: '', toolCalls: [{ toolCallId: 'd', toolName: 'f', args: {} }] },
      ),
    ).toEqual(
      [
        user,
        { role: 'assistant', tool_calls: [call('c', '{"n":1}')] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { role: 'assistant', tool_calls: [call('d', '{}')] },
      ].map((one, i) => (i === 3 ? expect.objectContaining(one) : one)),
    );
  });

  it('may have calls of the AI SDK as JSON in a text', () => {
    const toolCalls = JSON.stringify([{ toolCallId: 'd', toolName: 'f', args: {} }]);
    expect(messagesFor([user], { text: '', toolCalls })[1]).toMatchObject({ tool_calls: [call('d', '{}')] });
  });

  it('may have calls and results of the Responses API', () => {
    const input = [
      { role: 'user', content: 'a' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'r' },
    ];
    const output = {
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] }],
    };
    expect(messagesFor({ instructions: 's', input }, output)).toEqual([
      { role: 'system', content: 's' },
      user,
      { role: 'assistant', reasoning_content: 'hm', tool_calls: [call('c', '{}')] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      reply,
    ]);
  });

  it('may have blocks of Anthropic with images and thoughts', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } };
    const history = [
      { role: 'user', content: [{ type: 'text', text: 'a' }, image] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 'c', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c', content: 'r' },
          { type: 'text', text: 'q' },
        ],
      },
    ];
    expect(
      messagesFor(history, {
        role: 'assistant',
        content: [{ type: 'text', text: 'b' }],
        stop_reason: 'end_turn',
      }),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
      { role: 'assistant', reasoning_content: 'hm', tool_calls: [call('c', '{}')] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'user', content: 'q' },
      reply,
    ]);
  });
});

describe('an answer', () => {
  it.each([
    ['a text', 'b'],
    ['a message', reply],
    ['a message as text', JSON.stringify(reply)],
    ['a completion', { choices: [{ message: reply }] }],
    ['choices alone', [{ index: 0, message: reply }]],
    ['a list of messages', [reply]],
    ['a message without a role', { content: 'b' }],
    ['a text under its name', { completion: 'b' }],
    ['candidates', { candidates: [{ content: { parts: [{ text: 'b' }] } }] }],
    ['generations', { generations: [[{ text: 'b', generation_info: {} }]] }],
    ['blocks', [{ type: 'text', text: 'b' }]],
    [
      'parts of OpenTelemetry',
      [{ role: 'assistant', parts: [{ type: 'text', content: 'b' }], finish_reason: 'stop' }],
    ],
  ])('may be %s', (_what, output) => {
    const entry = only(observation([user], output));
    expect(messagesOf(entry)).toEqual([user, reply]);
    expect(rulesOf(entry)).toEqual([]);
  });

  it.each<[rule: string, output: unknown]>([
    ['other-choices', { choices: [{ message: reply }, { message: reply }] }],
    ['reply-cut', { choices: [{ message: reply, finish_reason: 'length' }] }],
    ['reply-filtered', { candidates: [{ content: { parts: [{ text: 'b' }] }, finishReason: 'SAFETY' }] }],
    ['reply-cut', { candidates: [{ content: { parts: [{ text: 'b' }] }, finish_reason: 2 }] }],
    ['unknown-stop', { candidates: [{ content: { parts: [{ text: 'b' }] }, finish_reason: 7 }] }],
    ['response-error', { error: { message: 'overloaded' } }],
    ['response-error', { choices: [{ message: reply, finish_reason: 'error' }] }],
    ['reply-cut', { choices: [{ message: reply, finish_reason: 'abort' }] }],
    ['reply-cut', { status: 'incomplete', output: [{ type: 'message', ...reply }] }],
    ['response-error', { status: 'failed', output: [{ type: 'message', ...reply }] }],
    [
      'reply-cut',
      [
        { type: 'reasoning', summary: [] },
        { type: 'message', status: 'incomplete', ...reply },
      ],
    ],
    ...[
      { type: 'AIMessageChunk', kwargs: { content: 'b', response_metadata: { stop_reason: 'max_tokens' } } },
      { type: 'ai', content: 'b', response_metadata: { stopReason: 'max_tokens' } },
    ].map((message): [string, unknown] => ['reply-cut', { generations: [[{ text: 'b', message }]] }]),
    ['body-placeholder', '<truncated due to size exceeding limit>'],
    ['body-placeholder', '{"choices":[{"mess'],
    ['body-placeholder', {}],
    ['body-placeholder', 'None'],
  ])('reports the finding %s', (rule, output) => {
    expect(rulesOf(only(observation([user], output)))).toEqual([rule]);
  });

  it('is rejected if it is the last of several steps, whose calls and results are not read', () => {
    const step = { text: 'b', toolCalls: [], toolResults: [] };
    const response = {
      messages: [
        { role: 'tool', content: [] },
        { role: 'assistant', content: 'b' },
      ],
    };
    const content = [{ type: 'text', text: 'b' }];
    for (const more of [{ steps: [step, step] }, { response }, { content, steps: [step, step] }])
      expect(read([observation([user], { ...step, ...more })])).toMatchObject([
        { kind: 'rejection', reason: 'unknown-content' },
      ]);
    expect(messagesOf(only(observation([user], { ...step, steps: [step] })))).toEqual([user, reply]);
  });

  it('of a call that failed is reported, once', () => {
    const failed = { level: 'ERROR', statusMessage: 'Connection reset by peer' };
    for (const finish_reason of ['stop', 'error'])
      expect(
        rulesOf(only(observation([user], { choices: [{ message: reply, finish_reason }] }, failed))),
      ).toEqual(['response-error']);
  });

  it('is not taken from the request when it is absent', () => {
    const { reply: none, messages } = only(observation([user, reply], null));
    expect([none, messages.length]).toEqual([undefined, 2]);
  });

  it('keeps sealed reasoning only on request', () => {
    const sealed = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: '', signature: 'c2VhbA' },
        { type: 'text', text: 'b' },
      ],
    };
    const line = observation([user], sealed);
    expect([messagesOf(only(line)).at(-1), [...only(line).changes]]).toEqual([
      reply,
      [['sealed-reasoning', 1]],
    ]);
    const kept = only(line, true);
    expect(messagesOf(kept).at(-1)).toMatchObject({ reasoning_details: [{ data: 'c2VhbA' }] });
    expect([...kept.changes]).toEqual([]);
  });
});

describe('a call that was not understood', () => {
  const langchain = (name: string) => ({
    ...{ lc: 1, type: 'constructor', id: ['langchain', 'schema', 'messages', name] },
  });
  const unknown = 'unknown-content';
  it.each([
    ['unknown-speaker', [{ role: 'constructor', content: 'a' }], 'b'],
    ['unknown-speaker', [{ sender: 'bot-7', content: 'a' }], 'b'],
    ['unknown-speaker', [user], { sender: 'bot-7', content: 'b' }],
    ['unknown-speaker', [user], { sender: 'human', content: 'b' }],
    ['unknown-speaker', [user, { role: 'assistant', type: 'human', content: 'a' }, user], 'b'],
    ['unknown-speaker', [user], { role: 'assistant', author: 'user', content: 'b' }],
    ['unknown-speaker', [{ role: 'user', type: 'ai', content: 'a' }], 'b'],
    ['unknown-speaker', [{ ...langchain('HumanMessage'), kwargs: { content: 'a', type: 'ai' } }], 'b'],
    ['unknown-speaker', [{ ...langchain('HumanMessage'), kwargs: { content: 'a', role: 'assistant' } }], 'b'],
    ['unknown-speaker', [{ type: 'human', data: { content: 'a', type: 'ai' } }], 'b'],
    [unknown, { topic: 'a' }, 'b'],
    [unknown, 7, 'b'],
    [unknown, [7], 'b'],
    [unknown, [{ role: 'user', content: { ask: 'a' } }], 'b'],
    [unknown, [{ role: 'user', content: [{ type: 'text', text: { ask: 'a' } }] }], 'b'],
    [unknown, [user, { role: 'tool', content: { type: 'web_search' } }], 'b'],
    [unknown, { messages: ['a', 'b'] }, 'b'],
    [unknown, "[HumanMessage(content='a')]", 'b'],
    [unknown, "[{'role': 'user', 'content': 'a'}]", 'b'],
    [unknown, 'user: a', 'b'],
    [unknown, [user], { label: 'x' }],
    [unknown, [user], [{ label: 'x' }]],
    [unknown, [user], "AIMessage(content='b')"],
    [unknown, [user], { output: "content='b' additional_kwargs={} response_metadata={}" }],
    [unknown, [user], { role: 'assistant', content: ["TextBlock(text='b', type='text')"] }],
    [unknown, [user], true],
    [unknown, [user], { role: 'assistant', content: { label: 'x' } }],
    [unknown, [user], { role: 'assistant', content: [5] }],
    [unknown, JSON.stringify([user]), JSON.stringify({ label: 'x' })],
  ])('is rejected as %s: %j %j', (reason, input, output) => {
    expect(read([observation(input, output)])).toMatchObject([{ kind: 'rejection', reason }]);
  });

  it('is not one whose answer is a text of JSON', () => {
    const text = '{"label":"x"}';
    expect(messagesFor([user], text)).toEqual([user, { role: 'assistant', content: text }]);
  });

  it.each(["{'a': 1}", "['a']", 'print(x)', "Message(content='a') is a call"])(
    'is not one whose answer is %s',
    (content) => {
      expect(messagesFor([user], content)).toEqual([user, { role: 'assistant', content }]);
    },
  );

  it.each(['None', 'null', '{}'])('is not one whose message is %s', (content) => {
    const answer = { role: 'assistant', content };
    expect(messagesFor([user], answer)).toEqual([user, answer]);
  });

  it('is not a list of pairs of a role and a text', () => {
    expect(messagesFor({ messages: [['human', 'a']] }, 'b')).toEqual([user, reply]);
  });
});

describe('the content of a result', () => {
  const asked = [user, { role: 'assistant', content: '', tool_calls: [call('c', '{}')] }];
  const said = (content: unknown) => ({ role: 'tool', tool_call_id: 'c', status: 'ok', content });
  const block = (content: unknown) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'c', content }],
  });
  const items = (output: unknown) => [
    { role: 'user', content: 'a' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output },
  ];
  const data = { degrees: 20 };

  it.each([data, [data], [['a']], [{ data: 1 }], 7, { text: 'x', ...data }, [{ text: 'x', ...data }]])(
    'is not %j',
    (content) => {
      for (const request of [[...asked, said(content)], [...asked, block(content)], items(content)])
        expect(read([observation(request, 'b')])).toMatchObject([{ reason: 'unknown-content' }]);
      const named = { role: 'f', content };
      expect(read([observation([...asked, named], 'b')])).toMatchObject([{ reason: 'unknown-content' }]);
    },
  );

  it.each([
    ['x', 'x'],
    [{ type: 'text', text: 'x' }, 'x'],
    [[{ text: 'x' }], 'x'],
    [['x'], 'x'],
    [[], ''],
    [null, ''],
    [[{ type: 'text', text: 'x' }], [{ type: 'text', text: 'x' }]],
  ])('may be %j', (content, read) => {
    expect(messagesFor([...asked, said(content)], 'b')[2]).toMatchObject({ role: 'tool', content: read });
  });

  it.each([
    ['OpenTelemetry', { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: data }] }],
    ['Gemini', { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: data } }] }],
    [
      'the AI SDK',
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c', output: { type: 'json', value: data } }],
      },
    ],
    [
      'the AI SDK before its fifth version',
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', result: data }] },
    ],
    ['Converse', { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ json: data }] } }] }],
  ])('may be any JSON in %s', (_, message) => {
    expect(messagesFor([...asked, message], 'b')[2]).toMatchObject({
      role: 'tool',
      content: '{"degrees":20}',
    });
  });
});

describe('a list of calls as the text of an answer', () => {
  it('is read as calls, if each is whole', () => {
    const answer = { role: 'assistant', content: JSON.stringify([call('c', '{}')]) };
    expect(messagesFor([user], answer).at(-1)).toEqual({ role: 'assistant', tool_calls: [call('c', '{}')] });
    const text = { role: 'assistant', content: '[{"type":"function","function":{"name":"f"}}]' };
    expect(messagesFor([user], text).at(-1)).toEqual(text);
  });
});
