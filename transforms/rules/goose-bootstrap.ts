/** Replaces the system prompt of goose, which contains a clock and names the agent, with one plain sentence. */

import { QUOTE } from '../json/bytes.ts';
import { valueBytes } from '../json/members.ts';
import { replaceValue } from '../json/splice.ts';
import { encode, latin1 } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { textOf } from '../model/message.ts';
import { skipSpace } from '../model/white-space.ts';
import type { MessageRule } from './rule.ts';

const SENTENCE = encode(JSON.stringify('You are a general-purpose AI agent'));
/** The words that its prompt has, in any case, with white space between them. */
const FIRST_WORD = /general-purpose/gi;
const OTHER_WORDS = [/AI/iy, /agent/iy, /called/iy, /goose/iy];

/** Matches the first words, or an escape that may be part of them. Other texts cannot match and are not decoded. */
const MAY_MATCH = /general-purpose|\\u00[0-7]/i;
/** A long text is searched in parts. They overlap by more than the length of a match. */
const PART_BYTES = 64 * 1024;
const OVERLAP_BYTES = 16;

function mayMatch(content: Uint8Array): boolean {
  for (let from = 0; from < content.length; from += PART_BYTES)
    if (MAY_MATCH.test(latin1(content.subarray(from, from + PART_BYTES + OVERLAP_BYTES)))) return true;
  return false;
}

/** Walks white space itself: a regular expression remembers each character of it, up to an overflow of the stack. */
function hasBootstrap(text: string): boolean {
  for (const { index, 0: first } of text.matchAll(FIRST_WORD)) {
    let at: number | undefined = index + first.length;
    for (const word of OTHER_WORDS) at = endAfterSpace(text, at, word);
    if (at !== undefined) return true;
  }
  return false;
}

/** Index after white space and a word; undefined if they are not at `at`. @param word a sticky pattern */
function endAfterSpace(text: string, at: number | undefined, word: RegExp): number | undefined {
  if (at === undefined) return undefined;
  word.lastIndex = skipSpace(text, at);
  return word.lastIndex > at && word.test(text) ? word.lastIndex : undefined;
}

function apply(message: Message): Message | undefined {
  if (message.role !== 'system') return message;
  const content = valueBytes(message.bytes, 'content');
  if (content?.[0] === QUOTE && !mayMatch(content)) return message;
  const { text } = textOf(message);
  if (text === undefined || !hasBootstrap(text)) return message;
  const bytes = replaceValue(message.bytes, 'content', SENTENCE) as Uint8Array;
  return { ...message, bytes };
}

const gooseBootstrap: MessageRule = {
  name: 'goose-bootstrap',
  summary: 'Replaces the system prompt that bootstraps goose by one sentence.',
  on: 'message',
  apply,
};

export default gooseBootstrap;
