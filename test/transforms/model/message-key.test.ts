import { describe, expect, it } from 'vitest';
import { keyOf, parsedKeyOf } from '../../../transforms/model/message-key.ts';
import { MessageReader } from '../../../transforms/model/message-reader.ts';
import { LONG } from '../../support/long.ts';
import { randomFrom } from '../../support/plain-logs.ts';

const reader = new MessageReader();
const read = (json: string) => reader.keyOf(Buffer.from(json));
const parsed = (json: string) => parsedKeyOf(Buffer.from(json));
const withContent = (json: string): string => `{"role":"user","content":${json}}`;
const withArguments = (json: string): string =>
  `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${json}}}]}`;

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const UNITS = [
  'a',
  'u',
  '/',
  '"',
  '\\',
  '\n',
  '\b',
  '\0',
  '\x1b',
  '\x7f',
  'é',
  '\u2028',
  '\ud83d',
  '\ude00',
  '\ud800',
];

describe('the key of a message, by the module', () => {
  it.each([
    ['a slash with an escape', '"a\\/b"', '"a/b"'],
    ['escapes beyond ASCII', '"\\u00e9\\u20AC\\uD83D\\uDE00"', '"é€😀"'],
    ['half a pair', '"\\ud83d\\u0041 \\ude00"', '"\\uD83DA \\uDE00"'],
    ['escapes of ASCII', '"\\u0022\\u005c\\u000A\\u001B"', '"\\"\\\\\\n\\u001b"'],
    [
      'an escaped backslash before a slash and a letter',
      '"C:\\\\users\\\\\\u0041\\\\/"',
      '"C:\\\\users\\\\A\\\\/"',
    ],
    ['no text and null', '""', 'null'],
  ])('is the same for %s', (_, one, other) => {
    expect(read(withContent(one))).toBeDefined();
    expect(read(withContent(one))).toEqual(read(withContent(other)));
    expect(read(withContent(one))).toEqual(parsed(withContent(one)));
  });

  it.each([
    [
      'the order of keys and blanks',
      '"{\\"b\\":1,\\"a\\":[true,null]}"',
      '" { \\"a\\" : [ true , null ] , \\"b\\" : 1 } "',
    ],
    ['escapes inside', '"{\\"a\\":\\"\\\\u00e9\\\\/\\"}"', '"{\\"a\\":\\"é/\\"}"'],
  ])('is the same for arguments that differ in %s', (_, one, other) => {
    expect(read(withArguments(one))).toBeDefined();
    expect(read(withArguments(one))).toEqual(read(withArguments(other)));
  });

  it.each([
    ['another value', '"{\\"a\\":1}"', '"{\\"a\\":2}"'],
    ['a number and its text', '"{\\"a\\":1}"', '"{\\"a\\":\\"1\\"}"'],
    ['a key that ends another one', '"{\\"a\\":1,\\"ab\\":1}"', '"{\\"ab\\":1,\\"b\\":1}"'],
    ['a text that is not JSON', '"{\\"a\\":1"', '"{\\"a\\":1}"'],
  ])('differs for arguments with %s', (_, one, other) => {
    expect(read(withArguments(one))).toEqual(parsed(withArguments(one)));
    expect(read(withArguments(one))?.digest).not.toBe(read(withArguments(other))?.digest);
  });

  it.each([
    ['a fraction', withArguments('"{\\"a\\":1.0}"')],
    ['a long number', withArguments('"{\\"a\\":12345678901234567890}"')],
    ['minus zero', withArguments('"{\\"a\\":-0}"')],
    ['a key twice', withArguments('"{\\"a\\":1,\\"a\\":2}"')],
    ['a key beyond ASCII', withArguments('"{\\"é\\":1}"')],
    ['half a surrogate pair', withArguments('"{\\"a\\":\\"\\ud800\\"}"')],
    ['deep arguments', withArguments(`"${'['.repeat(40)}${']'.repeat(40)}"`)],
    ['giant arguments', withArguments(`"{\\"a\\":\\"${'x'.repeat(40_000)}\\"}"`)],
    ['arguments that are an object', withArguments('{"a":1}')],
    ['a member twice', '{"role":"user","content":"x","content":"y"}'],
    ['an escaped key', '{"role":"user","cont\\u0065nt":"x"}'],
    ['a list of parts', withContent('[{"type":"text","text":"x"}]')],
    ['another role', '{"role":"critic","content":"x"}'],
    ['a result without an id', '{"role":"tool","content":"x"}'],
    [
      'a call without an id',
      '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}',
    ],
    ['a call that is not an object', '{"role":"assistant","tool_calls":[1]}'],
    [
      'a call after one that is not an object',
      '{"role":"assistant","tool_calls":[1,{"id":"1","function":{"name":"f","arguments":"{}"}}]}',
    ],
    ['a giant text', withContent(`"${'x'.repeat(1024 * 1024)}"`)],
  ])('is left to the parser for %s', (_, json) => {
    expect(read(json)).toBeUndefined();
    expect(keyOf(Buffer.from(json))).toEqual(parsed(json));
  });

  it.each([
    ['ids of 64 bits', '"{\\"id\\":1234567890123456789}"', '"{\\"id\\":1234567890123456788}"'],
    ['ids in arguments that are an object', '{"id":1234567890123456789}', '{"id":1234567890123456788}'],
    ['a number that JSON.parse takes as infinite', '"{\\"n\\":1e999}"', '"{\\"n\\":1e998}"'],
  ])('differs for %s', (_, one, other) => {
    expect(keyOf(Buffer.from(withArguments(one)))).not.toEqual(keyOf(Buffer.from(withArguments(other))));
  });

  it.each([
    [
      'calls in the old form',
      '"function_call":{"name":"f","arguments":"{\\"a\\":1}"}',
      '"function_call":{"name":"f","arguments":"{\\"a\\":2}"}',
    ],
    ['refusals', '"refusal":"I cannot."', '"refusal":"No."'],
    ['speech', '"audio":{"id":"a1"}', '"audio":{"id":"a2"}'],
    [
      'calls of another type',
      '"tool_calls":[{"id":"1","custom":{"input":"x"}}]',
      '"tool_calls":[{"id":"1","custom":{"input":"y"}}]',
    ],
  ])('differs for answers with other %s, and from one without', (_, one, other) => {
    const ofAnswer = (members: string) =>
      keyOf(
        Buffer.from(
          `{"role":"assistant","content":null,"refusal":null,${members}}`.replace(
            '"refusal":null,"refusal"',
            '"refusal"',
          ),
        ),
      );
    const digests = [one, other, '"name":"x"'].map((members) => ofAnswer(members).digest);
    expect(new Set(digests).size).toBe(3);
  });

  it('is that of a plain answer if these members are null, and of speech that a client sends back by its id', () => {
    const of = (members: string) => keyOf(Buffer.from(`{"role":"assistant"${members}}`)).digest;
    expect(of(',"content":"x","refusal":null,"function_call":null,"audio":null')).toBe(of(',"content":"x"'));
    expect(of(',"audio":{"id":"a","transcript":"Hello."}')).toBe(of(',"audio":{"id":"a"}'));
  });

  it('is the same for arguments that are null, missing or empty', () => {
    const called = (fn: object) =>
      parsed(JSON.stringify({ role: 'assistant', tool_calls: [{ id: 'a', function: fn }] }));
    const empty = called({ name: 'f', arguments: '{}' });
    expect(called({ name: 'f', arguments: null })).toEqual(empty);
    expect(called({ name: 'f' })).toEqual(empty);
    expect(called({ name: 'f', arguments: 'null' })).not.toEqual(empty);
  });

  it('compares the places of texts among other parts, but not how texts are cut', () => {
    const text = (words: string): string => `{"type":"text","text":"${words}"}`;
    const image = '{"type":"image_url","image_url":{"url":"u"}}';
    const ofParts = (...parts: readonly string[]) => parsed(withContent(`[${parts.join()}]`)).digest;
    const before = ofParts(text('one'), text('two'), image);
    expect(ofParts(text('one\\ntwo'), image)).toBe(before);
    expect(ofParts(text(''), image)).toBe(ofParts(image));
    expect(ofParts(text('one'), text('two'))).toBe(parsed(withContent('"one\\ntwo"')).digest);
    const others = [ofParts(text('one'), image, text('two')), ofParts(image, text('one'), text('two'))];
    expect(new Set([before, ...others]).size).toBe(3);
  });

  it('is the one that the parser finds, for random messages', () => {
    const random = randomFrom(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const spelled = (text: string): string =>
      `"${text
        .split('')
        .map((unit) => {
          const isSurrogate = unit >= '\ud800' && unit < '\ue000';
          if (unit === '/' && random() < 0.5) return '\\/';
          return isSurrogate || random() < 0.2 ? escapeOf(unit) : JSON.stringify(unit).slice(1, -1);
        })
        .join('')}"`;
    const text = (): string =>
      Array.from({ length: Math.floor(random() * (random() < 0.1 ? 200 : 12)) }, () => pick(UNITS)).join('');
    const blank = (): string => pick(['', '', '', ' ', '\n', '\t ']);
    const value = (level: number): string => {
      const kind = Math.floor(random() * (level > 4 ? 5 : 7));
      if (kind < 2) return spelled(text());
      if (kind < 5)
        return pick([
          '0',
          '-7',
          '12',
          '1.5',
          '1e3',
          'true',
          'false',
          'null',
          '123456789012345',
          '1234567890123456',
        ]);
      const list = Array.from({ length: Math.floor(random() * 5) }, () =>
        kind === 5
          ? value(level + 1)
          : `${spelled(pick(['a', 'ab', 'b', '10', '9', '', 'é', 'x"y']))}${blank()}:${blank()}${value(level + 1)}`,
      ).join(`${blank()},${blank()}`);
      return kind === 5 ? `[${blank()}${list}${blank()}]` : `{${blank()}${list}${blank()}}`;
    };
    const call = (): string => {
      const args = random() < 0.1 ? text() : `${blank()}${value(0)}${blank()}`;
      return `{"id":${spelled(pick(['c1', 'c2', 'é']))},"function":{"name":${spelled(text())},"arguments":${spelled(args)}}}`;
    };
    let fast = 0;
    const count = LONG ? 100_000 : 3000;
    for (let n = 0; n < count; n++) {
      const role = pick(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
      const members = [`"role":"${role}"`, `"content":${random() < 0.2 ? 'null' : spelled(text())}`];
      if (role === 'assistant' && random() < 0.7)
        members.push(
          `"tool_calls":[${Array.from({ length: 1 + Math.floor(random() * 3) }, call).join(`${blank()},`)}]`,
        );
      if (role === 'tool') members.push('"tool_call_id":"c1"');
      if (random() < 0.3) members.push(`"reasoning_content":${spelled(text())}`, `"other":${value(0)}`);
      const json = `{${blank()}${members.sort(() => random() - 0.5).join(`${blank()},${blank()}`)}${blank()}}`;
      const key = read(json);
      if (key === undefined) continue;
      fast++;
      expect([json, key]).toEqual([json, parsed(json)]);
    }
    expect(fast).toBeGreaterThan(count / 3);
  });

  it('of many escapes takes time that grows with them', () => {
    for (const piece of ['\\u00e9', '\\/', '\\\\', '\\\\u', '\\"', '\\ud83d']) {
      const json = withContent(`"${piece.repeat(80_000)}"`);
      expect(read(json)).toEqual(parsed(json));
    }
  });
});
