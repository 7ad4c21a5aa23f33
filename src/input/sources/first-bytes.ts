import { closeSync, openSync, readSync } from 'node:fs';
import { ifPossible } from '../../errors.ts';

/**
 * The first bytes of a file, one character each; undefined if it cannot be read: opening it as a source will report that.
 * @param path one character for each byte
 */
export function firstBytes(path: string, count: number): string | undefined {
  const head = Buffer.alloc(count);
  return ifPossible(() => {
    const file = openSync(Buffer.from(path, 'latin1'), 'r');
    try {
      return head.toString('latin1', 0, readSync(file, head, 0, count, 0));
    } finally {
      closeSync(file);
    }
  });
}
