/**
 * Marks of loggers: in a text where they cut something out, or in place of a whole text. A model never writes them, and
 * a client never sends them: they are only in the log.
 */
import { QUOTE, ZERO } from '../json/bytes.ts';
import { keptMembersOf } from '../json/members.ts';
import { decode, parseString } from '../json/utf8.ts';
import { assistantCalls } from './assistant-calls.ts';
import type { Message } from './element.ts';

interface Mark {
  /** Who writes it, and where. */
  readonly logger: string;
  readonly mark: RegExp;
}

/** A mark between the beginning and the end of a text. */
const INSIDE = {
  logger: 'LiteLLM: request and response bodies in its spend logs',
  /** The shortcut looks for `_truncated`. */
  mark: /\(litellm_truncated (?:skipped )?\d+ chars\b/,
};

/** LiteLLM writes this instead of texts that it was told not to log. */
export const LITELLM_REDACTED: RegExp = /^\s*redacted-by-litellm\.?\s*$/;

/** Marks that are the whole text. The shortcut looks for a word of each in short contents (CUT_TEXTS). */
const WHOLE: readonly Mark[] = [
  { logger: 'LiteLLM, configured not to log messages', mark: LITELLM_REDACTED },
  {
    logger: 'Datadog LLM Observability: values of spans',
    mark: /^\s*\[This value has been dropped because this span's size exceeds the \d+ ?MB size limit\.?\]\s*$/,
  },
  {
    logger: 'Langfuse: input and output of observations',
    mark: /^\s*<truncated due to size exceeding limit>\s*$/,
  },
];
/** Every mark has one of these words. */
const WORDS = ['litellm', 'has been dropped', 'truncated due to size'].map((word) => Buffer.from(word));
/** Beginnings of the short texts that other loggers write in place of a text they left out. */
const OTHER =
  /^\s*[[<{(*_]+\s*(?:redacted|masked|filtered|hidden|truncated|omitted|removed|elided)\b[^\n]{0,60}$/i;
const MAX_OTHER = 100;
/** Most characters of a text, or bytes of its JSON, that is looked at. */
export const MAX_MASKED = 160;

/** Is a text a mark of a known logger? */
const isMark = (text: string): boolean => WHOLE.some(({ mark }) => mark.test(text));

/** Is a text only a logger's placeholder? */
export const isMasked = (text: string | undefined): boolean =>
  text !== undefined &&
  text.length <= MAX_MASKED &&
  (isMark(text) || (text.length <= MAX_OTHER && OTHER.test(text)));

const ESCAPED = Buffer.from('\\u00');
const ESCAPE = /\\{1,8}u(00[4-7][\da-f])/gi;
const unescaped = (text: string): string =>
  text.replace(ESCAPE, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Has the text an escape of a letter or of `_`? No encoder needs one. */
function spellsLetters(buffer: Buffer): boolean {
  for (let at = buffer.indexOf(ESCAPED); at >= 0; at = buffer.indexOf(ESCAPED, at + 1)) {
    const digit = buffer[at + ESCAPED.length] as number;
    if (digit >= ZERO + 4 && digit <= ZERO + 7) return true; // from `@` to the end of ASCII
  }
  return false;
}

/** Whether a logger cut the text, the arguments or the result of a message, or left out its content. */
export function isCutByLogger({ bytes }: Message): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isSpelled = spellsLetters(buffer);
  if (!isSpelled && !WORDS.some((word) => buffer.includes(word))) return false;
  const text = decode(bytes);
  if (INSIDE.mark.test(isSpelled ? unescaped(text) : text)) return true;
  const content = shortContent(bytes);
  return content !== undefined && isMark(content);
}

/** The content of a message, if it is a short text. */
function shortContent(bytes: Uint8Array): string | undefined {
  const span = keptMembersOf(bytes).findLast(({ key }) => key === 'content');
  if (span === undefined || span.end - span.valueStart > MAX_MASKED) return undefined;
  return bytes[span.valueStart] === QUOTE ? parseString(bytes, span.valueStart, span.end) : undefined;
}

/** Whether a logger cut a message, or its dialect noted a placeholder and its content looks like one. */
export function mayBeCut(message: Message): boolean {
  const isNoted = message.notes?.some(({ rule }) => rule === 'body-placeholder') === true;
  return isCutByLogger(message) || (isNoted && isMasked(shortContent(message.bytes)));
}

/** Whether a message of the model has no calls, and a text that its logger cut or masked. */
export function isCutAnswer(message: Message): boolean {
  return message.role === 'assistant' && mayBeCut(message) && assistantCalls(message).length === 0;
}
