/** Reads items of the Responses API: messages of users and models, calls, results, reasoning. */

import { BACKSLASH, OPEN_OBJECT } from '../json/bytes.ts';
import type { JsonView } from '../json/json-view.ts';
import { inString } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import type { Message, ReadingNote } from '../model/element.ts';
import { contentOfParts, imageObject, listOfParts, type Part } from './content-parts.ts';
import { blockOfPart, type FoldBlock, sealedBlock } from './fold/draft.ts';
import { callJson, makeMessage, objectOf, type Piece } from './made-messages.ts';
import { keptBlock, noted, SUMMARY, warning } from './reading-notes.ts';

/** Kind of one item. */
export type ResponseItem =
  | { readonly kind: 'message'; readonly message: Message; readonly text: string | undefined }
  | { readonly kind: 'blocks'; readonly blocks: readonly FoldBlock[]; readonly notes: readonly ReadingNote[] }
  | ResponseResult
  /** Encrypted context that replaces earlier messages. */
  | { readonly kind: 'sealed-context' }
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'bad'; readonly detail: string };

export interface ResponseResult {
  readonly kind: 'result';
  readonly callId: string | undefined;
  readonly message: Message;
  readonly changes: readonly string[];
  readonly notes: readonly ReadingNote[];
}

const EMPTY = encode('""');
const SPACE = 0x20;
const NOT_ASCII = 0x80;
const SERVER_CALL = /_call$/;

const FREE_FORM = warning(
  'free-form-call',
  'the call has a text in place of arguments: it becomes the argument input',
);
const serverTool = (type: string): ReadingNote =>
  warning('server-tool', `a ${type} ran on the server: it stays as a part`);

/** Reads an item; one without a type is a message. */
export function readItem(item: JsonView): ResponseItem {
  if (item.type !== 'object') return { kind: 'bad', detail: 'an item is not an object' };
  const type = item.textOf('type') ?? 'message';
  if (type === 'message') return readMessage(item);
  if (type === 'reasoning') return readReasoning(item);
  if (type === 'function_call') return blocks(callOf(item, item.get('name'), item.get('arguments')?.copy()));
  if (type === 'custom_tool_call') return readCustomCall(item);
  if (type === 'local_shell_call') return readShellCall(item);
  if (type.endsWith('_call_output')) return readResult(item);
  if (type === 'compaction' || type === 'compaction_summary') return { kind: 'sealed-context' };
  if (SERVER_CALL.test(type)) return blocks({ kind: 'part', object: item.copy() }, [serverTool(type)]);
  return { kind: 'unknown', type };
}

function blocks(block: FoldBlock, notes: readonly ReadingNote[] = []): ResponseItem {
  return { kind: 'blocks', blocks: [block], notes };
}

function readMessage(item: JsonView): ResponseItem {
  const role = item.textOf('role');
  if (role === undefined) return { kind: 'bad', detail: 'an item has no role' };
  const { parts, notes, text } = partsOf(item.get('content'), role !== 'assistant');
  if (role === 'assistant') {
    return { kind: 'blocks', blocks: parts.map(blockOfPart), notes };
  }
  const message = noted(makeMessage(role, [['content', contentOfParts(parts)]]), notes);
  return { kind: 'message', message, text };
}

interface Parts {
  readonly parts: readonly Part[];
  readonly notes: readonly ReadingNote[];
  /** All texts; undefined if there is anything else, or they were not requested. */
  readonly text: string | undefined;
}

/** @param wantsText whether to decode the texts */
function partsOf(content: JsonView | undefined, wantsText = false): Parts {
  const text = content?.text();
  if (text !== undefined) return { parts: [{ text: (content as JsonView).copy() }], notes: [], text };
  const notes: ReadingNote[] = [];
  const elements = content?.elements() ?? [];
  const parts = elements.map((part) => partOf(part, notes));
  if (!wantsText) return { parts, notes, text: undefined };
  const texts = elements.map((part) => part.textOf('text'));
  return { parts, notes, text: texts.includes(undefined) ? undefined : texts.join('\n') };
}

function partOf(part: JsonView, notes: ReadingNote[]): Part {
  const type = part.textOf('type');
  const text = part.get('text');
  if ((type === 'input_text' || type === 'output_text' || type === 'text') && text?.type === 'string')
    return { text: text.copy() };
  if (type === 'input_image') {
    const url = part.get('image_url');
    const address = url?.type === 'object' ? url.copy() : url && objectOf([['url', url.copy()]]);
    if (address !== undefined) return { object: imageObject(address) };
  }
  if (type === 'input_file') {
    const file = part
      .members()
      .flatMap(([key, value]): Piece[] => (key === 'type' ? [] : [[key, value.copy()]]));
    return {
      object: objectOf([
        ['type', '"file"'],
        ['file', objectOf(file)],
      ]),
    };
  }
  if (type !== 'refusal') notes.push(keptBlock(type ?? 'unknown'));
  return { object: part.copy() };
}

/** @param args JSON text of a string */
function callOf(item: JsonView, name: JsonView | undefined, args: Uint8Array | undefined): FoldBlock {
  const id = item.textOf('call_id') ?? item.textOf('id');
  return { kind: 'call', id, json: callJson(id, name?.text(), args) };
}

function readCustomCall(item: JsonView): ResponseItem {
  const input = item.get('input')?.copy() ?? EMPTY;
  const call = callOf(item, item.get('name'), inString(objectOf([['input', input]])));
  return blocks(call, [FREE_FORM]);
}

function readShellCall(item: JsonView): ResponseItem {
  const id = item.textOf('call_id') ?? item.textOf('id');
  const action = item.get('action')?.copy() ?? encode('{}');
  return blocks({ kind: 'call', id, json: callJson(id, 'local_shell', inString(action)) });
}

function readReasoning(item: JsonView): ResponseItem {
  const textsIn = (key: string): readonly JsonView[] =>
    (item.get(key)?.elements() ?? []).flatMap((part) => {
      const text = part.get('text');
      return text?.type === 'string' ? [text] : [];
    });
  const whole = textsIn('content');
  const texts = whole.length > 0 ? whole : textsIn('summary');
  const thoughts: FoldBlock[] = texts.map((text) => ({ kind: 'thought', text: text.copy() }));
  const sealed = item.get('encrypted_content');
  if (sealed?.type === 'string') thoughts.push(sealedBlock(sealed.copy()));
  return { kind: 'blocks', blocks: thoughts, notes: whole.length === 0 && texts.length > 0 ? [SUMMARY] : [] };
}

function readResult(item: JsonView): ResponseItem {
  const id = item.get('call_id');
  const callId = id?.text();
  const { content, changes, notes } = contentOf(item.get('output'));
  const answers: Piece[] = callId === undefined ? [] : [['tool_call_id', (id as JsonView).copy()]];
  const message = makeMessage('tool', [...answers, ['content', content]]);
  return { kind: 'result', callId, message, changes, notes };
}

interface ResultContent {
  readonly content: Uint8Array;
  readonly changes: readonly string[];
  readonly notes: readonly ReadingNote[];
}

/** A text, possibly one that holds `{"output", "metadata"}` as JSON; a list of parts; an object with a `content`. */
function contentOf(output: JsonView | undefined): ResultContent {
  const plain = (content: Uint8Array): ResultContent => ({ content, changes: [], notes: [] });
  if (output === undefined || output.type === 'null') return plain(EMPTY);
  if (output.type === 'object') {
    const content = output.get('content');
    return content === undefined ? plain(output.copy()) : contentOf(content);
  }
  if (output.type === 'array') {
    const { parts, notes } = partsOf(output);
    return { content: listOfParts(parts), changes: [], notes };
  }
  const inner = mayBeWrapped(output.bytes) ? unwrapped(output.text()) : undefined;
  return inner === undefined
    ? plain(output.bytes)
    : { content: encode(JSON.stringify(inner)), changes: ['unwrapped-output'], notes: [] };
}

/** Might the text of a JSON string begin with a brace or white space? Most results do not, and need not be decoded. */
function mayBeWrapped(json: Uint8Array): boolean {
  const first = json[1] as number;
  return first === OPEN_OBJECT || first === BACKSLASH || first <= SPACE || first >= NOT_ASCII;
}

/** The inner text of a result that is wrapped as JSON with metadata. */
function unwrapped(text: string | undefined): string | undefined {
  if (text === undefined || !/^\s*\{/.test(text) || !text.includes('"metadata"')) return undefined;
  try {
    const { output, metadata } = JSON.parse(text);
    return typeof output === 'string' && metadata !== undefined ? output : undefined;
  } catch {
    return undefined;
  }
}
