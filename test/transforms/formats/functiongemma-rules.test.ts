/** Rules of the functiongemma format: control tokens in content, and the others. */
import { describe, expect, it, test } from 'vitest';
import functiongemma from '../../../transforms/formats/functiongemma.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  messageOf,
  rawMessage,
  result,
  user,
} from '../checks/samples.ts';
import { IMAGE, part } from '../rules/rule-samples.ts';
import {
  CONTROL_TOKENS,
  callingWith,
  found,
  NO_TOKENS,
  plain,
  rulesOf,
  toolFrom,
  without,
  written,
} from './gemma-samples.ts';

const system = (content: unknown): Message => messageOf({ role: 'system', content });

const withoutId = (name: string): object => ({ function: { name, arguments: '{}' } });
const named = (name: string): Message => messageOf({ role: 'tool', tool_name: name, content: name });

describe('results without an id', () => {
  const answered = (...messages: readonly Message[]): string =>
    text(functiongemma.encode(conversationOf(messages)).bytes).replace(
      /^.*?(?=<start_function_response>)/s,
      '',
    );
  const response = (name: string, value: string): string =>
    `<start_function_response>response:${name}{value:<escape>${value}<escape>}<end_function_response>`;

  it('answer calls without an id in their order', () => {
    const calls = calling(withoutId('f'), withoutId('g'));
    expect(found(calls, result(undefined, '1'), result(undefined, '2'))).toEqual([]);
    expect(answered(calls, result(undefined, '1'), result(undefined, '2'))).toContain(
      response('f', '1') + response('g', '2'),
    );
  });

  it('answer the call of the function that they name', () => {
    const calls = calling(withoutId('f'), withoutId('g'));
    expect(found(calls, named('g'), named('f'))).toEqual([]);
    expect(answered(calls, named('g'), named('f'))).toContain(response('g', 'g') + response('f', 'f'));
  });
});

describe('control-token-in-content', () => {
  const TOKEN = ['ERROR control-token-in-content!'];

  test.each(CONTROL_TOKENS)('rejects %s in any written place', (token) => {
    const inText = `a ${token} b`;
    expect(found(system(inText))).toEqual(TOKEN);
    expect(found(user(inText))).toEqual(TOKEN);
    expect(found(user([part('a'), part(inText)]))).toEqual(['WARNING parts-joined', ...TOKEN]);
    // the line feed between the parts cuts it
    expect(found(user([part(inText.slice(0, 4)), part(inText.slice(4))]))).toEqual(['WARNING parts-joined']);
    expect(found(assistant(inText))).toEqual(TOKEN);
    expect(found(calling(call('1', 'f')), result('1', inText))).toEqual(TOKEN);
    expect(found(calling(call('1', 'f')), result('1', JSON.stringify({ a: [inText] })))).toEqual(TOKEN);
    expect(found(callingWith(JSON.stringify({ a: { b: inText } })))).toEqual(TOKEN);
    expect(found(callingWith(JSON.stringify({ [inText]: 1 })))).toEqual(TOKEN);
    expect(found(callingWith('{}', inText))).toEqual(TOKEN);
    const tools = [
      [inText, 'D', {}],
      ['f', inText, {}],
      ['f', 'D', { required: [inText] }],
      ['f', 'D', { properties: { p: { enum: [inText] } } }],
      ['f', 'D', { properties: { p: { description: inText } } }],
    ] as const;
    for (const [name, description, parameters] of tools) {
      const record = functiongemma.encode(without([], { tools: [toolFrom(name, description, parameters)] }));
      expect(rulesOf(record)).toEqual(TOKEN);
    }
  });

  it('rejects a token that is written with escapes', () => {
    expect(found(callingWith('"{\\"a\\":\\"\\\\u003cescape>\\"}"'))).toEqual(TOKEN);
  });

  test.each(NO_TOKENS)('accepts %s', (almost) => {
    expect(
      found(user(almost), callingWith(JSON.stringify({ a: almost, [almost]: 1 })), result('1', almost)),
    ).toEqual([]);
  });

  it('reads 5 MB of opening tags in linear time', () => {
    expect(found(user('<start_of_'.repeat(500_000)))).toEqual([]);
    expect(found(user('<escape>'.repeat(600_000)))).toEqual(TOKEN);
  });
});

describe('other rules', () => {
  const read = call('1', 'read');

  test.each<[string, readonly Message[]]>([
    ['key-not-bare!', [callingWith('{"a:b":1}')]],
    ['key-not-bare!', [callingWith('{"x":[{"a}":1}]}')]],
    ['key-not-bare!', [callingWith('{"a\\nb":1}')]],
    ['key-not-bare!', [callingWith('{}', 'f{')]],
    ['number-out-of-range!', [callingWith('{"a":1.5e1001}')]],
    ['number-out-of-range!', [callingWith('{"a":1.5e-99999999999999999999}')]],
    ['call-unreadable!', [calling({ id: '1' })]],
    ['call-unreadable!', [calling('x')]],
    ['call-unreadable!', [calling({ function: { name: '' } })]],
    ['call-unreadable!', [messageOf({ role: 'assistant', tool_calls: {} })]],
    ['call-unreadable!', [messageOf({ role: 'assistant', function_call: { name: 'f' } })]],
    ['arguments-not-object!', [callingWith('"not json"')]],
    ['arguments-not-object!', [callingWith('"[1]"')]],
    ['arguments-not-object!', [callingWith('[1]')]],
    ['arguments-not-object!', [callingWith('"{}{}"')]],
    ['result-without-call!', [user('x'), result('1', 'r')]],
    ['result-without-call!', [calling(read), result('2', 'r')]],
    ['result-without-call!', [calling(read), result(undefined, 'r')]],
    ['result-without-call!', [calling(read), result('1', 'r'), result('1', 'r')]],
    ['result-without-call!', [calling(read), user('x'), result('1', 'r')]],
    ['result-without-call!', [calling(withoutId('f')), result(undefined, 'r'), result(undefined, 'r')]],
    ['result-without-call!', [calling(withoutId('f')), named('g')]],
    ['result-without-call!', [calling(withoutId('f'), read), result(undefined, 'r')]],
    ['result-order-lost!', [calling(read, call('2', 'read')), result('2', 'b')]],
    ['content-not-text!', [user({ a: 1 })]],
    ['content-not-text!', [assistant(5)]],
    ['unknown-role!', [messageOf({ role: 'function', content: 'x' })]],
    ['unknown-role!', [rawMessage('', '{"content":"x"}')]],
  ])('%s', (rule, messages) => {
    expect(found(...messages)).toEqual([`ERROR ${rule}`]);
  });

  test.each<[string, readonly Message[]]>([
    ['result-as-text', [calling(read), result('1', '{"http://x":1}')]],
    ['result-as-text', [calling(read), result('1', '{"x":1.5e2000}')]],
    ['non-text-part', [user([part('a'), IMAGE])]],
    ['non-text-part', [calling(read), result('1', [IMAGE])]],
    ['parts-joined', [user([part('a'), part('b')])]],
    ['parts-joined', [calling(read), result('1', [part('a'), part('b')])]],
    ['member-left-out', [messageOf({ role: 'assistant', content: 'x', reasoning_content: 'y' })]],
    ['member-left-out', [messageOf({ role: 'user', content: 'x', name: 'y' })]],
    ['member-left-out', [messageOf({ role: 'user', content: 'x', tool_calls: [] })]],
  ])('%s is a warning, and the record is written', (rule, messages) => {
    expect(found(...messages)).toEqual([`WARNING ${rule}`]);
  });

  test.each<[string, readonly Message[]]>([
    ['keys with other characters', [callingWith('{"a.b-c d/$é":{"(x)":1}}')]],
    ['the longest exponent', [callingWith('{"a":1.5e1000}')]],
    ['a long number without a fraction', [callingWith('{"a":1e9999}')]],
    [
      'results of one function in the order of its calls',
      [
        calling(read, call('2', 'read'), call('3', 'w')),
        result('1', 'a'),
        result('3', 'c'),
        result('2', 'b'),
      ],
    ],
    ['the same id for two calls of one function', [calling(read, read), result('1', 'a'), result('1', 'b')]],
    ['a legacy call that is null', [messageOf({ role: 'assistant', content: 'x', function_call: null })]],
    ['members that are null', [messageOf({ role: 'assistant', content: 'x', refusal: null })]],
    [
      'the name of a result',
      [calling(read), messageOf({ role: 'tool', tool_call_id: '1', name: 'read', content: 'x' })],
    ],
    ['a developer', [messageOf({ role: 'developer', content: 'x' })]],
  ])('report nothing for %s', (_what, messages) => {
    expect(found(...messages)).toEqual([]);
  });

  it('keep the whole text of a result that the syntax cannot express as an object', () => {
    expect(written(calling(read), result('1', '{"http://x":1}'))).toContain(
      'response:read{value:<escape>{"http://x":1}<escape>}<',
    );
  });

  it('report each message once, with its number', () => {
    const { findings } = plain(user('<bos>'), user('<bos><eos>'));
    expect(findings.map(({ message }) => message)).toEqual([
      'messages[0] contains a control token of the format',
      'messages[1] contains a control token of the format',
    ]);
  });

  it('are all declared', () => {
    const all = ['key-not-bare', 'result-as-text', 'definition-left-out', 'control-token-in-content'];
    expect(functiongemma.rules).toEqual(expect.arrayContaining(all));
  });
});
