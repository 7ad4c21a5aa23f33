import fc from 'fast-check';
import { expect, test } from 'vitest';
import { charactersIn } from '../../../src/ledger/characters.ts';

test('counts each character once, however many bytes it has', () => {
  expect(charactersIn(Buffer.from('{"a":"é中👩"}'))).toBe(11);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(4), (text, from) => {
      const bytes = Buffer.concat([Buffer.alloc(from), Buffer.from(text)]).subarray(from);
      expect(charactersIn(bytes)).toBe([...text].length);
    }),
  );
});
