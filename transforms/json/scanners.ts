/** Which scanner reads: the one in WebAssembly where it is to be had, the plain one else or when it is asked for. */
import { createPlainScanner, type Scanner } from './scanner.ts';
import { createScanMemory, type ScanMemory } from './wasm-scanner.ts';

export const SCANNERS = ['auto', 'plain'] as const;
export type ScannerName = (typeof SCANNERS)[number];

let memory: ScanMemory | undefined;

/** The memory of this thread that WebAssembly scanners can read: made when it is first asked for. */
export function scanMemory(name: ScannerName): ScanMemory | undefined {
  if (name === 'plain') return undefined;
  memory ??= createScanMemory();
  return memory;
}

export function createScanner(name: ScannerName, maxDepth?: number): Scanner {
  return scanMemory(name)?.createScanner(maxDepth) ?? createPlainScanner(maxDepth);
}
