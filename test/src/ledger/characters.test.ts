import fc from 'fast-check';
import { expect, test } from 'vitest';
import { charactersIn } from '../../../src/ledger/characters.ts';

test('counts each character once, however many bytes it has', () => {
  expect(charactersIn(Buffer.from('{"a":"é中👩"}'))).toBe(11);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(4), (text, from) => {
      expect(charactersIn(startingAt(from, text))).toBe([...text].length);
    }),
  );
});

test('counts texts that end before the first word of their memory', () => {
  for (const text of ['', 'a', 'é', '中', 'aé', '👩'])
    for (const from of [0, 1, 2, 3])
      expect(charactersIn(startingAt(from, text)), `${text} at ${from}`).toBe([...text].length);
});

function startingAt(from: number, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const memory = new Uint8Array(from + bytes.length);
  memory.set(bytes, from);
  return memory.subarray(from);
}
