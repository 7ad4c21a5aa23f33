import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { membersOf } from '../../../transforms/json/members.ts';
import {
  addMember,
  concat,
  dropMembers,
  editElements,
  editMembers,
  replaceValue,
} from '../../../transforms/json/splice.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import { jsonText, objectText } from '../arbitraries.ts';
import { asArray, KINDS, latin1, text } from '../bytes.ts';

describe.each(KINDS)('of a %s', (_kind, make) => {
  const object = make('{ "a" : 1.0 ,\t"b":"x" , "a":[ 2 ] }');

  it('an edit without changes returns the same object', () => {
    expect(editMembers(object, () => undefined)).toBe(object);
    const empty = make('{}');
    expect(editMembers(empty, () => null)).toBe(empty);
    expect(dropMembers(object, () => false)).toBe(object);
  });

  it('the edit gets each member with its index', () => {
    const seen: [string, number][] = [];
    editMembers(object, ({ key }, index) => void seen.push([key, index]));
    expect(seen).toEqual([
      ['a', 0],
      ['b', 1],
      ['a', 2],
    ]);
  });

  test.each([
    [[0], '{ "b":"x" , "a":[ 2 ] }'],
    [[1], '{ "a" : 1.0 , "a":[ 2 ] }'],
    [[2], '{ "a" : 1.0 ,\t"b":"x" }'],
    [[0, 1], '{ "a":[ 2 ] }'],
    [[0, 2], '{ "b":"x" }'],
    [[1, 2], '{ "a" : 1.0 }'],
    [[0, 1, 2], '{  }'],
  ])('dropping %j leaves the others unchanged', (dropped, expected) => {
    expect(text(editMembers(object, (_member, i) => (dropped.includes(i) ? null : undefined)))).toBe(
      expected,
    );
    expect(text(object)).toBe('{ "a" : 1.0 ,\t"b":"x" , "a":[ 2 ] }');
  });

  it('an edit of elements leaves the others and the bytes between them unchanged', () => {
    const array = make('[ 1.0 ,{"a":[2]},\t"x" ]');
    const edit = (at: number) => text(editElements(array, (_e, i) => (i === at ? encode('!') : undefined)));
    expect([0, 1, 2].map(edit)).toEqual([
      '[ ! ,{"a":[2]},\t"x" ]',
      '[ 1.0 ,!,\t"x" ]',
      '[ 1.0 ,{"a":[2]},\t! ]',
    ]);
    expect(text(editElements(array, (element) => make(`[${text(element)}]`)))).toBe(
      '[ [1.0] ,[{"a":[2]}],\t["x"] ]',
    );
    expect(editElements(array, () => undefined)).toBe(array);
  });

  it('dropMembers drops every named member', () => {
    expect(text(dropMembers(object, ({ key }) => key === 'a'))).toBe('{ "b":"x" }');
  });

  it('replaceValue replaces only the last value of a key', () => {
    expect(text(replaceValue(object, 'a', encode('null')) as Uint8Array)).toBe(
      '{ "a" : 1.0 ,\t"b":"x" , "a":null }',
    );
    expect(replaceValue(object, 'c', encode('null'))).toBeUndefined();
  });

  it('addMember adds a member after the last', () => {
    expect(text(addMember(object, 'k"', encode('{"é":1}')))).toBe(
      '{ "a" : 1.0 ,\t"b":"x" , "a":[ 2 ],"k\\"":{"é":1} }',
    );
  });

  it('concat returns a new array of all bytes', () => {
    const piece = make('ab');
    const whole = concat([piece, make(''), make('c')]);
    piece.fill(0);
    expect(text(whole)).toBe('abc');
    expect(concat([])).toEqual(new Uint8Array(0));
  });
});

/** Bytes of each member of the result. */
const members = (object: Uint8Array) =>
  membersOf(object).map(({ start, valueStart, end }) => [
    latin1(object.subarray(start, valueStart)),
    latin1(object.subarray(valueStart, end)),
  ]);

test('editing keeps every other byte', () => {
  const choice = fc.oneof(fc.constant(undefined), fc.constant(null), jsonText);
  fc.assert(
    fc.property(objectText, fc.array(choice, { minLength: 4, maxLength: 4 }), (json, choices) => {
      const object = asArray(json);
      const before = members(object);
      const edited = editMembers(object, (_member, i) => {
        const choice = choices[i];
        return typeof choice === 'string' ? encode(choice) : choice;
      });
      const expected = before.flatMap(([head, value], i) => {
        const choice = choices[i];
        if (choice === null) return [];
        return [[head, choice === undefined ? value : latin1(encode(choice))]];
      });
      expect(members(edited)).toEqual(expected);
      expect(latin1(object)).toBe(latin1(encode(json)));
      expect(() => JSON.parse(text(edited))).not.toThrow();
    }),
    { numRuns: 1000 },
  );
});

test('replacing a value keeps every byte before and after it', () => {
  fc.assert(
    fc.property(objectText, jsonText, fc.nat(3), (json, value, pick) => {
      const object = asArray(json);
      const all = membersOf(object);
      const member = all[pick % Math.max(all.length, 1)];
      if (member === undefined) return;
      const last = all.findLast(({ key }) => key === member.key) as (typeof all)[number];
      const edited = replaceValue(object, member.key, encode(value)) as Uint8Array;
      const whole = latin1(object);
      expect(latin1(edited)).toBe(
        whole.slice(0, last.valueStart) + latin1(encode(value)) + whole.slice(last.end),
      );
    }),
    { numRuns: 1000 },
  );
});
