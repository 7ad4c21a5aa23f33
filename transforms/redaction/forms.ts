/** The forms of most tokens: an anchor, and characters of one kind after it, or on both sides. */

import type { Form, ValueCheck } from './rule.ts';

export const WORD = '[A-Za-z0-9_-]';
export const ALNUM = '[A-Za-z0-9]';
export const HEX = '[0-9a-f]';
export const END = '(?![A-Za-z0-9_-])';
export const BASE64 = '[A-Za-z0-9+/]';
export const UUID: string = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

/** A token that begins with its anchor. */
export const token = (anchors: readonly string[], rest: string, check: ValueCheck = 'random'): Form => ({
  anchors,
  pattern: `(?:${anchors.map(escaped).join('|')})${rest}`,
  check,
});

/** A secret that is the first group of a pattern: the text around it tells that it is one. */
export const secretIn = (anchors: readonly string[], pattern: string, more: Partial<Form> = {}): Form => ({
  ...{ anchors, pattern, group: 1, check: 'secret' },
  ...more,
});

/** A token with an anchor inside it. @param before pattern of these many characters before the anchor */
export const around = (anchors: readonly string[], back: number, before: string, rest: string): Form => ({
  anchors,
  pattern: `${before}{${back}}(?:${anchors.map(escaped).join('|')})${rest}`,
  back,
  check: 'random',
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
