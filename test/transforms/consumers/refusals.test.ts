import { expect, it } from 'vitest';
import { refusalsOf as recounted } from '../../../src/verify/refusals.ts';
import { asObject, type JsonObject } from '../../../src/verify/untrusted.ts';
import { consumerRules } from '../../../transforms/consumers/consumer-rules.ts';
import { quickRefusals } from '../../../transforms/consumers/openai-quick.ts';
import { refusalsIn, refusalsOf, refusalsOfRoles } from '../../../transforms/consumers/refusals.ts';
import type { Format } from '../../../transforms/formats/format.ts';
import type { FormatOptionValues } from '../../../transforms/formats/format-options.ts';
import { formats } from '../../../transforms/formats/index.ts';
import type { WrittenRecord } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { format } from '../../../transforms/stages/format.ts';
import { conversationOf, messageOf, toolOf } from '../checks/samples.ts';

const ask = { role: 'user', content: 'a' };
const reply = (more: object = {}): object => ({ role: 'assistant', content: 'b', ...more });
const call = (id: string, args: unknown = '{}', name = 'f'): object => ({
  ...{ id, type: 'function', function: { name, arguments: args } },
});
const calling = (...calls: readonly object[]): object => ({ role: 'assistant', tool_calls: calls });
const result = (id: string, more: object = {}): object => ({
  ...{ role: 'tool', tool_call_id: id, content: 'r', ...more },
});

const recordOf = (
  name: string,
  messages: readonly object[],
  tools: readonly string[] = [],
  options: FormatOptionValues = {},
): WrittenRecord => {
  const { rules = [] } = formats.find((one) => one.name === name) as Format;
  const kept = ['unknown-role', 'no-answer'].filter((rule) => rules.includes(rule));
  const stage = format.create({
    ...{ ...defaultsOf(format.options), format: [name], formatOptions: options },
    onFinding: Object.fromEntries(kept.map((rule) => [rule, 'keep' as const])),
  });
  const said = messages.map((message) => messageOf(message as { role: string }));
  const emitted = [
    ...apply(stage, [conversationOf(said, { tools: tools.map((text) => toolOf(JSON.parse(text))) })]),
  ];
  return emitted.find(({ kind }) => kind === 'record') as WrittenRecord;
};

const TEXT = { type: 'text', text: 'a' };
const IMAGE = { type: 'image_url', image_url: { url: 'https://x.org/a.png' } };

/** Arguments with this number of levels. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

/** Messages and the rules by which OpenAI refuses them, from its documentation. */
const CASES: readonly (readonly [messages: readonly object[], refused: readonly string[]])[] = [
  [[ask, reply()], []],
  [[ask, calling(call('1'), call('2')), result('1'), result('2'), reply()], []],
  [[ask, calling(call('1'), call('2')), result('2'), result('1'), reply()], []],
  [[ask, calling(call('1'))], []],
  [[ask, calling(call('1', '{"a":1}'), call('1')), result('1'), result('1'), reply()], []],
  [[ask, reply({ reasoning_content: 'c' })], ['reader-no-reasoning']],
  [
    [ask, reply({ thinking: 'c', annotations: [] })],
    ['reader-members', 'reader-no-reasoning'],
  ],
  [[ask, reply({ weight: 1 })], []],
  [[ask, reply({ weight: 2 })], ['reader-weight']],
  [[{ ...ask, weight: 0 }, reply()], ['reader-weight']],
  [[ask, result('1'), reply()], ['reader-orphan-result']],
  [[ask, calling(call('1')), ask, reply()], ['reader-unanswered-call']],
  [
    [ask, calling(call('1')), result('2'), reply()],
    ['reader-orphan-result', 'reader-unanswered-call'],
  ],
  [[ask, reply(), ask], ['reader-end']],
  [[{ role: 'user' }, reply()], ['reader-content']],
  [[ask, reply({ content: null })], ['reader-content']],
  [[ask, reply({ content: null, function_call: { name: 'f', arguments: '{}' } })], []],
  [[{ role: 'user', content: [TEXT, IMAGE] }, reply()], []],
  [[{ role: 'user', content: [TEXT, { type: 'image', source: {} }] }, reply()], ['reader-part-types']],
  [[{ role: 'user', content: [{ type: 'input_text', text: 'a' }, IMAGE] }, reply()], ['reader-part-types']],
  [[{ role: 'user', content: ['a', IMAGE] }, reply()], ['reader-part-types']],
  [[{ role: 'user', content: [TEXT, { type: 'file', path: '/a' }] }, reply()], ['reader-part-types']],
  [[{ role: 'user', content: [{ type: 'file', file: { file_id: 'a' } }] }, reply()], []],
  [[{ role: 'system', content: [TEXT, IMAGE] }, ask, reply()], ['reader-part-types']],
  [[ask, calling(call('1')), result('1', { content: [IMAGE] }), reply()], ['reader-part-types']],
  [[ask, reply({ content: [TEXT, IMAGE] })], ['reader-part-types']],
  [[ask, reply({ content: [{ type: 'refusal', refusal: 'no' }] })], []],
  [[ask, reply({ tool_calls: [] })], []],
  [[ask, reply({ tool_calls: null })], []],
  [[ask, calling(call('1', '{}', 'a b')), result('1'), reply()], ['reader-calls']],
  [[ask, calling(call('1', '[1]')), result('1'), reply()], ['reader-arguments']],
  [[ask, calling(call('1', 'x')), result('1'), reply()], ['reader-arguments']],
  [[ask, calling(call('1', '{"a":"\\ud800"}')), result('1'), reply()], []],
  [[ask, calling(call('1', '{"a":"\ud800"}')), result('1'), reply()], ['reader-arguments']],
  [[ask, calling(call('1', nested(506))), result('1'), reply()], []],
  [[ask, calling(call('1', nested(507))), result('1'), reply()], ['reader-arguments']],
  [[ask, { role: 'critic', content: 'c' }, reply()], ['reader-role']],
];

const sorted = (names: readonly string[]): string[] => [...names].sort();

it.each(CASES)('%j', (messages, refused) => {
  const record = recordOf('openai', messages);
  expect(sorted(refusalsOf(record))).toEqual(sorted(refused));
  expect(sorted(refusalsIn(record.bytes, 'openai'))).toEqual(sorted(refused));
  const value = asObject(JSON.parse(Buffer.from(record.bytes).toString())) as JsonObject;
  expect(sorted(recounted('openai', value))).toEqual(sorted(refused));
});

it('has a case for every rule that refuses a conversation, except that of tools', () => {
  const seen = new Set(CASES.flatMap(([, refused]) => refused));
  const all = consumerRules.filter(({ effect }) => effect === 'refuses').map(({ name }) => name);
  expect(sorted([...seen, 'reader-tool'])).toEqual(sorted(all));
});

const GOOD = '{"name":"f","parameters":{"type":"object"}}';
const named = (count: number): string[] => Array.from({ length: count }, (_, i) => `{"name":"f${i}"}`);
it.each<[string, readonly string[], FormatOptionValues, readonly string[]]>([
  ['a good tool', [GOOD], {}, []],
  ['as many tools as are allowed', named(128), {}, []],
  ['a tool too many', named(129), {}, ['reader-tool']],
  ['a name with a blank', [GOOD, '{"name":"f g"}'], {}, ['reader-tool']],
  ['parameters that are no object', ['{"name":"f","parameters":[]}'], {}, ['reader-tool']],
  ['a tool that defines no function', ['{"type":"web_search"}'], {}, ['reader-tool']],
  ['tools in a string, which are not looked into', ['{"type":"web_search"}'], { arrowSafe: true }, []],
])('%s', (_name, tools, options, refused) => {
  const record = recordOf('openai', [ask, reply()], tools, options);
  expect(refusalsOf(record)).toEqual(refused);
  expect(refusalsIn(record.bytes, 'openai')).toEqual(refused);
  const value = asObject(JSON.parse(Buffer.from(record.bytes).toString())) as JsonObject;
  expect(recounted('openai', value)).toEqual(refused);
});

it('decides plain records without the rules, and leaves odd ones to them', () => {
  const quick = (messages: readonly object[]) => quickRefusals(recordOf('openai', messages));
  expect(quick([ask, calling(call('1')), result('1'), reply()])).toEqual([]);
  expect(quick([ask, reply({ thinking: 'c' })])).toEqual(['reader-no-reasoning']);
  expect(quick([ask, reply({ weight: 0 })])).toBeUndefined();
  expect(quick([ask, calling(call('1')), reply()])).toBeUndefined();
});

it.each(['chat', 'chat-inline', 'trl', 'axolotl'])('%s: refuses roles that templates do not know', (name) => {
  const strange = [ask, { role: 'critic', content: 'c' }, reply()];
  expect(refusalsOf(recordOf(name, strange))).toEqual(['reader-role']);
  expect(refusalsOf(recordOf(name, [ask, reply({ reasoning_content: 'c' })]))).toEqual([]);
  expect(refusalsOfRoles({ user: 1, critic: 1 })).toEqual(['reader-role']);
  expect(refusalsOfRoles({ user: 1, assistant: 1 })).toEqual([]);
});

it('knows no refusals of formats without such rules', () => {
  expect(refusalsOf(recordOf('atif', [ask, reply({ thinking: 'c' })]))).toEqual([]);
});

it('every rule that refuses says what to do, and no other does', () => {
  for (const { name, effect, refusal } of consumerRules)
    expect([name, refusal !== undefined]).toEqual([name, effect === 'refuses']);
});
