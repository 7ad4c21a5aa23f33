/** The text of a message, and white space as Python defines it. Linear scans only, no regular expressions over the text. */
import { get, getString, type Tree } from './tree.ts';

const BLANKS = new Set<number>([
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002,
  0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
]);

export function isBlankAt(text: string, at: number): boolean {
  return BLANKS.has(text.charCodeAt(at));
}

/** Python's str.strip(). */
export function strip(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlankAt(text, from)) from++;
  while (to > from && isBlankAt(text, to - 1)) to--;
  return text.slice(from, to);
}

/** Python's str.split(): the words between runs of white space. */
export function words(text: string): readonly string[] {
  const out: string[] = [];
  let word = '';
  for (let i = 0; i < text.length; i++) {
    if (!isBlankAt(text, i)) word += text.charAt(i);
    else if (word !== '') {
      out.push(word);
      word = '';
    }
  }
  if (word !== '') out.push(word);
  return out;
}

/** The text of a text part, or undefined for any other part. */
function partText(part: Tree): string | undefined {
  return getString(part, 'type') === 'text' ? getString(part, 'text') : undefined;
}

/** The text of a message, or undefined (null, absent, a number, an object). Rules see texts of parts without anything between. */
export function messageText(message: Tree, between = ''): string | undefined {
  const content = get(message, 'content');
  if (content?.kind === 'string') return content.value;
  if (content?.kind !== 'array') return undefined;
  return content.items.flatMap((part) => partText(part) ?? []).join(between);
}

/** Does the content have a part that is not text? */
export function hasOtherPart(message: Tree): boolean {
  const content = get(message, 'content');
  return content?.kind === 'array' && content.items.some((part) => partText(part) === undefined);
}
