/**
 * Marks of loggers: in a text where they cut something out, or in place of a whole text. A model never writes them, and
 * a client never sends them: they are only in the log.
 */
import { BACKSLASH, COLON, QUOTE, ZERO } from '../json/bytes.ts';
import { keptMembersOf } from '../json/members.ts';
import { perObject } from '../json/notes.ts';
import { skipBlanks } from '../json/scanner.ts';
import { decode, parseString } from '../json/utf8.ts';
import { assistantCalls } from './assistant-calls.ts';
import type { Message } from './element.ts';

/**
 * A mark between the beginning and the end of a text, of LiteLLM: request and response bodies in its spend logs. A text
 * without INSIDE_WORD is not searched; the shortcut looks for `_truncated`.
 */
const INSIDE = /\(litellm_truncated (?:skipped )?\d+ chars\b/;

/** LiteLLM writes this instead of texts that it was told not to log. */
export const LITELLM_REDACTED: RegExp = /^\s*redacted-by-litellm\.?\s*$/;

/**
 * Left in place of a text by a scrubber of logs, or a masking function that a user of a tracer wrote, which removes secrets.
 * Such a program goes over any log, that of a client too.
 */
const SCRUBBED = /^\s*(?:[[<{]{1,2}REDACTED[\]>}]{1,2}|\*{3,8}REDACTED\*{3,8})\s*$/;

/**
 * Put in place of an empty message by a program that sends it to an API which refuses one: _EMPTY_TEXT_PLACEHOLDER of
 * LiteLLM (BerriAI/litellm, prompt_templates/factory.py).
 */
const SANITISED = /^\s*\[System: Empty message content sanitised to satisfy protocol\]\s*$/;
/** NO_CONTENT_MESSAGE of Claude Code. */
const NO_CONTENT = /^\s*\(no content\)\s*$/;

/** Marks in place of answers that logs of clients have, too. */
const IN_CLIENTS: readonly RegExp[] = [SCRUBBED, SANITISED, NO_CONTENT];

/** Marks that are the whole text. The shortcut looks for a word of each in short contents (CUT_TEXTS). */
const WHOLE: readonly RegExp[] = [
  SCRUBBED,
  SANITISED,
  LITELLM_REDACTED,
  // OpenInference, configured to hide inputs or outputs: REDACTED_VALUE (Arize-ai/openinference)
  /^\s*__REDACTED__\s*$/,
  // Logfire: values that look like secrets (pydantic/logfire, scrubbing.py and its twin in TypeScript)
  /^\s*\[Scrubbed due to '[^\]\n"]{1,100}'\]\s*$/,
  // Datadog LLM Observability: values of spans
  /^\s*\[This value has been dropped because this span's size exceeds the \d+ ?MB size limit\.?\]\s*$/,
  // Langfuse: input and output of observations
  /^\s*<truncated due to size exceeding limit>\s*$/,
];
/** First characters of the marks in WHOLE. No mark contains a quotation mark. */
const BEGINNINGS = new Set(Buffer.from('[<{*_r'));
const INSIDE_WORD = Buffer.from('litellm_truncated');
/**
 * Short texts that other loggers write in place of a text they left out, in whole shape: a word in brackets, perhaps with the
 * reason. Words in Markdown's emphasis, or with more text after the bracket, are prose.
 */
const OTHERS: readonly RegExp[] = [
  /^\s*(?:[[<{(]{1,3} ?|\*{3,8})(?:redacted|masked|filtered|hidden|truncated|omitted|removed|elided)(?: ?[\]>})]{1,3}|\*{3,8})\s*$/i,
  /^\s*[[<{]{1,3} ?(?:redacted|masked|filtered|hidden|truncated|omitted|removed|elided),? (?:by|due to|because|for|\d+)\b[^\n[\]<>{}]{0,60}[\]>}]{1,3}\s*$/i,
  /^\s*[[<{]{1,3} ?(?:redacted|masked)[:_-][^\n[\]<>{}]{1,60}[\]>}]{1,3}\s*$/i,
];
const MAX_OTHER = 100;
/** Most characters of a text, or bytes of its JSON, that is looked at. */
export const MAX_MASKED = 160;

/** Is a text a mark of a known logger? */
const isMark = (text: string): boolean => WHOLE.some((mark) => mark.test(text));

/** Is a text only a logger's placeholder? */
export const isMasked = (text: string | undefined): boolean =>
  text !== undefined &&
  text.length <= MAX_MASKED &&
  (isMark(text) ||
    NO_CONTENT.test(text) ||
    (text.length <= MAX_OTHER && OTHERS.some((other) => other.test(text))));

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
export const isCutByLogger: (message: Message) => boolean = perObject(({ bytes }: Message) => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isSpelled = spellsLetters(buffer);
  if (isSpelled || buffer.includes(INSIDE_WORD)) {
    const text = decode(bytes);
    if (INSIDE.test(isSpelled ? unescaped(text) : text)) return true;
  }
  if (!isSpelled && !mayBeMark(buffer)) return false;
  const content = shortContent(bytes);
  return content !== undefined && isMark(content);
});

/**
 * Whether an answer is only the mark of a scrubber of logs, or what a program sends in place of an empty one. A client's
 * own log has no other marks.
 */
export function isScrubbedAnswer(message: Message): boolean {
  if (message.role !== 'assistant') return false;
  const content = shortContent(message.bytes);
  if (content === undefined || !IN_CLIENTS.some((mark) => mark.test(content))) return false;
  return assistantCalls(message).length === 0;
}

/** The length of `[REDACTED]`. */
const MIN_MARK_BYTES = 10;
const CONTENT = Buffer.from('"content"');

/** May a short text under `content` be a mark? Only then its message is parsed. */
function mayBeMark(buffer: Buffer): boolean {
  for (let at = buffer.indexOf(CONTENT); at >= 0; at = buffer.indexOf(CONTENT, at + CONTENT.length)) {
    const colon = skipBlanks(buffer, at + CONTENT.length);
    if (buffer[colon] !== COLON) continue;
    const quote = skipBlanks(buffer, colon + 1);
    if (buffer[quote] === QUOTE && beginsAsMark(buffer, quote + 1)) return true;
  }
  return false;
}

/** Does a string begin as a mark does, or with an escape, and end soon, without a quotation mark in it? */
function beginsAsMark(buffer: Buffer, from: number): boolean {
  const first = buffer[skipBlanks(buffer, from)] as number;
  if (first !== BACKSLASH && !BEGINNINGS.has(first)) return false;
  const length = buffer.subarray(from, from + MAX_MASKED).indexOf(QUOTE);
  return length >= MIN_MARK_BYTES && buffer[from + length - 1] !== BACKSLASH;
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
