import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Message } from '../../../transforms/model/element.ts';
import {
  contentOf,
  firstVisible,
  isObject,
  memberValue,
  objectBytes,
  stringValue,
  textOf,
  toolCallsOf,
} from '../../../transforms/model/message.ts';
import { strip } from '../../../transforms/model/white-space.ts';
import { asArray, KINDS, text } from '../bytes.ts';

const TEXT = { type: 'text', text: 'a' };
const IMAGE = { type: 'image_url', image_url: { url: 'x' } };

describe.each(KINDS)('a message in a %s', (_kind, make) => {
  const message = (json: string): Message => ({ bytes: make(json), role: 'user' });
  const of = (content: unknown): Message => message(JSON.stringify({ role: 'user', content }));

  it.each<[unknown, string | undefined, boolean]>([
    ['a', 'a', false],
    ['', '', false],
    [null, undefined, false],
    [undefined, undefined, false],
    [7, undefined, false],
    [{ type: 'text', text: 'a' }, undefined, false],
    [[], '', false],
    [[TEXT, { ...TEXT, text: ' b' }], 'a b', false],
    [[TEXT, IMAGE], 'a', true],
    [[IMAGE], '', true],
    [['a'], '', true],
    [[null], '', true],
    [[[TEXT]], '', true],
    [[{ type: 'text' }], '', true],
    [[{ type: 'text', text: 1 }], '', true],
    [[{ text: 'a' }], '', true],
  ])('with content %j has the text %j', (content, expected, otherParts) => {
    expect(textOf(of(content))).toMatchObject({ text: expected, otherParts });
  });

  it.each<[unknown, string | undefined, boolean]>([
    ['a', 'a', false],
    [[TEXT], 'a', false],
    [[TEXT, IMAGE], 'a', false],
    [[TEXT, IMAGE, TEXT], 'a\na', true],
    [[TEXT, { ...TEXT, citations: [{}] }, TEXT, TEXT], 'aaa\na', true],
    [[TEXT, { ...TEXT, citations: [] }, { ...TEXT, citations: null }], 'a\na\na', true],
    [null, undefined, false],
  ])('with content %j and a line feed between parts has the text %j', (content, expected, isJoined) => {
    expect(textOf(of(content), '\n')).toMatchObject({ text: expected, isJoined });
  });

  it('has the last of several contents', () => {
    expect(contentOf(message('{"content":"a","cont\\u0065nt":["b"]}'))).toEqual(['b']);
    expect(contentOf(message('{}'))).toBeUndefined();
    expect(memberValue(message('{"n":null}'), 'n')).toBeNull();
  });

  it('has the readable calls', () => {
    const calls = toolCallsOf(
      message(
        '{"tool_calls":[{"id":"1","function":{"name":"f","arguments": {"a":1.0} }},{"id":2,"function":{"name":null}},{"function":"f"},{},"x",null]}',
      ),
    );
    expect(calls).not.toBe('not-a-list');
    const shown = (Array.isArray(calls) ? calls : []).map((call) => [
      call.isObject,
      call.id,
      call.function === undefined ? undefined : text(call.function),
      call.name,
      call.arguments === undefined ? undefined : text(call.arguments),
      text(call.bytes).length,
    ]);
    expect(shown).toEqual([
      [true, '1', '{"name":"f","arguments": {"a":1.0} }', 'f', '{"a":1.0}', 58],
      [true, undefined, '{"name":null}', undefined, undefined, 33],
      [true, undefined, undefined, undefined, undefined, 16],
      [true, undefined, undefined, undefined, undefined, 2],
      [false, undefined, undefined, undefined, undefined, 3],
      [false, undefined, undefined, undefined, undefined, 4],
    ]);
  });

  it.each([
    ['{}', undefined],
    ['{"tool_calls":null}', undefined],
    ['{"tool_calls":[]}', []],
    ['{"tool_calls":{}}', 'not-a-list'],
    ['{"tool_calls":"x"}', 'not-a-list'],
    ['{"tool_calls":1}', 'not-a-list'],
    ['{"tool_calls":[1],"tool_calls":null}', undefined],
  ])('of %s has the calls %j', (json, expected) => {
    expect(toolCallsOf(message(json))).toEqual(expected);
  });
});

test('objectBytes returns the text of objects only', () => {
  const bytes = asArray('{"a":{"b":1},"c":[],"d":null}');
  expect(text(objectBytes(bytes, 'a') as Uint8Array)).toBe('{"b":1}');
  expect(['c', 'd', 'e'].map((key) => objectBytes(bytes, key))).toEqual([undefined, undefined, undefined]);
});

test('stringValue returns the decoded text of strings only', () => {
  const bytes = asArray('{"a":"\\u0041é","b":"","c":1,"d":null}');
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => stringValue(bytes, key))).toEqual([
    'Aé',
    '',
    undefined,
    undefined,
    undefined,
  ]);
});

test('isObject is true for objects other than arrays', () => {
  expect([{}, { a: 1 }].every(isObject)).toBe(true);
  expect([[], null, undefined, 'a', 1, true].some(isObject)).toBe(false);
});

describe('firstVisible', () => {
  test.each<[string, string | undefined]>([
    ['{"content":"abc"}', 'a'],
    ['{"content":"  <info"}', '<'],
    ['{"content":" \\n\\r\\t\\f x"}', 'x'],
    ['{"content":"~"}', '~'],
    ['{"content":"!"}', '!'],
    ['{"content":""}', undefined],
    ['{"content":"  "}', undefined],
    ['{"content":"\\n"}', undefined],
    ['{"content":"\\\\"}', '\\'],
    ['{"content":"\\"a"}', '"'],
    ['{"content":"\\u0041"}', 'A'],
    ['{"content":"\\u3000\\u0085 \\u00e9"}', 'é'],
    ['{"content":" \\b"}', '\b'],
    ['{"content":"\u007f"}', '\u007f'],
    ['{"content":"é"}', 'é'],
    ['{"content":"\u{1f600}"}', '\u{1f600}'],
    ['{"content":"\\ud83d\\ude00"}', '\ud83d'],
    ['{"content":"\u00a0a"}', 'a'],
    ['{"content":"\u00a0\\u2003"}', undefined],
    ['{"content":null}', undefined],
    ['{"content":["a"]}', undefined],
    ['{}', undefined],
  ])('of %s is %j', (json, expected) => {
    for (const [, make] of KINDS) expect(firstVisible({ role: 'user', bytes: make(json) })).toBe(expected);
  });

  it('is the first character that Python would not strip', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof(fc.constantFrom(...' \n\t\r\f\v\x1c\x85\u00a0\ufeff'), fc.string()) }),
        (content) => {
          const known = firstVisible({ role: 'user', bytes: asArray(JSON.stringify({ content })) });
          expect(known === undefined).toBe(strip(content) === '');
          if (known !== undefined) expect(strip(content).startsWith(known)).toBe(true);
        },
      ),
    );
  });
});
