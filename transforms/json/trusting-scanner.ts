/**
 * Finds the end of JSON values that were validated before, by quotes and brackets alone. Do not use it for other bytes:
 * it reports no errors, and may return an index inside or after the value.
 */
import { BACKSLASH, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { ANY_NUMBER, type ValueScanner } from './scanner.ts';

/** Strings that end within this many bytes are scanned here: starting a native search takes longer. */
const NEAR_BYTES = 48;

/** Class of a byte outside strings: 1 a quote; 2 opens, 3 closes an object or array. */
const STRUCTURE = new Uint8Array(256);
STRUCTURE[QUOTE] = 1;
for (const c of '{[') STRUCTURE[c.charCodeAt(0)] = 2;
for (const c of '}]') STRUCTURE[c.charCodeAt(0)] = 3;
/** Bytes that end a number or a literal. */
const ENDS_SCALAR = new Uint8Array(256);
for (const c of ' \t\r\n}],') ENDS_SCALAR[c.charCodeAt(0)] = 1;

const { indexOf } = Uint8Array.prototype;

/** The index after the string whose opening quote is at `at`. */
function skipString(bytes: Uint8Array, at: number): number {
  let p = at + 1;
  for (;;) {
    for (const near = Math.min(p + NEAR_BYTES, bytes.length); p < near; ) {
      const c = bytes[p];
      if (c === QUOTE) return p + 1;
      p += c === BACKSLASH ? 2 : 1;
    }
    const quote = indexOf.call(bytes, QUOTE, p);
    if (quote < 0) return bytes.length; // not reached for valid JSON; continuing at -1 + 1 would never end
    let slashes = quote;
    while (slashes > p && bytes[slashes - 1] === BACKSLASH) slashes--;
    if ((quote - slashes) % 2 === 0) return quote + 1;
    p = quote + 1;
  }
}

function skipNested(bytes: Uint8Array, at: number): number {
  let open = 0;
  for (let p = at; p < bytes.length; ) {
    const kind = STRUCTURE[bytes[p] as number];
    if (kind === 1) {
      p = skipString(bytes, p);
      continue;
    }
    p++;
    if (kind === 2) open++;
    else if (kind === 3 && --open === 0) return p;
  }
  return bytes.length;
}

function skipScalar(bytes: Uint8Array, at: number): number {
  let p = at;
  while (p < bytes.length && ENDS_SCALAR[bytes[p] as number] === 0) p++;
  return p;
}

function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  return first === OPEN_OBJECT || first === OPEN_ARRAY ? skipNested(bytes, at) : skipScalar(bytes, at);
}

/** For valid JSON only: never fails. */
export const trustingScanner: ValueScanner = {
  value: skipValue,
  string: skipString,
  fail: () => -1,
  maxElements: ANY_NUMBER,
};
