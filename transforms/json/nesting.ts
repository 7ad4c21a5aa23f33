/** How deep a JSON text nests: writing a value back that nests too deep would exhaust the stack. */
import { MAX_DEPTH } from './scanner.ts';

const QUOTE = '"';
const BACKSLASH = '\\';

/** Whether arrays and objects in a JSON text nest deeper than MAX_DEPTH. Takes linear time, whatever the text is. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === QUOTE) i = endOfString(text, i);
    else if (char === ']' || char === '}') depth--;
    else if ((char === '[' || char === '{') && ++depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Index of the quote that ends the string which begins at `start`; the length of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === BACKSLASH) i++;
    else if (text[i] === QUOTE) return i;
  }
  return text.length;
}
