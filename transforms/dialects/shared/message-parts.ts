/**
 * Converts parts of messages from many clients (OpenAI, Anthropic, Gemini, OpenTelemetry, LangChain, the AI SDK) to
 * blocks of one form.
 */

import { QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { elementsOf } from '../../json/members.ts';
import { inString } from '../../json/respace.ts';
import { encode, NO_ARGUMENTS, NO_TEXT } from '../../json/utf8.ts';
import { TEXT_TYPES } from '../../model/message.ts';
import { sealedBlock } from '../fold/assistant-draft.ts';
import { readBlock, resultContent } from './anthropic-blocks.ts';
import { arrayOf, joinStrings, objectOf } from './build-messages.ts';
import { partBytes } from './content-parts.ts';
import { CONVERSE_RESULT_PART, GEMINI_CALL } from './known-bodies.ts';
import {
  FOREIGN_CALLS,
  FOREIGN_RESULTS,
  FOREIGN_THOUGHTS,
  isKnownPart,
  isOfServer,
  KINDS_OF_PARTS,
} from './known-parts.ts';
import { firstOf, isTrue, present, textBytes, textOf, unpacked } from './logged-values.ts';
import { converseImage, imageData, imageOf } from './part-images.ts';
import { isPrintedAnswer } from './printed-value.ts';
import { withMarks } from './sdk-parts.ts';
import { sealedOptions } from './sealed-options.ts';

/**
 * One piece of a message. Bytes are JSON text; texts and arguments are JSON strings. They may be bytes of the line, so
 * that a giant text is not copied: build the message before the next line is read.
 */
export type MessageBlock =
  | { readonly kind: 'text'; readonly text: Uint8Array }
  | { readonly kind: 'thought'; readonly text: Uint8Array; readonly isSummary?: true }
  | { readonly kind: 'sealed'; readonly detail: Uint8Array }
  | PartBlock
  | CallBlock
  | ResultBlock;

/** Anything else. */
export interface PartBlock {
  readonly kind: 'part';
  readonly object: Uint8Array;
  /** Its type, if consumers may not know it. */
  readonly kept?: string;
  /** Is it of a form that no client's rule explains? */
  readonly isUnknown?: true;
}

export interface CallBlock {
  readonly kind: 'call';
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly args: Uint8Array | undefined;
  /** Were the arguments a text, which is their `input` now? */
  readonly isFreeForm?: true;
}

export interface ResultBlock {
  readonly kind: 'result';
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly content: Uint8Array;
  /** Is it marked as an error? */
  readonly isError?: boolean;
}

/** The parts of a content: a text, a list, or a single part. */
export function blocksOf(content: JsonView | undefined): readonly MessageBlock[] {
  if (content === undefined || content.type === 'null') return [];
  if (content.type === 'array') return withMarks(content).elements().flatMap(blocksOfElement);
  return blocksOfPart(content);
}

/** A part that a program printed into a text is of no known form. */
const blocksOfElement = (part: JsonView): readonly MessageBlock[] =>
  part.type === 'string' && isPrintedAnswer(part) ? [unknownPart(part)] : blocksOfPart(part);

function blocksOfPart(part: JsonView): readonly MessageBlock[] {
  if (part.type === 'string') return [{ kind: 'text', text: part.bytes }];
  if (part.type !== 'object') return [unknownPart(part)];
  const type = part.get('type')?.text()?.replaceAll('-', '_');
  if (type === undefined) return untypedParts(part);
  if (APPROVALS.has(type)) return [];
  const value = converseValue(part, type);
  if (value !== undefined) return untypedParts(new JsonView(objectOf([[type, value.copy()]])));
  const text = TEXT_TYPES.has(type) ? firstOf(part, 'text', 'content') : undefined;
  const isPlain = (firstOf(part, 'citations')?.elements().length ?? 0) === 0;
  if (text?.type === 'string' && isPlain) return [{ kind: 'text', text: text.bytes }];
  if (TEXT_TYPES.has(type) && text?.type !== 'string') return [unknownPart(part)];
  if (type === MICROSOFT_THOUGHT) return thoughtsOf(part.get('content') ?? part);
  if (THOUGHTS.has(type)) return thoughtsOf(part);
  if (CALLS.has(type) && !isOfServer(part.bytes)) return [...sealedOptions(part), callOf(part)];
  if (RESULTS.has(type) && !isOfServer(part.bytes)) return [resultOf(part)];
  if (isChatPart(part, type)) return [{ kind: 'part', object: part.copy() }];
  const image = imageOf(part);
  return [image === undefined ? keptPart(part, type) : { kind: 'part', object: image }];
}

const THOUGHTS: ReadonlySet<string> = new Set([...FOREIGN_THOUGHTS, 'thinking', 'redacted_thinking']);
/** A thought as Microsoft.Extensions.AI traces it: a content under the name of its class. */
const MICROSOFT_THOUGHT = 'Microsoft.Extensions.AI.TextReasoningContent';
const CALLS: ReadonlySet<string> = new Set([...FOREIGN_CALLS, 'tool_use', 'function', 'invalid_tool_call']);
const RESULTS: ReadonlySet<string> = new Set([...FOREIGN_RESULTS, 'tool_result']);

/** Questions of a client of the AI SDK to its user before a call, and the answers: neither is for the model. */
const APPROVALS: ReadonlySet<string> = new Set(['tool_approval_request', 'tool_approval_response']);

/** Is it a part of the chat completions API besides text? Other clients have parts of these types too. */
export function isChatPart(part: JsonView, type: string | undefined): boolean {
  if (type === 'refusal' || type === 'input_audio') return true;
  return (type === 'image_url' || type === 'file') && present(part.get(type));
}

/** Reasoning: its text, or else the summary of it, with what is sealed. A signature beside a text seals nothing. */
export function thoughtsOf(part: JsonView): readonly MessageBlock[] {
  if (part.type !== 'object' || !THOUGHT_TEXTS.every((key) => areTexts(part.get(key))))
    return [unknownPart(part)];
  const whole = isTrue(part.get('redacted')) ? [] : firstTexts(part, ...WHOLE_THOUGHTS);
  const summary = whole.length > 0 ? [] : firstTexts(part, 'summary');
  const thoughts = [
    ...whole.map(({ bytes }) => ({ kind: 'thought', text: bytes }) as const),
    ...summary.map(({ bytes }) => ({ kind: 'thought', text: bytes, isSummary: true }) as const),
  ];
  const seals = whole.length > 0 ? ['encrypted_content', 'protectedData'] : SEALS;
  const data = firstOf(part, ...seals);
  const own = data?.type === 'string' && data.length > NO_TEXT.length ? [sealedBlock(data.copy())] : [];
  const blocks = [...own, ...sealedOptions(part)];
  return thoughts.length + blocks.length > 0
    ? [...thoughts, ...blocks]
    : [{ kind: 'thought', text: NO_TEXT }];
}

/** Members that hold reasoning, or a summary of it. */
const WHOLE_THOUGHTS = ['content', 'text', 'thinking', 'reasoning'] as const;
const THOUGHT_TEXTS = [...WHOLE_THOUGHTS, 'summary'] as const;

/** Is it a text, a list of parts with texts, or nothing? */
const areTexts = (value: JsonView | undefined): boolean =>
  value?.type === 'array'
    ? value.elements().every((one) => one.get('text')?.type === 'string')
    : !present(value) || value.type === 'string';

/** Members that hold sealed reasoning. */
const SEALS = [...['data', 'signature', 'encrypted_content', 'protectedData'], ...WHOLE_THOUGHTS];

/** The texts of the first of these members that has any: a text, or a list of parts with texts. */
function firstTexts(part: JsonView, ...keys: readonly string[]): readonly JsonView[] {
  const isText = (view: JsonView | undefined): view is JsonView =>
    view?.type === 'string' && view.length > NO_TEXT.length;
  const found = keys.map((key) => {
    const value = part.get(key);
    const texts = value?.type === 'array' ? value.elements().map((one) => one.get('text')) : [value];
    return texts.filter(isText);
  });
  return found.find((texts) => texts.length > 0) ?? [];
}

/** Members that name a call. Items of the Responses API also have an `id` for themselves. */
const CALL_IDS = ['call_id', 'tool_call_id', 'toolCallId', 'tool_use_id', 'toolUseId', 'id'] as const;

/** Reads a call in any of the known formats. */
export function callOf(call: JsonView): CallBlock {
  const custom = call.get('custom');
  const text = custom?.get('input');
  if (custom !== undefined && text?.type === 'string') {
    const args = inString(objectOf([['input', text.copy()]]));
    const id = firstOf(call, ...CALL_IDS)?.text();
    return { kind: 'call', id, name: custom.get('name')?.text(), args, isFreeForm: true };
  }
  const fn = call.get('function');
  const inner = fn?.type === 'object' ? fn : call;
  const id = firstOf(call, ...CALL_IDS);
  const name =
    firstOf(inner, 'name', 'toolName', 'tool_name', 'function_name') ??
    (fn?.type === 'string' ? fn : undefined);
  const logged = firstOf(inner, ...ARGUMENTS);
  const pieces = firstOf(inner, 'partial_json');
  const args = isNothing(logged) && pieces?.type === 'string' ? pieces : logged;
  const isNull = args === undefined && ARGUMENTS.some((key) => inner.get(key) !== undefined);
  return {
    kind: 'call',
    id: id?.text(),
    name: name?.text(),
    args: isNull ? NO_ARGUMENTS : args && textOf(args),
  };
}

const ARGUMENTS = ['arguments', 'input', 'args'] as const;

/** A call of Gemini, which leaves out arguments that are empty. */
function callOfGemini(call: JsonView): CallBlock {
  const read = callOf(call);
  const isEmpty = read.args === undefined && call.others(GEMINI_CALL.names).length === 0;
  return isEmpty ? { ...read, args: NO_ARGUMENTS } : read;
}

/** A call in the first form, unless it is among these too: programs write the same one in both. */
export function oldCall(logged: JsonView | undefined, calls: readonly CallBlock[]): readonly CallBlock[] {
  if (logged?.type !== 'object') return [];
  const call = callOf(logged);
  const isSaid = calls.some((one) => one.name === call.name && plainArguments(one) === plainArguments(call));
  return isSaid || (calls.length > 0 && !call.name) ? [] : [call];
}

/** The arguments, of which an empty text means none; the order of members and the form of numbers and letters do not matter. */
function plainArguments({ args = NO_ARGUMENTS }: CallBlock): string {
  const logged = new JsonView(args);
  return JSON.stringify((unpacked(logged) ?? logged).parsed() || {}, (_key, value) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/** Whether the arguments are absent or empty. LangChain logs those of a streamed call beside an empty input. */
const isNothing = (args: JsonView | undefined): boolean =>
  args === undefined || args.isEmptyText || (args.type === 'object' && args.members().length === 0);

function resultOf(part: JsonView): ResultBlock {
  const id = firstOf(part, ...CALL_IDS);
  const name = firstOf(part, 'name', 'toolName');
  const content = firstOf(part, ...RESULT_KEYS);
  const isError = isFailed(part) || /^error-/.test(part.get('output')?.get('type')?.text() ?? '');
  return {
    kind: 'result',
    id: id?.text(),
    name: name?.text(),
    content: contentOfResult(part, content),
    isError,
  };
}

/** A result of Gemini, which may have images and files beside its response. */
function resultOfGemini(response: JsonView): ResultBlock {
  const result = resultOf(response);
  const media = response.get('parts')?.elements() ?? [];
  if (media.length === 0) return result;
  const { content } = result;
  const said = content[0] === QUOTE ? [partBytes({ text: content })] : elementsOf(content);
  return { ...result, content: arrayOf([...said, ...media.map((part) => mediaPart(part).object)]) };
}

/** The content of a result, by the rule of its API. */
function contentOfResult(part: JsonView, content: JsonView | undefined): Uint8Array {
  if (part.get('toolCallId') !== undefined && RESULT_KEYS.every((key) => part.get(key) === undefined))
    return UNREADABLE;
  return allowsAny(part) ? anyResult(content) : resultText(content);
}

const RESULT_KEYS = ['response', 'result', 'output', 'content'] as const;

/** May a result be any JSON? In OpenTelemetry, in Gemini's API and in the AI SDK, whose parts have a `toolCallId`. */
const allowsAny = (part: JsonView): boolean =>
  part.textOf('type') === undefined ||
  part.textOf('type') === 'tool_call_response' ||
  part.get('toolCallId') !== undefined;

/** Does a message or a part say that the tool failed? */
export const isFailed = (result: JsonView): boolean =>
  isTrue(firstOf(result, 'is_error', 'isError')) || result.get('status')?.text() === 'error';

/** A content that no message may have, so that its message is rejected. */
const UNREADABLE = encode('{}');

/** The content of a result that is a text or a list of parts; anything else is of no known form. */
export function resultText(content: JsonView | undefined): Uint8Array {
  if (content === undefined || content.type === 'null') return NO_TEXT;
  if (content.type === 'string') return content.bytes;
  const parts = content.elements();
  if (content.type !== 'array' || !parts.every(isTextOrPart)) return UNREADABLE;
  return parts.length === 0 ? NO_TEXT : resultContent(arrayOf(parts.map(resultPart)), () => {});
}

const isTextOrPart = (part: JsonView): boolean => part.type === 'string' || isTyped(part);

/** The content of a result that may be any JSON: a text, a list of parts of known types, or else its JSON text. */
function anyResult(content: JsonView | undefined): Uint8Array {
  if (content === undefined || content.type === 'null') return NO_TEXT;
  const value =
    content.type === 'object' && content.get('type') !== undefined ? content.get('value') : undefined;
  const kind = content.textOf('type') ?? '';
  const denial = kind === 'execution-denied' ? content.get('reason') : undefined;
  if (denial?.type === 'string') return denial.bytes; // the AI SDK sends providers only the reason
  if (value !== undefined && OF_TEXT.has(kind) && value.type !== 'string') return UNREADABLE;
  if (value !== undefined) return anyResult(value); // {type, value} of the AI SDK
  if (OF_VALUE.has(kind) && firstOf(content, 'text', 'content') === undefined) return UNREADABLE;
  const parts = content.elements();
  const areParts = parts.length > 0 && parts.every((part) => isTyped(part) && isKnownPart(resultPart(part)));
  return areParts ? resultText(content) : textBytes(content);
}

/** Types of results of the AI SDK whose value is a text, and those that have a value. */
const OF_TEXT: ReadonlySet<string> = new Set(['text', 'error-text']);
const OF_VALUE: ReadonlySet<string> = new Set([...OF_TEXT, 'json', 'error-json', 'content']);

const isTyped = (part: JsonView): boolean => part.get('type')?.type === 'string';

/** A part of a result as the chat completions API has it: OpenTelemetry has the words of a text as its content. */
function resultPart(part: JsonView): Uint8Array {
  const type = part.get('type')?.text() ?? '';
  const words = type === 'text' && part.get('text') === undefined ? part.get('content') : undefined;
  if (words?.type === 'string') return partBytes({ text: words.copy() });
  return (/^(?:media|image)/.test(type) ? imageOf(part) : undefined) ?? part.copy();
}

/** A mark of Converse's cache is nothing that was said. A part of Gemini may carry sealed reasoning. */
function untypedParts(part: JsonView): readonly MessageBlock[] {
  if (part.get('cachePoint') !== undefined) return [];
  const seal = firstOf(part, 'thoughtSignature', 'thought_signature');
  const isSealed = seal?.type === 'string' && seal.length > NO_TEXT.length;
  return [...(isSealed ? [sealedBlock(seal.copy())] : []), untypedPart(part)];
}

/** Reads a part of Gemini or of Bedrock's Converse API: it has no type, and its kind is the name of its member. */
function untypedPart(part: JsonView): MessageBlock {
  const text = firstOf(part, 'text', 'content');
  if (text?.type === 'string')
    return { kind: isTrue(part.get('thought')) ? 'thought' : 'text', text: text.bytes };
  const call = firstOf(part, 'functionCall', 'function_call');
  if (call?.type === 'object') return callOfGemini(call);
  const response = firstOf(part, 'functionResponse', 'function_response');
  if (response?.type === 'object') return resultOfGemini(response);
  return sdkPart(part) ?? conversePart(part) ?? mediaPart(part);
}

/** A call or a result of the AI SDK, which platforms log without its type. */
function sdkPart(part: JsonView): MessageBlock | undefined {
  if (part.get('toolCallId')?.type !== 'string' || part.get('toolName')?.type !== 'string') return undefined;
  if (firstOf(part, 'output', 'result') !== undefined) return resultOf(part);
  return firstOf(part, 'input', 'args') && callOf(part);
}

/** Types of a call that ran on the server, and of its result, which is in the same message. */
const SERVER_BLOCK = /^server_tool_use$|(?<!^tool)_result$/;

/** The value of a part of Converse as Strands traces it: its type is the name of the member. */
function converseValue(part: JsonView, type: string): JsonView | undefined {
  const value = /^(?:reasoningContent|cachePoint|image|document|video)$/.test(type) && part.get('content');
  return value && firstOf(value, 'reasoningText', 'redactedContent', 'source', 'type') ? value : undefined;
}

function conversePart(part: JsonView): MessageBlock | undefined {
  const [call, result] = [part.get('toolUse'), part.get('toolResult')];
  const ran = [call, result].find((one) => SERVER_BLOCK.test(one?.textOf('type') ?? ''));
  if (ran !== undefined)
    return isKnownPart(ran.copy()) ? keptPart(ran, ran.textOf('type') as string) : unknownPart(part);
  if (call?.type === 'object') return callOf(call);
  if (result?.type === 'object')
    return { ...resultOf(result), content: converseResult(result.get('content')) };
  const reasoning = part.get('reasoningContent');
  const sealed = reasoning?.get('redactedContent');
  if (sealed?.type === 'string') return sealedBlock(sealed.copy());
  const guarded = part.get('guardContent')?.get('text')?.get('text');
  if (guarded?.type === 'string') return { kind: 'text', text: guarded.bytes };
  const thought = reasoning?.get('reasoningText')?.get('text');
  return thought?.type === 'string' ? { kind: 'thought', text: thought.copy() } : undefined;
}

/** Joins texts and JSON values, which are parts beside images; a list with documents becomes its JSON text. */
function converseResult(content: JsonView | undefined): Uint8Array {
  const parts = content?.elements() ?? [];
  const values = parts.map((part) => firstOf(part, 'text', 'json'));
  if (parts.length > 0 && values.every((value) => value !== undefined))
    return joinStrings(values.map(textOf));
  const shown = parts.map((part, i) => {
    const value = values[i];
    return value === undefined ? converseImage(part.get('image')) : partBytes({ text: textOf(value) });
  });
  if (shown.every((part) => part !== undefined) && shown.length > 0) return arrayOf(shown);
  const areKnown = parts.every((part) => firstOf(part, ...CONVERSE_RESULT_PART.names) !== undefined);
  return content !== undefined && parts.length > 0 && areKnown ? textBytes(content) : resultText(content);
}

function mediaPart(part: JsonView): PartBlock {
  const data = firstOf(part, 'inlineData', 'inline_data');
  const image = data === undefined ? converseImage(part.get('image')) : imageData(data);
  if (image !== undefined) return { kind: 'part', object: image };
  const kind = KINDS_OF_PARTS.find((name) => part.get(name)?.type === 'object');
  return kind === undefined ? unknownPart(part) : { kind: 'part', object: part.copy(), kept: kind };
}

export const unknownPart = (part: JsonView): PartBlock => ({
  kind: 'part',
  object: part.copy(),
  kept: 'unknown',
  isUnknown: true,
});

/** Converts images of the Messages API; anything else stays as logged and is reported by its type. */
function keptPart(part: JsonView, type: string): MessageBlock {
  const block = readBlock(part.copy(), true);
  if (block.kind !== 'part' || !('object' in block.part))
    return { kind: 'part', object: part.copy(), kept: type };
  const { object } = block.part;
  return block.kept === undefined ? { kind: 'part', object } : { kind: 'part', object, kept: type };
}
