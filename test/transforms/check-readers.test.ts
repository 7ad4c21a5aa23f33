import { describe, expect, it } from 'vitest';
import { checkReaders } from '../../transforms/check-readers.ts';
import type { Finding, Message, Row } from '../../transforms/element.ts';
import { format } from '../../transforms/format.ts';
import { formats } from '../../transforms/formats/index.ts';
import { effectOf, readerRules } from '../../transforms/reader-rules.ts';
import { apply, defaultsOf } from '../../transforms/stage.ts';
import { assistant, call, calling, conversationOf, messageOf, result, user } from './checks/samples.ts';

const rowOf = (name: string, messages: readonly Message[], options: object = {}): Row => {
  const stage = format.create({ ...defaultsOf(format.options), format: [name], ...options });
  const made = [...apply(stage, [conversationOf(messages, { tools: [] })])];
  return made.find(({ kind }) => kind === 'row') as Row;
};
const found = (row: Row): string[] =>
  [...apply(checkReaders.create({}), [row])].flatMap((element) =>
    element.kind === 'finding'
      ? [`${element.rule} ${/^[a-z-]+: messages\[(\d+)\]/.exec(element.message)?.[1] ?? '-'}`]
      : [],
  );
const GOOD = [user('a'), assistant('b')];
const asked = [user('a'), calling(call('1', 'f', '{}'), call('2', 'f', '{}'))];

describe('the reader of a format', () => {
  it.each(formats.map(({ name }) => name))('%s: takes a plain conversation as it is', (name) => {
    if (name !== 'functiongemma-teaching') expect(found(rowOf(name, GOOD))).toEqual([]);
  });

  it.each<[string, string, readonly Message[], string[]]>([
    ['no answer', 'trl', [user('a')], ['reader-no-answer -']],
    ['a strange role', 'openai', [...GOOD, messageOf({ role: 'critic', content: 'x' })], ['reader-role 2']],
    [
      'a late system message',
      'chat',
      [...GOOD, messageOf({ role: 'system', content: 'x' })],
      ['reader-late-system 2'],
    ],
    ['parts', 'axolotl', [user([{ type: 'text', text: 'a' }]), assistant('b')], ['reader-parts 0']],
    ['parts are no matter to OpenAI', 'openai', [user([{ type: 'text', text: 'a' }]), assistant('b')], []],
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
      'an unknown member',
      'openai',
      [user('a'), messageOf({ role: 'assistant', content: 'b', reasoning_content: 'c' })],
      ['reader-members 1'],
    ],
    ['objects', 'trl', asked, ['reader-columns -']],
    ['strings', 'axolotl', asked, []],
    ['calls at the end are what is learned', 'openai', asked, []],
    ['results in any order', 'openai', [...asked, result('2', 'x'), result('1', 'y'), ...GOOD], []],
    [
      'a call without a result',
      'openai',
      [...asked, result('2', 'x'), assistant('y')],
      ['reader-unanswered-call 1'],
    ],
    [
      'a result too many',
      'openai',
      [...asked, result('1', 'x'), result('2', 'x'), result('2', 'x')],
      ['reader-orphan-result 4'],
    ],
    [
      'a result after another message',
      'openai',
      [...asked, user('b'), result('1', 'x')],
      ['reader-orphan-result 3', 'reader-unanswered-call 1'],
    ],
  ])('%s', (_what, name, messages, expected) => {
    expect(found(rowOf(name, messages))).toEqual(expected);
  });

  it('is told of objects no longer with --arrow-safe', () => {
    expect(found(rowOf('trl', asked, { formatOptions: { arrowSafe: true } }))).toEqual([]);
  });

  it('refuses as an error, and the row goes on', () => {
    const row = rowOf('trl', [user('a')]);
    const made = [...apply(checkReaders.create({}), [row])];
    expect(made.at(-1)).toBe(row);
    expect(made[0]).toMatchObject({ severity: 'ERROR', origin: row.origin } satisfies Partial<Finding>);
  });
});

it('every rule is about formats that there are, and none is a rule of a format', () => {
  const names = new Set(formats.map(({ name }) => name));
  const own = new Set(formats.flatMap(({ rules }) => rules));
  for (const rule of readerRules) {
    expect(rule.name).toMatch(/^reader-[a-z-]+$/);
    expect(own.has(rule.name)).toBe(false);
    for (const name of rule.formats) expect(names.has(name)).toBe(true);
  }
});

it.each([
  ['members-dropped', 'drops'],
  ['definition-left-out', 'drops'],
  ['non-text-part', 'drops'],
  ['messages-merged', 'alters'],
  ['reader-role', 'refuses'],
])('%s: %s', (rule, effect) => {
  expect(effectOf(rule)).toBe(effect);
});
