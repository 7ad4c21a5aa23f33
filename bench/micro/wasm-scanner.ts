/**
 * Strict validation in WebAssembly, in the memory where a lane's slab is.
 */
import { createScanMemory } from '../../transforms/json/wasm-scanner.ts';
import type { MicroCase } from './micro-case.ts';
import { sample } from './sample.ts';
import { scanCase } from './scanner.ts';

/** Empty where there is no WebAssembly with SIMD. */
export const cases = (): readonly MicroCase[] => {
  const { bytes, lines } = sample();
  const memory = createScanMemory();
  if (memory === undefined) return [];
  const slab = memory.slab(bytes.length);
  slab.set(bytes);
  return [scanCase('WebAssembly scanner', memory.createScanner(), slab, lines)];
};
