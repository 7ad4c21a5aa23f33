/**
 * Recognises a source by its first bytes: JSON lines, one JSON document instead (an array, printed JSON), or something
 * that was never a log, which is rejected by name instead of line by line. Rejects only what cannot be the beginning of
 * a log: a log whose first line is damaged is read.
 */
import { SourceFault } from '../../errors.ts';

export type Shape = 'lines' | 'document';

/** Number of first bytes that are enough to recognise the shape. */
export const HEAD_BYTES = 4096;

const LF = 0x0a;
const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const BACKSLASH = 0x5c;
const BOM = '\xef\xbb\xbf';
const BLANKS = ' \t\r\n';
const TAR_MAGIC_AT = 257;

/** UTF-16 and UTF-32 with a mark, and the first brackets of UTF-16 without one. */
const WIDE = /^(?:\xff\xfe[^\0]\0|\xfe\xff\0[^\0]|\xff\xfe\0\0|\0\0\xfe\xff|[{[]\0[^\0]\0|\0[{[]\0[^\0])/;

/** First characters of files that are not text, or not logs. */
const NO_LOGS: readonly (readonly [name: string, begin: RegExp])[] = [
  ['a program (ELF)', /^\x7fELF/],
  ['a PDF file', /^%PDF-/],
  ['a Parquet file', /^PAR1/],
  ['a git-lfs pointer: the file itself was not fetched', /^version https:\/\/git-lfs\.github\.com\//],
  ['HTML or XML', /^<(?:!doctype|html|head|body|\?xml|error)\b/i],
];
/** Logs that turnmill reads in another form, which the same program can write. */
const OTHER_FORMS: readonly (readonly [detail: string, begin: RegExp])[] = [
  [
    'an SQLite database, such as goose, opencode and Cursor keep: export the sessions with that program',
    /^SQLite format 3\0/,
  ],
  [
    'a chat history of aider in Markdown, which does not say where a message ends',
    /^\s*# aider chat started at /,
  ],
  ['a cassette of recorded HTTP in YAML: record it as JSON', /^(?:---\s*\n)?(?:interactions:|- request:)\s/],
];
/** A first line of two or more names, each possibly quoted. */
const CSV_HEADER = /^"?[A-Za-z_][\w .-]*"?[,;\t]["\w .,;\t-]*$/;

/**
 * @param head the first (decompressed) bytes
 * @param complete whether this is all of them, or enough
 * @returns undefined if more of them are needed
 * @throws SourceFault `encoding-utf16`, `not-json-lines`, `known-but-unread`; `unsupported-compression` for a tar
 * archive
 */
export function shapeOf(head: Uint8Array, complete: boolean): Shape | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  const start = bytes.toString('latin1', 0, BOM.length) === BOM ? BOM.length : 0;
  const first = skipBlanks(bytes, start);
  const next = skipBlanks(bytes, first + 1);
  if (bytes[first] === OPEN_OBJECT && bytes[next] !== 0) {
    if (next >= bytes.length) return complete ? 'lines' : undefined;
    return bytes[next] === QUOTE && bytes.subarray(first, next).includes(LF) ? 'document' : 'lines';
  }
  if (bytes[first] === OPEN_ARRAY && bytes[next] !== 0) {
    if (next >= bytes.length) return complete ? 'lines' : undefined;
    if (bytes.subarray(first, next).includes(LF)) return 'document';
    return bytes[next] === OPEN_OBJECT ? shapeOfArray(bytes, first, complete) : 'lines';
  }
  if (!complete) return undefined;
  refuse(bytes.toString('latin1', start));
  return 'lines';
}

/**
 * An array is a document, unless it ends with its line and an object follows on the next one: then it is a line that is
 * not an entry.
 */
function shapeOfArray(bytes: Uint8Array, start: number, complete: boolean): Shape | undefined {
  const end = endOfArray(bytes, start);
  if (end < 0) return 'document';
  const behind = skipBlanks(bytes, end);
  if (behind >= bytes.length) return complete ? 'document' : undefined;
  const isLine = bytes[behind] === OPEN_OBJECT && bytes.subarray(end, behind).includes(LF);
  return isLine ? 'lines' : 'document';
}

/** Index after the array that opens at `start`, or the end of the bytes; -1 if its line ends first. */
function endOfArray(bytes: Uint8Array, start: number): number {
  let open = 0;
  let inString = false;
  for (let p = start; p < bytes.length; p++) {
    const byte = bytes[p];
    if (byte === LF) return -1;
    if (inString) {
      if (byte === BACKSLASH) p++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_ARRAY) open++;
    else if (byte === CLOSE_ARRAY && --open === 0) return p + 1;
  }
  return bytes.length;
}

function skipBlanks(bytes: Uint8Array, at: number): number {
  let p = at;
  while (p < bytes.length && BLANKS.includes(String.fromCharCode(bytes[p] as number))) p++;
  return p;
}

function refuse(text: string): void {
  if (WIDE.test(text))
    throw new SourceFault(
      'encoding-utf16',
      'the encoding is UTF-16 or UTF-32: convert the file to UTF-8 (iconv -t UTF-8)',
    );
  if (text.startsWith('ustar', TAR_MAGIC_AT))
    throw new SourceFault('unsupported-compression', 'tar archives are not supported: extract the files');
  const shown = text.slice(BLANKS.includes(text.charAt(0)) ? text.search(/[^ \t\r\n]/) : 0);
  const other = OTHER_FORMS.find(([, begin]) => begin.test(shown))?.[0];
  if (other !== undefined) throw new SourceFault('known-but-unread', `this is ${other}`);
  const name = NO_LOGS.find(([, begin]) => begin.test(shown))?.[0] ?? (isCsv(shown) ? 'CSV' : undefined);
  if (name !== undefined)
    throw new SourceFault('not-json-lines', `the content is not JSON lines, but ${name}`);
}

/** A header, and no line after it that may be an entry. */
function isCsv(text: string): boolean {
  const [header = '', ...rows] = text.split(/\r?\n/);
  return rows.length > 0 && CSV_HEADER.test(header) && rows.every((row) => !/^\s*[{[]/.test(row));
}
