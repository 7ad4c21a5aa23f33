/**
 * JSON text without raw line breaks. In valid JSON they are white space between tokens (inside a string they are
 * escapes), so replacing them with blanks changes no value; otherwise they would cut the record in two.
 */

import { CR, LF, SPACE } from './bytes.ts';

const indexOf = Buffer.prototype.indexOf;

/** The same bytes, or a copy with every CR and LF replaced by a blank. */
export function oneLine(json: Uint8Array): Uint8Array {
  if (indexOf.call(json, CR) < 0 && indexOf.call(json, LF) < 0) return json;
  return json.map((byte) => (byte === LF || byte === CR ? SPACE : byte));
}

/**
 * JSON text without a layout of several lines: removes line breaks and the indentation after them, leaving a blank
 * after a comma. For JSON that becomes text, in which a model would learn the white space. Text of one line stays the
 * same.
 */
export function withoutIndentation(json: string): string {
  if (!json.includes('\n') && !json.includes('\r')) return json;
  return json.replace(/,?[\r\n]\s*/g, (lines) => (lines.startsWith(',') ? ', ' : ''));
}
