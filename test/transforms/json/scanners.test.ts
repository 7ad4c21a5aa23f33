import { afterEach, expect, it, vi } from 'vitest';
import { asArray } from '../bytes.ts';

/** The module anew: it keeps its memory. */
const load = () => {
  vi.resetModules();
  return import('../../../transforms/json/scanners.ts');
};
afterEach(() => vi.unstubAllGlobals());

it('one memory serves the thread, and none the plain scanner', async () => {
  const { scanMemory } = await load();
  expect(scanMemory('plain')).toBeUndefined();
  expect(scanMemory('auto')).toBeDefined();
  expect(scanMemory('auto')).toBe(scanMemory('auto'));
});

it.each([true, false])('every scanner scans (WebAssembly: %s)', async (there) => {
  if (!there) vi.stubGlobal('WebAssembly', undefined);
  const { createScanner, SCANNERS, scanMemory } = await load();
  expect(scanMemory('auto') !== undefined).toBe(there);
  for (const scanner of SCANNERS.map((name) => createScanner(name, 2))) {
    expect(scanner.value(asArray('[1]'), 0, 0)).toBe(3);
    expect(scanner.value(asArray('[1,]'), 0, 0)).toBe(-1);
    expect([scanner.failedAt, scanner.tooDeep]).toEqual([3, false]);
    expect(scanner.value(asArray('[[[]]]'), 0, 0)).toBe(-1);
    expect([scanner.failedAt, scanner.tooDeep, scanner.maxDepth]).toEqual([2, true, 2]);
  }
});
