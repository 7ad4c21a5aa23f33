/** Finds private keys in PEM, also if line breaks are escaped, lines have numbers or signs, or the end is missing. */
import type { Span } from './span.ts';

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
/** A number or a sign before a line, as tools print files, matches and changes. */
const BEFORE = String.raw`(?:(?:[\w./-]{1,80}:)?L?\d{1,6}(?:\xe2\x86\x92|\\+t|\t|: ?| ?\| ?)|[-+>#] ?)?`;
const BREAK = String.raw`(?:\\+[nrt]|\s)`;
const END = new RegExp(`${BREAK}*${BEFORE}-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----`, 'y');
/** A header such as `Proc-Type: 4,ENCRYPTED`, or the empty line after it. */
const HEADER = new RegExp(
  `${BREAK}{1,4}${BEFORE}(?:[A-Z][A-Za-z-]{2,30}: [^\\\\"\\r\\n]{1,100})?(?=\\\\+[nr]|[\\r\\n])`,
  'y',
);
/** A line of base64 after a line break. */
const LINE = new RegExp(`${BREAK}{0,12}${BEFORE}[A-Za-z0-9+/=]{1,4096}`, 'y');
const MAX_KEY_BYTES = 20_000;
/** Shorter ones are those of documentation, which leaves the key out. */
const MIN_BODY_BYTES = 40;
const MIN_END_BYTES = '-----END PRIVATE KEY-----'.length;
const MAX_HEADERS = 4;

/** Returns the span of the private key that begins here, which is cut at 20 kB if it has no end. */
export function privateKeyAt(bytes: Buffer, at: number, rule: number): Span | undefined {
  const opener = bytes.toString('latin1', at, at + 80);
  BEGIN.lastIndex = 0;
  const begin = BEGIN.exec(opener);
  if (begin === null) return undefined;
  const text = bytes.toString('latin1', at, bodyEnd(bytes, at + begin[0].length));
  let end = begin[0].length;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = end;
    if (!pattern.test(text)) return false;
    end = pattern.lastIndex;
    return true;
  };
  for (let n = 0; n < MAX_HEADERS && take(HEADER); n++);
  const body = end;
  let isWhole = take(END);
  while (!isWhole && end < MAX_KEY_BYTES && take(LINE)) isWhole = take(END);
  if (end - body < MIN_BODY_BYTES + (isWhole ? MIN_END_BYTES : 0)) return undefined;
  return { start: at, end: at + end, rule };
}

/** The key ends before the next opener, so that many of them take linear time, or at a quotation mark that is not in a header. */
function bodyEnd(bytes: Buffer, from: number): number {
  const limit = Math.min(bytes.length, from + MAX_KEY_BYTES + 200);
  const next = bytes.subarray(from, limit).indexOf('-----BEGIN ');
  return next < 0 ? limit : from + next;
}
