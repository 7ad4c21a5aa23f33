/**
 * Converts parts of messages from many clients (OpenAI, Anthropic, Gemini, OpenTelemetry, LangChain, the AI SDK) to
 * blocks of one form.
 */

import type { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import { sealedBlock } from '../fold/assistant-draft.ts';
import { readBlock, resultContent } from './anthropic-blocks.ts';
import { joinStrings } from './build-messages.ts';
import { dataUrl, imagePart } from './content-parts.ts';
import { firstOf, isTrue, textBytes, textOf } from './logged-values.ts';

/**
 * One piece of a message. Bytes are JSON text; texts and arguments are JSON strings. They may be bytes of the line, so
 * that a giant text is not copied: build the message before the next line is read.
 */
export type MessageBlock =
  | { readonly kind: 'text' | 'thought'; readonly text: Uint8Array }
  | { readonly kind: 'sealed'; readonly detail: Uint8Array }
  | { readonly kind: 'part'; readonly object: Uint8Array; readonly kept?: string }
  | CallBlock
  | ResultBlock;

export interface CallBlock {
  readonly kind: 'call';
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly args: Uint8Array | undefined;
}

export interface ResultBlock {
  readonly kind: 'result';
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly content: Uint8Array;
}

const EMPTY = encode('""');

/** The parts of a content: a text, a list, or a single part. */
export function blocksOf(content: JsonView | undefined): readonly MessageBlock[] {
  if (content === undefined || content.type === 'null') return [];
  if (content.type === 'array') return content.elements().flatMap(blocksOfPart);
  return blocksOfPart(content);
}

function blocksOfPart(part: JsonView): readonly MessageBlock[] {
  if (part.type === 'string') return [{ kind: 'text', text: part.bytes }];
  if (part.type !== 'object') return [{ kind: 'text', text: inString(part.bytes) }];
  const type = part.get('type')?.text()?.replaceAll('-', '_');
  if (type === undefined) return [untypedPart(part)];
  const text = TEXTS.has(type) ? firstOf(part, 'text', 'content') : undefined;
  const isPlain = (firstOf(part, 'citations')?.elements().length ?? 0) === 0;
  if (text?.type === 'string' && isPlain) return [{ kind: 'text', text: text.bytes }];
  if (THOUGHTS.has(type)) return [thoughtOf(part)];
  if (CALLS.has(type)) return [callOf(part)];
  if (RESULTS.has(type)) return [resultOf(part)];
  if (AS_LOGGED.has(type)) return [{ kind: 'part', object: part.copy() }];
  return [imageOf(part) ?? keptPart(part, type)];
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text']);
const THOUGHTS: ReadonlySet<string> = new Set(['reasoning', 'thinking', 'redacted_thinking']);
const CALLS: ReadonlySet<string> = new Set(['tool_call', 'tool_use', 'function', 'function_call']);
const RESULTS: ReadonlySet<string> = new Set(['tool_call_response', 'tool_result', 'function_call_output']);
const AS_LOGGED: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'file', 'refusal']);

const ADDRESS = /^(?:data:image\/|https?:\/\/)/;

function thoughtOf(part: JsonView): MessageBlock {
  const text = firstOf(part, 'content', 'text', 'thinking', 'reasoning');
  const isSealed = isTrue(part.get('redacted'));
  if (text?.type === 'string' && text.text() !== '' && !isSealed)
    return { kind: 'thought', text: text.bytes };
  const data = firstOf(part, 'data', 'signature', 'encrypted_content') ?? text;
  if (data?.type !== 'string') return { kind: 'thought', text: EMPTY };
  return sealedBlock(data.copy());
}

/** Reads a call in any of the known formats. */
export function callOf(call: JsonView): CallBlock {
  const fn = call.get('function');
  const inner = fn?.type === 'object' ? fn : call;
  const id = firstOf(call, 'id', 'call_id', 'tool_call_id', 'toolCallId', 'tool_use_id', 'toolUseId');
  const name =
    firstOf(inner, 'name', 'toolName', 'tool_name', 'function_name') ??
    (fn?.type === 'string' ? fn : undefined);
  const logged = firstOf(inner, 'arguments', 'input', 'args');
  const pieces = firstOf(inner, 'partial_json');
  const args = isNothing(logged) && pieces?.type === 'string' ? pieces : logged;
  return { kind: 'call', id: id?.text(), name: name?.text(), args: args && textOf(args) };
}

/** Whether the arguments are absent or empty. LangChain logs those of a streamed call beside an empty input. */
const isNothing = (args: JsonView | undefined): boolean =>
  args === undefined || args.text() === '' || (args.type === 'object' && args.members().length === 0);

function resultOf(part: JsonView): ResultBlock {
  const id = firstOf(part, 'id', 'tool_use_id', 'toolCallId', 'tool_call_id', 'call_id', 'toolUseId');
  const name = firstOf(part, 'name', 'toolName');
  const content = firstOf(part, 'response', 'result', 'output', 'content');
  return { kind: 'result', id: id?.text(), name: name?.text(), content: resultText(content) };
}

/** The content of a result: a text, a list of typed parts, or the JSON text of anything else. */
export function resultText(content: JsonView | undefined): Uint8Array {
  if (content === undefined || content.type === 'null') return EMPTY;
  const value =
    content.type === 'object' && content.get('type') !== undefined ? content.get('value') : undefined;
  if (value !== undefined) return resultText(value); // {type, value} of the AI SDK
  const parts = content.elements();
  const areParts = parts.length > 0 && parts.every((part) => part.get('type')?.type === 'string');
  return areParts ? resultContent(content.copy(), () => {}) : textBytes(content);
}

/** Reads a part of Gemini or of Bedrock's Converse API: it has no type, and its kind is the name of its member. */
function untypedPart(part: JsonView): MessageBlock {
  const text = firstOf(part, 'text', 'content');
  if (text?.type === 'string')
    return { kind: isTrue(part.get('thought')) ? 'thought' : 'text', text: text.bytes };
  const call = firstOf(part, 'functionCall', 'function_call');
  if (call?.type === 'object') return callOf(call);
  const response = firstOf(part, 'functionResponse', 'function_response');
  if (response?.type === 'object') return resultOf(response);
  return conversePart(part) ?? mediaPart(part);
}

function conversePart(part: JsonView): MessageBlock | undefined {
  const [call, result] = [part.get('toolUse'), part.get('toolResult')];
  if (call?.type === 'object') return callOf(call);
  if (result?.type === 'object')
    return { ...resultOf(result), content: converseResult(result.get('content')) };
  const thought = part.get('reasoningContent')?.get('reasoningText')?.get('text');
  return thought?.type === 'string' ? { kind: 'thought', text: thought.copy() } : undefined;
}

/** Joins texts and JSON values; a list with anything else becomes its JSON text. */
function converseResult(content: JsonView | undefined): Uint8Array {
  const parts = content?.elements().map((part) => firstOf(part, 'text', 'json')) ?? [];
  const areKnown = parts.every((part): part is JsonView => part !== undefined);
  return parts.length > 0 && areKnown ? joinStrings(parts.map(textOf)) : resultText(content);
}

function mediaPart(part: JsonView): MessageBlock {
  const data = firstOf(part, 'inlineData', 'inline_data');
  return (data && imageData(data)) ?? keptPart(part, 'unknown');
}

/** Reads an image of Inspect or the AI SDK (a URL), or of OpenTelemetry; undefined for anything else. */
function imageOf(part: JsonView): MessageBlock | undefined {
  const address = part.get('image');
  if (ADDRESS.test(address?.text() ?? '')) return imageBlock((address as JsonView).copy());
  const media = firstOf(part, 'mediaType', 'mimeType');
  if (address?.type === 'string' && media?.text()?.startsWith('image/') === true)
    return imageBlock(dataUrl(media.bytes, address.bytes));
  if (part.get('modality')?.text() !== 'image') return undefined;
  const uri = part.get('uri');
  return uri?.type === 'string' ? imageBlock(uri.copy()) : imageData(part);
}

function imageData(part: JsonView): MessageBlock | undefined {
  const media = firstOf(part, 'mime_type', 'mimeType');
  const data = firstOf(part, 'data', 'content');
  if (media?.text()?.startsWith('image/') !== true || data?.type !== 'string') return undefined;
  return imageBlock(dataUrl(media.bytes, data.bytes));
}

/** @param url a JSON string */
const imageBlock = (url: Uint8Array): MessageBlock => ({ kind: 'part', object: imagePart(url) });

/** Converts images of the Messages API; anything else stays as logged and is reported by its type. */
function keptPart(part: JsonView, type: string): MessageBlock {
  const block = readBlock(part.copy(), true);
  if (block.kind !== 'part' || !('object' in block.part))
    return { kind: 'part', object: part.copy(), kept: type };
  const { object } = block.part;
  return block.kept === undefined ? { kind: 'part', object } : { kind: 'part', object, kept: type };
}
