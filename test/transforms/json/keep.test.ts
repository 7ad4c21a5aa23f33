import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf, createKeeper } from '../../../transforms/json/keep.ts';
import { KINDS, text } from '../bytes.ts';

describe.each(KINDS)('of a %s', (_kind, make) => {
  it('copyOf copies all bytes or a part', () => {
    const bytes = make('abcdef');
    const [whole, part, rest] = [copyOf(bytes), copyOf(bytes, 1, 3), copyOf(bytes, 4)];
    bytes.fill(0);
    expect([whole, part, rest].map(text)).toEqual(['abcdef', 'bc', 'ef']);
  });

  it('a keeper copies pieces of any size, which change neither with the line nor with each other', () => {
    const sizes = fc.oneof(
      fc.nat(20),
      fc.integer({ min: 4000, max: 4200 }),
      fc.constantFrom(0, 4095, 4096, 40_000),
    );
    fc.assert(
      fc.property(fc.array(sizes, { maxLength: 30 }), (lengths) => {
        const keep = createKeeper();
        const kept = lengths.map((length, i) => {
          const fill = String.fromCharCode(0x61 + (i % 26));
          const bytes = make(`<${fill.repeat(length)}>`);
          const copy = keep(bytes, 1, length + 1);
          bytes.fill(0);
          return [text(copy), fill.repeat(length)];
        });
        for (const [copy, expected] of kept) expect(copy).toBe(expected);
      }),
      { numRuns: 30 },
    );
  });

  it('small pieces share a block, and big ones have their own', () => {
    const keep = createKeeper();
    const bytes = make('x'.repeat(10_000));
    const [first, second, big] = [keep(bytes, 0, 10), keep(bytes, 0, 4095), keep(bytes, 0, 4096)];
    expect(second.buffer).toBe(first.buffer);
    expect(big.buffer).not.toBe(first.buffer);
    expect(big.buffer.byteLength).toBe(4096);
  });

  it('a full block is followed by a new one', () => {
    const keep = createKeeper();
    const bytes = make('x'.repeat(4095));
    const buffers = new Set(Array.from({ length: 9 }, () => keep(bytes, 0, 4095).buffer));
    expect(buffers.size).toBe(2);
  });
});
