/**
 * Reads one message of a recording of Gemini CLI: text that a user typed, or an answer with its calls, which contain
 * their results.
 */

import type { JsonView } from '../json/json-view.ts';
import { inString, quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import type { Message, ReadingNote } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { contentOfParts, dataUrl, imagePart, listOfParts, type Part } from './content-parts.ts';
import { blockOfPart, type FoldBlock } from './fold/draft.ts';
import { metaOf } from './logged-meta.ts';
import { present, textOf } from './logged-values.ts';
import { callJson, makeMessage, toolMessage } from './made-messages.ts';
import { keptBlock, noted, RESULT_ERROR, SUMMARY } from './reading-notes.ts';

export interface GeminiResult {
  readonly callId: string;
  readonly message: Message;
}

export type GeminiMessage =
  | { readonly kind: 'user'; readonly id: string; readonly message: Message }
  /** Results as they went to the model: newer versions write them after the answer whose calls contain them already. */
  | {
      readonly kind: 'results';
      readonly id: string;
      readonly results: readonly GeminiResult[];
      /** The rest of the message. */
      readonly message?: Message;
    }
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly blocks: readonly FoldBlock[];
      readonly results: readonly GeminiResult[];
      readonly notes: readonly ReadingNote[];
      readonly meta: Meta;
    }
  /** Shown to the user only. */
  | { readonly kind: 'client'; readonly id: string }
  | { readonly kind: 'unknown'; readonly id: string; readonly type: string }
  | { readonly kind: 'bad'; readonly detail: string };

/** Qwen Code, whose first versions recorded as Gemini CLI does, has its own name for an answer. */
const ANSWERS: ReadonlySet<string> = new Set(['gemini', 'qwen']);
const CLIENT: ReadonlySet<string> = new Set(['info', 'warning', 'error']);

export function readGeminiMessage(json: JsonView): GeminiMessage {
  const id = json.get('id')?.text();
  const type = json.get('type')?.text();
  if (id === undefined || type === undefined)
    return { kind: 'bad', detail: 'a message has no id or no type' };
  if (CLIENT.has(type)) return { kind: 'client', id };
  if (type !== 'user' && !ANSWERS.has(type)) return { kind: 'unknown', id, type };
  if (ANSWERS.has(type)) {
    const { parts, notes } = partsOf(listOf(json.get('content')));
    return readAnswer(id, json, parts, notes);
  }
  return readUser(id, listOf(json.get('content')));
}

function readUser(id: string, content: readonly JsonView[]): GeminiMessage {
  const responses = content.filter((part) => callIdOf(part) !== undefined);
  const results = responses.map((part) => resultOfParts([part], callIdOf(part) as string, []));
  const { parts, notes } = partsOf(content.filter((part) => !responses.includes(part)));
  if (results.length > 0 && parts.length === 0) return { kind: 'results', id, results };
  const message = noted(makeMessage('user', [['content', contentOfParts(parts)]]), notes);
  return results.length === 0 ? { kind: 'user', id, message } : { kind: 'results', id, results, message };
}

const callIdOf = (part: JsonView): string | undefined =>
  part.type === 'object' ? part.get('functionResponse')?.get('id')?.text() : undefined;

interface Parts {
  readonly parts: readonly Part[];
  readonly notes: readonly ReadingNote[];
}

/** A text, one part, or a list of both. */
function listOf(content: JsonView | undefined): readonly JsonView[] {
  if (!present(content)) return [];
  return content.type === 'array' ? content.elements() : [content];
}

function partsOf(list: readonly JsonView[]): Parts {
  const notes: ReadingNote[] = [];
  return { parts: list.map((part) => partOf(part, notes)), notes };
}

export function partOf(part: JsonView, notes: ReadingNote[]): Part {
  if (part.type === 'string') return { text: part.copy() };
  const text = part.get('text');
  if (text?.type === 'string') return { text: text.copy() };
  const image = imageOf(part.get('inlineData'));
  if (image !== undefined) return { object: image };
  notes.push(keptBlock(part.members()[0]?.[0] ?? 'unknown'));
  return { object: part.copy() };
}

function imageOf(data: JsonView | undefined): Uint8Array | undefined {
  const [media, bytes] = [data?.get('mimeType'), data?.get('data')];
  if (media?.type !== 'string' || bytes?.type !== 'string') return undefined;
  return imagePart(dataUrl(media.bytes, bytes.bytes));
}

function readAnswer(
  id: string,
  json: JsonView,
  parts: readonly Part[],
  notes: readonly ReadingNote[],
): GeminiMessage {
  const texts = parts.map(blockOfPart);
  const thoughts = (json.get('thoughts')?.elements() ?? []).flatMap(thoughtOf);
  const calls = (json.get('toolCalls')?.elements() ?? []).map((call, i) => ({
    call,
    callId: call.get('id')?.text() || `${id}-${i}`,
  }));
  const blocks = calls.map(({ call, callId }): FoldBlock => {
    const args = call.get('args');
    const written = present(args) ? textOf(args) : undefined;
    return { kind: 'call', id: callId, json: callJson(callId, call.get('name')?.text(), written) };
  });
  const results = calls.flatMap(({ call, callId }) => resultsOf(call, callId));
  const meta = metaOf({ model: json.get('model'), usage: json.get('tokens') });
  const all = thoughts.length > 0 ? [...notes, SUMMARY] : notes;
  return { kind: 'answer', id, blocks: [...thoughts, ...texts, ...blocks], results, notes: all, meta };
}

/** A thought's subject and description. */
function thoughtOf(thought: JsonView): readonly FoldBlock[] {
  const lines = ['subject', 'description'].map((key) => thought.get(key)?.text()).filter(Boolean);
  return lines.length === 0 ? [] : [{ kind: 'thought', text: encode(quote(lines.join('\n'))) }];
}

/** The result of a call; none if it was cancelled before. */
function resultsOf(call: JsonView, callId: string): readonly GeminiResult[] {
  const result = call.get('result');
  if (!present(result)) return [];
  const notes: ReadingNote[] = call.get('status')?.text() === 'error' ? [RESULT_ERROR] : [];
  return [resultOfParts(result.type === 'array' ? result.elements() : [result], callId, notes)];
}

/** The result of a call, from the parts that the API gives for it. */
export function resultOfParts(list: readonly JsonView[], callId: string, notes: ReadingNote[]): GeminiResult {
  const parts = list.flatMap((part): readonly Part[] => {
    const result = part.get('functionResponse');
    const response = result?.get('response');
    if (response === undefined) return [partOf(part, notes)];
    const media = (result?.get('parts')?.elements() ?? []).map((inner) => partOf(inner, notes));
    return [{ text: responseText(response) }, ...media];
  });
  const [only] = parts;
  const content = parts.length === 1 && only !== undefined && 'text' in only ? only.text : listOfParts(parts);
  return { callId, message: noted(toolMessage(callId, content), notes) };
}

/** The text of an output or an error, or the JSON text of anything else. */
function responseText(response: JsonView): Uint8Array {
  const text = [response.get('output'), response.get('error')].find((view) => view?.type === 'string');
  return text === undefined ? inString(response.bytes) : text.copy();
}
