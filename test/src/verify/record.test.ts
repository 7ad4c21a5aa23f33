import { describe, expect, test } from 'vitest';
import { recordCheckOf } from '../../../src/verify/record.ts';
import { formats } from '../../../transforms/formats/index.ts';

const user = { role: 'user', content: 'hi' };
const chat = { messages: [user], tools: [{}] };
const turns = { conversations: [{ from: 'human', value: 'hi' }], system: '', tools: '[{}]' };
const step = { step_id: 1, source: 'user', message: 'hi' };
const run = { schema_version: 'ATIF-v1.7', agent: { name: 'a', version: '1' }, steps: [step] };
const head = { type: 'session', harness: 'h', id: 'i' };
const good: Readonly<Record<string, readonly object[]>> = {
  atif: [run, { ...run, extra: {} }, { ...run, agent: { name: 'a', tool_definitions: [{}] } }],
  chat: [chat],
  openai: [chat, { ...chat, parallel_tool_calls: true }],
  trl: [chat, { ...chat, tools: null }],
  axolotl: [{ ...chat, tools: '[]' }],
  sharegpt: [turns],
  samples: [
    { messages: [user] },
    { messages: [user], expected: {}, tags: ['x'] },
    { fullConversation: [user], expected: 1 },
  ],
  functiongemma: [{ text: '' }, { prompt: 'a', completion: 'b' }],
  sts: [head, { ...head, metadata: {} }, { type: 'message', message: user }],
};
const bad: Readonly<Record<string, readonly object[]>> = {
  atif: [
    { ...run, schema_version: 1 },
    { ...run, agent: {} },
    { ...run, agent: { name: 'a', tool_definitions: [1] } },
    { ...run, steps: {} },
    { ...run, steps: [{ ...step, step_id: 2 }] },
    { ...run, steps: [{ ...step, source: 'gpt' }] },
    { ...run, steps: [{ step_id: 1, source: 'user' }] },
    { ...run, extra: '{}' },
    { ...run, more: 1 },
    chat,
  ],
  chat: [
    {},
    { messages: [user] },
    { tools: [] },
    { ...chat, more: 1 },
    { ...chat, parallel_tool_calls: true },
    { ...chat, messages: {} },
    { ...chat, messages: [1] },
    { ...chat, messages: [{}, user] },
    { ...chat, messages: [user, { content: 'a reply without a role' }] },
    { ...chat, tools: [1] },
    { ...chat, tools: '{}' },
    { ...chat, tools: '[' },
    { ...chat, tools: null },
    turns,
  ],
  openai: [{ ...chat, parallel: true }],
  trl: [{ messages: [user] }],
  axolotl: [{ ...chat, tools: '[1]' }],
  sharegpt: [
    chat,
    { ...turns, tools: [] },
    { ...turns, system: null },
    { ...turns, more: 1 },
    { ...turns, conversations: [{ from: 'user', value: '' }] },
    { ...turns, conversations: [{ from: 'gpt', value: 1 }] },
    { ...turns, conversations: [{ from: 'gpt', value: '', more: 1 }] },
  ],
  samples: [{}, { messages: {} }, { fullConversation: 'x' }, { messages: [1] }],
  functiongemma: [{}, { text: 1 }, { prompt: 'a' }, { text: 'a', prompt: 'b' }, { text: 'a', more: 1 }, chat],
  sts: [
    { ...head, type: 'note' },
    { ...head, id: 7 },
    { ...head, metadata: 1 },
    { ...head, message: user },
    { ...head, more: 1 },
    { type: 'message', message: { role: 'critic', content: '' } },
    { type: 'message', message: { role: 'user', content: [] } },
    { type: 'message', message: user, id: 'i' },
  ],
};
const cases = (of: typeof good): [string, object][] =>
  Object.entries(of).flatMap(([format, records]) => records.map((r) => [format, r] as [string, object]));

test.each(cases(good))('accepts a record of %s: %j', (format, record) => {
  expect(recordCheckOf(format)({ ...record }).problem).toBeUndefined();
});

test.each(cases(bad))('refuses as a record of %s: %j', (format, record) => {
  expect(recordCheckOf(format)({ ...record }).problem).toBeDefined();
});

test.each(formats.map(({ name }) => name))('knows the shape of %s', (name) => {
  expect(recordCheckOf(name)({}).problem).toBeDefined();
});

describe('counts tools', () => {
  test.each([
    ['chat', chat, 1],
    ['axolotl', { messages: [], tools: '[{},{}]' }, 2],
    ['sharegpt', turns, 1],
    ['functiongemma', { text: '' }, undefined],
  ])('of %s', (format, record, tools) => {
    expect(recordCheckOf(format)({ ...record }).tools).toBe(tools);
  });
});
