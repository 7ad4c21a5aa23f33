/** Chooses the scanner: the one in WebAssembly if available, otherwise or on request the plain one. */
import { createPlainScanner } from './plain-scanner.ts';
import type { Scanner } from './scanner.ts';
import { type CompiledScanner, compileScanner, createScanMemory, type ScanMemory } from './wasm-scanner.ts';

export const SCANNERS = ['auto', 'plain'] as const;
export type ScannerName = (typeof SCANNERS)[number];

let compiled: CompiledScanner | undefined;
let memory: ScanMemory | undefined;

/** The memory of this thread that WebAssembly scanners can read, created on first use. */
function scanMemory(name: ScannerName): ScanMemory | undefined {
  if (name === 'plain') return undefined;
  memory ??= createScanMemory(compiledScanner(name));
  return memory;
}

/** The compiled scanner of this thread, to share with another thread; undefined if WebAssembly is not available. */
export function compiledScanner(name: ScannerName): CompiledScanner | undefined {
  if (name === 'plain') return undefined;
  compiled ??= compileScanner();
  return compiled;
}

/** Adopts the scanner that another thread has compiled, before the first one is created here. */
export function takeCompiledScanner(from: CompiledScanner | undefined): void {
  compiled ??= from;
}

/**
 * Lends that memory to one reader at a time, until `giveBack`. Undefined if it is not available, or in use by another
 * reader of this thread (two builds at once, by the library); the slab then lies elsewhere, and the plain scanner reads
 * it.
 */
export function borrowScanMemory(name: ScannerName): ScanMemory | undefined {
  const free = scanMemory(name);
  if (free === undefined || free.isLent) return undefined;
  free.isLent = true;
  return free;
}

/** @param maxDepth and the other limit as in `createPlainScanner` */
export function createScanner(name: ScannerName, maxDepth?: number, maxElements?: number): Scanner {
  return scanMemory(name)?.createScanner(maxDepth, maxElements) ?? createPlainScanner(maxDepth, maxElements);
}
