import { describe, expect, it } from 'vitest';
import { consumerRules, effectOf } from '../../../transforms/consumers/consumer-rules.ts';
import { formats } from '../../../transforms/formats/index.ts';
import type { Finding, Message, ToolDefinition, WrittenRecord } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { checkConsumers } from '../../../transforms/stages/check-consumers.ts';
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

const recordOf = (
  name: string,
  messages: readonly Message[],
  options: object = {},
  tools: readonly ToolDefinition[] = [],
): WrittenRecord => {
  const stage = format.create({ ...defaultsOf(format.options), format: [name], ...options });
  const emitted = [...apply(stage, [conversationOf(messages, { tools })])];
  return emitted.find(({ kind }) => kind === 'record') as WrittenRecord;
};
/** The findings without those about templates (templates.test.ts). */
const found = (record: WrittenRecord): string[] =>
  [...apply(checkConsumers.create({}), [record])].flatMap((element) =>
    element.kind === 'finding' && !element.rule.startsWith('reader-template-')
      ? [`${element.rule} ${/^[a-z-]+: messages\[(\d+)\]/.exec(element.message)?.[1] ?? '-'}`]
      : [],
  );
const weighed = (weight: number): Message => messageOf({ role: 'assistant', content: 'b', weight });
const GOOD = [user('a'), assistant('b')];
/** A record of a call with this argument. */
const numbered = (json: string, formatOptions: object = {}): WrittenRecord =>
  recordOf('trl', [user('a'), calling(call('1', 'f', `{"n":${json}}`))], { formatOptions });
const called = [user('a'), calling(call('1', 'f', '{}'), call('2', 'f', '{}'))];

describe('the consumer of a format', () => {
  it.each(formats.map(({ name }) => name))('%s: accepts a plain conversation unchanged', (name) => {
    if (name !== 'functiongemma-teaching') expect(found(recordOf(name, GOOD))).toEqual([]);
  });

  it.each<[string, string, readonly Message[], string[]]>([
    [
      'a strange role',
      'chat',
      [...GOOD, messageOf({ role: 'critic', content: 'x' }), assistant('y')],
      ['reader-role 2'],
    ],
    [
      'a late system message',
      'chat',
      [...GOOD, messageOf({ role: 'system', content: 'x' })],
      ['reader-late-system 2'],
    ],
    [
      'an image among the parts',
      'axolotl',
      [user([{ type: 'text', text: 'a' }, { type: 'image_url' }]), assistant('b')],
      ['reader-parts 0'],
    ],
    [
      'parts of text, which become one text',
      'axolotl',
      [user([{ type: 'text', text: 'a' }]), assistant('b')],
      [],
    ],
    ['parts, which OpenAI accepts', 'openai', [user([{ type: 'text', text: 'a' }]), assistant('b')], []],
    [
      'a thought',
      'trl',
      [user('a'), messageOf({ role: 'assistant', content: 'b', reasoning_content: 'c' })],
      ['reader-reasoning 1'],
    ],
    [
      'a thought by its other name',
      'axolotl',
      [user('a'), messageOf({ role: 'assistant', content: 'b', thinking: 'c' })],
      ['reader-reasoning 1'],
    ],
    [
      'reasoning',
      'openai',
      [user('a'), messageOf({ role: 'assistant', content: 'b', reasoning_content: 'c' })],
      ['reader-no-reasoning 1'],
    ],
    [
      'an unknown member',
      'openai',
      [user('a'), messageOf({ role: 'assistant', content: 'b', annotations: 'c' })],
      ['reader-members 1'],
    ],
    ['objects', 'trl', called, ['reader-columns -']],
    ['strings', 'axolotl', called, []],
    ['calls at the end, which need no results', 'openai', called, []],
    ['results in any order', 'openai', [...called, result('2', 'x'), result('1', 'y'), ...GOOD], []],
    [
      'a call without a result',
      'openai',
      [...called, result('2', 'x'), assistant('y')],
      ['reader-unanswered-call 1'],
    ],
    [
      'a result too many',
      'openai',
      [...called, result('1', 'x'), result('2', 'x'), result('2', 'x')],
      ['reader-orphan-result 4', 'reader-end 4'],
    ],
    [
      'a result after another message',
      'openai',
      [...called, user('b'), result('1', 'x')],
      ['reader-orphan-result 3', 'reader-unanswered-call 1', 'reader-end 3'],
    ],
    ['a question at the end', 'openai', [...GOOD, user('c')], ['reader-end 2']],
    [
      'no content',
      'openai',
      [user(null), ...GOOD, messageOf({ role: 'assistant' })],
      ['reader-content 0', 'reader-content 3'],
    ],
    [
      'calls beside no content',
      'openai',
      [user('a'), messageOf({ role: 'assistant', content: null, tool_calls: [call('1', 'f')] })],
      [],
    ],
    [
      'an old call beside no content',
      'openai',
      [user('a'), messageOf({ role: 'assistant', function_call: { name: 'f' } })],
      [],
    ],
    ['weights', 'openai', [user('a'), weighed(0), user('b'), weighed(1)], []],
    ['another weight', 'openai', [user('a'), weighed(0.5)], ['reader-weight 1']],
    [
      "a user's weight",
      'openai',
      [messageOf({ role: 'user', content: 'a', weight: 1 }), assistant('b')],
      ['reader-weight 0'],
    ],
    [
      'a call without an id',
      'openai',
      [user('a'), calling({ type: 'function', function: { name: 'f', arguments: '{}' } })],
      ['reader-calls 1'],
    ],
    [
      'a call without a type',
      'openai',
      [user('a'), calling({ id: '1', function: { name: 'f', arguments: '{}' } })],
      ['reader-calls 1'],
    ],
    [
      'a call with a long name',
      'openai',
      [user('a'), calling(call('1', 'f'.repeat(65)))],
      ['reader-calls 1'],
    ],
    ['a call with a dot in its name', 'openai', [user('a'), calling(call('1', 'f.g'))], ['reader-calls 1']],
    [
      'an empty list of calls, which is left out',
      'openai',
      [user('a'), messageOf({ role: 'assistant', content: 'b', tool_calls: [] })],
      [],
    ],
    [
      "a user's calls",
      'openai',
      [messageOf({ role: 'user', content: 'a', tool_calls: [call('1', 'f')] }), assistant('b')],
      ['reader-calls 0'],
    ],
    [
      'calls that are not a list',
      'openai',
      [user('a'), messageOf({ role: 'assistant', content: 'b', tool_calls: {} })],
      ['reader-calls 1'],
    ],
    [
      'a call that is not an object',
      'openai',
      [user('a'), calling(7)],
      ['reader-calls 1', 'reader-arguments 1'],
    ],
    [
      'arguments that are a list',
      'openai',
      [user('a'), calling(call('1', 'f', '[]'))],
      ['reader-arguments 1'],
    ],
    [
      'arguments that are not JSON',
      'openai',
      [user('a'), calling(call('1', 'f', '{'))],
      ['reader-arguments 1'],
    ],
    ['empty arguments', 'openai', [user('a'), calling(call('1', 'f', ''))], ['reader-arguments 1']],
    [
      'no arguments',
      'openai',
      [user('a'), calling({ id: '1', type: 'function', function: { name: 'f' } })],
      [],
    ],
  ])('%s', (_what, name, messages, expected) => {
    expect(found(recordOf(name, messages))).toEqual(expected);
  });

  it.each<[string, unknown, string[]]>([
    ['a function', { name: 'f', parameters: {} }, []],
    ['a function without parameters', { name: 'f' }, []],
    ['a name that is not allowed', { name: 'f g' }, ['reader-tool -']],
    ['parameters that are not an object', { name: 'f', parameters: [] }, ['reader-tool -']],
    ['a tool of the server', { type: 'web_search', name: 'w' }, ['reader-tool -']],
    [
      'a function in the record of another program',
      { type: 'x', function: { name: 'f' } },
      ['reader-tool -'],
    ],
  ])('openai: %s', (_what, definition, expected) => {
    expect(found(recordOf('openai', GOOD, {}, [toolOf(definition, 'f')]))).toEqual(expected);
    expect(
      found(recordOf('openai', GOOD, { formatOptions: { arrowSafe: true } }, [toolOf(definition, 'f')])),
    ).toEqual([]);
  });

  // datasets 5.2.0 with the card: the numbers that are reported come out otherwise, or refuse the file
  it.each([
    ...['0.5', '18.50', '1e2', '1e22', '1.5e300', '-7', '9223372036854775807', '18446744073709551615'],
    ...['0.1234567891', '"1e400"', '"a\\\\" ', '"\\"1e400\\""'],
  ])('loses no number in %s', (json) => {
    expect(found(numbered(json.trim()))).toEqual(['reader-columns -']);
  });
  it.each([
    '0.12345678912',
    '1e-12',
    '47.37688901234567',
    '1e400',
    '18446744073709551616',
    '-9223372036854775809',
  ])('loses the number %s', (json) => {
    expect(found(numbered(json))).toEqual(['reader-columns -', 'reader-numbers -']);
    expect(found(numbered(json, { arrowSafe: true }))).toEqual([]);
  });

  it.each([
    ['\ud83d', true],
    ['a \ude00 b', true],
    ['\ud83d\ud83d\ude00', true],
    ['\ud83d\ude00', false],
    ['a backslash, \\ud83d', false],
    ['line\nfeed', false],
  ])('finds half of a surrogate pair in %j: %s', (text, isHalf) => {
    for (const name of ['trl', 'sharegpt'])
      expect(found(recordOf(name, [user('a'), assistant(text)]))).toEqual(
        isHalf ? ['reader-half-characters -'] : [],
      );
  });

  it('counts the numbers that are lost', () => {
    const textOf = (json: string): string | undefined =>
      [...apply(checkConsumers.create({}), [numbered(json)])]
        .filter((element) => element.kind === 'finding')
        .find(({ rule }) => rule === 'reader-numbers')?.message;
    expect(textOf('1e-12')).toMatch(/: 1 number$/);
    expect(textOf('[1e-12,0.5,18446744073709551616]')).toMatch(/: 2 numbers$/);
    expect(textOf('0.5')).toBeUndefined();
  });

  it('gets no objects with --arrow-safe', () => {
    expect(found(recordOf('trl', called, { formatOptions: { arrowSafe: true } }))).toEqual([]);
  });

  it('reports what a consumer refuses as an error, and passes the record on', () => {
    const record = recordOf('openai', [...GOOD, user('c')]);
    const emitted = [...apply(checkConsumers.create({}), [record])];
    expect(emitted.at(-1)).toBe(record);
    expect(emitted[0]).toMatchObject({ severity: 'ERROR', origin: record.origin } satisfies Partial<Finding>);
  });
});

it('every rule names existing formats, and has no name of a rule of a format', () => {
  const names = new Set(formats.map(({ name }) => name));
  const own = new Set(formats.flatMap(({ rules }) => rules));
  for (const rule of consumerRules) {
    expect(rule.name).toMatch(/^reader-[a-z-]+$/);
    expect(own.has(rule.name)).toBe(false);
    for (const name of rule.formats) expect(names.has(name)).toBe(true);
  }
});

describe('the effect of a finding', () => {
  const DROPS = [
    ...['definition-left-out', 'malformed-call', 'member-left-out', 'members-dropped', 'messages-left-out'],
    ...['non-text-part', 'unanswered-end'],
  ];
  const ALTERS = formats
    .flatMap(({ rules, ownRules = {} }) => rules.filter((rule) => !Object.hasOwn(ownRules, rule)))
    .filter((rule) => rule !== 'no-answer' && !DROPS.includes(rule));
  it('is decided for every rule of a format', () => {
    for (const { ownRules = {} } of formats)
      for (const rule of Object.keys(ownRules)) expect([rule, effectOf(rule)]).toEqual([rule, 'alters']);
    for (const rule of DROPS) expect([rule, effectOf(rule)]).toEqual([rule, 'drops']);
    expect(effectOf('no-answer')).toBe('refuses');
    for (const rule of ALTERS) expect([rule, effectOf(rule)]).toEqual([rule, 'alters']);
  });

  it('is not guessed from the name of a rule', () => {
    expect(effectOf('seat-left-out')).toBe('alters');
    expect(effectOf('reader-role')).toBe('refuses');
  });
});
