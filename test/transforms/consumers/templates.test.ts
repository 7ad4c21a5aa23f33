/**
 * The parts of records that chat templates do not render. That the named templates are the right ones is what
 * test/loaders/judge_all_templates.py checks.
 */
import { describe, expect, it } from 'vitest';
import { templateParts, templateRules } from '../../../transforms/consumers/templates.ts';
import type { Message, ToolDefinition, WrittenRecord } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { format } from '../../../transforms/stages/format.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  messageOf,
  result,
  toolOf,
  user,
} from '../checks/samples.ts';

const TOOL = toolOf({
  type: 'function',
  function: { name: 'f', description: 'd', parameters: { type: 'object' } },
});

function recordOf(
  messages: readonly Message[],
  {
    name = 'trl',
    tools = [],
    arrowSafe,
  }: { name?: string; tools?: readonly ToolDefinition[]; arrowSafe?: boolean } = {},
): WrittenRecord {
  const formatOptions = arrowSafe === undefined ? {} : { arrowSafe };
  const stage = format.create({ ...defaultsOf(format.options), format: [name], formatOptions });
  const emitted = [...apply(stage, [conversationOf(messages, { tools })])];
  return emitted.find(({ kind }) => kind === 'record') as WrittenRecord;
}

/** Without those about ids, which most calls here have. */
const partsOf = (record: WrittenRecord): readonly string[] =>
  partsAndIds(record).filter((part) => !part.startsWith('an id'));
const partsAndIds = (record: WrittenRecord): readonly string[] =>
  Object.entries(templateParts).flatMap(([part, { isIn }]) => (isIn(record) ? part : []));

const system = messageOf({ role: 'system', content: 's' });
const called = calling(call('1', 'f', '{"a":1}'));
const CALLED = [user('q'), called, result('1', 'r')];
const IN_AXOLOTL = [
  'a call in axolotl, with its own templates',
  'a call in axolotl, unless message_property_mappings names tool_calls',
];
const UNEVEN = [
  'turns that do not alternate, results included',
  'questions and answers that do not alternate',
];
const thinking = (content: string | null, ...calls: readonly object[]): Message =>
  messageOf({ role: 'assistant', content, reasoning_content: 't', tool_calls: calls });

describe('a record', () => {
  it.each<readonly [what: string, messages: readonly Message[], parts: readonly string[]]>([
    ['a question and an answer', [user('q'), assistant('a')], []],
    ['a system message', [system, user('q'), assistant('a')], ['a system message']],
    [
      'a late system message',
      [user('q'), system, assistant('a')],
      ['a system message that is not the first message', UNEVEN[0] as string],
    ],
    ['no question', [system, assistant('a')], ['a system message', 'no question', ...UNEVEN]],
    ['two questions', [user('q'), user('q'), assistant('a')], UNEVEN],
    [
      'a call and its result',
      [...CALLED, user('q'), assistant('a')],
      [UNEVEN[0] as string, 'a call', 'a result', 'arguments as an object'],
    ],
    ['a call', [user('q'), called], ['a call', 'arguments as an object']],
    [
      'several calls',
      [user('q'), calling(call('1', 'f', '{}'), call('2', 'f', '{}'))],
      ['a call', 'arguments as an object', 'several calls at once'],
    ],
    [
      'a text beside a call',
      [user('q'), messageOf({ role: 'assistant', content: 'a', tool_calls: [call('1', 'f', '{}')] })],
      ['a call', 'arguments as an object', 'a text beside a call'],
    ],
    [
      'a thought and a text beside a call',
      [user('q'), thinking('a', call('1', 'f', '{}'))],
      ['a call', 'arguments as an object', 'a text beside a call', 'reasoning and a text beside a call'],
    ],
    [
      'an image',
      [user([{ type: 'text', text: 'q' }, { type: 'image_url' }]), assistant('a')],
      ['a content of parts'],
    ],
    ['a tag', [user('q'), assistant('a</think>b')], ['</think> in an answer']],
    ['a tag of the user', [user('a</think>b'), assistant('a')], []],
    [
      'a result of no call',
      [user('q'), result('1', 'r'), assistant('a')],
      [UNEVEN[0] as string, 'a result', 'a result of no call'],
    ],
    [
      'a result of another call',
      [user('q'), called, result('2', 'r')],
      [
        ...[UNEVEN[0] as string, 'a call', 'a result', 'arguments as an object'],
        'a result without a name or the id of a call before it',
      ],
    ],
    [
      'a result of another call with the name of its function',
      [user('q'), called, messageOf({ role: 'tool', tool_call_id: '2', name: 'f', content: 'r' })],
      [UNEVEN[0] as string, 'a call', 'a result', 'arguments as an object'],
    ],
  ])('with %s', (_, messages, parts) => {
    expect(partsOf(recordOf(messages))).toEqual(parts);
  });

  it('has arguments as texts with --arrow-safe, which axolotl makes into objects', () => {
    const safe = recordOf([user('q'), called], { arrowSafe: true });
    expect(partsOf(safe)).toEqual(['a call', 'arguments as a text', 'arguments as a text with members']);
    const none = recordOf([user('q'), calling(call('1', 'f', '{}'))], { arrowSafe: true });
    expect(partsOf(none)).toEqual(['a call', 'arguments as a text']);
    expect(partsOf(recordOf([user('q'), called], { name: 'axolotl' }))).toEqual([
      'a call',
      'arguments as an object',
      ...IN_AXOLOTL,
    ]);
  });

  it('of chat may have calls without a content, and tools that are not wrapped', () => {
    const bare = toolOf({ name: 'f', description: 'd', parameters: { type: 'object' } });
    const record = recordOf(
      [user('q'), messageOf({ role: 'assistant', tool_calls: [call('1', 'f', '{}')] })],
      {
        ...{ name: 'chat', tools: [bare] },
      },
    );
    const parts = partsOf(record);
    expect(parts).toContain('a call without a content');
    expect(parts).toContain('a tool that is not {type, function}');
  });

  it.each([
    ['a result without a content', [user('q'), called, messageOf({ role: 'tool', tool_call_id: '1' })]],
    [
      'an answer without a content',
      [user('q'), messageOf({ role: 'assistant', content: null, refusal: 'no' })],
    ],
    ['an empty list of calls', [user('q'), messageOf({ role: 'assistant', content: 'a', tool_calls: [] })]],
  ])('of chat may have %s, which is not in one of trl', (part, messages) => {
    expect(partsOf(recordOf(messages, { name: 'chat' }))).toContain(part);
    expect(partsOf(recordOf(messages))).not.toContain(part);
  });

  it('has a result in axolotl', () => {
    const parts = partsOf(recordOf(CALLED, { name: 'axolotl' }));
    expect(parts.slice(-3)).toEqual([...IN_AXOLOTL, 'a result in axolotl']);
  });

  it.each([
    ['call_1', true, true],
    ['functions.f:0', true, false],
    ['functions.g:0', true, true],
    ['functions.f', true, true],
    ['aB3aB3aB3', false, true],
    ['aB3aB3aB-', true, true],
  ])('has the id %s', (id, isOddForMistral, isOddForKimi) => {
    const record = recordOf([user('q'), calling(call(id, 'f', '{}')), result(id, 'r')]);
    const odd = partsAndIds(record).filter((part) => part.startsWith('an id'));
    expect(odd.map((part) => /nine|NAME/.exec(part)?.[0])).toEqual([
      ...(isOddForMistral ? ['nine'] : []),
      ...(isOddForKimi ? ['NAME'] : []),
    ]);
  });

  it('has a result with the id of another program', () => {
    const record = recordOf([user('q'), calling(call('aB3aB3aB3', 'f', '{}')), result('1', 'r')]);
    expect(partsAndIds(record)).toContain('an id of a call that is not nine letters and digits');
  });

  it.each([false, true])('has a tool whose description is null, arrow-safe %s', (arrowSafe) => {
    const nulled = toolOf({ name: 'f', description: null, parameters: { type: 'object' } });
    expect(partsOf(recordOf([user('q'), assistant('a')], { tools: [nulled], arrowSafe }))).toEqual([
      'a tool whose description is null',
    ]);
  });

  it.each([false, true])('has tools without a description or parameters, arrow-safe %s', (arrowSafe) => {
    const tools = [TOOL, toolOf({ type: 'function', function: { name: 'g' } })];
    const messages = [user('q'), assistant('a')];
    expect(partsOf(recordOf(messages, { tools, arrowSafe }))).toEqual([
      'a tool without a description',
      'a tool without parameters',
    ]);
    expect(partsOf(recordOf(messages, { tools: [TOOL], arrowSafe }))).toEqual([]);
  });
});

describe('the rules', () => {
  const [refuses, drops] = templateRules;

  it('list the parts with their templates', () => {
    const record = recordOf([system, user('q'), calling(call('1', 'f', '{}'), call('2', 'f', '{}'))]);
    expect(refuses?.detail?.(record)).toBe(
      'a system message (gemma); arguments as an object (deepseekv3); several calls at once (llama3_1, llama3_2); an id of a call that is not nine letters and digits (mistral)',
    );
    expect(drops?.detail?.(record)).toMatch(
      /^a call \(cohere, .*\); several calls at once \(gptoss\); an id .* name \(kimi_k2\)$/,
    );
  });

  it('report a record once, if it has such a part', () => {
    const plain = recordOf([user('q'), assistant('a')]);
    expect([refuses?.broken(plain), drops?.broken(plain)]).toEqual([[], []]);
    expect(refuses?.broken(recordOf([system, user('q'), assistant('a')]))).toEqual([-1]);
  });
});
