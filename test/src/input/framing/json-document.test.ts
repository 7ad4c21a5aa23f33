import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentFramer } from '../../../../src/input/framing/json-document.ts';
import { createSlab } from '../../../../src/input/framing/slab.ts';
import { createPlainScanner } from '../../../../transforms/json/plain-scanner.ts';
import { skipBlanks } from '../../../../transforms/json/scanner.ts';
import { type Framed, type FramedSource, frame } from './drive.ts';

const MAX = 1024 * 1024;
const slab = createSlab();

function framed(text: string | Uint8Array, sizes?: readonly number[], max: number = MAX): FramedSource {
  return frame(new DocumentFramer('a.json', max, slab), Buffer.from(text as string), sizes);
}

const texts = (source: FramedSource): (string | undefined)[] =>
  source.elements.map((e) => e.text ?? e.reason);
const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function expectBalance({ counts, elements }: FramedSource, bytes: number): void {
  expect(counts.bytes).toBe(bytes);
  expect(counts.bomBytes + counts.lineBytes + counts.terminatorBytes).toBe(bytes);
  expect(counts.lineBytes).toBe(elements.reduce((sum, e) => sum + e.length, 0));
  expect(counts.lines).toBe(elements.length);
}

describe('elements', () => {
  test('of a top-level array are lines with their number, place and bytes', () => {
    const first = '{"a" : 1.10,"\\u0041":[1,{"b":"]}"}]}';
    const second = '{"2":0,"1":-0}';
    const text = `[ ${first} ,\r\n ${second}\t]\n`;
    const { elements, counts } = framed(text);
    expect(elements).toEqual([
      { kind: 'line', line: 1, offset: 2, length: first.length, text: first },
      { kind: 'line', line: 2, offset: first.length + 7, length: second.length, text: second },
    ]);
    expect(counts).toMatchObject({ lines: 2, bytes: text.length, crlf: 0, noFinalNewline: false });
  });

  test.each<[string, string[]]>([
    ['{"a":1}', ['{"a":1}']],
    ['{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
    ['{"a":1}{"b":2}', ['{"a":1}', '{"b":2}']],
    ['[{}][{}]{}', ['{}', '{}', '{}']],
    ['[]', []],
    ['  [ ] \n[]', []],
    ['', []],
    [' \n', []],
    ['[1,"a\\"]",null,[2,[3]],-1.5e+3,true]', ['1', '"a\\"]"', 'null', '[2,[3]]', '-1.5e+3', 'true']],
    ['12', ['12']],
    ['12 "a" null', ['12', '"a"', 'null']],
    ['true[1]"x"{}', ['true', '1', '"x"', '{}']],
    ['"\\\\"', ['"\\\\"']],
    ['[{"a":NaN},{"b":[-Infinity,Infinity]}]', ['{"a":NaN}', '{"b":[-Infinity,Infinity]}']],
    ['["a: NaN,\\n", "-Infinity"]NaN', ['"a: NaN,\\n"', '"-Infinity"', 'NaN']],
    ['["\\\\\\"",""]', ['"\\\\\\""', '""']],
  ])('%j', (text, expected) => {
    const whole = framed(text);
    expect(texts(whole)).toEqual(expected);
    expectBalance(whole, text.length);
    for (const size of [1, 2, 3, 7]) expect(framed(text, [size])).toEqual(whole);
  });

  test('keep bytes that are not UTF-8, which parse rejects', () => {
    const bytes = Buffer.from('[{"a":"\xff\xc3"},{"b":"\xe2\x82"}]', 'latin1');
    expect(texts(framed(bytes, [1]))).toEqual(['{"a":"\xff\xc3"}', '{"b":"\xe2\x82"}']);
  });

  test('let the next framer use the slab that grew for one of them', () => {
    const own = createSlab();
    const big = `[${JSON.stringify('x'.repeat(3_000_000))},{}]`;
    const first = frame(new DocumentFramer('a.json', 10_000_000, own), Buffer.from(big), [200_000]);
    expect(first.elements.map((e) => e.length)).toEqual([3_000_002, 2]);
    const second = frame(new DocumentFramer('b.json', MAX, own), Buffer.from('[{}]'));
    expect(texts(second)).toEqual(['{}']);
    expect(own.bytes.length).toBe(createSlab().bytes.length);
  });
});

describe('a byte-order mark', () => {
  test.each([[[1]], [[2, 1]], [[100]]])('at the start is stripped and counted, in chunks of %j', (sizes) => {
    const source = framed('\ufeff[{"a":1}]', sizes);
    expect(source.elements).toEqual([{ kind: 'line', line: 1, offset: 4, length: 7, text: '{"a":1}' }]);
    expect(source.counts.bomBytes).toBe(3);
    expectBalance(source, 12);
  });

  test('is an empty document when it is alone', () => {
    const source = framed('\ufeff', [1]);
    expect(source.elements).toEqual([]);
    expectBalance(source, 3);
  });

  test('is not JSON anywhere else, or when it is incomplete', () => {
    expect(framed('\ufeff\ufeff{}').elements).toMatchObject([
      { reason: 'invalid-json', offset: 3, length: 5 },
    ]);
    expect(framed(Buffer.from([0xef, 0xbb]), [1]).elements).toMatchObject([
      { reason: 'invalid-json', offset: 0, length: 2 },
    ]);
  });
});

describe('a document that is not JSON', () => {
  const rest = (text: string): Framed | undefined => framed(text).elements.at(-1);

  test.each<[string, string[], number, string]>([
    ['[{"a":1},{"b":', ['{"a":1}'], 9, 'line 1, column 15, byte 14: expected a value'],
    ['[{"a":1}\n {"b":2}]', ['{"a":1}'], 10, "line 2, column 2, byte 10: expected ','"],
    ['[{"a":1},]', ['{"a":1}'], 9, "line 1, column 10, byte 9: unexpected token ']'"],
    ['[{"a":1}', ['{"a":1}'], 8, "line 1, column 9, byte 8: expected ','"],
    ['[1,23', ['1'], 3, "line 1, column 6, byte 5: expected ','"],
    ['{"a":1}}', ['{"a":1}'], 7, 'line 1, column 8, byte 7: expected a value'],
    ['{"a":1} x {"b":2}', ['{"a":1}'], 8, 'line 1, column 9, byte 8: expected a value'],
    ['<html>', [], 0, 'line 1, column 1, byte 0: expected a value'],
    ['[{"a":nan}]', [], 1, 'line 1, column 7, byte 6: expected a value'],
    ['[{"a":-NaN}]', [], 1, 'line 1, column 8, byte 7: expected a starting digit'],
    ['[{"a":1NaN}]', [], 1, "line 1, column 10, byte 9: expected ','"],
    ['[{"a":trux},{"b":1}]', [], 1, 'line 1, column 7, byte 6: expected a value'],
    ['["\\q",{"b":1}]', [], 1, 'line 1, column 3, byte 2: escaped characters'],
    ['[{"a":"\n"}]', [], 1, 'line 1, column 8, byte 7: escaped characters'],
    ['\r\n\r\n[01]', [], 5, "line 3, column 3, byte 6: expected ','"],
  ])('%j yields its complete elements and rejects the rest', (text, complete, offset, detail) => {
    const source = framed(text);
    expect(texts(source)).toEqual([...complete, 'invalid-json']);
    const bytes = Buffer.from(text);
    expect(rest(text)).toEqual({
      kind: 'rejection',
      line: complete.length + 1,
      offset,
      length: bytes.length - offset,
      reason: 'invalid-json',
      detail,
      sha256: sha256(bytes.subarray(offset)),
    });
    expectBalance(source, bytes.length);
    for (const size of [1, 2, 3, 5, 16, 17]) expect(framed(text, [size])).toEqual(source);
  });

  test('of many pieces is counted and hashed to its end', () => {
    const text = `[{"a":1}, oops ${'x'.repeat(3_000_000)}`;
    const source = framed(text, [50_000]);
    expect(source.elements.at(-1)).toMatchObject({
      offset: 10,
      length: text.length - 10,
      sha256: sha256(text.slice(10)),
    });
    expectBalance(source, text.length);
  });
});

describe('an element longer than the limit', () => {
  const long = JSON.stringify({ x: 'y'.repeat(400_000) });

  test('is counted and hashed, and the next element is read', () => {
    const text = `[{"a":1},${long},{"b":2}]`;
    const source = framed(text, [70_000], 1000);
    expect(source.elements).toMatchObject([
      { text: '{"a":1}' },
      { reason: 'line-too-long', line: 2, offset: 9, length: long.length, sha256: sha256(long) },
      { text: '{"b":2}', line: 3 },
    ]);
    expectBalance(source, text.length);
  });

  test('may have exactly the length of the limit', () => {
    expect(texts(framed('[{"a":1},{"a":12}]', [1], 7))).toEqual(['{"a":1}', 'line-too-long']);
  });

  test('is rejected with the rest of the document when it is not JSON', () => {
    const text = `[{},${long.slice(0, -1)} oops`;
    const source = framed(text, [70_000], 1000);
    expect(source.elements).toMatchObject([
      { text: '{}' },
      { reason: 'invalid-json', offset: 4, sha256: sha256(text.slice(4)) },
    ]);
    expectBalance(source, text.length);
  });

  test('takes bounded memory', () => {
    const own = createSlab();
    const framer = new DocumentFramer('a.json', 100_000, own);
    frame(framer, Buffer.from(`["${'x'.repeat(20_000_000)}"]`));
    expect(own.bytes.length).toBe(createSlab().bytes.length);
  });
});

describe('deep nesting', () => {
  const deep = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

  test('is allowed to a million levels', () => {
    const text = `[${deep(1_000_000)},{}]`;
    const source = framed(text, [65_536], 10_000_000);
    expect(source.elements.map((e) => e.length)).toEqual([text.length - 5, 2]);
  });

  test('is refused as too deep when it has no end', () => {
    const text = `[{},${'['.repeat(6_000_000)}`;
    const source = framed(text, [1_000_000], 10_000_000);
    expect(source.elements).toMatchObject([
      { text: '{}' },
      { reason: 'too-deep', offset: 4, length: 6_000_000 },
    ]);
    expectBalance(source, text.length);
  });
});

/** Whether a text is a series of JSON values. */
function isJson(bytes: Uint8Array): boolean {
  const scanner = createPlainScanner();
  let at = skipBlanks(bytes, 0);
  while (at >= 0 && at < bytes.length) {
    at = scanner.value(bytes, at, 0);
    if (at >= 0) at = skipBlanks(bytes, at);
  }
  return at >= 0;
}

function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

describe('properties', () => {
  const chunking = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
  const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
  const document = fc.tuple(
    fc.array(fc.tuple(fc.jsonValue(), fc.constantFrom(0, 2)), { maxLength: 6 }),
    blank,
  );

  test('the elements of an array equal those of JSON.parse in any chunking', () => {
    fc.assert(
      fc.property(document, chunking, ([values, space], sizes) => {
        const text = `${space}[${space}${values.map(([v, indent]) => JSON.stringify(v, null, indent)).join(`${space},${space}`)}${space}]`;
        const bytes = Buffer.from(text);
        const source = framed(bytes, sizes);
        const parsed = source.elements.map((e) =>
          JSON.parse(Buffer.from(e.text as string, 'latin1').toString()),
        );
        expect(parsed).toEqual(JSON.parse(text));
        for (const e of source.elements)
          expect(bytes.toString('latin1', e.offset, e.offset + e.length)).toBe(e.text);
        expectBalance(source, bytes.length);
      }),
      { numRuns: 500 },
    );
  });

  test('a damaged document yields the same in any chunking, and nothing that JSON.parse refuses', () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.constantFrom(...'{}[],:"\\x0-.et \n\r\u0000\xe9'),
      fc.constantFrom(0, 1, 2),
    );
    fc.assert(
      fc.property(
        document,
        chunking,
        chunking,
        damage,
        fc.boolean(),
        ([values, space], sizes, others, [at, by, drop], lines) => {
          const text = lines
            ? values.map(([v, indent]) => JSON.stringify(v, null, indent)).join(`${space}\r\n`)
            : JSON.stringify(
                values.map(([v]) => v),
                null,
                values.length % 3,
              );
          const cut = at % (text.length + 1);
          const bytes = Buffer.from(text.slice(0, cut) + by + text.slice(cut + drop));
          const source = framed(bytes, sizes);
          expect(framed(bytes, others)).toEqual(source);
          expect(framed(bytes)).toEqual(source);
          expectBalance(source, bytes.length);
          const good = source.elements.every((e) => e.kind === 'line');
          if (good) expect(isJson(bytes)).toBe(true);
          if (parses(bytes)) expect(good).toBe(true);
          for (const { text: json } of source.elements) if (json?.startsWith('{')) JSON.parse(json);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('a truncated document yields a prefix of its elements and at most one rejection', () => {
    const text = '\ufeff[{"a":[1,"\\u00e9 é"]},\r\n12.5e3 , "x\\"" , true,{},[],null]\n{"b":-0}\n[ {} ]';
    const bytes = Buffer.from(text);
    const whole = framed(bytes);
    for (let length = 0; length <= bytes.length; length++) {
      const source = framed(bytes.subarray(0, length), [5]);
      expectBalance(source, length);
      const lines = source.elements.filter((e) => e.kind === 'line');
      expect(lines).toEqual(whole.elements.slice(0, lines.length));
      expect(source.elements.length - lines.length).toBeLessThanOrEqual(1);
      expect(framed(bytes.subarray(0, length), [1])).toEqual(source);
    }
  });
});
