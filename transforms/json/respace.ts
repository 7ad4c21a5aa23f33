/**
 * Writes JSON text in the layout of Python's `json.dumps` and of the Hugging Face `tojson` filter: `", "` and `": "`, no
 * other white space, non-ASCII unescaped. Key order, duplicate keys and the text of numbers stay.
 */
import { COLON, COMMA, QUOTE } from './bytes.ts';
import { withoutIndentation } from './one-line.ts';
import { textScanner } from './plain-scanner.ts';
import { skipBlanks } from './scanner.ts';
import { decode, encode } from './utf8.ts';

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** The JSON text of a string, with the fewest escapes; a lone surrogate stays an escape. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** JSON text as the content of a JSON string, on one line. */
export function inString(json: Uint8Array): Uint8Array {
  return encode(quote(withoutIndentation(decode(json))));
}

/** @param json a valid JSON value without white space around it */
export function respace(json: Uint8Array): string {
  let text = '';
  let plain = 0; // start of the bytes to copy unchanged
  for (let p = 0; p < json.length; ) {
    const c = json[p] as number;
    if (c !== QUOTE && c !== COMMA && c !== COLON && !SPACES.has(c)) {
      p++;
      continue;
    }
    text += decode(json.subarray(plain, p));
    plain = c === QUOTE ? textScanner.string(json, p) : skipBlanks(json, p + 1);
    if (c === QUOTE) text += quote(JSON.parse(decode(json.subarray(p, plain))) as string);
    else if (!SPACES.has(c)) text += c === COMMA ? ', ' : ': ';
    p = plain;
  }
  return text + decode(json.subarray(plain));
}

/** The JSON value in a text, without the white space around it; undefined if the text is anything else. */
export function valueIn(text: string): Uint8Array | undefined {
  if (!text.isWellFormed()) return undefined; // a lone surrogate has no UTF-8
  const json = encode(text);
  const start = skipBlanks(json, 0);
  const end = textScanner.value(json, start, 0);
  return end < 0 || skipBlanks(json, end) < json.length ? undefined : json.subarray(start, end);
}

/** Re-spaces a text that is a JSON value; undefined if it is not one. */
export function respaceText(text: string): string | undefined {
  const json = valueIn(text);
  return json && respace(json);
}
