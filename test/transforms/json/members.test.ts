import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  elementsOf,
  isKey,
  membersOf,
  rememberMembers,
  valueBytes,
  valuesOf,
  walkMembers,
} from '../../../transforms/json/members.ts';
import { createPlainScanner } from '../../../transforms/json/plain-scanner.ts';
import { jsonText, objectText } from '../arbitraries.ts';
import { asArray, asBuffer, KINDS, text } from '../bytes.ts';

const shown = (object: Uint8Array) =>
  membersOf(object).map(({ key, start, valueStart, end }) => [
    key,
    text(object.subarray(start, valueStart)),
    text(object.subarray(valueStart, end)),
  ]);

test('values are the last ones of their keys, whether the members are remembered or not', () => {
  const object = asBuffer('{"a":1,"b":[2],"\\u0061":{"b":3}}');
  const values = () => valuesOf(object, ['b', 'c', 'a']).map((value) => value && text(value));
  expect(values()).toEqual(['[2]', undefined, '{"b":3}']);
  rememberMembers(object, () => membersOf(object));
  expect(values()).toEqual(['[2]', undefined, '{"b":3}']);
});

describe.each(KINDS)('of a %s', (_kind, make) => {
  it('membersOf returns every member in order, also duplicates and unusual keys', () => {
    expect(shown(make('{ "b" : 1.0 ,"2":[],"b":"\\u0062", "\\u0062":null\r,"__proto__":{"é":1}}'))).toEqual([
      ['b', '"b" : ', '1.0'],
      ['2', '"2":', '[]'],
      ['b', '"b":', '"\\u0062"'],
      ['b', '"\\u0062":', 'null'],
      ['__proto__', '"__proto__":', '{"é":1}'],
    ]);
    expect(shown(make('{ }'))).toEqual([]);
  });

  it('valueBytes is the last value of a key, however it is written', () => {
    const object = make('{"a":1,"\\u0061" : [2] ,"aa":3,"\\u0062":4}');
    expect(text(valueBytes(object, 'a') as Uint8Array)).toBe('[2]');
    expect(text(valueBytes(object, 'b') as Uint8Array)).toBe('4');
    expect(valueBytes(object, 'c')).toBeUndefined();
    expect(valueBytes(make('{}'), 'a')).toBeUndefined();
  });

  it('elementsOf returns the text of each element', () => {
    const array = make('[ 1.0 ,"a,]",[2, 3] , {"b":[]},null\t]');
    expect(elementsOf(array).map(text)).toEqual(['1.0', '"a,]"', '[2, 3]', '{"b":[]}', 'null']);
    expect(elementsOf(make('[ ]'))).toEqual([]);
    expect(elementsOf(make('[]'))).toEqual([]);
  });
});

describe('remembered members', () => {
  const json = `{"a":1,"b":"${'2'.repeat(60)}","a":3}`;
  const object = asArray(json);
  rememberMembers(object, () => membersOf(asArray(json)));

  it('are the list of membersOf, the same one each time', () => {
    expect(shown(object).map(([key]) => key)).toEqual(['a', 'b', 'a']);
    expect(membersOf(object)).toBe(membersOf(object));
  });

  it('stay when they are remembered again', () => {
    const before = membersOf(object);
    rememberMembers(object, () => []);
    expect(membersOf(object)).toBe(before);
  });

  it('answer valueBytes like a walk', () => {
    expect(text(valueBytes(object, 'a') as Uint8Array)).toBe('3');
    expect(text(valueBytes(object, 'b') as Uint8Array)).toBe(`"${'2'.repeat(60)}"`);
    expect(valueBytes(object, 'c')).toBeUndefined();
  });

  it('are walked again if the object is short', () => {
    const short = asArray('{"a":1,"b":2}');
    rememberMembers(short, () => []);
    expect(shown(short).map(([key]) => key)).toEqual(['a', 'b']);
  });
});

describe('isKey', () => {
  const key = (json: string, name: string) => isKey(asBuffer(json), 0, Buffer.byteLength(json), name);

  test.each([
    ['"tools"', 'tools', true],
    ['"tool"', 'tools', false],
    ['"toolx"', 'tools', false],
    ['"toolss"', 'tools', false],
    ['"\\u0074ools"', 'tools', true],
    ['"t\\u006fols"', 'tools', true],
    ['"t\\u006folx"', 'tools', false],
    ['"\\ttools"', 'tools', false],
    ['"töols"', 'tools', false],
    ['""', 'tools', false],
  ])('%s is %s: %s', (json, name, expected) => {
    expect(key(json, name)).toBe(expected);
  });
});

test('members and elements are those of JSON.parse', () => {
  fc.assert(
    fc.property(objectText, fc.array(jsonText, { maxLength: 3 }), (json, items) => {
      const object = asArray(json);
      const parsed = JSON.parse(json) as Record<string, unknown>;
      const members = membersOf(object);
      expect(new Set(members.map(({ key }) => key))).toEqual(new Set(Object.keys(parsed)));
      for (const key of Object.keys(parsed).filter((name) => !/[^\0-\x7f]/.test(name))) {
        const value = text(valueBytes(object, key) as Uint8Array);
        expect(JSON.parse(value)).toEqual(Object.getOwnPropertyDescriptor(parsed, key)?.value);
      }
      expect(elementsOf(asArray(`[${items.join(' ,')}]`)).map(text)).toEqual(items);
    }),
    { numRuns: 500 },
  );
});

describe('walkMembers', () => {
  const scanner = createPlainScanner();
  const walk = (json: string, at = 0) => {
    const bytes = asArray(json);
    return walkMembers(bytes, at, scanner, (_start, _end, value) => scanner.value(bytes, value, 1));
  };

  it('ends after the object', () => {
    expect(walk('x{"a" : 1 , "b":[2]} y', 1)).toBe(20);
    expect(walk('{ }')).toBe(3);
  });

  test.each([
    ['{', 1],
    ['{a', 1],
    ['{"a', 3],
    ['{"a"', 4],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1', 6],
    ['{"a":1 "b":2}', 7],
    ['{"a":1,}', 7],
    ['{"a":1]', 6],
    ['{"a":[1}', 7],
  ])('of %s fails at %d', (json, at) => {
    expect(walk(json)).toBe(-1);
    expect(scanner.failedAt).toBe(at);
  });
});
