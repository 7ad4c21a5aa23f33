import { describe, expect, it, test } from 'vitest';
import teaching, { teachingRecord } from '../../../transforms/formats/functiongemma-teaching.ts';
import type { Message, ToolDefinition } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { assistant, call, calling, messageOf, result, toolOf, user } from '../checks/samples.ts';
import { IMAGE, part } from '../rules/rule-samples.ts';
import {
  CONTROL_TOKENS,
  callingWith,
  NO_TOKENS,
  rulesOf,
  TEACHING_GOLDEN,
  textIn,
  toolFrom,
  without,
} from './gemma-samples.ts';

const encode = (messages: readonly Message[], tools: readonly ToolDefinition[] = []) =>
  teaching.encode(without(messages, { tools }));
const written = (...messages: readonly Message[]) => textIn(encode(messages));
const found = (...messages: readonly Message[]) => rulesOf(encode(messages));
const asks = user('Context here');
const selects = (args: unknown, content?: unknown) =>
  messageOf({
    role: 'assistant',
    ...(content === undefined ? {} : { content }),
    tool_calls: [call('1', 'select_symbols', args)],
  });
/** Line of a call with this JSON text as its arguments. */
const line = (json: string) =>
  /<start_function_call>\ncall:(.*)\n<end_function_call>/s.exec(written(asks, callingWith(json)))?.[1];

describe('a record', () => {
  const last = selects('{"selected":["Foo","Bar"]}', 'Selecting symbols...');

  it('has three turns, line by line', () => {
    const record = encode([asks, last]);
    expect(textIn(record)).toBe(TEACHING_GOLDEN);
    expect(text(record.bytes)).toBe(JSON.stringify({ text: TEACHING_GOLDEN }));
    expect(record.findings).toEqual([]);
    expect(record.written).toEqual([]);
  });

  it('consists of the last assistant message and the user message before it, and reports omitted messages', () => {
    const around = [
      [messageOf({ role: 'system', content: 'S' }), asks, last],
      [user('first'), assistant('a'), asks, last],
      [asks, last, result('1', 'r')],
      [asks, last, user('and?')],
    ];
    for (const messages of around) {
      const record = encode(messages);
      expect(textIn(record)).toBe(TEACHING_GOLDEN);
      expect(rulesOf(record)).toEqual(['WARNING messages-left-out']);
    }
  });

  it('has the description and parameters of the definition, in its order', () => {
    const tools = [
      toolOf({ name: 'other', description: 'no' }, 'other'),
      toolFrom('select_symbols', 'Picks.', {
        type: 'object',
        properties: {
          z: { type: 'array', description: 'Z list.' },
          a: { type: ['string', 'null'], description: 'An A.', enum: ['x'] },
          b: {},
          c: true,
        },
        required: ['z', 'b'],
      }),
    ];
    const record = encode([asks, last], tools);
    expect(textIn(record)).toBe(
      TEACHING_GOLDEN.replace('Select relevant symbols from candidates.', 'Picks.').replace(
        '  selected (array): Array of selected symbols. (required)\n',
        '  z (array): Z list. (required)\n  a (string|null): An A.\n  b (any): (required)\n  c (any):\n',
      ),
    );
    expect(record.findings).toEqual([]);
  });

  test.each<[string, ToolDefinition]>([
    ['nothing', toolOf({ name: 'select_symbols' }, 'select_symbols')],
    ['no properties', toolFrom('select_symbols', null, { type: 'object' })],
    ['parameters that are not an object', toolFrom('select_symbols', 7, [])],
  ])('leaves out the description of a definition with %s', (_what, tool) => {
    expect(textIn(encode([asks, last], [tool]))).toContain(
      '<start_function_declaration>select_symbols\n\nParameters:\n<end_function_declaration>',
    );
  });

  it('can have other lines, but the definition takes precedence', () => {
    const layout = { system: 'S', description: 'D', parameters: [] };
    const record = teachingRecord(without([asks, last]), layout);
    expect(textIn(record)).toMatch(/^<start_of_turn>developer\nS\nYou/);
    expect(textIn(record)).toContain('select_symbols\nD\nParameters:\n<end');
    const tools = [toolFrom('select_symbols', 'From the log.', {})];
    expect(textIn(teachingRecord(without([asks, last], { tools }), layout))).toContain('\nFrom the log.\n');
  });

  it('has lines that are options of the format', () => {
    const options = {
      teachingSystem: 'S',
      teachingDescription: 'D',
      teachingParameters: 'a (string): An A. (required)\nb (any):\n',
    };
    const recordText = textIn(teaching.encode(without([asks, last]), options));
    expect(recordText).toBe(
      TEACHING_GOLDEN.replace('You are a semantic code analysis assistant.', 'S')
        .replace('Select relevant symbols from candidates.', 'D')
        .replace(/ {2}selected .*\n/, '  a (string): An A. (required)\n  b (any):\n'),
    );
    expect(textIn(teaching.encode(without([asks, last]), { teachingParameters: '' }))).toContain(
      'Parameters:\n<end',
    );
    expect(rulesOf(teaching.encode(without([asks, last]), { teachingSystem: '<bos>' }))).toEqual([
      'ERROR control-token-in-content!',
    ]);
    const tools = [toolFrom('select_symbols', 'From the log.', {})];
    expect(textIn(teaching.encode(without([asks, last], { tools }), options))).toContain(
      '\nS\nYou have access to the following functions:\n\n<start_function_declaration>select_symbols\nFrom the log.\nParameters:\n<end',
    );
  });
});

describe('the reasoning', () => {
  test.each<[string, unknown, string]>([
    ['no content', undefined, ''],
    ['null', null, ''],
    ['an empty text', '', ''],
    ['a text as it is', ' a\nb ', '/*  a\nb  */'],
    ['parts, joined with line feeds', [part('a'), part('b')], '/* a\nb */'],
    ['no parts', [], ''],
  ])('of %s', (_what, content, expected) => {
    expect(written(asks, selects('{}', content))).toContain(
      `<start_of_turn>model\n${expected}\n<start_function_call>\n`,
    );
  });
});

describe('the call', () => {
  test.each([
    [
      'text, lists, words',
      '{"b":["v1","v2"],"a":"x","c":true,"d":null}',
      'f{a:<escape>x<escape>,b:<escape>v1,v2<escape>,c:<escape>true<escape>,d:<escape>null<escape>}',
    ],
    [
      'numbers with their digits',
      '{"a":12345678901234567890,"b":[1.0,-0]}',
      'f{a:<escape>12345678901234567890<escape>,b:<escape>1.0,-0<escape>}',
    ],
    ['numbers in plain notation', '{"a":[1e3,1.5E-3,1e0]}', 'f{a:<escape>1000,0.0015,1<escape>}'],
    [
      'keys by code point',
      '{"b":1,"A":2,"a":3}',
      'f{A:<escape>2<escape>,a:<escape>3<escape>,b:<escape>1<escape>}',
    ],
    ['nothing', '{}', 'f{}'],
  ])('with %s', (_what, json, expected) => {
    expect(line(json)).toBe(expected);
    expect(line(JSON.stringify(json))).toBe(expected);
    expect(found(asks, callingWith(json))).toEqual([]);
  });

  it('with empty arguments', () => {
    expect(written(asks, calling({ function: { name: 'f', arguments: '' } }))).toContain('\ncall:f{}\n');
  });

  it('joins lists in lists', () => {
    const args = '{"a":[["x",[1,[]]],"y"]}';
    expect(written(asks, callingWith(args))).toContain('{a:<escape>x,1,,y<escape>}');
  });
});

describe('rules that reject', () => {
  const ok = selects('{}');

  test.each<[string, readonly Message[]]>([
    ['no-final-call', [asks, assistant('x')]],
    ['no-final-call', [asks, messageOf({ role: 'assistant', tool_calls: [] })]],
    ['several-final-calls', [asks, calling(call('1', 'f'), call('2', 'g'))]],
    ['no-user-turn', [ok]],
    ['nested-arguments', [asks, callingWith('{"a":{"b":1}}')]],
    ['nested-arguments', [asks, callingWith('{"a":[{}]}')]],
    ['nested-arguments', [asks, callingWith('{"a":[[{}]]}')]],
    ['comment-end-in-reasoning', [asks, selects('{}', 'a */ b')]],
    ['key-not-bare', [asks, callingWith('{"a:b":1}')]],
    ['number-out-of-range', [asks, callingWith('{"a":1e1001}')]],
    ['arguments-not-object', [asks, callingWith('"x"')]],
    ['arguments-not-object', [asks, callingWith('[]')]],
  ])('%s', (rule, messages) => {
    expect(found(...messages)).toEqual([`ERROR ${rule}!`]);
  });

  it('no-final-call: a call before an assistant message without one, and no assistant message', () => {
    expect(found(asks, ok, assistant('x'))).toEqual(['ERROR no-final-call!', 'WARNING messages-left-out']);
    expect(found(asks)).toEqual(['ERROR no-final-call!', 'ERROR no-user-turn!', 'WARNING messages-left-out']);
    expect(found()).toEqual(['ERROR no-final-call!', 'ERROR no-user-turn!']);
  });

  it('no-user-turn: a user message only after the call', () => {
    expect(found(ok, asks)).toEqual(['ERROR no-user-turn!', 'WARNING messages-left-out']);
  });

  it('call-unreadable', () => {
    expect(found(asks, calling({ id: '1' }))).toEqual(['ERROR call-unreadable!', 'ERROR no-final-call!']);
    expect(found(asks, calling(call('1', 'f'), 'x'))).toEqual(['ERROR call-unreadable!']);
    const legacy = { role: 'assistant', function_call: { name: 'f' } };
    expect(found(asks, messageOf(legacy))).toEqual(['ERROR call-unreadable!', 'ERROR no-final-call!']);
  });

  test.each(CONTROL_TOKENS)('control-token-in-content: %s in any written place', (token) => {
    const inText = `a ${token} b`;
    for (const messages of [
      [user(inText), ok],
      [asks, selects('{}', inText)],
      [asks, callingWith(JSON.stringify({ a: inText }))],
      [asks, callingWith(JSON.stringify({ a: [inText] }))],
      [asks, callingWith(JSON.stringify({ [inText]: 1 }))],
    ]) {
      expect(found(...messages)).toEqual(['ERROR control-token-in-content!']);
    }
    const defined = toolFrom('select_symbols', inText, {});
    expect(rulesOf(encode([asks, ok], [defined]))).toEqual(['ERROR control-token-in-content!']);
    const parameters = { properties: { p: { description: inText } } };
    const described = toolFrom('select_symbols', 'D', parameters);
    expect(rulesOf(encode([asks, ok], [described]))).toEqual(['ERROR control-token-in-content!']);
  });

  it('a control token in an omitted part does not reject', () => {
    expect(found(user('<escape>'), assistant('x'), asks, ok)).toEqual(['WARNING messages-left-out']);
  });

  test.each(NO_TOKENS)('near miss: %s', (almost) => {
    expect(found(user(almost), selects(JSON.stringify({ a: almost }), almost))).toEqual([]);
  });

  test.each<[string, readonly Message[]]>([
    ['the beginning of a comment', [asks, selects('{}', '/* a * / b')]],
    ['a list of plain values', [asks, callingWith('{"a":[1,"{}",null]}')]],
    ['the longest exponent', [asks, callingWith('{"a":1e1000}')]],
  ])('near miss: %s', (_what, messages) => {
    expect(found(...messages)).toEqual([]);
  });
});

describe('rules that report', () => {
  test.each<[string, readonly Message[]]>([
    ['non-text-part', [user([part('a'), IMAGE]), selects('{}')]],
    ['non-text-part', [asks, selects('{}', [IMAGE])]],
    ['parts-joined', [user([part('a'), part('b')]), selects('{}')]],
    ['parts-joined', [asks, selects('{}', [part('a'), part('b')])]],
    [
      'member-left-out',
      [asks, messageOf({ ...{ role: 'assistant', reasoning_content: 'x' }, tool_calls: [call('1', 'f')] })],
    ],
    ['member-left-out', [messageOf({ role: 'user', content: 'x', name: 'y' }), selects('{}')]],
  ])('%s', (rule, messages) => {
    expect(found(...messages)).toEqual([`WARNING ${rule}`]);
  });
});
