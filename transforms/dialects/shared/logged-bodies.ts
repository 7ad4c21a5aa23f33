/**
 * Reads requests and answers as observability platforms log them, in the format of whichever client made the call, and
 * adds them to a transcript.
 */

import type { JsonView } from '../../json/json-view.ts';
import { oneLine } from '../../json/one-line.ts';
import type { ToolDefinition } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { objectOf, type Piece } from './build-messages.ts';
import { firstOf, isCutJson, textOf, unpacked } from './logged-values.ts';
import { blocksOf, callOf, type MessageBlock } from './message-parts.ts';
import { FILTERED, OTHER_CHOICES, REPLY_CUT, RESPONSE_ERROR, warning } from './reading-notes.ts';
import { readItem } from './responses-items.ts';
import { defineTool } from './tool-definitions.ts';
import { isMasked, type Transcript } from './transcript.ts';

const NOT_MESSAGES = warning(
  'content-not-messages',
  'the log has a value that is not a message: it is kept as text',
);
const PLACEHOLDER = warning(
  'body-placeholder',
  'the request or the answer was masked or truncated by the logger',
);

/** Facts about a model call besides its messages. */
export interface LoggedCall {
  readonly hasReply: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly session: string | undefined;
  readonly meta: Meta;
}

export type CallFacts = Omit<LoggedCall, 'session'>;

/** Adds a request: a list of messages, an object that has one, or a text. */
export function addRequest(transcript: Transcript, logged: JsonView | undefined): void {
  const view = unpacked(logged);
  if (view === undefined) return;
  if (view.type === 'array') addList(transcript, view);
  else if (view.type === 'object') addObject(transcript, view);
  else addText(transcript, view);
}

function addText(transcript: Transcript, view: JsonView): void {
  transcript.addBlocks('user', [{ kind: 'text', text: textOf(view) }]);
  const text = view.text();
  if (text !== undefined && isCutJson(text)) transcript.note(PLACEHOLDER);
}

/** Adds a list of messages, a batch of such lists, or the parts of one user message. */
function addList(transcript: Transcript, list: JsonView): void {
  const elements = list.elements().flatMap((one) => unpacked(one) ?? []);
  const [first] = elements;
  if (first?.type === 'array') addList(transcript, first);
  else if (first?.type === 'object' && first.get('role') === undefined && isItem(first))
    addItems(transcript, elements);
  else if (elements.length > 0 && elements.every(isPart)) transcript.addBlocks('user', blocksOf(list));
  else for (const element of elements) if (!transcript.add(element)) addValue(transcript, element);
}

const isPart = (view: JsonView): boolean =>
  view.type === 'string' ||
  (view.get('role') === undefined && ['text', 'image_url', 'image'].includes(view.get('type')?.text() ?? ''));

const ITEMS: ReadonlySet<string> = new Set([
  'function_call',
  'function_call_output',
  'reasoning',
  'custom_tool_call',
]);
const isItem = (view: JsonView): boolean => ITEMS.has(view.get('type')?.text() ?? '');

function addObject(transcript: Transcript, request: JsonView): void {
  const inner = firstOf(request, 'messages', 'contents', 'input', 'prompt', 'prompts', 'history');
  if (inner === undefined) {
    const more = firstOf(request, 'body', 'request', 'kwargs', 'args');
    const message = transcript.add(request);
    if (message) return;
    if (more?.type === 'object') addObject(transcript, more);
    else addValue(transcript, request);
    return;
  }
  addSystem(transcript, firstOf(request, ...SYSTEMS) ?? firstOf(request.get('config'), ...SYSTEMS));
  if (inner.type === 'array' && inner.elements().some((one) => isItem(one)))
    addItems(transcript, inner.elements());
  else addRequest(transcript, inner);
}

const SYSTEMS = [
  'system',
  'instructions',
  'systemInstruction',
  'system_instruction',
  'system_prompt',
] as const;

/** Adds the system text: a text, parts, or an object with parts. */
export function addSystem(transcript: Transcript, logged: JsonView | undefined): void {
  const system = unpacked(logged);
  if (system === undefined || system.text() === '') return;
  const blocks = blocksOf(firstOf(system, 'parts', 'content') ?? system);
  if (blocks.length > 0) transcript.addBlocks('system', blocks);
}

/** Adds items of the Responses API. Consecutive items of the model form one message. */
function addItems(transcript: Transcript, items: readonly JsonView[]): void {
  let blocks: MessageBlock[] = [];
  const flush = (): void => {
    if (blocks.length > 0) transcript.addBlocks('assistant', blocks);
    blocks = [];
  };
  for (const item of items) {
    const type = item.get('type')?.text();
    const isMessage = type === undefined || type === 'message';
    if (isMessage && item.get('role')?.text() !== 'assistant') {
      flush();
      transcript.add(item);
    } else if (isMessage) blocks.push(...blocksOf(item.get('content')));
    else if (type.endsWith('_output')) {
      flush();
      transcript.addBlocks('user', blocksOf(item));
    } else if (type === 'function_call' || type === 'custom_tool_call') blocks.push(callItem(item));
    else blocks.push(...blocksOfItem(item));
  }
  flush();
}

function callItem(item: JsonView): MessageBlock {
  return { ...callOf(item), id: firstOf(item, 'call_id', 'id')?.text() };
}

function blocksOfItem(item: JsonView): readonly MessageBlock[] {
  const read = readItem(item);
  return read.kind === 'blocks'
    ? (read.blocks.filter((block) => block.kind !== 'call') as readonly MessageBlock[])
    : blocksOf(item);
}

/** Adds a value that is not a message, as its JSON text. */
function addValue(transcript: Transcript, value: JsonView, role = 'user'): void {
  transcript.addBlocks(role, [{ kind: 'text', text: textOf(value) }]);
  transcript.note(NOT_MESSAGES);
}

/**
 * Adds an answer: a message, a completion, a list of either, or a text.
 * @returns whether a message was added
 */
export function addAnswer(transcript: Transcript, logged: JsonView | undefined): boolean {
  const view = unpacked(logged);
  if (view === undefined) return false;
  const text = view.text();
  if (isMasked(text) || (text !== undefined && isCutJson(text))) {
    transcript.note(PLACEHOLDER);
    return false;
  }
  const before = transcript.messages.length;
  if (view.type === 'array') addAnswers(transcript, view);
  else if (view.type === 'object') addCompletion(transcript, view);
  else transcript.addBlocks('assistant', [{ kind: 'text', text: textOf(view) }]);
  return transcript.messages.length > before;
}

/** Adds the first of several answers; all of them if they are turns of one conversation. */
function addAnswers(transcript: Transcript, list: JsonView): void {
  const elements = list.elements().flatMap((one) => unpacked(one) ?? []);
  const [first, ...others] = elements;
  if (first?.type === 'array') addAnswers(transcript, first);
  else if (elements.every(isBlock)) {
    if (elements.some(isItem)) addItems(transcript, elements);
    else if (elements.length > 0) transcript.addBlocks('assistant', blocksOf(list));
  } else if (elements.some((one) => one.get('role')?.text() === 'tool'))
    for (const one of elements) addCompletion(transcript, one);
  else {
    addCompletion(transcript, first as JsonView);
    if (others.length > 0) transcript.note(OTHER_CHOICES);
  }
}

/** Whether an object has a type but is neither a message nor a choice. */
const isBlock = (one: JsonView): boolean =>
  one.get('type') !== undefined &&
  firstOf(one, 'role', 'message', 'kwargs', 'data') === undefined &&
  !isLangChain(one);

const isLangChain = (one: JsonView): boolean =>
  ['ai', 'AIMessageChunk', 'constructor', 'Generation', 'ChatGeneration'].includes(
    one.get('type')?.text() ?? '',
  );

function addCompletion(transcript: Transcript, answer: JsonView): void {
  const choices = firstOf(answer, 'choices', 'candidates', 'generations');
  const items = firstOf(answer, 'output')?.elements() ?? [];
  const messages = unpacked(firstOf(answer, 'messages'));
  if (messages?.type === 'array') addLast(transcript, messages.elements());
  else if (choices?.type === 'array') addAnswers(transcript, choices);
  else if (items.some((one) => isItem(one) || one.get('type')?.text() === 'message'))
    addItems(transcript, items);
  else {
    addReply(transcript, answer);
    const more = firstOf(answer, 'generation_info', 'response_metadata');
    const finish = firstOf(answer, 'finish_reason', 'finishReason', 'stop_reason');
    noteFinish(transcript, finish ?? firstOf(more, 'finish_reason', 'stop_reason'));
  }
}

/** Adds the answers at the end of a list that may also have the request. */
function addLast(transcript: Transcript, messages: readonly JsonView[]): void {
  const list = messages.flatMap((one) => unpacked(one) ?? []);
  const [first] = list;
  const turns = first?.type === 'array' ? first.elements() : list;
  const lastOther = turns.findLastIndex((one) => one.type === 'object' && !isOfModel(one));
  for (const one of turns.slice(lastOther + 1)) addCompletion(transcript, one);
}

function isOfModel(message: JsonView): boolean {
  const name = message.get('kwargs') && message.get('id')?.elements().at(-1)?.text();
  const role = name ?? (message.get('role') ?? message.get('type'))?.text() ?? '';
  return /^(?:assistant|model|ai|AIMessage(?:Chunk)?)$/.test(role);
}

/** Adds a message, or the text and calls of an object that is not one. */
function addReply(transcript: Transcript, answer: JsonView): void {
  const inner = firstOf(answer, 'message', 'content');
  const message = inner?.type === 'object' ? inner : answer;
  const calls = firstOf(answer, 'toolCalls', 'tool_calls');
  const text = firstOf(answer, ...TEXTS);
  if (inner === undefined && firstOf(answer, 'error') !== undefined) transcript.note(RESPONSE_ERROR);
  else if (MESSAGE_MEMBERS.some((key) => firstOf(message, key) !== undefined))
    transcript.add(message, 'assistant');
  else if (text?.type === 'string' || calls !== undefined)
    transcript.addBlocks('assistant', [
      ...blocksOf(text?.type === 'string' ? text : undefined),
      ...(calls?.elements() ?? []).map(callOf),
    ]);
  else if (text?.type === 'object') addCompletion(transcript, text);
  else addValue(transcript, answer, 'assistant');
}

/** Members with the text of an answer that is not a message. */
const TEXTS = [
  ...['text', 'completion', 'output_text', 'output', 'response', 'message', 'combined_chunk_content'],
];

/** Members that only messages have. */
const MESSAGE_MEMBERS = ['role', 'content', 'parts', 'kwargs', 'data', 'tool_calls', 'function_call'];

/** Reports an answer that was cut by the limit of tokens or by a content filter. */
export function noteFinish(transcript: Transcript, reason: JsonView | undefined): void {
  const finish = reason?.text()?.toLowerCase();
  if (finish === 'length' || finish === 'max_tokens' || finish === 'model_length') transcript.note(REPLY_CUT);
  if (finish === 'content_filter' || finish === 'content-filter' || finish === 'safety')
    transcript.note(FILTERED);
}

/** The definitions in the first of these values that has any: a list, JSON in a string, or an object by name. */
export function toolsIn(...places: readonly (JsonView | undefined)[]): readonly ToolDefinition[] {
  for (const place of places) {
    const list = unpacked(place);
    const elements = list?.type === 'object' ? list.members().map(([, value]) => value) : list?.elements();
    const tools = elements?.flatMap((one) => definitionsIn(unpacked(one) as JsonView)) ?? [];
    if (tools.length > 0) return tools;
  }
  return [];
}

/** The definitions in an element: one, or several in a declaration of Gemini. */
function definitionsIn(tool: JsonView | undefined): readonly ToolDefinition[] {
  if (tool?.type !== 'object') return [];
  const declared = firstOf(tool, 'functionDeclarations', 'function_declarations');
  if (declared?.type === 'array') return declared.elements().flatMap(definitionsIn);
  const spec = tool.get('toolSpec');
  if (spec?.type === 'object') return [toolOfConverse(spec)];
  const inner = tool.get('function');
  if (inner?.type === 'object') return [defineTool(oneLine(inner.copy()))];
  const isFunction = tool.get('type')?.text() === 'function';
  if (!isFunction) return [defineTool(tool.copy())];
  const pieces = tool
    .members()
    .flatMap(([key, value]): Piece[] => (key === 'type' ? [] : [[key, value.copy()]]));
  return [defineTool(objectOf(pieces))];
}

/** Converts a definition of Bedrock's Converse API, whose schema is in `inputSchema.json`. */
function toolOfConverse(spec: JsonView): ToolDefinition {
  const pieces = spec.members().flatMap(([key, value]): Piece[] => {
    const schema = key === 'inputSchema' ? value.get('json') : undefined;
    return [schema === undefined ? [key, value.copy()] : ['parameters', schema.copy()]];
  });
  return defineTool(objectOf(pieces));
}
