/** Writes a page to a file, or to standard output. */
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { ioError } from '../errors.ts';
import type { Host } from './host.ts';

/**
 * @param path standard output if undefined
 * @param mode permissions of the file
 */
export async function writePage(
  text: string,
  path: string | undefined,
  mode: number,
  host: Host,
): Promise<void> {
  if (path === undefined) {
    await host.print(text.replace(/\n$/, ''));
    await host.endPrinting();
    return;
  }
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) chmodSync(path, mode);
    writeFileSync(path, text, { mode });
  } catch (error) {
    throw ioError('write', path, error);
  }
}
