import { describe, expect, it, test } from 'vitest';
import astracodex from '../../../transforms/dialects/astracodex.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Entry, Rejection } from '../../../transforms/model/element.ts';
import { KINDS, text } from '../bytes.ts';
import { lineOf, why } from '../log-lines.ts';

const chat = (messages: string, meta = '{}') =>
  `{"meta":${meta},"settings":{},"state":{},"messages":${messages}}`;
const read = (json: string) => [...astracodex.create().read(lineOf(json))];
const one = (json: string) => read(json)[0] as Entry;
const messagesOf = ({ messages, reply }: Entry) =>
  (reply === undefined ? messages : [...messages, reply]).map(({ bytes }) => text(bytes));

describe.each(KINDS)('a chat in a %s', (_kind, make) => {
  it('keeps its texts and arguments byte for byte', () => {
    const list =
      '[{"role":"user","content":"\\u0041\\/ "},\n{"role":"assistant","content":"a","think":"t","tool_calls":[{"name":"f","arguments":{"b": 1.0}},{"name":"g","args":"{}"}]},{"role":"tool","content":"r","tool_call_id":"1-g"},{"role":"tool","tool_result":{"n":1.0}},{"role":"assistant","text":"b"}]';
    const [entry] = astracodex.create().read(lineOf(chat(list), make)) as [Entry];
    expect(messagesOf(entry)).toEqual([
      '{"role":"user","content":"\\u0041\\/ "}',
      '{"role":"assistant","content":"a","reasoning_content":"t","tool_calls":[{"id":"0-f","type":"function","function":{"name":"f","arguments":"{\\"b\\": 1.0}"}},{"id":"1-g","type":"function","function":{"name":"g","arguments":"{}"}}]}',
      '{"role":"tool","tool_call_id":"1-g","content":"r"}',
      '{"role":"tool","tool_call_id":"0-f","content":"{\\"n\\":1.0}"}',
      '{"role":"assistant","content":"b"}',
    ]);
    expect(entry.reply?.role).toBe('assistant');
    expect([...entry.changes]).toEqual([]);
  });
});

it('reports a second value under the name of another version', () => {
  const rulesOf = (message: object) =>
    one(chat(JSON.stringify([{ role: 'user', content: 'q' }, message]))).messages[0]?.notes?.map(
      ({ rule }) => rule,
    );
  const calls = (name: string) => [{ name, arguments: {} }];
  const said = { role: 'assistant', content: 'a', tool_calls: calls('f') };
  expect(rulesOf({ ...said, text: 'a ', toolCalls: calls('f') })).toBeUndefined();
  expect(rulesOf({ ...said, text: '', toolCalls: [] })).toBeUndefined();
  expect(rulesOf({ role: 'assistant', content: null, text: 'b' })).toBeUndefined();
  expect(rulesOf({ ...said, text: 'b' })).toEqual(['unread-text']);
  expect(rulesOf({ ...said, toolCalls: calls('g') })).toEqual(['unread-text']);
  expect(rulesOf({ role: 'tool', tool_result: 'r', toolResult: 's' })).toEqual(['unread-text']);
});

it('has no indentation in arguments and results of an indented document', () => {
  const messages = [
    { role: 'assistant', content: 'a', toolCalls: [{ name: 'f', args: { path: 'x', lines: [1, 2] } }] },
    { role: 'tool', toolResult: { files: ['a'], more: {} } },
  ];
  const document = JSON.stringify({ meta: {}, state: {}, messages }, null, 2);
  expect(messagesOf(one(document))).toEqual([
    '{"role":"assistant","content":"a","tool_calls":[{"id":"0-f","type":"function","function":{"name":"f","arguments":"{\\"path\\": \\"x\\", \\"lines\\": [1, 2]}"}}]}',
    '{"role":"tool","tool_call_id":"0-f","content":"{\\"files\\": [\\"a\\"], \\"more\\": {}}"}',
  ]);
});

it('is a separate session with the id and time of its meta, if present', () => {
  expect(one(chat('[]', '{"id":"c","createdAt":"2026-01-13T22:14:03Z"}'))).toMatchObject({
    sessionId: 'c',
    alone: true,
    timestamp: 1_768_342_443_000_000_000n,
  });
  expect(one(chat('[]', '{"id":7,"created":"yesterday"}'))).toMatchObject({
    sessionId: 'a.jsonl:1',
    timestamp: undefined,
  });
  const twice = '{"messages":[],"meta":{"id":"a"},"state":{},"meta":{"id":"b","id":"c"}}';
  expect(one(twice)).toMatchObject({ kind: 'entry', sessionId: 'c' });
  expect(one(chat('[]', '[]'))).toMatchObject({ sessionId: 'a.jsonl:1', messages: [], reply: undefined });
});

it('a result in an answer becomes the next message, and several calls in a text are reported', () => {
  const content = '<tool_call>{\\"name\\":\\"f\\"}</tool_call> <tool_call>{\\"name\\":\\"g\\"}</tool_call>';
  const entry = one(chat(`[{"role":"assistant","content":"${content}","toolResult":"r"}]`));
  expect(messagesOf(entry)).toEqual([
    '{"role":"assistant","content":"","tool_calls":[{"id":"0-g","type":"function","function":{"name":"g","arguments":"{}"}}]}',
    '{"role":"tool","tool_call_id":"0-g","content":"r"}',
  ]);
  expect(entry.messages[0]?.notes).toMatchObject([{ rule: 'calls-left-out' }]);
  expect([...entry.changes]).toEqual([['recovered-call', 1]]);
});

it('lines and blocks of the protocol in thoughts are removed', () => {
  const think =
    'STATE: idle\\nI read it.\\n```tool\\n{\\"name\\":\\"f\\",\\"args\\":{},\\"retrigger\\":{}}\\n```\\nretrigger: yes';
  for (const message of [
    `"content":"<think>${think}</think>Done."`,
    `"content":"Done.","think":"${think}"`,
  ]) {
    const entry = one(chat(`[{"role":"assistant",${message}}]`));
    expect(messagesOf(entry)).toEqual([
      '{"role":"assistant","content":"Done.","reasoning_content":"I read it."}',
    ]);
    expect(entry.reply?.notes ?? []).toEqual([]);
    const thoughts = message.includes('<think>') ? [['think-block', 1]] : [];
    expect([...entry.changes]).toEqual([...thoughts, ['leaked-header', 2], ['stripped-block', 1]]);
  }
});

it('only a line that begins with it is a remain of the protocol', () => {
  const debris = (content: string) =>
    one(chat(`[{"role":"assistant","content":"${content}"}]`)).reply?.notes ?? [];
  expect(
    debris('Machines of state: idle, busy. A flag needs_confirmation, and retrigger: no. See ```tool'),
  ).toEqual([]);
  for (const line of ['state: idle, then busy', 'needs_confirmation is set', '```tool_code'])
    expect(debris(`So:\\n${line}`)).toMatchObject([{ rule: 'protocol-debris' }]);
});

it('leftovers of the protocol and omitted calls are reported', () => {
  const content = 'Use <tool_call> now. <tool_call>{\\"name\\":\\"f\\"} <tool_call>{\\"name\\":\\"g\\"}';
  const { reply } = one(chat(`[{"role":"assistant","content":"${content}"}]`));
  expect(reply?.notes).toEqual([
    {
      rule: 'calls-left-out',
      severity: 'WARNING',
      message: '1 call before the last one is left out, because the agent ran only the last one',
    },
    { rule: 'protocol-debris', severity: 'WARNING', message: 'the text still contains a tag of a call' },
  ]);
});

test.each([
  ['{"meta":{},"state":{}}', 'bad-messages: messages is missing'],
  [chat('{}'), 'bad-messages: messages is not valid at byte 47 of the line (47 of the source)'],
  [
    chat('[{"role":"user"},{}]'),
    'bad-messages: messages[1] is not an object with a string role at byte 47 of the line (47 of the source)',
  ],
  [
    chat('[1]'),
    'bad-messages: messages[0] is not an object with a string role at byte 47 of the line (47 of the source)',
  ],
  ['{"messages":[],"messages":[]}', 'duplicate-key: duplicate key at byte 15 of the line (15 of the source)'],
  ['{"messages":[}', 'invalid-json: not JSON at byte 13 of the line (13 of the source)'],
])('%s is rejected', (json, reason) => {
  expect(read(json).map((element) => why(element as Rejection))).toEqual([reason]);
});

test.each([
  ['["messages","meta","settings"]', true],
  ['["messages","state","lastDocument"]', true],
  ['["messages","meta"]', false],
  ['["meta","settings","state"]', false],
])('%s is detected: %s', (keys, yes) => {
  expect(astracodex.detect(new Map((JSON.parse(keys) as string[]).map((key) => [key, encode('[]')])))).toBe(
    yes,
  );
});
