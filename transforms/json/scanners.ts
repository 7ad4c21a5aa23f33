/** Chooses the scanner: the one in WebAssembly if available, otherwise or on request the plain one. */
import { createPlainScanner } from './plain-scanner.ts';
import type { Scanner } from './scanner.ts';
import { type CompiledScanner, compileScanner, createScanMemory, type ScanMemory } from './wasm-scanner.ts';

export const SCANNERS = ['auto', 'plain'] as const;
export type ScannerName = (typeof SCANNERS)[number];

let compiled: CompiledScanner | undefined;
let memory: ScanMemory | undefined;

/** This thread's memory for WebAssembly scanners, created on first use; undefined if it is not available. */
function scanMemory(name: ScannerName): ScanMemory | undefined {
  if (name === 'plain') return undefined;
  memory ??= createScanMemory(compiledScanner(name));
  return memory;
}

/** The compiled scanner, for sharing with another thread; undefined if WebAssembly is not available. */
export function compiledScanner(name: ScannerName): CompiledScanner | undefined {
  if (name === 'plain') return undefined;
  compiled ??= compileScanner();
  return compiled;
}

/** Uses the scanner that another thread compiled. Call it before the first scanner of this thread is created. */
export function takeCompiledScanner(from: CompiledScanner | undefined): void {
  compiled ??= from;
}

/**
 * Lends the memory of this thread to one reader at a time, until `giveBack`. Undefined if it is not available, or if
 * another reader of this thread has it (the library can run two builds at once). The slab is then outside of it, and
 * the plain scanner reads the slab.
 */
export function borrowScanMemory(name: ScannerName): ScanMemory | undefined {
  const free = scanMemory(name);
  if (free === undefined || free.isLent) return undefined;
  free.isLent = true;
  return free;
}

/** The limits are those of `createPlainScanner`. */
export function createScanner(name: ScannerName, maxDepth?: number, maxElements?: number): Scanner {
  return scanMemory(name)?.createScanner(maxDepth, maxElements) ?? createPlainScanner(maxDepth, maxElements);
}
