/** zstd for tests: frames as the program makes them. */
import { execFileSync, spawnSync } from 'node:child_process';

export const hasZstd: boolean = spawnSync('zstd', ['--version']).status === 0;

/** One frame. Nothing where there is no program: tests that need it are skipped there. */
export function zstd(content: Uint8Array | string, ...options: string[]): Buffer {
  return hasZstd ? execFileSync('zstd', ['-qc', ...options], { input: content }) : Buffer.alloc(0);
}
