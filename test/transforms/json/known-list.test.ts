import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { copyOf } from '../../../transforms/json/keep.ts';
import { equalsAt, type Known, KnownList, tally } from '../../../transforms/json/known-list.ts';
import { createPlainScanner } from '../../../transforms/json/plain-scanner.ts';
import { damage, damaged } from '../arbitraries.ts';
import { asArray, asBuffer, type MakeBytes, text } from '../bytes.ts';

function create() {
  const scanner = createPlainScanner();
  const copies: string[] = [];
  /** Bytes scanned so far. */
  const count = { scanned: 0 };
  const make = (bytes: Uint8Array, start: number, end: number): Known => {
    const copy = copyOf(bytes, start, end);
    count.scanned += copy.length;
    copies.push(text(copy));
    return { bytes: copy };
  };
  const list = new KnownList<Known>(scanner, make, (bytes, at) => scanner.value(bytes, at, 1));
  /** Reads an array between two other bytes and then overwrites the line. */
  const read = (json: string, make: MakeBytes = asBuffer) => {
    const line = make(`:${json},`);
    const end = list.read(line, 1);
    line.fill(0);
    copies.length = 0;
    return { end, items: list.items, texts: list.items.map(({ bytes }) => text(bytes)) };
  };
  return { scanner, list, read, copies, count };
}

describe('a list', () => {
  it('reads every element and ends after the array', () => {
    const { read } = create();
    const json = '[ {"a":1} ,2,"x" , [{}] ,null\r]';
    expect(read(json)).toMatchObject({
      end: 1 + json.length,
      texts: ['{"a":1}', '2', '"x"', '[{}]', 'null'],
    });
    expect(read('[ ]')).toMatchObject({ end: 4, texts: [] });
    expect(read('[]')).toMatchObject({ end: 3, texts: [] });
  });

  it('returns the same items for the same objects', () => {
    const { read, count } = create();
    const first = read('[{"a":1},{"b":2}]').items;
    const { scanned } = count;
    const compared = tally.comparedBytes;
    const second = read('[{"a":1}, {"b":2} ,{"c":3}]', asArray).items;
    expect(second.slice(0, 2).every((item, i) => item === first[i])).toBe(true);
    expect(count.scanned - scanned).toBe(7);
    expect(tally.comparedBytes - compared).toBe(14);
  });

  it('recognises expected items after the known ones, only in the next array', () => {
    const { read, list } = create();
    const [first] = read('[{"a":1},{"x":0}]').items;
    const reply: Known = { bytes: Buffer.from('{"r":1}') };
    list.expect(reply);
    const { items } = read('[{"a":1}, {"r":1},{"b":2}]');
    expect(items[0]).toBe(first);
    expect(items[1]).toBe(reply);
    list.expect(reply);
    read('[{"c":3}]');
    expect(read('[{"c":3},{"r":1}]').items[1]).not.toBe(reply);
  });

  it('compares an expected item that comes again', () => {
    const { read, list } = create();
    read('[{"a":1},{"b":2}]');
    list.expect({ bytes: Buffer.from('{"r":1}') });
    const before = read('[{"a":1},{"b":2},{"r":1}]').items;
    const compared = tally.comparedBytes;
    const after = read('[{"a":9},{"b":2},{"r":1},{"c":3}]').items;
    expect(after.slice(1, 3)).toEqual(before.slice(1));
    expect(after[2]).toBe(before[2]);
    expect(tally.comparedBytes - compared).toBe('{"b":2}{"r":1}'.length);
  });

  it('expects nothing after forget()', () => {
    const { read, list } = create();
    const reply: Known = { bytes: Buffer.from('{"r":1}') };
    list.expect(reply);
    list.forget();
    expect(read('[{"r":1}]').items[0]).not.toBe(reply);
  });

  it('returns a new array each time', () => {
    const { read } = create();
    expect(read('[{}]').items).not.toBe(read('[{}]').items);
  });

  it.each([
    ['dropped', '[{"a":1},{"c":3},{"d":4}]', [0, 2, 3]],
    ['first dropped', '[{"b":2},{"c":3},{"d":4}]', [1, 2, 3]],
    ['inserted', '[{"a":1},{"x":0},{"b":2},{"c":3}]', [0, -1, 1, 2]],
    ['changed', '[{"a":0},{"b":2},{"c":3},{"d":4}]', [-1, 1, 2, 3]],
    ['several changed', '[{"x":1},{"x":2},{"x":3},{"d":4}]', [-1, -1, -1, 3]],
  ])('continues with the known items after one that is %s', (_what, json, expected) => {
    const { read } = create();
    const before = read('[{"a":1},{"b":2},{"c":3},{"d":4}]').items;
    expect(read(json).items.map((item) => before.indexOf(item))).toEqual(expected);
  });

  it('looks only a few items ahead', () => {
    const { read } = create();
    const objects = Array.from({ length: 20 }, (_, i) => `{"n":${i}}`);
    const before = read(`[${objects.join()}]`).items;
    expect(before.includes(read('[{"n":19}]').items[0] as Known)).toBe(false);
  });

  it('recognises only objects, because other elements may be the start of longer ones', () => {
    const { read } = create();
    read('[1,"a"]');
    expect(read('[12,"a"]').texts).toEqual(['12', '"a"']);
  });

  it('has no items after forget()', () => {
    const { read, list } = create();
    const [item] = read('[{"a":1}]').items;
    list.forget();
    expect(list.items).toEqual([]);
    expect(read('[{"a":1}]').items[0]).not.toBe(item);
  });

  it.each([
    ['[', 2],
    ['[{"a":1}', 9],
    ['[{"a":1} {"b":2}]', 10],
    ['[{"a":1},]', 10],
    ['[{"a":tru}]', 10],
    ['[{"b":2}x', 9],
  ])('of %s fails at the faulty byte', (json, at) => {
    const { list, scanner } = create();
    list.read(asArray('[{"a":1}]'), 0);
    expect(list.read(asArray(`:${json}`), 1)).toBe(-1);
    expect(scanner.failedAt).toBe(at);
  });

  describe('of a growing history', () => {
    const objects = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `{"n":${from + i}}`);
    const clock = (at: number) => `{"clock":${at}}`;

    it.each<[string, (length: number) => readonly string[]]>([
      ['at its end', (n) => objects(0, n)],
      ['in its first item each time', (n) => [clock(n), ...objects(1, n)]],
      ['in its last item each time', (n) => [...objects(0, n - 1), clock(n)]],
      ['in both', (n) => [clock(n), ...objects(1, n - 1), clock(-n)]],
    ])('that changes %s keeps its items', (_what, itemsOf) => {
      const { read } = create();
      const first = new Map<string, Known>();
      for (let n = 2; n < 40; n += 2) {
        const items = itemsOf(n);
        const { texts, items: found } = read(`[${items.join(', ')}]`);
        expect(texts).toEqual(items);
        for (const [i, item] of found.entries()) {
          const key = texts[i] as string;
          if (!first.has(key)) first.set(key, item);
          expect(first.get(key)).toBe(item);
        }
      }
    });

    it('has the same texts after an array that was cut, empty or not valid', () => {
      const { read } = create();
      const whole = `[${objects(0, 20).join()}]`;
      const begin = `[${objects(0, 5).join()}]`;
      const middle = `[${[...objects(0, 3), ...objects(8, 20)].join()}]`;
      const torn = `[${objects(0, 9).join()},x]`;
      for (const json of [
        whole,
        whole,
        whole,
        begin,
        whole,
        '[]',
        whole,
        whole,
        middle,
        whole,
        whole,
        '[{}]',
      ])
        expect(read(json).texts.join()).toBe(json.slice(1, -1));
      expect(read(torn).end).toBe(-1);
      for (const json of [whole, whole, whole]) expect(read(json).texts.join()).toBe(json.slice(1, -1));
    });

    it('scans only the elements after the known ones', () => {
      const { count, read } = create();
      for (let i = 0; i < 3; i++) read('[{"a":1},{"b":2},{"c":3}]');
      const { scanned } = count;
      expect(read('[{"a":1},{"b":2},{"c":3},{"d":4}]').texts).toHaveLength(4);
      expect(count.scanned - scanned).toBe(7);
      expect(read('[{"a":1},{"b":2},{"c":3}{"d":4}]').end).toBe(-1);
    });
  });

  it('keeps only the items that it read before a failure', () => {
    const { read } = create();
    expect(read('[{"a":1},{"b":2},x]').end).toBe(-1);
    expect(read('[{"a":1},{"b":2}]').texts).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('can use another scan of elements', () => {
    const scanner = createPlainScanner();
    const seen: number[] = [];
    const scan = (bytes: Uint8Array, at: number) => {
      seen.push(at);
      return scanner.value(bytes, at, 1);
    };
    const make = (bytes: Uint8Array, start: number, end: number) => ({ bytes: copyOf(bytes, start, end) });
    const list = new KnownList<Known>(scanner, make, scan);
    list.read(asArray('[{"a":1},{"b":2}]'), 0);
    list.read(asArray('[{"a":1},{"c":2}]'), 0);
    expect(seen).toEqual([1, 9, 9]);
  });
});

/** An edit of a list of elements, as histories in logs change. */
type Edit = { readonly at: number; readonly drop: number; readonly put: readonly string[] };

const element = fc.oneof(
  { weight: 8, arbitrary: fc.nat(12).map((n) => `{"role":"user","n":${n}}`) },
  { weight: 2, arbitrary: fc.string({ maxLength: 5 }).map((s) => JSON.stringify({ s })) },
  fc.constantFrom('1', '{}', '"{}"', '[{}]', '{"a":{"b":[]}}', '{"a" : 1}'),
);
const edits: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(15),
  drop: fc.nat(2),
  put: fc.oneof(
    fc.array(element, { maxLength: 3 }),
    element.map((json) => [json, json]),
  ),
});

function applied(items: readonly string[], { at, drop, put }: Edit): readonly string[] {
  const from = at % (items.length + 1);
  return [...items.slice(0, from), ...put, ...items.slice(from + drop)];
}

/** A list of elements and its versions after each edit. */
function versions(first: readonly string[], list: readonly Edit[]): readonly (readonly string[])[] {
  const all = [first];
  for (const edit of list) all.push(applied(all.at(-1) as readonly string[], edit));
  return all;
}

const history = fc
  .tuple(fc.array(element, { maxLength: 10 }), fc.array(edits, { minLength: 1, maxLength: 8 }))
  .map(([first, list]) => versions(first, list));

test('items are the same with and without memory', () => {
  fc.assert(
    fc.property(
      history,
      fc.constantFrom(asBuffer, asArray),
      fc.constantFrom(',', ' , ', ',\r'),
      (arrays, make, comma) => {
        const { read } = create();
        for (const items of arrays) {
          const json = `[${items.join(comma)}]`;
          const { end, texts } = read(json, make);
          expect([end, texts]).toEqual([1 + json.length, items]);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('the verdict and place of a failure are the same with and without memory', () => {
  fc.assert(
    fc.property(history, damage, (arrays, change) => {
      const warm = create();
      for (const items of arrays) {
        const bytes = asArray(damaged(asArray(`[${items.join()}]`), change));
        const cold = create();
        const [end, expected] = [warm.list.read(bytes, 0), cold.list.read(bytes, 0)];
        expect(end).toBe(expected);
        if (end < 0) expect(warm.scanner.failedAt).toBe(cold.scanner.failedAt);
        expect(warm.list.items.map((item) => text(item.bytes))).toEqual(
          cold.list.items.map((item) => text(item.bytes)),
        );
      }
    }),
    { numRuns: 1000 },
  );
});

describe('equalsAt', () => {
  test.each([
    ['abcdef', 2, 'cde', true],
    ['abcdef', 3, 'def', true],
    ['abcdef', 4, 'efg', false],
    ['abcdef', 2, 'cdx', false],
    ['abcdef', 2, 'cxe', false],
    ['abcdef', 2, 'xde', false],
    ['abcdefg', 1, 'bxdef', false],
  ])('%s at %d is %s: %s', (bytes, at, other, expected) => {
    expect(equalsAt(asBuffer(bytes), at, asArray(other))).toBe(expected);
    expect(equalsAt(asArray(bytes), at, asBuffer(other))).toBe(expected);
  });

  test('counts recognised items for the profile', () => {
    const before = tally.comparedBytes;
    equalsAt(asBuffer('abcdef'), 2, asArray('cde'));
    equalsAt(asBuffer('abcdef'), 2, asArray('cdx'));
    expect(tally.comparedBytes - before).toBe(3);
  });
});
