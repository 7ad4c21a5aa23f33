/** Which scanner reads: the one in WebAssembly where it is to be had, the plain one else or when it is asked for. */
import { createPlainScanner, type Scanner } from './scanner.ts';
import { type CompiledScanner, compileScanner, createScanMemory, type ScanMemory } from './wasm-scanner.ts';

export const SCANNERS = ['auto', 'plain'] as const;
export type ScannerName = (typeof SCANNERS)[number];

let compiled: CompiledScanner | undefined;
let memory: ScanMemory | undefined;
let isLent = false;

/** The memory of this thread that WebAssembly scanners can read: made when it is first asked for. */
function scanMemory(name: ScannerName): ScanMemory | undefined {
  if (name === 'plain') return undefined;
  memory ??= createScanMemory(compiledScanner(name));
  return memory;
}

/** The compiled scanner of this thread, for another one of the process; undefined where it is not to be had. */
export function compiledScanner(name: ScannerName): CompiledScanner | undefined {
  if (name === 'plain') return undefined;
  compiled ??= compileScanner();
  return compiled;
}

/** Takes the scanner that another thread has compiled, before the first one is made here. */
export function takeCompiledScanner(from: CompiledScanner | undefined): void {
  compiled ??= from;
}

/** Memory for a slab, until it is given back. */
export interface LentMemory extends Pick<ScanMemory, 'slab' | 'fold'> {
  giveBack(): void;
}

/**
 * Lends that memory to one reader at a time. Undefined when it is not available, or another reader in this thread has it (two builds
 * at once, by the library); then a slab lies elsewhere, and the plain scanner answers for it.
 */
export function borrowScanMemory(name: ScannerName): LentMemory | undefined {
  const lent = isLent ? undefined : scanMemory(name);
  if (lent === undefined) return undefined;
  isLent = true;
  return {
    slab: lent.slab,
    fold: lent.fold,
    giveBack() {
      isLent = false;
    },
  };
}

export function createScanner(name: ScannerName, maxDepth?: number): Scanner {
  return scanMemory(name)?.createScanner(maxDepth) ?? createPlainScanner(maxDepth);
}
