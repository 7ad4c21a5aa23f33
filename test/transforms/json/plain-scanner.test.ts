import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createPlainScanner, textScanner } from '../../../transforms/json/plain-scanner.ts';
import { MAX_DEPTH, skipBlanks } from '../../../transforms/json/scanner.ts';
import { encode, sequenceLength } from '../../../transforms/json/utf8.ts';
import { damage, damaged, jsonText } from '../arbitraries.ts';
import { asArray, fromLatin1, KINDS } from '../bytes.ts';
import { SCANNER_CASES } from './scanner-cases.ts';

const scanner = createPlainScanner();

/** Whether the bytes are one JSON value, with or without white space around it. */
function accepts(bytes: Uint8Array): boolean {
  const end = scanner.value(bytes, skipBlanks(bytes, 0), 0);
  return end >= 0 && skipBlanks(bytes, end) === bytes.length;
}

/** Whether JSON.parse accepts the text, decoded as strict UTF-8. */
function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

const failure = (bytes: Uint8Array, at = 0, depth = 0) => {
  expect(scanner.value(bytes, at, depth)).toBe(-1);
  return { at: scanner.failedAt, tooDeep: scanner.tooDeep };
};

describe.each(KINDS)('documents in a %s', (_kind, make) => {
  test.each(SCANNER_CASES)('%s %s', (kind, _name, characters) => {
    const bytes = make(fromLatin1(characters));
    const good = kind === 'y' || kind === 'i+';
    expect(accepts(bytes)).toBe(good);
    expect(isJson(bytes)).toBe(good || kind === 'deep');
  });
});

describe('the verdict', () => {
  it('is that of JSON.parse on strict UTF-8 for generated documents', () => {
    fc.assert(
      fc.property(jsonText, (json) => {
        expect([json, accepts(asArray(json))]).toEqual([json, true]);
      }),
      { numRuns: 1000 },
    );
  });

  it('is that of JSON.parse on strict UTF-8 for mutated documents', () => {
    fc.assert(
      fc.property(jsonText, fc.array(damage, { minLength: 1, maxLength: 3 }), (json, damages) => {
        const bytes = damages.reduce(damaged, asArray(json));
        expect(accepts(bytes)).toBe(isJson(bytes));
      }),
      { numRuns: 5000 },
    );
  });

  it('is that of JSON.parse for every byte in every place of a small document', () => {
    const bytes = Buffer.from('{"a":[-1.0e+2,"\\u00e9é",true]}');
    for (let at = 0; at < bytes.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const changed = Uint8Array.from(bytes);
        changed[at] = byte;
        if (accepts(changed) !== isJson(changed)) expect.fail(`byte ${byte} at ${at}`);
      }
    }
  });

  it('is that of JSON.parse for every truncation of a small document', () => {
    const bytes = Buffer.from('[{"é\u2028\u{1f600}":"\\ud83d"},-0.5e-1,false,null]');
    for (let end = 0; end < bytes.length; end++) expect(accepts(bytes.subarray(0, end))).toBe(false);
    expect(accepts(bytes)).toBe(true);
  });
});

describe('the depth', () => {
  const nest = (levels: number): Uint8Array => asArray('['.repeat(levels) + ']'.repeat(levels));

  it('may be 512 levels, and the bracket of one more is too deep', () => {
    expect(MAX_DEPTH).toBe(512);
    expect(scanner.value(nest(512), 0, 0)).toBe(1024);
    expect(failure(nest(513))).toEqual({ at: 512, tooDeep: true });
  });

  it('includes the levels around the value', () => {
    expect(scanner.value(nest(509), 0, 3)).toBe(1018);
    expect(failure(nest(510), 0, 3)).toEqual({ at: 509, tooDeep: true });
    expect(failure(nest(1), 0, 513)).toEqual({ at: 0, tooDeep: true });
    expect(scanner.value(asArray('1'), 0, 512)).toBe(1);
  });

  it('can be set', () => {
    const shallow = createPlainScanner(2);
    expect(shallow.value(asArray('[{}]'), 0, 0)).toBe(4);
    expect(shallow.value(asArray('[{"a":[]}]'), 0, 0)).toBe(-1);
    expect([shallow.failedAt, shallow.tooDeep]).toEqual([6, true]);
  });

  it('does not affect the next failure', () => {
    failure(nest(513));
    expect(failure(asArray('x'))).toEqual({ at: 0, tooDeep: false });
  });
});

test.each([
  ['[1,x]', 3],
  ['[1 2]', 3],
  ['{"a" 1}', 5],
  ['{"a":1,b}', 7],
  ['{a}', 1],
  ['trUe', 2],
  ['"a\\x"', 2],
  ['"a\\u00g0"', 2],
  ['"a', 2],
  ['-', 1],
  ['1.x', 2],
  ['1ex', 2],
  ['"\u0001"', 1],
  ['', 0],
])('a failure has its position: %j at %d', (json, at) => {
  expect(failure(asArray(json))).toEqual({ at, tooDeep: false });
});

test('a value may begin and end inside other bytes', () => {
  const bytes = asArray('x{"a":1}y');
  expect(scanner.value(bytes, 1, 0)).toBe(8);
});

describe('string', () => {
  it('ends after its closing quote', () => {
    expect(scanner.string(asArray('"a\\"b":1'), 0)).toBe(6);
  });

  it('fails where no string begins', () => {
    expect(scanner.string(asArray('a"'), 0)).toBe(-1);
    expect(scanner.failedAt).toBe(0);
    expect(scanner.string(asArray('"a\n"'), 0)).toBe(-1);
    expect(scanner.failedAt).toBe(2);
  });
});

test('fail() lets callers that walk a value report a failure', () => {
  failure(asArray('['.repeat(513)));
  expect(scanner.fail(7)).toBe(-1);
  expect([scanner.failedAt, scanner.tooDeep]).toEqual([7, false]);
});

test('skipBlanks stops at the first byte that is not JSON white space, and at the end', () => {
  expect(skipBlanks(asArray(' \t\r\n\v'), 0)).toBe(4);
  expect(skipBlanks(asArray('  '), 1)).toBe(2);
  expect(skipBlanks(asArray('  '), 9)).toBe(9);
});

describe('sequenceLength', () => {
  it('is the length of every character in UTF-8', () => {
    for (let c = 0x80; c <= 0x10ffff; c += c < 0x3000 ? 1 : 61) {
      const bytes = Buffer.from(String.fromCodePoint(c));
      if (c < 0xd800 || c > 0xdfff) expect(sequenceLength(bytes, 0)).toBe(bytes.length);
    }
  });

  it('is 0 exactly when a strict decoder rejects the sequence', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const byte = fc.oneof(
      fc.integer({ min: 0x80, max: 0xff }),
      fc.integer({ min: 0xe0, max: 0xf5 }),
      fc.nat(255),
    );
    const strict = (bytes: Uint8Array): boolean => {
      try {
        return [...decoder.decode(bytes)].length === 1;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.integer({ min: 0x80, max: 0xff }), fc.array(byte, { maxLength: 3 }), (lead, rest) => {
        const bytes = Uint8Array.from([lead, ...rest]);
        const length = sequenceLength(bytes, 0);
        const lengths = [1, 2, 3, 4].filter((n) => n <= bytes.length && strict(bytes.subarray(0, n)));
        expect(lengths).toEqual(length === 0 ? [] : [length]);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('with a limit of elements', () => {
  const scanner = createPlainScanner(MAX_DEPTH, 3);
  const scan = (json: string): readonly number[] => [scanner.value(encode(json), 0, 0), scanner.crowdAt];

  it('fails where a crowded value opens, and agrees with the scanner elsewhere', () => {
    expect(scan('[1,2,3]')).toEqual([7, -1]);
    expect(scan('{"a":[1,2,3,4]}')).toEqual([-1, 5]);
    expect(scan('[1,2,3,4')).toEqual([-1, -1]);
    expect(scan('["1,2,3,4,5"]')).toEqual([13, -1]);
  });
});

it('textScanner treats a value with very many elements as text', () => {
  const scanner = textScanner;
  const list = (count: number): Uint8Array => encode(`[${'0,'.repeat(count - 1)}0]`);
  expect(scanner.value(list(100_000), 0, 0)).toBe(200_001);
  expect(scanner.value(list(100_001), 0, 0)).toBe(-1);
});
