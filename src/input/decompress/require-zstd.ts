/** Checks that zstd can be read and written, with node:zlib or with the zstd program. */
import { requireZstdProgram } from './zstd-program.ts';
import { zlibHasZstd } from './zstd-zlib.ts';

/**
 * @param what the file or option that needs it, for the message
 * @throws TurnmillError `unavailable`
 */
export function requireZstd(what: string): void {
  if (!zlibHasZstd()) requireZstdProgram(what);
}
