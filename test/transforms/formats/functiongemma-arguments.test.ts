/** Arguments of calls in FunctionGemma's syntax: how they are written, and that a parser reads back the same values. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseCall, parseCalls, type Value } from '../../support/gemma-call.ts';
import { calling } from '../checks/samples.ts';
import { args, CONTROL_TOKENS, callingWith, found, plain, textIn, written } from './gemma-samples.ts';

describe('arguments', () => {
  test.each([
    ['have sorted keys, ignoring case', '{"b":1,"A":2,"a":3,"C":4,"_":5}', '{_:5,A:2,a:3,b:1,C:4}'],
    ['keep the order of nested keys', '{"x":{"b":1,"a":2}}', '{x:{b:1,a:2}}'],
    [
      'may have keys and text in any language',
      '{"k\\u00e9":"\\u65e5\\ud83d\\ude00"}',
      '{ké:<escape>日😀<escape>}',
    ],
    ['keep both of two equal keys', '{"a":1,"a":2}', '{a:1,a:2}'],
    [
      'may have an empty key, object, list and string',
      '{"":{},"a":[],"b":""}',
      '{:{},a:[],b:<escape><escape>}',
    ],
    [
      'keep the text of numbers',
      '{"a":[1.0,-0,12345678901234567890,1e400,1E5]}',
      '{a:[1.0,-0,12345678901234567890,1e400,1E5]}',
    ],
    [
      'have numbers with a fraction and an exponent written out',
      '{"a":[1.5e3,-2.50E-2,1.25e1,0.5e+1,1.0e0,9.99e22]}',
      '{a:[1500,-0.0250,12.5,5,1.0,99900000000000000000000]}',
    ],
    ['may have syntax inside strings', '{"a":"{b:1},[\\"x\\"]"}', '{a:<escape>{b:1},["x"]<escape>}'],
    ['may be empty', '{ }', '{}'],
  ])('%s', (_what, json, expected) => {
    expect(args(json)).toBe(expected);
    expect(args(JSON.stringify(` ${json} `))).toBe(expected);
  });

  it.each(['""', '" \\n"', 'null'])('are {} for %s, as in trl', (json) => {
    expect(written(callingWith(json))).toContain('call:f{}<end_function_call>');
    expect(found(callingWith(json))).toEqual(['WARNING empty-arguments']);
  });

  it('are {} when absent', () => {
    expect(written(calling({ id: '1', function: { name: 'f' } }))).toContain('call:f{}<');
    expect(found(calling({ id: '1', function: { name: 'f' } }))).toEqual(['WARNING empty-arguments']);
  });
});

describe('parsing a written call', () => {
  const key = fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.constantFrom('', 'a', 'A', '__proto__', '1', 'é'),
    )
    .filter((name) => !/[:,{}[\]\p{Cc}\p{Surrogate}]/u.test(name) && !name.includes('<'));
  const string = fc
    .string({ unit: 'binary', maxLength: 12 })
    .filter((value) => !CONTROL_TOKENS.some((token) => value.includes(token)));
  const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,24})$/);
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.option(fc.stringMatching(/^[0-9]{1,8}$/), { nil: undefined }),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.stringMatching(/^[0-9]{1,2}$/)), {
        nil: undefined,
      }),
    )
    .map(([sign, whole, fraction, exponent]) =>
      [sign, whole, fraction === undefined ? '' : `.${fraction}`, ...(exponent ?? [])].join(''),
    );
  const { object } = fc.letrec<{ value: Value; object: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      string.map((value): Value => ({ kind: 'string', text: value })),
      number.map((value): Value => ({ kind: 'number', text: value })),
      fc.constantFrom('true', 'false', 'null').map((value): Value => ({ kind: 'word', text: value })),
      fc.array(tie('value'), { maxLength: 4 }).map((items): Value => ({ kind: 'array', items })),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5 })
      .map((members): Value => ({ kind: 'object', members })),
  }));

  const json = (value: Value): string => {
    if (value.kind === 'string') return JSON.stringify(value.text);
    if (value.kind === 'array') return `[${value.items.map(json).join(', ')}]`;
    if (value.kind === 'object')
      return `{${value.members.map(([name, inner]) => `${JSON.stringify(name)} : ${json(inner)}`).join(',')}}`;
    return value.text;
  };
  /** A number as sign, digits without outer zeros, and power of ten: equal for equal numbers. */
  const decimal = (number: string): string => {
    const [, sign, whole = '', fraction = '', power = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
    const all = (whole + fraction).replace(/^0+/, '');
    const kept = all.replace(/0+$/, '');
    return `${sign}${kept}e${kept === '' ? 0 : Number(power) - fraction.length + all.length - kept.length}`;
  };
  /** Normal form for comparison: sorted keys at the top, numbers with their text and their value. */
  const comparable = (value: Value, top = false): unknown => {
    if (value.kind === 'array') return value.items.map((item) => comparable(item));
    if (value.kind === 'number') return { number: value.text, decimal: decimal(value.text) };
    if (value.kind !== 'object') return value;
    const members = value.members.map(([name, inner]) => [name, comparable(inner)] as const);
    const lower = ([name]: readonly [string, unknown]) => Buffer.from(name.toLowerCase());
    return { members: top ? members.toSorted((a, b) => Buffer.compare(lower(a), lower(b))) : members };
  };
  /** Compares numbers with a fraction and an exponent only by value. */
  const expandable = (value: unknown, written: unknown): unknown => {
    if (Array.isArray(value) && Array.isArray(written))
      return value.map((item, i) => expandable(item, written[i]));
    if (typeof value !== 'object' || value === null || typeof written !== 'object' || written === null)
      return value;
    const [known, other] = [value as Record<string, unknown>, written as Record<string, unknown>];
    if (typeof known.number === 'string' && /\..*e/i.test(known.number)) {
      expect(other.number).not.toMatch(/e/i);
      return { ...known, number: other.number };
    }
    return Object.fromEntries(
      Object.entries(known).map(([name, inner]) => [name, expandable(inner, other[name])]),
    );
  };

  it.each([
    ['as an object', (source: string) => source],
    ['as a string', (source: string) => JSON.stringify(source)],
  ])('returns generated arguments, written %s', (_how, encoded) => {
    fc.assert(
      fc.property(object, (value) => {
        const record = plain(callingWith(encoded(json(value)), 'do_it'));
        expect(record.findings).toEqual([]);
        const [parsed, ...others] = parseCalls(textIn(record));
        expect(others).toEqual([]);
        expect(parsed?.name).toBe('do_it');
        const read = comparable(parsed?.args as Value);
        expect(read).toEqual(expandable(comparable(value, true), read));
      }),
      { numRuns: 500 },
    );
  });

  it('fails for damaged calls', () => {
    for (const bad of ['f', 'f{', 'f{a}', 'f{a:x}', 'f{a:<escape>x}', 'f{a:1 b:2}', 'f{a:[1}', 'f{}x']) {
      expect(() => parseCall(bad)).toThrow(SyntaxError);
    }
  });
});

it('deep arguments are written, or rejected when they are too deep', () => {
  const deep = `{"a":${'['.repeat(500)}${']'.repeat(500)}}`;
  expect(args(deep)).toBe(`{a:${'['.repeat(500)}${']'.repeat(500)}}`);
  expect(found(callingWith(JSON.stringify(`{"a":${'['.repeat(600)}${']'.repeat(600)}}`)))).toEqual([
    'ERROR arguments-not-object!',
  ]);
});
