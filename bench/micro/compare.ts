/**
 * Recognising known bytes (`equalsAt`): one big piece, and many small ones.
 */
import { equalsAt } from '../../transforms/json/known-list.ts';
import type { MicroCase } from './micro-case.ts';
import { sample } from './sample.ts';

const pieceCase = (pieceBytes: number): MicroCase => {
  const bytes = Buffer.from(sample().bytes);
  const count = Math.floor(bytes.length / pieceBytes);
  const pieces = Array.from({ length: count }, (_, i) =>
    Buffer.from(bytes.subarray(i * pieceBytes, (i + 1) * pieceBytes)),
  );
  return {
    name: `equalsAt, pieces of ${pieceBytes} bytes`,
    bytes: count * pieceBytes,
    items: count,
    run: () => {
      let equal = 0;
      for (let i = 0; i < count; i++) {
        if (equalsAt(bytes, i * pieceBytes, pieces[i] as Buffer)) equal++;
      }
      if (equal !== count) throw new Error('equal bytes were not recognised');
      return equal;
    },
  };
};

/** A short message, a long one, an array of tools. */
export const cases = (): readonly MicroCase[] => [200, 4_000, 40_000].map(pieceCase);
