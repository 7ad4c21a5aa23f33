/**
 * Removes line breaks from JSON text, which would cut a record in two. In valid JSON they are white space between
 * tokens (inside a string they are escapes), so replacing them with blanks changes no value.
 */

import { CR, LF, SPACE } from './bytes.ts';

const indexOf = Buffer.prototype.indexOf;

/** The same bytes, or a copy with every CR and LF replaced by a blank. */
export function oneLine(json: Uint8Array): Uint8Array {
  if (indexOf.call(json, CR) < 0 && indexOf.call(json, LF) < 0) return json;
  return json.map((byte) => (byte === LF || byte === CR ? SPACE : byte));
}

/**
 * Removes the line breaks of indented JSON text and the indentation after them; leaves a blank after a comma. For JSON
 * that becomes text, because a model would learn the white space. Text on one line is returned unchanged.
 */
export function withoutIndentation(json: string): string {
  if (!json.includes('\n') && !json.includes('\r')) return json;
  return json.replace(/,?[\r\n]\s*/g, (lines) => (lines.startsWith(',') ? ', ' : ''));
}
