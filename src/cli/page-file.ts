/** Writes a page to a file, or to standard output. */
import { writeFileSync } from 'node:fs';
import { ioError } from '../errors.ts';
import { endPrinting, printLine } from './print.ts';

/** @param path undefined: standard output */
export async function writePage(text: string, path: string | undefined): Promise<void> {
  if (path === undefined) {
    await printLine(text.replace(/\n$/, ''));
    await endPrinting();
    return;
  }
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw ioError('write', path, error);
  }
}
