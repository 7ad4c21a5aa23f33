/**
 * Marks that a logger writes into a text where it cut something out. A model never writes them, and a client never
 * sends them: they are only in the log.
 */
import { decode } from '../json/utf8.ts';
import type { Message } from './element.ts';

interface CutMark {
  /** Who writes it. */
  readonly logger: string;
  /** A part of the mark that is rare elsewhere; shortcut.c looks for `_truncated`. */
  readonly word: string;
  /** The whole mark. */
  readonly mark: RegExp;
}

const CUT_MARKS: readonly CutMark[] = [
  {
    logger: 'LiteLLM: request and response bodies in its spend logs',
    word: 'litellm_truncated',
    mark: /\(litellm_truncated (?:skipped )?\d+ chars\b/,
  },
];

/** Whether a logger cut the text, the arguments or the result of a message. */
export function isCutByLogger({ bytes }: Message): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return CUT_MARKS.some(({ word, mark }) => buffer.includes(word) && mark.test(decode(bytes)));
}
