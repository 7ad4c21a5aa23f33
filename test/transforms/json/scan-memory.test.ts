import { afterEach, expect, it, vi } from 'vitest';
import { asArray } from '../bytes.ts';

/** Loads a fresh copy of the module, which has its own memory. */
const load = () => {
  vi.resetModules();
  return import('../../../transforms/json/wasm-scanner.ts');
};
afterEach(() => vi.unstubAllGlobals());

it('the memory belongs to one reader at a time', async () => {
  const { borrowScanMemory, createScanner } = await load();
  const first = borrowScanMemory();
  expect(first).toBeDefined();
  expect(borrowScanMemory()).toBeUndefined();
  const slab = first?.slab(1024) as Uint8Array;
  slab.set(asArray('[1]'));
  expect(createScanner().value(slab, 0, 0)).toBe(3);
  first?.giveBack();
  expect(borrowScanMemory()).toBeDefined();
});

it.each([true, false])('the scanner works (WebAssembly: %s)', async (isAvailable) => {
  if (!isAvailable) vi.stubGlobal('WebAssembly', undefined);
  const { borrowScanMemory, createScanner } = await load();
  expect(borrowScanMemory() !== undefined).toBe(isAvailable);
  const scanner = createScanner(2);
  expect(scanner.value(asArray('[1]'), 0, 0)).toBe(3);
  expect(scanner.value(asArray('[1,]'), 0, 0)).toBe(-1);
  expect([scanner.failedAt, scanner.tooDeep]).toEqual([3, false]);
  expect(scanner.value(asArray('[[[]]]'), 0, 0)).toBe(-1);
  expect([scanner.failedAt, scanner.tooDeep, scanner.maxDepth]).toEqual([2, true, 2]);
});
