/** Generators of JSON text that JSON.stringify never writes, and of damage to bytes. */
import fc from 'fast-check';
import { encode } from '../../transforms/json/utf8.ts';

const blanks = fc.constantFrom('', '', '', ' ', '\t', '\r', ' \r ', '\n');
const numbers = fc.constantFrom(
  '0',
  '-0',
  '1.0',
  '12345678901234567890',
  '1e400',
  '1E-7',
  '-1.50',
  '9007199254740993',
);
const strings = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\u0041"', '"\\/"', '"\\ud800"', '"é\u2028\u{1f600}"', '"\\u00E9"', '""', '"\\\\\\""'),
);
/** Keys: repeated ones, integers, escapes and names that break plain objects. */
const keys = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"2"', '"1"', '"__proto__"', '"\\u0061"', '"constructor"'),
  strings,
);

const { value, object } = fc.letrec<{ value: string; array: string; object: string; member: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(numbers, strings, fc.constantFrom('true', 'false', 'null')),
      tie('array'),
      tie('object'),
    ),
    array: fc
      .tuple(fc.array(fc.tuple(blanks, tie('value'), blanks), { maxLength: 4 }), blanks)
      .map(
        ([items, blank]) => `[${items.length === 0 ? blank : items.map((item) => item.join('')).join(',')}]`,
      ),
    member: fc
      .tuple(blanks, keys, blanks, blanks, tie('value'), blanks)
      .map(
        ([before, key, afterKey, beforeValue, json, after]) =>
          `${before}${key}${afterKey}:${beforeValue}${json}${after}`,
      ),
    object: fc
      .tuple(fc.array(tie('member'), { maxLength: 4 }), blanks)
      .map(([members, blank]) => `{${members.length === 0 ? blank : members.join(',')}}`),
  }),
);

/** JSON text with odd numbers, keys, escapes and inner white space. */
export const jsonText: fc.Arbitrary<string> = value;
export const objectText: fc.Arbitrary<string> = object;

/** A change of some bytes. */
export interface Damage {
  readonly at: number;
  readonly cut: number;
  readonly put: Uint8Array;
}

const odd = fc.constantFrom(
  ...[
    '"',
    '\\',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '0',
    '-',
    '.',
    'e',
    ' ',
    '\n',
    '\u0000',
    'n',
    '\\u',
    '\\ud800',
  ],
  ...['\u00a0', '\ufeff', '\u2028', '\u{10ffff}', 'true', '\r', '+'],
);
const put = fc.oneof(fc.uint8Array({ maxLength: 2 }), odd.map(encode));

export const damage: fc.Arbitrary<Damage> = fc.record({ at: fc.nat(400), cut: fc.nat(3), put });

export function damaged(bytes: Uint8Array, { at, cut, put }: Damage): Uint8Array {
  const from = at % (bytes.length + 1);
  return Uint8Array.from([...bytes.subarray(0, from), ...put, ...bytes.subarray(from + cut)]);
}
