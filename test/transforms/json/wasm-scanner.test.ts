import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import { OPEN_OBJECT } from '../../../transforms/json/bytes.ts';
import { createPlainScanner } from '../../../transforms/json/plain-scanner.ts';
import type { Scanner } from '../../../transforms/json/scanner.ts';
import { MAX_TAPE_ROWS, ValueTape } from '../../../transforms/json/value-tape.ts';
import { createScanMemory, type ScanMemory } from '../../../transforms/json/wasm-scanner.ts';
import { damage, damaged, jsonText } from '../arbitraries.ts';
import { asArray, fromLatin1, KINDS, text } from '../bytes.ts';
import { SCANNER_CASES } from './scanner-cases.ts';

const memory = createScanMemory() as ScanMemory;
const plain = createPlainScanner();
const scanner = memory.createScanner();

/** Puts bytes at an unaligned position in the slab, between bytes that could continue any value. */
function inSlab(bytes: Uint8Array, place = 0): Uint8Array {
  const before = asArray('"\\{[1'.repeat(8)).subarray(0, place);
  const slab = memory.slab(place + bytes.length + 200).fill(0x31);
  slab.set(before);
  slab.set(bytes, place);
  slab.set(asArray('"}]true\\u0000é"'), place + bytes.length);
  return slab.subarray(place, place + bytes.length);
}

const verdict = (one: Scanner, bytes: Uint8Array, at = 0, depth = 0) => {
  const end = one.value(bytes, at, depth);
  return end < 0 ? { failedAt: one.failedAt, tooDeep: one.tooDeep } : end;
};
const stringVerdict = (one: Scanner, bytes: Uint8Array, at: number) => {
  const end = one.string(bytes, at);
  return end < 0 ? { failedAt: one.failedAt, tooDeep: one.tooDeep } : end;
};

describe('a document in the slab has the verdict of the plain scanner', () => {
  test.each(SCANNER_CASES)('%s %s', (_kind, _name, characters) => {
    const bytes = fromLatin1(characters);
    for (const place of [0, 1, 15, 16, 33]) {
      expect(verdict(scanner, inSlab(bytes, place))).toEqual(verdict(plain, bytes));
    }
  });

  it('for generated documents', () => {
    fc.assert(
      fc.property(jsonText, fc.nat(40), (json, place) => {
        expect(verdict(scanner, inSlab(asArray(json), place))).toBe(Buffer.byteLength(json));
      }),
      { numRuns: 1000 },
    );
  });

  it('for mutated documents, with the same position', () => {
    const damages = fc.array(damage, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(jsonText, damages, fc.nat(40), fc.nat(5), (json, changes, place, at) => {
        const bytes = changes.reduce(damaged, asArray(json));
        const slab = inSlab(bytes, place);
        expect(verdict(scanner, slab, at)).toEqual(verdict(plain, bytes, at));
      }),
      { numRuns: 5000 },
    );
  });

  it('for every position of a special byte in a long string', () => {
    const odd = ['"', '\\', '\\n', '\\u00e9', '\\u00g9', '\u0000', '\u001f', 'é', '\u2028', '\u{1f600}'].map(
      (s) => Buffer.from(s),
    );
    const broken = ['\xff', '\xc3', '\xe2\x80', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xc0\xaf'].map(
      fromLatin1,
    );
    for (const piece of [...odd, ...broken]) {
      for (let at = 0; at <= 40; at++) {
        const bytes = Buffer.concat([
          Buffer.from(`"${'x'.repeat(at)}`),
          piece,
          Buffer.from(`${'y'.repeat(40 - at)}"`),
        ]);
        expect(verdict(scanner, inSlab(bytes, at % 7))).toEqual(verdict(plain, bytes));
        expect(stringVerdict(scanner, inSlab(bytes, at % 7), 0)).toEqual(stringVerdict(plain, bytes, 0));
      }
    }
  });

  it('for every depth around the value', () => {
    const nested = asArray('['.repeat(10) + ']'.repeat(10));
    for (const depth of [0, 501, 502, 503, 512, 513]) {
      expect(verdict(scanner, inSlab(nested), 0, depth)).toEqual(verdict(plain, nested, 0, depth));
    }
  });

  it('with another limit', () => {
    const [shallow, other] = [memory.createScanner(2), createPlainScanner(2)];
    for (const json of ['[[]]', '[[[]]]', '{"a":{"b":{}}}', '1']) {
      expect(verdict(shallow, inSlab(asArray(json)))).toEqual(verdict(other, asArray(json)));
    }
  });
});

describe.each(KINDS)('a %s outside the slab', (_kind, make) => {
  it('has the verdict of the plain scanner', () => {
    for (const json of ['{"a":[1.0]}', '[1,]', '['.repeat(513), '"é"', '']) {
      expect(verdict(scanner, make(json))).toEqual(verdict(plain, make(json)));
      expect(stringVerdict(scanner, make(json), 0)).toEqual(stringVerdict(plain, make(json), 0));
    }
  });
});

test('fail() lets callers that walk a value report a failure', () => {
  verdict(scanner, inSlab(asArray('['.repeat(513))));
  expect(scanner.fail(7)).toBe(-1);
  expect([scanner.failedAt, scanner.tooDeep]).toEqual([7, false]);
});

describe('the slab', () => {
  it('keeps its content when it grows or shrinks', () => {
    const own = createScanMemory() as ScanMemory;
    const reads = own.createScanner();
    own.slab(100).set(asArray('{"a":[1]}'));
    for (const size of [1_000_000, 30_000_000, 50, 200_000, 20_000_000, 100]) {
      const slab = own.slab(size);
      expect(slab.length).toBe(size);
      expect(text(slab.subarray(0, 9))).toBe('{"a":[1]}');
      expect(reads.value(slab, 0, 0)).toBe(9);
    }
  });

  it('can be read to its last byte', () => {
    const own = createScanMemory() as ScanMemory;
    const slab = own.slab(3 * 64 * 1024 - 64).fill(0x78);
    slab[0] = 0x22;
    slab[slab.length - 1] = 0x22;
    expect(own.createScanner().value(slab, 0, 0)).toBe(slab.length);
    slab[slab.length - 1] = 0x78;
    expect(verdict(own.createScanner(), slab)).toEqual({ failedAt: slab.length, tooDeep: false });
  });
});

test('createScanMemory returns undefined without WebAssembly', () => {
  vi.stubGlobal('WebAssembly', undefined);
  expect(createScanMemory()).toBeUndefined();
  vi.unstubAllGlobals();
  expect(createScanMemory()).toBeDefined();
});

/** The verdict on a document, and the rows of its tape: keys, values, ends and next rows. */
function tapeOf(one: Scanner, bytes: Uint8Array): unknown {
  const tape = new ValueTape();
  const end = one.tape(bytes, 0, tape);
  if (end < 0) return { failedAt: one.failedAt, tooDeep: one.tooDeep, crowdAt: one.crowdAt };
  const rows = [[tape.start(0), tape.end(0), tape.isOpen(0)]];
  for (let row = 1; row < tape.next(0); row++)
    rows.push([tape.keyStart(row), tape.keyEnd(row), tape.start(row), tape.end(row), tape.next(row)]);
  return { end, rows };
}

describe('the tape of an object in the slab is that of the plain scanner', () => {
  test.each(SCANNER_CASES)('%s %s', (_kind, _name, characters) => {
    const bytes = fromLatin1(`{"a":${characters}}`);
    for (const place of [0, 17]) expect(tapeOf(scanner, inSlab(bytes, place))).toEqual(tapeOf(plain, bytes));
  });

  it('for generated and for mutated documents', () => {
    const changed = fc.tuple(jsonText, fc.array(damage, { maxLength: 2 }), fc.nat(40));
    fc.assert(
      fc.property(changed, ([json, changes, place]) => {
        const bytes = changes.reduce(damaged, asArray(`{"a":${json}}`));
        fc.pre(bytes[0] === OPEN_OBJECT);
        expect(tapeOf(scanner, inSlab(bytes, place))).toEqual(tapeOf(plain, bytes));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([5, 6, 7, 8, 9, 511, 512, 513])('for values nested %i deep', (levels) => {
    for (const inner of ['', '1', '{"a":[],"b":2}', '"x",[3]']) {
      const bytes = asArray(`{"k":${'['.repeat(levels)}${inner}${']'.repeat(levels)},"l":[1]}`);
      expect(tapeOf(scanner, inSlab(bytes))).toEqual(tapeOf(plain, bytes));
    }
  });

  it('if it has more values than the tape has rows', () => {
    for (const count of [MAX_TAPE_ROWS - 2, MAX_TAPE_ROWS - 1, MAX_TAPE_ROWS, MAX_TAPE_ROWS + 1]) {
      const bytes = asArray(`{"list":[${Array(count).fill('1').join()}],"last":{"a":1}}`);
      expect(tapeOf(scanner, inSlab(bytes))).toEqual(tapeOf(plain, bytes));
    }
  });

  it('if it has too many elements', () => {
    const bytes = asArray('{"a":[1,2,3,4]}');
    const [few, other] = [memory.createScanner(512, 3), createPlainScanner(512, 3)];
    expect(tapeOf(few, inSlab(bytes))).toEqual(tapeOf(other, bytes));
    expect(tapeOf(few, inSlab(bytes))).toMatchObject({ crowdAt: 5 });
  });

  it('and finds keys with escapes', () => {
    const bytes = inSlab(asArray('{"k\\u0065y":1,"key2":2}'));
    const tape = new ValueTape();
    scanner.tape(bytes, 0, tape);
    expect([tape.find(bytes, 0, 'key'), tape.find(bytes, 0, 'key2'), tape.find(bytes, 0, 'k')]).toEqual([
      1, 2, -1,
    ]);
  });

  it('after the memory has grown, and after a tape that was filled elsewhere', () => {
    const tape = new ValueTape();
    memory.slab(64 * 1024 * 1024);
    plain.tape(asArray('{"other":{"a":[1,2,3]}}'), 0, tape);
    const bytes = inSlab(asArray('{"a":{"b":7}}'));
    scanner.tape(bytes, 0, tape);
    const inner = tape.find(bytes, 0, 'a');
    expect([tape.find(bytes, inner, 'b'), tape.find(bytes, 0, 'other')]).toEqual([2, -1]);
  });
});
