import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Leaf } from '../../../../transforms/dialects/shared/gathered-leaf.ts';
import { LeavesByPrefix } from '../../../../transforms/dialects/shared/leaves-by-prefix.ts';

it('finds the last conversation with each prefix', () => {
  const path = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(path, { maxLength: 6 }), (paths) => {
      const [leaves, all] = [new LeavesByPrefix(), new Map<string, Leaf>()];
      for (const steps of paths) {
        const hashes = steps.map((_, n) => steps.slice(0, n + 1).join(''));
        const leaf = { end: hashes.at(-1), question: hashes.at(-2) } as Leaf;
        leaves.add(hashes, leaf);
        for (const hash of hashes) all.set(hash, leaf);
        for (const [hash, known] of all) expect(leaves.get(hash)).toBe(known);
        expect(leaves.get('c')).toBeUndefined();
      }
      if (!all.has('a')) return;
      leaves.delete('a');
      expect(leaves.get('a')).toBeUndefined();
      leaves.clear();
      for (const hash of all.keys()) expect(leaves.get(hash)).toBeUndefined();
    }),
  );
});
