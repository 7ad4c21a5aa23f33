/**
 * Finds the headers (`[a.b]`, `[[a]]`) of a TOML document and where they begin. It does not check the grammar, so a
 * parser must have accepted the document. It looks at each byte once.
 */
import { BACKSLASH, LF, OPEN_ARRAY, QUOTE } from '../../../transforms/json/bytes.ts';

/** A header: its text, and the index of its first bracket. */
export interface TomlHeader {
  readonly text: string;
  readonly at: number;
}

const HASH = 0x23;
const APOSTROPHE = 0x27;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const BLANKS = new Set([0x20, 0x09, 0x0d, LF]);

export function* tomlHeaders(bytes: Buffer): Generator<TomlHeader> {
  for (let p = nextStatement(bytes, 0); p < bytes.length; p = nextStatement(bytes, p)) {
    const end = endOfStatement(bytes, p);
    if (bytes[p] === OPEN_ARRAY) yield { text: bytes.toString('utf8', p, end), at: p };
    p = end;
  }
}

/** Skips blanks, line ends and comments. */
export function nextStatement(bytes: Buffer, from: number): number {
  let p = from;
  for (;;) {
    while (BLANKS.has(bytes[p] as number)) p++;
    if (bytes[p] !== HASH) return p;
    p = endOfLine(bytes, p);
  }
}

function endOfLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? bytes.length : end;
}

/**
 * Returns the end of the line on which the header or the value ends; strings and brackets may span lines.
 * @param onByte called with each byte outside strings, and whether it opens (1) or closes (-1) an array or inline table
 */
export function endOfStatement(
  bytes: Buffer,
  from: number,
  onByte: (byte: number, change: number) => void = () => undefined,
): number {
  let p = from;
  let open = 0;
  while (p < bytes.length) {
    const c = bytes[p] as number;
    if (c === LF && open === 0) return p;
    if (c === HASH) p = endOfLine(bytes, p);
    else if (c === QUOTE || c === APOSTROPHE) p = endOfString(bytes, p, c);
    else {
      const change = OPEN.has(c) ? 1 : CLOSE.has(c) ? -1 : 0;
      open += change;
      onByte(c, change);
      p++;
    }
  }
  return p;
}

/** Returns the index after a string of one line or, with triple quotes, of several lines. */
function endOfString(bytes: Buffer, start: number, quote: number): number {
  const isLong = bytes[start + 1] === quote && bytes[start + 2] === quote;
  let p = start + (isLong ? 3 : 1);
  for (; p < bytes.length; p++) {
    if (bytes[p] === BACKSLASH && quote === QUOTE) p++;
    else if (bytes[p] !== quote) continue;
    else if (!isLong) return p + 1;
    else if (bytes[p + 1] === quote && bytes[p + 2] === quote) {
      p += 3; // up to two more quotes belong to the text
      while (bytes[p] === quote) p++;
      return p;
    }
  }
  return p;
}
