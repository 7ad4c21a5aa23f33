/** Reads properties of a message from its bytes. To change a message, use json/splice.ts. */

import {
  BACKSLASH,
  DELETE,
  LETTER_N,
  LETTER_U,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} from '../json/bytes.ts';
import { textAt, valueBytes, valueSpan, walkElements } from '../json/members.ts';
import { trustingScanner } from '../json/trusting-scanner.ts';
import { decode, parseJson, parseString, sequenceLength } from '../json/utf8.ts';
import type { Message } from './element.ts';
import { readCall, readFunction, type ToolCall } from './tool-call.ts';
import { isSpace } from './white-space.ts';

export interface MessageText {
  /** The string content, or the joined texts of the text parts; undefined if the content is neither. */
  readonly text: string | undefined;
  /** Whether there are parts other than texts. */
  readonly otherParts: boolean;
  /** Whether the text is that of several parts. */
  readonly isJoined: boolean;
}

const NO_TEXT: MessageText = { text: undefined, otherParts: false, isJoined: false };

/** @param separator between the texts of parts */
export function textOf(message: Message, separator: '' | '\n' = ''): MessageText {
  const content = contentOf(message);
  if (typeof content === 'string') return { ...NO_TEXT, text: content };
  if (!Array.isArray(content)) return NO_TEXT;
  const texts = content.filter(isTextPart);
  return {
    text: texts.map(({ text }, i) => (isNextLine(texts, i, isCited) ? separator : '') + text).join(''),
    otherParts: texts.length < content.length,
    isJoined: texts.length > 1,
  };
}

/**
 * The first character of a string content that is not white space, without decoding the rest; undefined if there is
 * none or the content is not a string. For an escaped character above U+FFFF, the first half.
 */
export function firstVisible({ bytes }: Message): string | undefined {
  const content = valueSpan(bytes, 'content');
  if (content === undefined || bytes[content.valueStart] !== QUOTE) return undefined;
  const end = content.end - 1;
  for (let p = content.valueStart + 1; p < end; ) {
    const byte = bytes[p] as number;
    if (byte > SPACE && byte < DELETE && byte !== BACKSLASH) return String.fromCharCode(byte);
    if (byte === SPACE) p++;
    else if (byte === BACKSLASH && SPACE_ESCAPES.has(bytes[p + 1] as number)) p += 2;
    else {
      const next = p + lengthAt(bytes, p);
      const character = JSON.parse(`"${decode(bytes.subarray(p, next))}"`) as string;
      if (!isSpace(character.charCodeAt(0))) return character;
      p = next;
    }
  }
  return undefined;
}

/** The number of bytes of the character or escape at `p` in a valid string. */
function lengthAt(bytes: Uint8Array, p: number): number {
  if (bytes[p] === BACKSLASH) return bytes[p + 1] === LETTER_U ? 6 : 2;
  return (bytes[p] as number) < 0x80 ? 1 : sequenceLength(bytes, p);
}

const SPACE_ESCAPES = new Set([...'nrtf'].map((letter) => letter.charCodeAt(0)));

/** Types of parts with a text: that of the chat completions API, and those of the Responses API. */
export const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);

interface TextPart {
  readonly text: string;
  readonly citations?: unknown;
}

const isCited = ({ citations }: TextPart): boolean => Array.isArray(citations) && citations.length > 0;

/**
 * Whether a line feed belongs between a text and the one before it. The Messages API divides a sentence at its citations,
 * so a text with citations continues the one before it, and the next one continues it.
 */
export function isNextLine<T>(texts: readonly T[], at: number, isCited: (text: T) => boolean): boolean {
  return at > 0 && !isCited(texts[at - 1] as T) && !isCited(texts[at] as T);
}

function isTextPart(part: unknown): part is TextPart {
  return isObject(part) && TEXT_TYPES.has(part.type) && typeof part.text === 'string';
}

const TEXT_OR_PARTS_OR_NULL = new Set([...'"[n'].map((c) => c.charCodeAt(0)));

/** The JSON text of a content that is a number, an object or a boolean; undefined for any other content, or none. */
export function otherContent(message: Message): Uint8Array | undefined {
  const { bytes } = message;
  const content = valueSpan(bytes, 'content');
  if (content === undefined || TEXT_OR_PARTS_OR_NULL.has(bytes[content.valueStart] as number))
    return undefined;
  return bytes.subarray(content.valueStart, content.end);
}

/** The parsed content, usually a string, an array of parts or null; undefined if absent. */
export function contentOf(message: Message): unknown {
  return memberValue(message, 'content');
}

/** The parsed value of a member; undefined if absent. Numbers are rounded, so never write the value back. */
export function memberValue(message: Message, key: string): unknown {
  const bytes = valueBytes(message.bytes, key);
  return bytes === undefined ? undefined : parseJson(bytes);
}

/** Members in which logs keep the model's reasoning. */
export const REASONING_MEMBERS: readonly string[] = ['reasoning_content', 'thinking'];
/**
 * Other names of the reasoning: OpenRouter and vLLM write `reasoning`, OpenRouter `reasoning_details`, LiteLLM
 * `thinking_blocks`, Cohere `tool_plan`, GitHub Copilot `reasoning_text` and, encrypted, `reasoning_opaque`. In a record
 * it is `reasoning_content` (reasoning-names.ts).
 */
export const OTHER_REASONING_MEMBERS: readonly string[] = [
  ...['reasoning', 'reasoning_text', 'reasoning_details', 'thinking_blocks', 'reasoning_opaque', 'tool_plan'],
];

const ALL_REASONING_MEMBERS: ReadonlySet<string> = new Set([
  ...REASONING_MEMBERS,
  ...OTHER_REASONING_MEMBERS,
]);

/** Whether a member of a message is reasoning, under any name. */
export const isReasoningMember = (key: string): boolean => ALL_REASONING_MEMBERS.has(key);

/** The model's reasoning: its distinct texts, joined with line feeds; `''` if there is none. */
export function reasoningOf(message: Message): string {
  const texts = REASONING_MEMBERS.map((key) => stringValue(message.bytes, key));
  return [...new Set(texts)].filter(Boolean).join('\n');
}

/** The calls in `tool_calls`; undefined if it is absent or null; `'not-a-list'` for any other value. */
export function toolCallsOf(message: Message): readonly ToolCall[] | 'not-a-list' | undefined {
  const calls: ToolCall[] = [];
  const problem = walkToolCalls(message, (call) => calls.push(call));
  return problem === undefined ? calls : problem === 'absent' ? undefined : problem;
}

/**
 * Visits the calls one by one until `visit` returns false.
 * @returns why there is no list of calls; undefined if there is one
 */
export function walkToolCalls(
  { bytes }: Message,
  visit: (call: ToolCall) => unknown,
): 'not-a-list' | 'absent' | undefined {
  const list = valueSpan(bytes, 'tool_calls')?.valueStart;
  if (list === undefined || bytes[list] === LETTER_N) return 'absent';
  if (bytes[list] !== OPEN_ARRAY) return 'not-a-list';
  walkElements(bytes, list, trustingScanner, (_number, at) => {
    const call = readCall(bytes, at);
    return visit(call) === false ? STOP : call.end;
  });
  return undefined;
}

/** The call in `function_call`, which OpenAI used before `tool_calls`; undefined if there are calls in `tool_calls`. */
export function legacyCallOf(message: Message): ToolCall | undefined {
  const fn = objectBytes(message.bytes, 'function_call');
  const others = fn === undefined ? undefined : toolCallsOf(message);
  if (fn === undefined || (others !== undefined && others.length > 0)) return undefined;
  const { name, arguments: args } = readFunction(fn, 0);
  return { bytes: fn, isObject: true, id: undefined, function: fn, name, arguments: args };
}

/** Returned by a visitor to end the walk. */
const STOP = -1;

/** The JSON text of a member that is an object; undefined if it is absent or something else. */
export function objectBytes(object: Uint8Array, key: string): Uint8Array | undefined {
  const bytes = valueBytes(object, key);
  return bytes?.[0] === OPEN_OBJECT ? bytes : undefined;
}

/** The decoded value of a member that is a string; undefined if it is absent or something else. */
export function stringValue(object: Uint8Array, key: string): string | undefined {
  const span = valueSpan(object, key);
  return span && textAt(object, span.valueStart, span.end);
}

/** The decoded value of JSON text that is a string; undefined if it is absent or something else. */
export function textOfValue(json: Uint8Array | undefined): string | undefined {
  return json?.[0] === QUOTE ? parseString(json, 0, json.length) : undefined;
}

/** Whether a parsed value is a JSON object: not null, and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
