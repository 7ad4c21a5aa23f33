/**
 * Contents for chat templates: one text for a list of text parts, which templates of text models print, lose or refuse;
 * and a text for a message without one, such as an answer of calls alone, whose missing content other templates refuse.
 */
import { CLOSE_ARRAY, LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { skipBlanks } from '../json/scanner.ts';
import { concat, dropMembers } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { isNextLine, stringValue, TEXT_TYPES } from '../model/message.ts';
import type { Report } from './format.ts';
import { PARTS_JOINED, warnOf } from './shared-rules.ts';
import { withContent } from './spoken-text.ts';

const NO_TEXT = encode('""');
const ONE_QUOTE = encode('"');
const ESCAPED_LINE_FEED = encode('\\n');

/**
 * Writes contents of text parts as one text, and reports those of several parts. A list with any other part stays a list.
 * Returns the same object for a message that does not change.
 */
export function joinTextParts(messages: readonly Message[], report: Report): readonly Message[] {
  const several: number[] = [];
  const joined = messages.map((message, at) => {
    const content = valueBytes(message.bytes, 'content');
    if (content?.[0] !== OPEN_ARRAY) return message;
    const parts = elementsOf(content);
    const text = oneText(parts);
    if (text === undefined) return message;
    if (parts.length > 1) several.push(at);
    return withContent(message, text);
  });
  warnOf(several, 'parts-joined', PARTS_JOINED, report);
  return joined;
}

/** Gives messages whose content is absent or null an empty one. */
export function fillContents(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    const content = valueBytes(message.bytes, 'content');
    return content === undefined || content[0] === LETTER_N ? withContent(message, NO_TEXT) : message;
  });
}

/**
 * Leaves out empty lists of calls: OpenAI refuses them, and templates that look for the member take such an answer for
 * one with calls, and fail or lose its text.
 */
export function leaveOutEmptyCalls(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    const calls = valueBytes(message.bytes, 'tool_calls');
    if (calls === undefined || !isEmptyList(calls)) return message;
    return { bytes: dropMembers(message.bytes, ({ key }) => key === 'tool_calls'), role: message.role };
  });
}

const isEmptyList = (json: Uint8Array): boolean =>
  json[0] === OPEN_ARRAY && json[skipBlanks(json, 1)] === CLOSE_ARRAY;

/** The JSON string of a part with a text; undefined if it is another part. */
export function textIn(part: Uint8Array): Uint8Array | undefined {
  if (part[0] === QUOTE) return part;
  if (part[0] !== OPEN_OBJECT || !TEXT_TYPES.has(stringValue(part, 'type'))) return undefined;
  const text = valueBytes(part, 'text');
  return text?.[0] === QUOTE ? text : undefined;
}

/** Whether a part names the sources of its text. */
export function isCited(part: Uint8Array): boolean {
  const citations = part[0] === OPEN_OBJECT ? valueBytes(part, 'citations') : undefined;
  return citations?.[0] === OPEN_ARRAY && elementsOf(citations).length > 0;
}

/** Joins the texts of parts, without touching their escapes; undefined if a part has another type. */
export function oneText(parts: readonly Uint8Array[]): Uint8Array | undefined {
  const texts = parts.map(textIn);
  if (!texts.every((text) => text !== undefined)) return undefined;
  const pieces = texts.flatMap((text, i) => [
    ...(isNextLine(parts, i, isCited) ? [ESCAPED_LINE_FEED] : []),
    text.subarray(1, text.length - 1),
  ]);
  return concat([ONE_QUOTE, ...pieces, ONE_QUOTE]);
}
