/** zstd for tests: frames written by the program. */
import { execFileSync, spawnSync } from 'node:child_process';

export const hasZstd: boolean = spawnSync('zstd', ['--version']).status === 0;

/** Compresses to one frame. Returns nothing if the program is missing; tests that need it are skipped then. */
export function zstd(content: Uint8Array | string, ...options: string[]): Buffer {
  return hasZstd ? execFileSync('zstd', ['-qc', ...options], { input: content }) : Buffer.alloc(0);
}
