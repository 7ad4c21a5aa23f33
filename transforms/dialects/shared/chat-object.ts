/**
 * Converts messages of the chat completions API, as agents log them with extra members, to the pieces that a fold
 * takes: the model's output becomes blocks, a result keeps the id of its call, everything else becomes a message.
 */

import { BACKSLASH } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import { signaturesIn } from '../../model/thought-signatures.ts';
import type { ReadContext } from '../dialect-spec.ts';
import { blockOfPart, callBlock, type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import type { FoldPlace } from '../fold/fold.ts';
import type { ItemFacts } from '../fold/thread.ts';
import { readBlock, readBlockOf, resultContent } from './anthropic-blocks.ts';
import { readMessage } from './anthropic-message.ts';
import { makeMessage, type Piece, toolMessage, typedObject } from './build-messages.ts';
import { CHAT_PARTS, contentOfParts, imagePart, type Part } from './content-parts.ts';
import { blocksOfContent, withoutForeignParts } from './foreign-parts.ts';
import { jsonIn, present, structured } from './logged-values.ts';
import { type CallBlock, callOf, oldCall } from './message-parts.ts';
import { FREE_FORM, keptBlock, noted } from './reading-notes.ts';
import { maySay } from './unreadable.ts';

/** A logged message as a fold takes it: with `amend`, `answer` or `add`. */
export type ChatObject =
  | { readonly kind: 'answer'; readonly blocks: readonly FoldBlock[]; readonly notes: readonly ReadingNote[] }
  | { readonly kind: 'result'; readonly callId: string | undefined; readonly message: Message }
  | { readonly kind: 'message'; readonly message: Message };

const RESULT_ROLES: ReadonlySet<string> = new Set(['tool', 'function']);

/** Undefined if the object has no role, or its content is neither a text nor a list, or is under a name that is not read. */
export function readChatObject(json: JsonView): ChatObject | undefined {
  const role = json.get('role')?.text();
  const content = contentIn(json);
  if (!role || (present(content) && content.type !== 'string' && content.type !== 'array')) return undefined;
  if (role === 'assistant') return readAnswer(json, content);
  if (saysNothing(content) && json.get('tool_calls') === undefined && maySay(json)) return undefined;
  if (RESULT_ROLES.has(role)) return { kind: 'result', ...readToolMessage(json, content) };
  const { parts, notes } = partsOf(content);
  return { kind: 'message', message: noted(makeMessage(role, [['content', contentOfParts(parts)]]), notes) };
}

/** Begins a content that Hermes stores as a text of JSON. */
const AS_JSON = '\0json:';

function contentIn(message: JsonView): JsonView | undefined {
  const content = message.get('content');
  const text = content?.type === 'string' && content.bytes[1] === BACKSLASH ? content.text() : undefined;
  return text?.startsWith(AS_JSON) === true ? (jsonIn(text.slice(AS_JSON.length)) ?? content) : content;
}

/** Whether a content is absent or empty. */
const saysNothing = (content: JsonView | undefined): boolean => !present(content) || content.length <= 2;

/**
 * Adds a message to the current thread of the fold.
 * @param name for the message, if it is an answer
 */
export function foldChatObject(
  { fold }: ReadContext,
  object: ChatObject,
  name: string,
  facts: ItemFacts = {},
): FoldPlace {
  if (object.kind === 'answer') {
    const notes = [...object.notes, ...(facts.notes ?? [])];
    return fold.amend(name, object.blocks, 'add', { ...facts, notes });
  }
  if (object.kind === 'result') return fold.answer(object.callId, object.message, facts);
  const { message } = object;
  return fold.add(message, { isTurn: message.role === 'user', ...facts });
}

function readAnswer(json: JsonView, content: JsonView | undefined): ChatObject | undefined {
  const { blocks, notes } = contentBlocks(content);
  const refusal = json.get('refusal');
  if (refusal?.type === 'string')
    blocks.push({ kind: 'part', object: typedObject('refusal', ['refusal', refusal.copy()]) });
  const logged = json.get('tool_calls')?.elements() ?? [];
  const all = logged.some((call) => callOf(call).isFreeForm === true) ? [...notes, FREE_FORM] : notes;
  const sealed = signaturesIn(json.bytes).map(sealedBlock);
  const calls = callsOf(json);
  const said = blocks.filter((block) => block.kind !== 'call' || !calls.some(isCallOf(block.id)));
  const read = [...thoughtsOf(json), ...sealed, ...said, ...calls];
  const isRead = read.length > (content?.type === 'string' ? 1 : 0) || !saysNothing(content);
  return isRead || !maySay(json) ? { kind: 'answer', blocks: read, notes: all } : undefined;
}

/** Clients of LangChain log each call twice: as a block of the content, and beside it. */
const isCallOf =
  (id: string | undefined) =>
  (block: FoldBlock): boolean =>
    block.kind === 'call' && id !== undefined && block.id === id;

/** The blocks of an answer's content: texts and parts; in the format of the Messages API also calls and thoughts. */
function contentBlocks(content: JsonView | undefined): {
  blocks: FoldBlock[];
  notes: readonly ReadingNote[];
} {
  const notes: ReadingNote[] = [];
  const list = content?.type === 'array' ? blocksOfContent(content, true).elements() : [];
  const blocks = list.flatMap((part): readonly FoldBlock[] => {
    const block = readBlockOf(part);
    if (block.kind === 'call') return [block];
    if (block.kind === 'thought') return block.text.length > NO_TEXT.length ? [block] : [];
    const isThought = block.kind === 'sealed' || part.get('think')?.type === 'string';
    return isThought ? thoughtOf(part, true) : partsIn(part, notes).map(blockOfPart);
  });
  return content?.type === 'string'
    ? { blocks: [{ kind: 'text', text: content.copy() }], notes }
    : { blocks, notes };
}

/**
 * Adds a message of the Messages API, or of the AI SDK, that has results: each result goes to its call, and the rest
 * becomes a message.
 * @returns false for any other message, which is not added
 */
export function foldResultBlocks({ fold }: ReadContext, json: JsonView): boolean {
  const content = OF_RESULTS.has(json.textOf('role')) ? json.get('content') : undefined;
  const hasResult =
    content?.type === 'array' && blocksOfContent(content, false).elements().some(isResultBlock);
  if (!hasResult) return false;
  for (const message of readMessage(withoutForeignParts(json.copy())) ?? []) {
    if (message.role === 'tool') fold.answer(stringValue(message.bytes, 'tool_call_id'), message);
    else fold.add(message, { isTurn: false });
  }
  return true;
}

/** Results of the AI SDK are in messages of the role `tool`. */
const OF_RESULTS: ReadonlySet<string | undefined> = new Set(['user', 'tool']);

/** Whether a block is a result of the Messages API; other clients have the same type without `tool_use_id`. */
export const isResultBlock = (block: JsonView): boolean =>
  block.get('type')?.text() === 'tool_result' && block.get('tool_use_id')?.type === 'string';

export interface Parts {
  readonly parts: readonly Part[];
  readonly notes: readonly ReadingNote[];
}

/** @param content a text or a list of parts */
export function partsOf(content: JsonView | undefined): Parts {
  if (content?.type === 'string') return { parts: [{ text: content.copy() }], notes: [] };
  const notes: ReadingNote[] = [];
  const list = content === undefined ? [] : blocksOfContent(content, false).elements();
  const parts = list.flatMap((part) => partsIn(part, notes));
  return { parts, notes };
}

/** Converts one element of a content, which may hold several images. */
function partsIn(part: JsonView, notes: ReadingNote[]): readonly Part[] {
  const urls = part.get('image_urls');
  if (urls?.type === 'array') return urls.elements().map((url) => ({ object: imagePart(url.copy()) }));
  const block = readBlock(part.copy(), true);
  const kept = block.kind === 'part' ? block.kept : part.get('type')?.text();
  if (kept !== undefined && !CHAT_PARTS.has(kept)) notes.push(keptBlock(kept));
  return [block.kind === 'part' ? block.part : { object: part.copy() }];
}

const PLAIN_THOUGHTS = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text', 'tool_plan'] as const;

/** The reasoning in an answer as LangChain logs it. */
const ofLangChain = (json: JsonView): JsonView | undefined =>
  json.get('additional_kwargs')?.get('reasoning_content');

/** The reasoning of an answer, logged as a text, as blocks of the Messages API, or as both. */
export function thoughtsOf(json: JsonView): readonly FoldBlock[] {
  const plain = PLAIN_THOUGHTS.map((key) => json.get(key));
  const text = [...plain, ofLangChain(json)].find((view) => view?.type === 'string' && !view.isEmptyText);
  const blocks = structured(json.get('thinking_blocks'))?.elements() ?? [];
  const thoughts = blocks.flatMap((block) => thoughtOf(block, text === undefined));
  const isOnly = text === undefined && !thoughts.some(({ kind }) => kind === 'thought');
  const all = [...thoughts, ...detailsOf(json.get('reasoning_details'), isOnly)];
  return text === undefined ? all : [{ kind: 'thought', text: text.copy() }, ...all];
}

/** The details that OpenRouter gives. @param isOnly whether the reasoning has no text besides them */
export const detailsOf = (details: JsonView | undefined, isOnly: boolean): readonly FoldBlock[] =>
  (structured(details)?.elements() ?? []).flatMap((detail) => detailOf(detail, isOnly));

function detailOf(detail: JsonView, isOnly: boolean): readonly FoldBlock[] {
  const text = detail.get('text') ?? detail.get('summary');
  if (text?.type === 'string' && !text.isEmptyText)
    return isOnly ? [{ kind: 'thought', text: text.copy() }] : [];
  const data = detail.get('data');
  return data?.type === 'string' ? [sealedBlock(data.copy())] : [];
}

/** @param isOnly whether the blocks are the only place of the reasoning; otherwise their texts repeat it */
function thoughtOf(block: JsonView, isOnly: boolean): readonly FoldBlock[] {
  const thinking = block.get('thinking') ?? block.get('think');
  if (thinking?.type === 'string' && !thinking.isEmptyText)
    return isOnly ? [{ kind: 'thought', text: thinking.copy() }] : [];
  const data = block.get('data') ?? block.get('signature');
  return data?.type === 'string' ? [sealedBlock(data.copy())] : [];
}

/** The calls of a message: those in `tool_calls`, with or without a `function` object, or the old `function_call`. */
function callsOf(json: JsonView): readonly FoldBlock[] {
  const calls = (structured(json.get('tool_calls'))?.elements() ?? []).map(callOf);
  return [...calls, ...oldCall(json.get('function_call'), calls)].map(blockOfCall);
}

/** Converts a call of any client. */
export const readCall = (call: JsonView): FoldBlock => blockOfCall(callOf(call));

const blockOfCall = ({ id, name, args }: CallBlock): FoldBlock => callBlock(id || undefined, name, args);

function readToolMessage(
  json: JsonView,
  content: JsonView | undefined,
): { readonly callId: string | undefined; readonly message: Message } {
  const [first] = json.get('tool_call_ids')?.elements() ?? [];
  const callId = (json.get('tool_call_id') ?? first ?? json.get('id'))?.text() || undefined;
  return { callId, message: resultMessage(callId, content, json.get('name')) };
}

/** Builds the result of a call. @param content a text or a list of parts */
export function resultMessage(
  callId: string | undefined,
  content: JsonView | undefined,
  name?: JsonView,
): Message {
  const notes: ReadingNote[] = [];
  const text = resultContent(content?.copy(), (note) => notes.push(note));
  const named: readonly Piece[] = name?.type === 'string' ? [['name', name.copy()]] : [];
  return noted(toolMessage(callId, text, named), notes);
}
