/**
 * JSON text without raw line breaks. In valid JSON they are white space between tokens (inside a string they are
 * escapes), so a blank in their place changes no value; left as they are, a reader would cut the record there.
 */

import { CR, LF, SPACE } from './bytes.ts';

const indexOf = Buffer.prototype.indexOf;

/** The same bytes, or a copy with every CR and LF replaced by a blank. */
export function oneLine(json: Uint8Array): Uint8Array {
  if (indexOf.call(json, CR) < 0 && indexOf.call(json, LF) < 0) return json;
  return json.map((byte) => (byte === LF || byte === CR ? SPACE : byte));
}

/**
 * JSON text without the layout of several lines: a line break goes with the indentation behind it, and behind a comma a blank is
 * left. For JSON that becomes a text of its own, where white space would be learned. Text of one line is the same.
 */
export function withoutIndentation(json: string): string {
  if (!json.includes('\n') && !json.includes('\r')) return json;
  return json.replace(/,?[\r\n]\s*/g, (lines) => (lines.startsWith(',') ? ', ' : ''));
}
