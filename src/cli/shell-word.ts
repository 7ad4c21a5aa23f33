/** A path as one word of a shell's command line, fit to be copied from a terminal. */
import { printable } from '../printable.ts';

const PLAIN = /^[\w@%+=:,./-]+$/;

export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  return `'${printable(text).replaceAll("'", `'\\''`)}'`;
}
