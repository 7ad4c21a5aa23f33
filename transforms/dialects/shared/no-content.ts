/** The mark that Claude Code has in place of an empty text, in its log and in the history that it sends (NO_CONTENT_MESSAGE). */
import { isSameBytes } from '../../json/bytes.ts';
import { encode } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import type { Part } from './content-parts.ts';
import { warning } from './reading-notes.ts';

const MARK = encode('"(no content)"');

/** An answer that is only the mark is left out for this finding; beside a call, the mark is left out. */
export const NO_CONTENT: ReadingNote = warning(
  'body-placeholder',
  "the client's mark of an empty text is in place of what was said here",
);

const isMark = (part: Part): boolean =>
  'text' in part && part.text.length === MARK.length && isSameBytes(part.text, MARK);

export const hasMark = (parts: readonly Part[]): boolean => parts.some(isMark);

/** Returns the parts that were said beside calls: all but the mark. */
export const saidBesideCalls = (parts: readonly Part[]): readonly Part[] =>
  hasMark(parts) ? parts.filter((part) => !isMark(part)) : parts;
