/** Formats numbers and untrusted names for the report and the viewer. */
import { printable } from '../printable.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const KIBI = 1024;

/**
 * Formats a number with commas between thousands and at most three decimals. Ignores the locale, so that a report has
 * the same bytes everywhere.
 */
export function showNumber(value: number): string {
  const [whole = '', decimals] = String(Math.round(value * 1000) / 1000).split('.');
  let shown = whole.slice(-3);
  for (let end = whole.length - 3; end > 0; end -= 3)
    shown = `${whole.slice(Math.max(0, end - 3), end)},${shown}`;
  return decimals === undefined ? shown : `${shown}.${decimals}`;
}

export function showShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return '<0.1 %';
  if (percent < 100 && percent > 99.9) return '>99.9 %';
  return `${percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

export function showBytes(value: number): string {
  let unit = 0;
  let left = value;
  for (; left >= KIBI && unit < UNITS.length - 1; unit++) left /= KIBI;
  return `${unit === 0 ? left : left.toFixed(left < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

/** Formats a number and its noun, joined by a non-breaking space. */
export function showCount(value: number, one: string, several: string = `${one}s`): string {
  return `${showNumber(value)}\u00a0${value === 1 ? one : several}`;
}

/** Controls (except line feeds and tabs), zero-width characters, direction marks and halves of surrogate pairs. */
const HIDDEN: RegExp =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern has to match control characters.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Cs}/gu;

/**
 * Replaces hidden characters by `\uXXXX`, so that text from logs can neither hide anything nor reverse the direction of
 * text.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Quotes a word of a command line, if a shell needs that. Characters that would break its line become escapes. */
export function shellWord(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  if (printable(word) === word) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `$'${printable(escaped)}'`;
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

/** Returns the size of a character after escaping for HTML. */
function htmlBytes(character: string): number {
  if (character === '"') return 6;
  if (character === '&') return 5;
  if (character === '<' || character === '>') return 4;
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

const NAME_BYTES = 240;
const TEXT_BYTES = 600;

/** Makes hidden characters visible and limits the size in HTML by cutting out the middle of a long text. */
export function fitted(text: string, most: number = TEXT_BYTES): string {
  const characters = [...visible(text)];
  const cost = characters.map(htmlBytes);
  if (cost.reduce((sum, n) => sum + n, 0) <= most) return characters.join('');
  const count = (from: readonly number[]): number => {
    let at = 0;
    for (let left = (most - 4) / 2; at < from.length && left >= (from[at] as number); at++)
      left -= from[at] as number;
    return at;
  };
  const [begin, end] = [count(cost), count(cost.toReversed())];
  return `${characters.slice(0, begin).join('')}…${characters.slice(characters.length - end).join('')}`;
}

/** Does the same for a name, with a smaller limit. */
export function fittedName(text: string): string {
  return fitted(text, NAME_BYTES);
}
