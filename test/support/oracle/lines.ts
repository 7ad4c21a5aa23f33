/**
 * Bytes to lines to trees: LF ends a line (a CR before it is JSON white space), a BOM at the start of a source is stripped, a line of JSON
 * blanks is `blank`, and every other line is one or more trees or one rejection. The UTF-8 of the whole line is checked before its JSON.
 */
import { JsonFault, parseLine } from './parse-json.ts';
import { beginsWithObject, tornPieces } from './torn-line.ts';
import type { Tree } from './tree.ts';

export type ReadLine =
  | { readonly line: number; readonly kind: 'blank' }
  | { readonly line: number; readonly kind: 'rejected'; readonly reason: string }
  | { readonly line: number; readonly kind: 'trees'; readonly trees: readonly Tree[] };

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The lines without their LF; a final LF starts no further line. */
export function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = bytes.subarray(0, 3).equals(BOM) ? 3 : 0;
  while (from < bytes.length) {
    const at = bytes.indexOf(0x0a, from);
    const to = at < 0 ? bytes.length : at;
    lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

function readLine(bytes: Buffer, line: number): ReadLine {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { line, kind: 'rejected', reason: 'invalid-utf8' };
  }
  if (/^[ \t\r]*$/.test(text)) return { line, kind: 'blank' };
  try {
    return { line, kind: 'trees', trees: parseLine(text) };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const trees = error.reason === 'invalid-json' ? withBareNumbers(text) : undefined;
    return trees === undefined
      ? { line, kind: 'rejected', reason: error.reason }
      : { line, kind: 'trees', trees };
  }
}

/** The objects of a line that is JSON except for bare NaN and Infinity. */
function withBareNumbers(text: string): readonly Tree[] | undefined {
  try {
    const trees = parseLine(text, true);
    return trees[0]?.kind === 'object' ? trees : undefined;
  } catch (error) {
    if (error instanceof JsonFault) return undefined;
    throw error;
  }
}

/** The lines of a source, numbered from 1. A torn line is several with the same number. */
export function readLines(bytes: Buffer): readonly ReadLine[] {
  let isKnown = false;
  return splitLines(bytes).flatMap((line, i) => {
    const read = readLine(line, i + 1);
    const text = line.toString('latin1');
    isKnown ||= beginsWithObject(text);
    const isTorn = read.kind === 'rejected' && read.reason !== 'too-deep';
    const pieces = isTorn ? tornPieces(text, isKnown) : undefined;
    if (pieces === undefined) return [read];
    isKnown = true;
    return pieces.map((piece) => readLine(Buffer.from(piece.text, 'latin1'), i + 1));
  });
}
