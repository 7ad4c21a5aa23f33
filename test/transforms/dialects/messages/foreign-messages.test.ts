import { describe, expect, it } from 'vitest';
import { readForeignMessages } from '../../../../transforms/dialects/messages/foreign-messages.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import type { Message } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';

const message = (role: string, more: object): Message => ({
  role,
  bytes: encode(JSON.stringify({ role, ...more })),
});
const parsed = (messages: readonly Message[]) => messages.map(({ bytes }) => JSON.parse(text(bytes)));
const fn = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('readForeignMessages', () => {
  it('names the call of a result of SWE-agent, which has its id in a list', () => {
    const result = (more: object) => message('tool', { content: 'a', ...more });
    const listed = result({ tool_call_ids: ['t1'], agent: 'main' });
    const named = { role: 'tool', content: 'a', tool_call_ids: ['t1'], agent: 'main', tool_call_id: 't1' };
    expect(parsed(readForeignMessages([listed]))).toEqual([named]);
    const empty = result({ tool_call_id: null, tool_call_ids: ['t1'] });
    expect(parsed(readForeignMessages([empty]))).toMatchObject([{ tool_call_id: 't1' }]);
    const others = [
      result({ tool_call_ids: ['t1', 't2'] }),
      result({ tool_call_ids: [1] }),
      result({ tool_call_id: 't2', tool_call_ids: ['t1'] }),
      message('assistant', { content: 'b', tool_call_ids: ['t1'] }),
    ];
    expect(readForeignMessages(others)).toBe(others);
  });

  it('reads calls, results and thinking of the Messages API', () => {
    const logged = [
      message('user', { content: 'When?' }),
      message('assistant', {
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'read', input: { n: 1 } },
        ],
      }),
      message('user', {
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'In May.' },
          { type: 'text', text: 'Well?' },
        ],
      }),
    ];
    expect(parsed(readForeignMessages(logged))).toEqual([
      { role: 'user', content: 'When?' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [fn('t1', 'read', '{"n":1}')],
      },
      { role: 'tool', tool_call_id: 't1', content: 'In May.' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it('reads calls, results and thoughts of the AI SDK', () => {
    const logged = [
      message('assistant', {
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 't1', toolName: 'read', input: { n: 1 } },
          { type: 'tool-call', toolCallId: 't2', toolName: 'list', args: {} },
        ],
      }),
      message('tool', {
        content: [
          {
            type: 'tool-result',
            toolCallId: 't1',
            toolName: 'read',
            output: { type: 'text', value: 'In May.' },
          },
          { type: 'tool-result', toolCallId: 't2', toolName: 'list', result: { files: [] } },
        ],
      }),
    ];
    expect(parsed(readForeignMessages(logged))).toEqual([
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [fn('t1', 'read', '{"n":1}'), fn('t2', 'list', '{}')],
      },
      { role: 'tool', tool_call_id: 't1', content: 'In May.' },
      { role: 'tool', tool_call_id: 't2', content: '{"files":[]}' },
    ]);
  });

  it('keeps calls that the provider of the AI SDK ran as parts at their places, with their results', () => {
    const said = (words: string) => ({ type: 'text', text: words });
    const call = {
      type: 'tool-call',
      toolCallId: 's',
      toolName: 'web_search',
      input: {},
      providerExecuted: true,
    };
    const result = {
      type: 'tool-result',
      toolCallId: 's',
      toolName: 'web_search',
      output: { type: 'json', value: [] },
    };
    const own = { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} };
    const content = [said('I search.'), call, result, said('It rains.'), own];
    const [answer] = readForeignMessages([message('assistant', { content })]);
    expect(parsed([answer as Message])).toEqual([
      {
        role: 'assistant',
        content: [said('I search.'), call, { ...result, providerExecuted: true }, said('It rains.')],
        tool_calls: [fn('c', 'f', '{}')],
      },
    ]);
    expect(answer?.notes?.map(({ rule }) => rule)).toEqual(['block-kept', 'block-kept']);
  });

  it('keeps the bytes of numbers and escapes in calls and results of the AI SDK', () => {
    const content = [
      '{"type":"tool-call","toolCallId":"t","toolName":"f","input":{"n":1.0,"s":"\\u00e9"}}',
      '{"type":"reasoning","text":"\\u00e9"}',
    ];
    const bytes = encode(`{"role":"assistant","content":[${content.join(',')}]}`);
    const [read] = readForeignMessages([{ role: 'assistant', bytes }]);
    expect(text((read as Message).bytes)).toBe(
      '{"role":"assistant","reasoning_content":"\\u00e9",' +
        '"tool_calls":[{"id":"t","type":"function","function":{"name":"f",' +
        '"arguments":"{\\"n\\":1.0,\\"s\\":\\"\\\\u00e9\\"}"}}]}',
    );
  });

  it.each([
    ['LangChain', { type: 'tool_call', id: 't', name: 'f', args: { n: 1 } }, '{"n":1}'],
    [
      'the Responses API',
      { type: 'function_call', id: 'fc', call_id: 't', name: 'f', arguments: '{"n": 1}' },
      '{"n": 1}',
    ],
    ['Azure', { type: 'tool_call', tool_call_id: 't', name: 'f', arguments: { n: 1 } }, '{"n":1}'],
  ])('reads calls of %s in a content', (_client, part, args) => {
    const logged = [message('assistant', { content: [{ type: 'text', text: 'I look.' }, part] })];
    expect(parsed(readForeignMessages(logged))).toEqual([
      { role: 'assistant', content: 'I look.', tool_calls: [fn('t', 'f', args)] },
    ]);
  });

  it.each([
    ['BeeAI', { type: 'tool-result', tool_call_id: 't', tool_name: 'f', result: 'r' }],
    ['TensorZero', { type: 'tool_result', id: 't', name: 'f', result: 'r' }],
  ])('reads results of %s in a content', (_client, part) => {
    const call = { type: 'tool_call', id: 't', name: 'f', arguments: {} };
    const logged = [message('assistant', { content: [call] }), message('tool', { content: [part] })];
    expect(parsed(readForeignMessages(logged))).toEqual([
      { role: 'assistant', tool_calls: [fn('t', 'f', '{}')] },
      { role: 'tool', tool_call_id: 't', content: 'r' },
    ]);
  });

  it('counts a call once that LangChain has in the content and beside it', () => {
    const content = [
      { type: 'tool_use', id: 't1', name: 'f', input: {} },
      { type: 'tool_use', id: 't2', name: 'f', input: { n: 2 } },
    ];
    const beside = { name: 'f', args: { n: 1 }, id: 't1', type: 'tool_call' };
    const [read] = readForeignMessages([message('assistant', { content, tool_calls: [beside] })]);
    expect(text((read as Message).bytes)).toBe(
      `{"role":"assistant","tool_calls":${JSON.stringify([fn('t1', 'f', '{"n":1}'), fn('t2', 'f', '{"n":2}')])}}`,
    );
  });

  it.each([
    ['LangChain', { type: 'reasoning', reasoning: 'Hm.' }],
    ['the Responses API', { type: 'reasoning_text', text: 'Hm.' }],
    ['a summary', { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] }],
  ])('reads a thought in a content as %s has it', (_client, part) => {
    const logged = [message('assistant', { content: [part, { type: 'text', text: 'a' }] })];
    expect(parsed(readForeignMessages(logged))).toEqual([
      { role: 'assistant', content: 'a', reasoning_content: 'Hm.' },
    ]);
  });

  it('leaves out encrypted thoughts, in two forms', () => {
    for (const part of [
      { type: 'redacted_thinking', data: 'E' },
      { type: 'reasoning', summary: [], encrypted_content: 'E' },
    ]) {
      const [read] = readForeignMessages([
        message('assistant', { content: [part, { type: 'text', text: 'a' }] }),
      ]);
      expect(read).toMatchObject({ sealed: 'dropped' });
      expect(parsed([read as Message])).toEqual([{ role: 'assistant', content: 'a' }]);
    }
  });

  it.each([
    ['the Messages API', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }],
    ['the Responses API', { type: 'input_image', image_url: 'data:image/png;base64,AA' }],
    ['the AI SDK', { type: 'image', image: 'AA', mediaType: 'image/png' }],
    ['the AI SDK, as a file', { type: 'file', data: 'AA', mediaType: 'image/png' }],
    ['LangChain', { type: 'image', source_type: 'base64', data: 'AA', mime_type: 'image/png' }],
    ['the Model Context Protocol', { type: 'image', data: 'AA', mimeType: 'image/png' }],
  ])('reads images of %s', (_api, part) => {
    const url = 'data:image/png;base64,AA';
    expect(parsed(readForeignMessages([message('user', { content: [part] })]))).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
    ]);
  });

  it('reads texts of the Responses API, and keeps those with sources', () => {
    const cited = { type: 'output_text', text: 'b', annotations: [{ type: 'url_citation', url: 'u' }] };
    const logged = [
      message('user', { content: [{ type: 'input_text', text: 'a' }] }),
      message('assistant', { content: [{ type: 'output_text', text: 'b', annotations: [] }] }),
      message('assistant', { content: [cited] }),
    ];
    expect(parsed(readForeignMessages(logged))).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'assistant', content: [cited] },
    ]);
  });

  it.each([
    ['OpenAI', { openai: { itemId: 'rs', reasoningEncryptedContent: 'E' } }],
    ['Anthropic', { anthropic: { redactedData: 'E' } }],
    ['Anthropic, without words', { anthropic: { signature: 'E' } }],
    ['Google', { google: { thoughtSignature: 'E' } }],
    ['OpenRouter', { openrouter: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'E' }] } }],
  ])('counts the encrypted reasoning of %s', (_provider, providerOptions) => {
    const call = { type: 'tool-call', toolCallId: 't', toolName: 'f', input: {} };
    const thought = { type: 'reasoning', text: '', providerOptions };
    const logged = [message('assistant', { content: [thought, call] })];
    const [dropped] = readForeignMessages(logged);
    expect(dropped).toMatchObject({ sealed: 'dropped' });
    expect(parsed([dropped as Message])).toEqual([{ role: 'assistant', tool_calls: [fn('t', 'f', '{}')] }]);
    const [kept] = readForeignMessages(logged, true);
    expect(parsed([kept as Message])).toMatchObject([
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'E' }] },
    ]);
  });

  it('reads the parts, the calls and the errors of AgentDojo', () => {
    const words = (content: string) => [{ type: 'text', content }];
    const call = { function: 'read', args: { n: 1 }, id: 'c', placeholder_args: null };
    const result = { tool_call_id: 'c', tool_call: call };
    const thought = { type: 'thinking', content: 'First the file.', id: null };
    const read = readForeignMessages([
      message('system', { content: words('a') }),
      message('user', { content: words('b') }),
      message('assistant', { content: [thought, ...words('c')], tool_calls: [call] }),
      message('tool', { ...result, content: words(''), error: 'ValueError: n' }),
      message('tool', { ...result, content: words('d'), error: null }),
      message('assistant', { content: words('e'), tool_calls: null }),
    ]);
    const text = (content: string) => [{ type: 'text', text: content }];
    expect(parsed(read)).toEqual([
      { role: 'system', content: text('a') },
      { role: 'user', content: text('b') },
      {
        ...{ role: 'assistant', content: 'c', reasoning_content: 'First the file.' },
        tool_calls: [fn('c', 'read', '{"n":1}')],
      },
      { role: 'tool', tool_call_id: 'c', content: 'ValueError: n' },
      { role: 'tool', tool_call_id: 'c', content: text('d') },
      { role: 'assistant', content: text('e'), tool_calls: null },
    ]);
    expect(read.map(({ notes = [] }) => notes.map(({ rule }) => rule))).toEqual([
      ...[[], [], []],
      ...[['result-is-error'], [], []],
    ]);
  });

  it('does not take an object as text for the name of a call', () => {
    const call = { id: 'c', function: '{"name":"read","arguments":"{}"}' };
    const [read] = readForeignMessages([message('assistant', { content: 'I look.', tool_calls: [call] })]);
    expect(read?.notes).toMatchObject([{ rule: 'unread-text' }]);
  });

  it.each([
    ['LangChain', { name: 'read', args: { n: 1 }, id: 'c', type: 'tool_call' }, '{"n":1}'],
    ['tau2', { id: 'c', name: 'read', arguments: { n: 1 }, requestor: 'assistant' }, '{"n":1}'],
    ['AgentDojo', { function: 'read', args: { n: 1 }, id: 'c', placeholder_args: null }, '{"n":1}'],
    ['a client that writes arguments as text', { id: 'c', name: 'read', arguments: '{"n": 1}' }, '{"n": 1}'],
  ])('nests the flat calls of %s in a function', (_client, call, args) => {
    const [read] = readForeignMessages([message('assistant', { content: 'I look.', tool_calls: [call] })]);
    expect(parsed([read as Message])).toEqual([
      { role: 'assistant', content: 'I look.', tool_calls: [fn('c', 'read', args)] },
    ]);
  });

  it('reads the texts of a result that are parts of the type `tool_output`', () => {
    const output = (text: unknown) => ({ type: 'tool_output', text });
    const result = (...content: readonly object[]) => message('tool', { tool_call_id: 'c', content });
    const call = { type: 'tool_call', tool_call_id: 'c', name: 'ls', arguments: '{"p":1}' };
    const answer = message('assistant', { content: [call], tool_calls: [fn('c', 'ls', '{"p":1}')] });
    const read = readForeignMessages([answer, result(output('a'), output('b'))]);
    expect(parsed(read)).toEqual([
      { role: 'assistant', tool_calls: [fn('c', 'ls', '{"p":1}')] },
      { role: 'tool', tool_call_id: 'c', content: ['a', 'b'].map((text) => ({ type: 'text', text })) },
    ]);
    const others = [result(output(1)), message('user', { content: [output('a')] })];
    expect(readForeignMessages(others)).toBe(others);
  });

  it.each([
    ['texts', message('user', { content: [{ type: 'text', text: 'a' }] })],
    ['calls of the API', message('assistant', { tool_calls: [fn('c', 'f', '{}')] })],
    ['the place of an image', message('user', { content: [{ type: 'image' }, { type: 'text', text: 'a' }] })],
    ['a file', message('user', { content: [{ type: 'file', file: { file_id: 'f' } }] })],
    ['calls without a name', message('assistant', { tool_calls: [{ id: 'c' }, 1] })],
    [
      'results that answer in words of another client',
      message('user', { content: [{ type: 'tool_result', toolUseID: 'c', run: {} }] }),
    ],
    ['calls of a simulated user', message('user', { tool_calls: [{ id: 'c', name: 'f', arguments: {} }] })],
    ['a thought without text', message('assistant', { content: [{ type: 'thinking', value: 'a' }] })],
  ])('returns %s unchanged', (_what, one) => {
    const logged = [one];
    expect(readForeignMessages(logged)).toBe(logged);
  });

  it('returns the other messages of a conversation unchanged', () => {
    const plain = message('user', { content: [{ type: 'text', text: 'a' }], n: 1 });
    const flat = message('assistant', { tool_calls: [{ id: 'c', name: 'f', arguments: {} }] });
    expect(readForeignMessages([plain, flat])[0]).toBe(plain);
  });
});
