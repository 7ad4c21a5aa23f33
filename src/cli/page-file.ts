/** Writes a page to a file, or to standard output. */
import { writeFileSync } from 'node:fs';
import { ioError } from '../errors.ts';
import type { Host } from './host.ts';

/** @param path standard output if undefined */
export async function writePage(text: string, path: string | undefined, host: Host): Promise<void> {
  if (path === undefined) {
    await host.print(text.replace(/\n$/, ''));
    await host.endPrinting();
    return;
  }
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw ioError('write', path, error);
  }
}
