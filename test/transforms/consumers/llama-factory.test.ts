/** That the named templates are the right ones is what test/loaders/judge_all_factory.py checks. */
import { expect, it } from 'vitest';
import { llamaFactoryRules } from '../../../transforms/consumers/llama-factory.ts';
import type { Message, ToolDefinition, WrittenRecord } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { format } from '../../../transforms/stages/format.ts';
import { assistant, call, conversationOf, messageOf, result, toolOf, user } from '../checks/samples.ts';

function brokenBy(messages: readonly Message[], tools: readonly ToolDefinition[] = []): readonly string[] {
  const stage = format.create({ ...defaultsOf(format.options), format: ['sharegpt'] });
  const emitted = [...apply(stage, [conversationOf(messages, { tools })])];
  const record = emitted.find(({ kind }) => kind === 'record') as WrittenRecord;
  return llamaFactoryRules.flatMap((rule) => rule.broken(record).map((at) => `${rule.name} ${at}`));
}

const one = [call('1', 'f', '{}')];
const two = [...one, call('2', 'f', '{}')];
const said = (content: string | null, more: object): Message =>
  messageOf({ role: 'assistant', content, ...more });
const answered = (answer: Message): readonly Message[] => [
  user('a'),
  answer,
  result('1', 'x'),
  assistant('y'),
];

it.each<[what: string, messages: readonly Message[], broken: readonly string[]]>([
  ['a call', answered(said(null, { tool_calls: one })), []],
  ['a tag of calls in an answer', [user('a'), assistant('x\n<tool_call>')], []],
  ['several calls', answered(said('', { tool_calls: two })), ['reader-parallel-calls 1']],
  ['a text before a call', answered(said('t', { tool_calls: one })), ['reader-text-before-call 1']],
  [
    'a text before several calls',
    answered(said('t', { tool_calls: two })),
    ['reader-parallel-calls 1', 'reader-text-before-call 1'],
  ],
  [
    'a thought before a call',
    answered(said('', { tool_calls: one, reasoning_content: 't' })),
    ['reader-thought-before-call 1'],
  ],
  [
    'a thought and a text before a call',
    answered(said('t', { tool_calls: one, reasoning_content: 't' })),
    ['reader-text-before-call 1', 'reader-thought-tags 1'],
  ],
  ['a thought', [user('a'), said('b', { reasoning_content: 't' })], ['reader-thought-tags 1']],
  [
    'a thought in the text of the log',
    [user('a'), assistant('<think>\nt\n</think>\n\nb')],
    ['reader-thought-tags 1'],
  ],
  ['a thought of the user', [user('<think> aloud'), assistant('b')], []],
  ['a tag of images', [user('an <image> here'), assistant('b')], ['reader-media-tags 0']],
  [
    'a tag of sounds in arguments and results',
    [
      user('a'),
      said('', { tool_calls: [call('1', 'f', '{"a":"<audio>"}')] }),
      result('1', '<video>'),
      assistant('y'),
    ],
    ['reader-media-tags 1', 'reader-media-tags 2'],
  ],
  ['elements with attributes', [user('<image href="x">, <video/>'), assistant('b')], []],
])('%s', (_what, messages, broken) => {
  expect(brokenBy(messages)).toEqual(broken);
});

const properties = (value: unknown, more: object = {}): object => ({
  type: 'object',
  properties: value,
  ...more,
});
it.each<[what: string, parameters: unknown, isRefused: boolean]>([
  ['no parameters', undefined, true],
  ['parameters that are null', null, true],
  ['no properties', { type: 'object' }, true],
  ['no property', properties({}, { required: null }), false],
  ['a property of any kind', properties({ a: {} }), false],
  ['a property that is true', properties({ a: true }), true],
  ['texts to choose from', properties({ a: { enum: ['x'] } }), false],
  ['numbers to choose from', properties({ a: { type: 'integer', enum: [1, 2] } }), true],
  ['a text or nothing to choose from', properties({ a: { enum: ['x', null] } }), true],
  ['items', properties({ a: { type: 'array', items: { type: 'string' } } }), false],
  ['items of any kind', properties({ a: { items: true } }), true],
  ['items of two kinds', properties({ a: { items: [{}, {}] } }), true],
  ['no items', properties({ a: { items: [] } }), false],
  ['requirements that are null', properties({ a: {} }, { required: null }), true],
])('a tool with %s', (_what, parameters, isRefused) => {
  const tool = toolOf({ name: 'f', parameters }, 'f');
  expect(brokenBy([user('a'), assistant('b')], [tool])).toEqual(
    isRefused ? ['reader-tool-parameters -1'] : [],
  );
});
