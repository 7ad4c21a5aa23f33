import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import repeated from '../../../transforms/checks/repeated-tool-call.ts';
import { call, calling, conversationOf, messageOf, named, rawMessage, texts, user } from './samples.ts';

const found = (...args: readonly unknown[]) =>
  texts(repeated.check(conversationOf(args.map((arg) => calling(call('1', 'read', arg))))));

describe('repeated-tool-call', () => {
  it('reports a repeated call with its count, in several messages or in one', () => {
    const read = call('1', 'read', '{"a":1}');
    const messages = [user('x'), calling(read, call('2', 'read', '{"a": 1.0}')), user('y'), calling(read)];
    const findings = [...repeated.check(conversationOf(messages))];
    expect(named(findings)).toEqual(['WARNING repeated-tool-call']);
    expect(texts(findings)).toEqual([
      'tool "read" is called 3 times with the same arguments, first in messages[1]',
    ]);
  });

  it.each([
    ['{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['{"a":1}', { a: 1 }],
    ['{"a', '{"a'],
    ['', ''],
  ])('treats %j and %j as equal', (a, b) => {
    expect(found(a, b)).toHaveLength(1);
  });

  it.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a', '{"a '],
    ['{}', ''],
    ['"x"', 'x'],
    ['[1,2]', '[2,1]'],
    ['{"id":1234567890123456789}', '{"id":1234567890123456788}'],
  ])('treats %j and %j as different', (a, b) => {
    expect(found(a, b)).toEqual([]);
  });

  it('counts each group of equal calls', () => {
    expect(found('1', '2', '1', '2', '2', '3')).toEqual([
      'tool "read" is called 2 times with the same arguments, first in messages[0]',
      'tool "read" is called 3 times with the same arguments, first in messages[1]',
    ]);
  });

  it('compares calls of the same name and skips calls without one', () => {
    const messages = [
      calling(call('1', 'a'), call('2', 'b')),
      calling({ function: {} }, { function: {} }, 1, 1),
    ];
    expect([...repeated.check(conversationOf(messages))]).toEqual([]);
  });

  it('treats calls without arguments as equal, but not to calls with null', () => {
    const bare = { function: { name: 'now' } };
    const messages = [calling(bare), calling(bare), calling(call('1', 'now', null))];
    expect(texts(repeated.check(conversationOf(messages)))).toEqual([
      'tool "now" is called 2 times with the same arguments, first in messages[0]',
    ]);
  });

  it('checks only assistant messages', () => {
    const twice = messageOf({ role: 'user', tool_calls: [call('1', 'a'), call('1', 'a')] });
    expect([...repeated.check(conversationOf([twice]))]).toEqual([]);
  });

  it('does not overflow the stack on deep arguments', () => {
    const deep = JSON.stringify('['.repeat(200_000) + ']'.repeat(200_000));
    const json = `{"role":"assistant","tool_calls":[{"function":{"name":"a","arguments":${deep}}}]}`;
    const conversation = conversationOf([rawMessage('assistant', json), rawMessage('assistant', json)]);
    expect([...repeated.check(conversation)]).toHaveLength(1);
  });

  it('finds the same as comparing every pair of calls', () => {
    const value = fc.oneof(
      fc.constantFrom(0, 1, '1', 'x', null),
      fc.dictionary(fc.constantFrom('a', 'b'), fc.nat(1)),
    );
    const text = fc.oneof(
      value.map((v) => JSON.stringify(v)),
      value.map((v) => JSON.stringify(v, null, 1)),
      fc.constantFrom('{', 'x'),
    );
    const use = fc.record({ name: fc.constantFrom('p', 'q'), args: text });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 12 }), (uses) => {
        const messages = uses.map(({ name, args }) => calling(call('1', name, args)));
        const messageTexts = [...repeated.check(conversationOf(messages))]
          .map((finding) => finding.message)
          .sort();
        expect(messageTexts).toEqual(quadratic(uses).sort());
      }),
    );
  });
});

function quadratic(uses: readonly { readonly name: string; readonly args: string }[]): string[] {
  const same = (a: number, b: number): boolean =>
    uses[a]?.name === uses[b]?.name && isDeepStrictEqual(read(uses[a]?.args), read(uses[b]?.args));
  return uses.flatMap(({ name }, i) => {
    const alike = uses.map((_, j) => j).filter((j) => same(i, j));
    if (alike[0] !== i || alike.length < 2) return [];
    return `tool "${name}" is called ${alike.length} times with the same arguments, first in messages[${i}]`;
  });
}

function read(args = ''): unknown {
  try {
    return { json: JSON.parse(args) };
  } catch {
    return { text: args };
  }
}
