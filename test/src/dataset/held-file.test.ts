import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HeldFile } from '../../../src/dataset/held-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

it('reads its blocks one after the other into the same memory, as often as wanted', () => {
  const file = new HeldFile(join(temporaryFolder(), 'held'));
  const blocks = ['a long block', 'short', '', 'as long as 1'];
  for (const block of blocks) file.write([Buffer.from(block.slice(0, 2)), Buffer.from(block.slice(2))]);
  const memories = new Set<ArrayBufferLike>();
  const read = (): string[] =>
    Array.from(file.read(), (block) => {
      memories.add(block.buffer);
      return block.toString();
    });
  expect(read()).toEqual(blocks);
  expect(read()).toEqual(blocks);
  expect(memories.size).toBe(1);
  file.close();
});
