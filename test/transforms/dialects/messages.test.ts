import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import messages from '../../../transforms/dialects/messages.ts';
import type { Entry, Rejection } from '../../../transforms/model/element.ts';
import { objectText } from '../arbitraries.ts';
import { asBuffer, KINDS, text } from '../bytes.ts';
import { lineOf, why } from '../log-lines.ts';

const read = (...lines: readonly string[]) => {
  const reader = messages.create();
  return lines.flatMap((json, i) => [...reader.read(lineOf(json, asBuffer, i + 1))]);
};
const texts = (items: readonly { readonly bytes: Uint8Array }[]) => items.map(({ bytes }) => text(bytes));
/** All messages and the reply as text. */
const allTexts = ({ messages: list, reply }: Entry) => texts(reply === undefined ? list : [...list, reply]);
const one = (json: string): Entry => read(json)[0] as Entry;
const turns = (...list: readonly (readonly [from: string, value: string])[]) =>
  `{"conversations":${JSON.stringify(list.map(([from, value]) => ({ from, value })))}}`;

describe.each(KINDS)('a conversation in a %s', (_kind, make) => {
  const list = [
    '{ "role" : "user","content":{"n":[1.0,12345678901234567890,1e400,-0]},"x":1,"x":2 }',
    '{"content":"\\/\\u0041\\ud800é","role":"assistant","tool_calls":[{"function":{"arguments":"{}"}}]}',
    '{"role":"tool","content":"c"}',
    '{"role":"assistant","content":"d"}',
  ];
  const json = ` {"id":7, "messages" : [${list.join(' ,')}],"tools":[{"type":"function","function":{"name":"a","n":1.0}},{"name":"b"}],"parallel_tool_calls":true}`;
  const [entry] = messages.create().read(lineOf(json, make, 3, 50)) as [Entry];

  it('keeps the bytes of its messages, of which the last is the reply', () => {
    expect(texts(entry.messages)).toEqual(list.slice(0, -1));
    expect(text(entry.reply?.bytes as Uint8Array)).toBe(list[3]);
  });

  it('takes wrapped and flat definitions', () => {
    expect(texts(entry.tools)).toEqual(['{"name":"a","n":1.0}', '{"name":"b"}']);
    expect(entry.tools.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('is a separate session without a time', () => {
    expect(entry).toMatchObject({ sessionId: 'a.jsonl:3', alone: true, timestamp: undefined });
    expect(entry.origin).toEqual({ source: 'a.jsonl', line: 3, offset: 50, length: Buffer.byteLength(json) });
  });
});

test('a system text beside messages that begin with it is read once', () => {
  const messages = '[{"role":"system","content":"\\u0041 b"},{"role":"user","content":"q"}]';
  expect(allTexts(one(`{"system":"A b","messages":${messages}}`))).toHaveLength(2);
  expect(allTexts(one(`{"system":"A c","messages":${messages}}`))).toHaveLength(3);
  const beside = turns(['system', 's'], ['human', 'q']).replace('{', '{"system":"s",');
  expect(allTexts(one(beside))).toHaveLength(2);
});

const list = '[{ "role":"user","content":"a"},{"role":"assistant","content":"\\u00e9","n":1.0}]';
const listed = ['{ "role":"user","content":"a"}', '{"role":"assistant","content":"\\u00e9","n":1.0}'];

describe.each(['messages', 'conversations', 'conversation'])('a list named %s', (name) => {
  it.each([
    ['as a list', list],
    ['as JSON in a text', JSON.stringify(list)],
  ])('keeps the bytes of its messages %s', (_how, value) => {
    const entry = one(`{"id":"x","${name}":${value}}`);
    expect(allTexts(entry)).toEqual(listed);
    const first = new Map([[name, asBuffer(value)]]);
    expect(messages.detect(first)).toBe(true);
  });

  it('may have turns of ShareGPT', () => {
    const value = '[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]';
    expect(allTexts(one(`{"${name}":${value}}`))).toEqual([
      '{"role":"user","content":"a"}',
      '{"role":"assistant","content":"b"}',
    ]);
  });

  it('is rejected if one of its messages has no role', () => {
    const [rejection] = read(`{"${name}":[{"role":"user"},{"content":"a"}]}`);
    expect(rejection).toMatchObject({ kind: 'rejection', reason: 'bad-messages' });
  });
});

it('reads calls, definitions and a system text beside conversations with roles', () => {
  const turns =
    '[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c","name":"f","arguments":{"n":1.0}}]}]';
  const entry = one(`{"conversations":${turns},"tools":"[{\\"name\\":\\"f\\"}]","system":"s"}`);
  expect(allTexts(entry)).toEqual([
    '{"role":"system","content":"s"}',
    '{"role":"user","content":"q"}',
    '{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"n\\":1.0}"}}]}',
  ]);
  expect(texts(entry.tools)).toEqual(['{"name":"f"}']);
});

it('reports a second list that is not read', () => {
  const entry = one('{"messages":[{"role":"user"}],"conversations":[{"from":"human","value":"a"}]}');
  expect(entry.messages[0]?.notes).toMatchObject([
    { rule: 'members-ignored', message: 'members beside the messages are not read: conversations' },
  ]);
});

it('knows all names of the model and of results in ShareGPT', () => {
  const froms = ['chatgpt', 'bing', 'bard', 'function_response'];
  const roles = read(...froms.map((from) => turns([from, 'a']))).map((entry) => {
    const { messages: list, reply } = entry as Entry;
    return (reply ?? list[0])?.role;
  });
  expect(roles).toEqual(['assistant', 'assistant', 'assistant', 'tool']);
});

it('answers calls in turns that follow one another in their order', () => {
  const call = (name: string) => ['function_call', JSON.stringify({ name, arguments: {} })] as const;
  const entry = one(turns(call('f'), call('g'), ['observation', '1'], ['observation', '2']));
  const ids = entry.messages.map(({ bytes }) => {
    const { tool_calls: calls, tool_call_id: id } = JSON.parse(text(bytes));
    return id ?? calls[0].id;
  });
  expect(ids).toEqual(['call_1', 'call_2', 'call_1', 'call_2']);
});

it('a conversation has no reply if its last message is not of the model', () => {
  expect(one('{"messages":[{"role":"assistant"},{"role":"user"}]}')).toMatchObject({ reply: undefined });
  expect(one('{"messages":[]}')).toMatchObject({ messages: [], reply: undefined, tools: [] });
});

it.each([
  ['"system":[{"type":"text","text":"s"},{"type":"text","text":"t"}]', '"s\\nt"'],
  ['"systemPrompt":"s"', '"s"'],
  ['"system_message":"s"', '"s"'],
  ['"preamble":"s"', '"s"'],
  ['"system_prompt":"","systemPrompt":"s"', '"s"'],
  ['"system":null,"system_prompt":"s"', '"s"'],
])('the system text may be beside the messages: %s', (member, content) => {
  const { messages } = one(`{"messages":[{"role":"user","content":"a"}],${member}}`);
  expect(texts(messages)).toEqual([
    `{"role":"system","content":${content}}`,
    '{"role":"user","content":"a"}',
  ]);
});

it('the objects of one line have different ids', () => {
  const ids = (read('{"messages":[]}{"messages":[]} {"messages":[]}') as Entry[]).map(
    ({ sessionId }) => sessionId,
  );
  expect(ids).toEqual(['a.jsonl:1', 'a.jsonl:1.2', 'a.jsonl:1.3']);
});

it('messages that the previous line has too are the same objects', () => {
  const [a, b] = read(
    '{"messages":[{"role":"system"},{"role":"user"}]}',
    '{"messages":[{"role":"system"},{"role":"x"}]}',
  ) as [Entry, Entry];
  expect(b.messages[0]).toBe(a.messages[0]);
});

test.each(['', ' \\n', '[]', ' [] '])('tools that are the string %j are absent', (tools) => {
  expect(one(`{"messages":[],"tools":"${tools}"}`).tools).toEqual([]);
});

it('tools in a string keep their text', () => {
  const tools = '[{"type":"function","function":{"name":"f","n":[1.0,1e400],"d":"\\u00e9"}}]';
  expect(texts(one(`{"messages":[],"tools":${JSON.stringify(tools)}}`).tools)).toEqual([
    '{"name":"f","n":[1.0,1e400],"d":"\\u00e9"}',
  ]);
});

it('a thought with only a signature is encrypted reasoning', () => {
  const thought = '{"type":"thinking","thinking":"","signature":"s"}';
  const json = `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[${thought},{"type":"text","text":"a"}]}]}`;
  const entry = one(json);
  expect(allTexts(entry)[1]).toBe('{"role":"assistant","content":"a"}');
  expect([...entry.changes]).toEqual([['sealed-reasoning', 1]]);
  expect(entry.messages[0]?.notes).toMatchObject([{ rule: 'reasoning-sealed' }]);
  const [kept] = messages.create(undefined, { keepSealed: true }).read(lineOf(json)) as unknown as [Entry];
  expect(kept.reply && JSON.parse(text(kept.reply.bytes)).reasoning_details).toHaveLength(1);
});

it('a system text beside the messages comes first', () => {
  expect(allTexts(one('{"system":"a\\u0041","messages":[{"role":"user"}]}'))).toEqual([
    '{"role":"system","content":"a\\u0041"}',
    '{"role":"user"}',
  ]);
  for (const none of ['""', 'null']) expect(allTexts(one(`{"system":${none},"messages":[]}`))).toEqual([]);
});

describe('ShareGPT', () => {
  it('becomes messages with unchanged values', () => {
    const json =
      '{"system":"s","tools":"[{\\"name\\":\\"f\\"}]","conversations":[{"from":"human","value":"\\u0041\\/"},{"value":"b","from":"gpt","weight":0.0}]}';
    expect(allTexts(one(json))).toEqual([
      '{"role":"system","content":"s"}',
      '{"role":"user","content":"\\u0041\\/"}',
      '{"role":"assistant","content":"b","weight":0.0}',
    ]);
    expect(texts(one(json).tools)).toEqual(['{"name":"f"}']);
  });

  it('keeps the text of arguments, and results answer calls in order', () => {
    const parallel = '[{"name":"f","arguments":{"b":1.0,"a":[]}},{"name":"g","arguments":"{}"}]';
    const list = turns(
      ['human', 'q'],
      ['function_call', parallel],
      ['observation', 'one'],
      ['function_call', 'text\n<tool_call>{"name": "f", "arguments": {}}</tool_call>'],
      ['observation', 'two'],
      ['observation', 'three'],
      ['gpt', 'done'],
    );
    expect(allTexts(one(list)).slice(1)).toEqual([
      '{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\\"b\\":1.0,\\"a\\":[]}"}},{"id":"call_2","type":"function","function":{"name":"g","arguments":"{}"}}]}',
      '{"role":"tool","tool_call_id":"call_1","content":"one"}',
      '{"role":"assistant","content":"text","tool_calls":[{"id":"call_3","type":"function","function":{"name":"f","arguments":"{}"}}]}',
      '{"role":"tool","tool_call_id":"call_3","content":"two"}',
      '{"role":"tool","content":"three"}',
      '{"role":"assistant","content":"done"}',
    ]);
  });

  it('has a leading thought as its reasoning', () => {
    const thought = '<think>\nhm\n</think>\n\n';
    const call = '{"name":"f"}';
    const list = turns(
      ['gpt', `${thought}a`],
      ['function_call', thought + call],
      ['function_call', `${thought}b\n<tool_call>${call}</tool_call>`],
    );
    const tool = (n: number) => `"tool_calls":[{"id":"call_${n}","type":"function","function":{"name":"f"}}]`;
    expect(allTexts(one(list))).toEqual([
      '{"role":"assistant","content":"a","reasoning_content":"hm"}',
      `{"role":"assistant","reasoning_content":"hm",${tool(1)}}`,
      `{"role":"assistant","content":"b","reasoning_content":"hm",${tool(2)}}`,
    ]);
  });

  it('keeps other tags in the text', () => {
    expect(allTexts(one(turns(['gpt', '<think>a</think>b'], ['tool', 'x'], ['human', 'y'])))).toEqual([
      '{"role":"assistant","content":"<think>a</think>b"}',
      '{"role":"tool","content":"x"}',
      '{"role":"user","content":"y"}',
    ]);
  });
});

describe('a line is rejected', () => {
  const at = (byte: number) => ` at byte ${byte} of the line (${byte} of the source)`;
  test.each<readonly [json: string, reason: string]>([
    ['{"a":1}', 'bad-messages: messages is missing'],
    ['{"messages":{}}', `bad-messages: messages is not valid${at(12)}`],
    ['{"messages":[{"role":1}]}', `bad-messages: a message is not an object with a string role${at(12)}`],
    ['{"messages":[],"system":{}}', `bad-messages: system is not valid${at(24)}`],
    ['{"messages":[],"tools":{}}', `bad-tools: tools is not valid${at(23)}`],
    ['{"messages":[],"tools":"{}"}', `bad-tools: tools is not valid${at(23)}`],
    ['{"messages":[],"tools":"[] x"}', `bad-tools: tools is not valid${at(23)}`],
    ['{"messages":[],"tools":"[{\\"a\\":\\"\\ud800\\"}]"}', `bad-tools: tools is not valid${at(23)}`],
    ['{"messages":[],"messages":[]}', `duplicate-key: duplicate key${at(15)}`],
    [
      '{"conversations":[1]}',
      `bad-messages: conversations[0] is not an object with a string from and a string value${at(17)}`,
    ],
    [
      '{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":1}]}',
      `bad-messages: conversations[1] is not an object with a string from and a string value${at(17)}`,
    ],
    ...[
      'x',
      '[]',
      '{\\"arguments\\":{}}',
      '[1]',
      '<tool_call>{\\"name\\":\\"f\\"}</tool_call> x',
      '<tool_call>{\\"name\\":\\"f\\"}',
      '\\ud800',
    ].map((value): [string, string] => [
      `{"conversations":[{"from":"function_call","value":"${value}"}]}`,
      `bad-messages: conversations[0] is a function_call without a call${at(17)}`,
    ]),
    ['{"messages":[}', `invalid-json: not JSON${at(13)}`],
    ['{"tools":"\\x"}', `invalid-json: not JSON${at(10)}`],
    ['[]', `not-an-object: JSON, but not an object${at(0)}`],
  ])('%s', (json, reason) => {
    expect(read(json).map((element) => why(element as Rejection))).toEqual([reason]);
  });
});

test('any object is kept as a message byte for byte', () => {
  fc.assert(
    fc.property(objectText, (content) => {
      const message = `{"role":"user","content":${content}}`;
      expect(allTexts(one(`{"messages":[${message}]}`))).toEqual([message.replace(/[\r\n]/g, ' ')]);
    }),
  );
});

describe('a row that ends in a question', () => {
  const question = { role: 'user', content: 'Is the larch gold?' };
  const rulesOf = (members: object, ...answers: readonly object[]) =>
    one(JSON.stringify({ messages: [question, ...answers], ...members })).messages.flatMap(({ notes = [] }) =>
      notes.map(({ rule }) => rule),
    );

  it.each([
    { outputs: ['It is gold.'] },
    { output: 'gold' },
    { answer: 'gold' },
    { answers: ['gold'] },
    { response: 'gold' },
    { completion: 'gold' },
    { prediction: 'gold' },
    { result: 'It is gold.' },
    { result: 'gold' },
    { reply: 'gold' },
    { model_output: 'gold' },
    { finalAnswer: 'gold', final_answer: 'gold' },
    { generated_text: 'gold' },
    { outputs: { answer: 'gold' } },
    { outputs: '["gold"]' },
  ])('may have its answer beside it: %j', (members) => {
    expect(rulesOf(members)).toContain('unread-text');
    expect(rulesOf(members, { role: 'assistant', content: '' })).toContain('unread-text');
    expect(rulesOf(members, { role: 'assistant', content: 'gold' })).not.toContain('unread-text');
  });

  it.each([{ output: 'It is gold.' }, { response: 'yes' }, { completion: { content: 'yes' } }])(
    'has another answer beside the one that it ends with: %j',
    (members) => {
      expect(rulesOf(members, { role: 'assistant', content: 'gold' })).toContain('unread-text');
    },
  );

  it.each([
    { label: 'It is gold.' },
    { score: 0.5, answer: 42 },
    { ground_truth: 'gold', solution: 'gold', reference: 'gold', target: 'gold' },
    { result: 'passed' },
    { outputs: [], answer: '', response: null },
    { text: 'User: Is the larch gold?' },
  ])('has no answer: %j', (members) => {
    expect(rulesOf(members)).not.toContain('unread-text');
  });
});

it.each(['input_schema', 'inputSchema'])('the %s of a tool becomes its parameters', (name) => {
  const schema = '{"type":"object","n":1.0}';
  expect(texts(one(`{"messages":[],"tools":[{"name":"f","${name}":${schema}}]}`).tools)).toEqual([
    `{"name":"f","parameters":${schema}}`,
  ]);
  const both = `{"name":"f","${name}":1,"parameters":${schema}}`;
  expect(texts(one(`{"messages":[],"tools":[${both}]}`).tools)).toEqual([both]);
});

it('takes the functions of the older format for training as tools', () => {
  const list = '"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]';
  const entry = one(`{${list},"functions":[{"name":"f","parameters":{"n":1.0}}]}`);
  expect(texts(entry.tools)).toEqual(['{"name":"f","parameters":{"n":1.0}}']);
  expect(entry.messages[0]?.notes).toBeUndefined();
  expect(texts(one(`{${list},"functions":[{"name":"f"}],"tools":[{"name":"g"}]}`).tools)).toEqual([
    '{"name":"g"}',
  ]);
});
