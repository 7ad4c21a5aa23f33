/** Is there something that reads and writes zstd: node:zlib, or the program? */
import { requireZstdProgram } from './zstd-program.ts';
import { zlibHasZstd } from './zstd-zlib.ts';

/**
 * @param what needs it
 * @throws TurnmillError `unavailable`
 */
export function requireZstd(what: string): void {
  if (!zlibHasZstd()) requireZstdProgram(what);
}
