/**
 * JSON text without raw line breaks. In valid JSON they are white space between tokens (inside a string they are
 * escapes), so a blank in their place changes no value; left as they are, a reader would cut the record there.
 */

const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;

const indexOf = Buffer.prototype.indexOf;

/** The same bytes, or a copy with every CR and LF replaced by a blank. */
export function oneLine(json: Uint8Array): Uint8Array {
  if (indexOf.call(json, CR) < 0 && indexOf.call(json, LF) < 0) return json;
  return json.map((byte) => (byte === LF || byte === CR ? BLANK : byte));
}
