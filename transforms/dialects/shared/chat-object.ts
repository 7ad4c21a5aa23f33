/**
 * Converts messages of the chat completions API, as agents log them with extra members, for a fold: the model's output
 * to blocks, results with the id of their call, everything else to messages.
 */

import type { JsonView } from '../../json/json-view.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import type { ReadContext } from '../dialect-spec.ts';
import { blockOfPart, type FoldBlock, sealedBlock } from '../fold/draft.ts';
import type { FoldPlace } from '../fold/fold.ts';
import type { ItemFacts } from '../fold/thread.ts';
import { readBlock, readBlockOf, resultContent } from './anthropic-blocks.ts';
import { readMessage } from './anthropic-message.ts';
import { callJson, makeMessage, objectOf, type Piece, toolMessage } from './build-messages.ts';
import { contentOfParts, imagePart, type Part } from './content-parts.ts';
import { present } from './logged-values.ts';
import { callOf } from './message-parts.ts';
import { keptBlock, noted } from './reading-notes.ts';

/** A message for a fold: an answer grows there, a result goes to its call. */
export type ChatObject =
  | { readonly kind: 'answer'; readonly blocks: readonly FoldBlock[]; readonly notes: readonly ReadingNote[] }
  | { readonly kind: 'result'; readonly callId: string | undefined; readonly message: Message }
  | { readonly kind: 'message'; readonly message: Message };

/** Parts of the chat completions API that are not text. */
const PARTS: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'file', 'refusal']);
const RESULT_ROLES: ReadonlySet<string> = new Set(['tool', 'function']);

/** Undefined for an object without a role, or whose content is neither text nor a list. */
export function readChatObject(json: JsonView): ChatObject | undefined {
  const role = json.get('role')?.text();
  const content = json.get('content');
  if (!role || (present(content) && content.type !== 'string' && content.type !== 'array')) return undefined;
  if (role === 'assistant') return readAnswer(json, content);
  if (RESULT_ROLES.has(role)) return { kind: 'result', ...readToolMessage(json, content) };
  const { parts, notes } = partsOf(content);
  return { kind: 'message', message: noted(makeMessage(role, [['content', contentOfParts(parts)]]), notes) };
}

/**
 * Adds a message to the current thread.
 * @param name of the assistant message, if it is one
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

function readAnswer(json: JsonView, content: JsonView | undefined): ChatObject {
  const { blocks, notes } = contentBlocks(content);
  const refusal = json.get('refusal');
  if (refusal?.type === 'string') {
    const object = objectOf([
      ['type', '"refusal"'],
      ['refusal', refusal.copy()],
    ]);
    blocks.push({ kind: 'part', object });
  }
  return { kind: 'answer', blocks: [...thoughtsOf(json), ...blocks, ...callsOf(json)], notes };
}

/** The blocks of an answer's content: texts and parts, and where it is in the words of the Messages API its calls and thoughts. */
function contentBlocks(content: JsonView | undefined): {
  blocks: FoldBlock[];
  notes: readonly ReadingNote[];
} {
  const notes: ReadingNote[] = [];
  const list = content?.type === 'array' ? content.elements() : [];
  const blocks = list.flatMap((part): readonly FoldBlock[] => {
    const block = readBlockOf(part);
    if (block.kind === 'call') return [{ kind: 'call', id: stringValue(block.json, 'id'), json: block.json }];
    const isThought =
      block.kind === 'thought' || block.kind === 'sealed' || part.get('think')?.type === 'string';
    return isThought ? thoughtOf(part, true) : partsIn(part, notes).map(blockOfPart);
  });
  return content?.type === 'string'
    ? { blocks: [{ kind: 'text', text: content.copy() }], notes }
    : { blocks, notes };
}

/**
 * Puts a user's message of the Messages API whose content has results into the present thread: each goes to its call, what is left is a
 * message.
 * @returns is it such a message? Nothing is done with any other
 */
export function foldResultBlocks({ fold }: ReadContext, json: JsonView): boolean {
  const content = json.get('role')?.text() === 'user' ? json.get('content') : undefined;
  const hasResult = content?.type === 'array' && content.elements().some(isResultBlock);
  if (!hasResult) return false;
  for (const message of readMessage(json.copy()) ?? []) {
    if (message.role === 'tool') fold.answer(stringValue(message.bytes, 'tool_call_id'), message);
    else fold.add(message, { isTurn: false });
  }
  return true;
}

/** Other clients have blocks of this name too, which do not say what they answer in the words of this API. */
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
  const parts = (content?.elements() ?? []).flatMap((part) => partsIn(part, notes));
  return { parts, notes };
}

/** The parts that one element of a content is: several images may lie in it. */
function partsIn(part: JsonView, notes: ReadingNote[]): readonly Part[] {
  const urls = part.get('image_urls');
  if (urls?.type === 'array') return urls.elements().map((url) => ({ object: imagePart(url.copy()) }));
  const block = readBlock(part.copy(), true);
  const kept = block.kind === 'part' ? block.kept : part.get('type')?.text();
  if (kept !== undefined && !PARTS.has(kept)) notes.push(keptBlock(kept));
  return [block.kind === 'part' ? block.part : { object: part.copy() }];
}

/** Reasoning as text, or as the blocks of the API that it comes from. */
export function thoughtsOf(json: JsonView): readonly FoldBlock[] {
  const plain = ['reasoning_content', 'reasoning'].map((key) => json.get(key));
  const text = plain.find((view) => view?.type === 'string' && view.text() !== '');
  const blocks = json.get('thinking_blocks')?.elements() ?? [];
  const thoughts = blocks.flatMap((block) => thoughtOf(block, text === undefined));
  return text === undefined ? thoughts : [{ kind: 'thought', text: text.copy() }, ...thoughts];
}

/** @param isOnly whether the reasoning has no text besides the blocks */
function thoughtOf(block: JsonView, isOnly: boolean): readonly FoldBlock[] {
  const thinking = block.get('thinking') ?? block.get('think');
  if (thinking?.type === 'string' && thinking.text() !== '')
    return isOnly ? [{ kind: 'thought', text: thinking.copy() }] : [];
  const data = block.get('data') ?? block.get('signature');
  return data?.type === 'string' ? [sealedBlock(data.copy())] : [];
}

/** The calls of a message: those of the API, also without a `function` object, and the old `function_call`. */
function callsOf(json: JsonView): readonly FoldBlock[] {
  const calls = (json.get('tool_calls')?.elements() ?? []).map((call) => readCall(call));
  const old = json.get('function_call');
  if (calls.length > 0 || old?.type !== 'object') return calls;
  const { name, args } = callOf(old);
  return [{ kind: 'call', id: undefined, json: callJson(undefined, name, args) }];
}

/** A call of any client, for a fold. */
export function readCall(call: JsonView): FoldBlock {
  const { id: logged, name, args } = callOf(call);
  const id = logged || undefined;
  return { kind: 'call', id, json: callJson(id, name, args) };
}

function readToolMessage(
  json: JsonView,
  content: JsonView | undefined,
): { readonly callId: string | undefined; readonly message: Message } {
  const [first] = json.get('tool_call_ids')?.elements() ?? [];
  const callId = (json.get('tool_call_id') ?? first ?? json.get('id'))?.text() || undefined;
  return { callId, message: resultMessage(callId, content, json.get('name')) };
}

/** The result of a call. @param content a text or a list of parts */
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
