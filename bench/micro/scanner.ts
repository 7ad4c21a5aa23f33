/**
 * What both scanner benches do: every line of the sample, from its first brace to its last.
 */
import type { Scanner } from '../../transforms/json/scanner.ts';
import type { MicroCase } from './micro-case.ts';

/** `bytes` lie where the scanner can read them. */
export const scanCase = (
  name: string,
  scanner: Scanner,
  bytes: Uint8Array,
  lines: readonly Uint8Array[],
): MicroCase => ({
  name,
  bytes: bytes.length,
  items: lines.length,
  run: () => {
    let at = 0;
    for (const { length } of lines) {
      const end = scanner.value(bytes, at, 0);
      if (end !== at + length) throw new Error(`the scanner failed at ${scanner.failedAt}`);
      at = end + 1;
    }
    return at;
  },
});
