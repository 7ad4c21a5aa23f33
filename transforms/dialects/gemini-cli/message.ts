/**
 * Reads one message of a recording of Gemini CLI: a text of the user, or an answer whose calls contain their results.
 */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { NO_ARGUMENTS, NO_TEXT } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import {
  blockOfPart,
  type CallPiece,
  callBlock,
  type FoldBlock,
  sealedBlock,
} from '../fold/assistant-draft.ts';
import {
  copiesOf,
  joinStrings,
  makeMessage,
  objectOf,
  stringsOf,
  toolMessage,
} from '../shared/build-messages.ts';
import type { Parts } from '../shared/chat-object.ts';
import { contentOfParts, dataImage, type Part, textOrParts } from '../shared/content-parts.ts';
import { GEMINI_PART } from '../shared/known-members.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { isTrue, present, textOf } from '../shared/logged-values.ts';
import { keptBlock, noted, RESULT_ERROR, SUMMARY } from '../shared/reading-notes.ts';
import { type KnownObject, known, says } from '../shared/unread-text.ts';

export interface GeminiResult {
  /** Undefined for a response that does not name its call. */
  readonly callId: string | undefined;
  /** JSON text. */
  readonly content: Uint8Array;
  readonly message: Message;
}

export type GeminiMessage =
  | { readonly kind: 'user'; readonly id: string; readonly message: Message }
  /** Results as they went to the model. Newer versions log them although the calls of the answer contain them. */
  | {
      readonly kind: 'results';
      readonly id: string;
      readonly results: readonly GeminiResult[];
      /** The rest of the message, as a message. */
      readonly message?: Message;
    }
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly blocks: readonly FoldBlock[];
      readonly results: readonly GeminiResult[];
      /** The API's ids of calls that have a result, where the client logged its own id for the call. */
      readonly aliases: readonly string[];
      readonly notes: readonly ReadingNote[];
      readonly meta: Meta;
      /** The call that is all of it, if no model is named: possibly a copy of a call that the user started. */
      readonly copied?: JsonView;
    }
  /** Shown to the user only. */
  | { readonly kind: 'client'; readonly id: string }
  | { readonly kind: 'unknown'; readonly id: string; readonly type: string }
  | { readonly kind: 'bad'; readonly detail: string };

const EMPTY_STRING_BYTES = 2;
/** Types of answers. The first versions of Qwen Code have the same format with another type. */
const ANSWERS: ReadonlySet<string> = new Set(['gemini', 'qwen']);
const CLIENT: ReadonlySet<string> = new Set(['info', 'warning', 'error']);
/** The tool that a command of the user can start, which the client then logs as calls of the model. */
const SKILL_TOOL = 'activate_skill';

const CALL = known(
  [
    'id name:text args! status timestamp displayName description resultDisplay renderOutputAsMarkdown agentId',
    'parentCallId approvalMode outcome progress durationMs',
  ].join(' '),
  { 'result:parts': GEMINI_PART },
);
/** The members of the messages that are read; others are for the user only. */
export const GEMINI_MESSAGE: KnownObject = known(
  'id timestamp type displayContent tokens model parentId metadata isSummary role status',
  {
    'content:any!': GEMINI_PART,
    'thoughts:list': known('subject:text! description:text! timestamp'),
    'toolCalls:list!': CALL,
  },
);

export function readGeminiMessage(json: JsonView): GeminiMessage {
  const id = json.get('id')?.text();
  const type = json.get('type')?.text();
  if (id === undefined || type === undefined)
    return { kind: 'bad', detail: 'a message has no id or no type' };
  if (CLIENT.has(type)) return { kind: 'client', id };
  if (type !== 'user' && !ANSWERS.has(type)) return { kind: 'unknown', id, type };
  if (ANSWERS.has(type)) return isOfClient(json) ? { kind: 'client', id } : readAnswer(id, json);
  if (says(json.get('toolCalls')) || says(json.get('thoughts')))
    return { kind: 'bad', detail: 'a message of the user has calls or thoughts' };
  return readUser(id, listOf(json.get('content')));
}

/** Answers that the client adds to the context itself, without a model. */
const OF_CLIENT: ReadonlySet<string> = new Set([
  '[The previous response was interrupted before it completed.]',
  'Binary content received. Proceeding with analysis.',
]);

function isOfClient(json: JsonView): boolean {
  const content = listOf(json.get('content'));
  const hasMore = present(json.get('model')) || says(json.get('toolCalls')) || content.length !== 1;
  return !hasMore && OF_CLIENT.has(content[0]?.textOf('text') ?? '');
}

function readUser(id: string, content: readonly JsonView[]): GeminiMessage {
  const responses: JsonView[][] = [];
  const rest: JsonView[] = [];
  for (const part of content) {
    if (responseOf(part) !== undefined) responses.push([part]);
    else if (responses.length > 0 && isMedia(part)) responses.at(-1)?.push(part);
    else rest.push(part);
  }
  const results = responses.map((own) => resultOfParts(own, callIdOf(own[0] as JsonView), []));
  const { parts, notes } = partsOf(rest);
  if (results.length > 0 && parts.length === 0) return { kind: 'results', id, results };
  const message = noted(makeMessage('user', [['content', contentOfParts(parts)]]), notes);
  return results.length === 0 ? { kind: 'user', id, message } : { kind: 'results', id, results, message };
}

function responseOf(part: JsonView): JsonView | undefined {
  const response = part.type === 'object' ? part.get('functionResponse') : undefined;
  return response?.type === 'object' ? response : undefined;
}

/** Whether a part is an image or a file; one after a function response belongs to that result. */
const isMedia = (part: JsonView): boolean =>
  part.type === 'object' && (part.get('inlineData') ?? part.get('fileData')) !== undefined;

const callIdOf = (part: JsonView): string | undefined => responseOf(part)?.get('id')?.text();

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
  if (media?.text()?.startsWith('image/') !== true || bytes?.type !== 'string') return undefined;
  return dataImage(media.bytes, bytes.bytes);
}

/** A call as the client logs it, with its result. */
interface LoggedCall {
  readonly view: JsonView;
  readonly id: string;
  readonly block: FoldBlock;
}

function readAnswer(id: string, json: JsonView): GeminiMessage {
  const notes: ReadingNote[] = [];
  const content = listOf(json.get('content'));
  const calls = (json.get('toolCalls')?.elements() ?? []).map((view, i): LoggedCall => {
    const callId = view.get('id')?.text() || `${id}-${i}`;
    return { view, id: callId, block: calledBy(view, callId) };
  });
  const [aliases, named] = pairCalls(content, calls);
  const written = content.flatMap((part) => {
    const call = named.get(part);
    return call === undefined ? blocksOfPart(part, notes) : [...signatureOf(part), call.block];
  });
  const paired = new Set(named.values());
  const others = calls.filter((call) => !paired.has(call)).map(({ block }) => block);
  const hasThoughts = written.some(({ kind }) => kind === 'thought');
  const thoughts = hasThoughts ? [] : (json.get('thoughts')?.elements() ?? []).flatMap(thoughtOf);
  const results = calls.flatMap((call) => resultsOf(call.view, call.id));
  const meta = metaOf({ model: json.get('model'), usage: json.get('tokens') });
  if (thoughts.length > 0 || hasThoughts) notes.push(SUMMARY);
  const blocks = [...thoughts, ...written, ...others];
  const copied = calls.length === 0 && !present(json.get('model')) ? loneCall(content) : undefined;
  return { kind: 'answer', id, blocks, results, aliases, notes, meta, ...(copied && { copied }) };
}

function loneCall(content: readonly JsonView[]): JsonView | undefined {
  const [part] = content;
  const call = content.length === 1 && part?.type === 'object' ? part.get('functionCall') : undefined;
  return call?.type === 'object' && call.get('name')?.text() === SKILL_TOOL ? call : undefined;
}

/** Whether two calls have the same name and arguments. */
export function isSameCall(block: FoldBlock, call: JsonView): block is CallPiece {
  return block.kind === 'call' && isSameBytes(block.json, calledBy(call, block.id).json);
}

/**
 * Matches the calls in the content with those that the client ran: newer versions log each call in both places,
 * possibly with different ids. Matches by id first, then in order by name.
 */
function pairCalls(
  content: readonly JsonView[],
  calls: readonly LoggedCall[],
): [aliases: readonly string[], named: ReadonlyMap<JsonView, LoggedCall>] {
  const aliases: string[] = [];
  const named = new Map<JsonView, LoggedCall>();
  const open = [...calls];
  const written = content.flatMap((part) => {
    const call = part.type === 'object' ? part.get('functionCall') : undefined;
    return call?.type === 'object'
      ? [{ part, id: call.get('id')?.text(), name: call.get('name')?.text() }]
      : [];
  });
  const pair = (part: JsonView, at: number): void => {
    const [call] = open.splice(at, at < 0 ? 0 : 1);
    if (at >= 0 && call !== undefined) named.set(part, call);
  };
  for (const { part, id } of written)
    pair(
      part,
      open.findIndex((call) => call.id === id),
    );
  for (const { part, id, name } of written) {
    if (named.has(part)) continue;
    pair(
      part,
      open.findIndex(({ view }) => view.get('name')?.text() === name),
    );
    if (id !== undefined && present(named.get(part)?.view.get('result'))) aliases.push(id);
  }
  return [aliases, named];
}

function calledBy(call: JsonView, id: string | undefined): CallPiece {
  const args = call.get('args');
  const written = present(args) ? textOf(args) : NO_ARGUMENTS;
  return callBlock(id, call.get('name')?.text(), written);
}

/** Converts a part of an answer to blocks: a text, a thought, a call or the part as logged, with its signature. */
export function blocksOfPart(
  part: JsonView,
  notes: ReadingNote[],
  nameCall: (name: string | undefined) => string | undefined = () => undefined,
): readonly FoldBlock[] {
  if (part.type !== 'object') return [blockOfPart(partOf(part, notes))];
  const sealed = signatureOf(part);
  const call = part.get('functionCall');
  if (call?.type === 'object')
    return [...sealed, calledBy(call, call.get('id')?.text() || nameCall(call.get('name')?.text()))];
  const text = part.get('text');
  if (text?.type === 'string' && text.bytes.length <= EMPTY_STRING_BYTES) return sealed;
  if (text?.type === 'string' && isTrue(part.get('thought')))
    return [{ kind: 'thought', text: text.copy() }, ...sealed];
  if (text === undefined && sealed.length > 0 && part.members().length === sealed.length) return sealed;
  return [...sealed, blockOfPart(partOf(part, notes))];
}

/** The encrypted reasoning in a part. */
function signatureOf(part: JsonView): readonly FoldBlock[] {
  const signature = part.get('thoughtSignature');
  const isPresent = signature?.type === 'string' && signature.bytes.length > EMPTY_STRING_BYTES;
  return isPresent ? [sealedBlock(signature.copy())] : [];
}

function thoughtOf(thought: JsonView): readonly FoldBlock[] {
  const lines = stringsOf(thought, 'subject', 'description');
  return lines.length === 0 ? [] : [{ kind: 'thought', text: joinStrings(lines) }];
}

/** The result of a call: an empty text if it has no parts; none if the call was cancelled before it ran. */
function resultsOf(call: JsonView, callId: string): readonly GeminiResult[] {
  const result = call.get('result');
  if (!present(result)) return [];
  const notes: ReadingNote[] = call.get('status')?.text() === 'error' ? [RESULT_ERROR] : [];
  return [
    resultOfParts(ownParts(result.type === 'array' ? result.elements() : [result], callId), callId, notes),
  ];
}

/** The parts for this call: newer versions log the results of all parallel calls with each of them. */
function ownParts(parts: readonly JsonView[], callId: string): readonly JsonView[] {
  if (!parts.some((part) => callIdOf(part) === callId)) return parts;
  let isOwn = callIdOf(parts.find((part) => responseOf(part) !== undefined) as JsonView) === callId;
  return parts.filter((part) => {
    if (responseOf(part) !== undefined) isOwn = callIdOf(part) === callId;
    return isOwn;
  });
}

/** Builds the result of a call from its parts. */
export function resultOfParts(
  list: readonly JsonView[],
  callId: string | undefined,
  notes: ReadingNote[],
): GeminiResult {
  const parts = list.flatMap((part): readonly Part[] => {
    const result = part.get('functionResponse');
    const response = result?.get('response');
    if (response === undefined) return [partOf(part, notes)];
    if (isError(response) && !notes.includes(RESULT_ERROR)) notes.push(RESULT_ERROR);
    const lists = [result?.get('parts'), response.get(FILES)];
    const media = lists.flatMap((files) => files?.elements() ?? []).map((inner) => partOf(inner, notes));
    return [{ text: responseText(response) }, ...media];
  });
  const content = parts.length === 0 ? NO_TEXT : textOrParts(parts);
  return { callId, content, message: noted(toolMessage(callId, content), notes) };
}

/** Files that a tool read: the client takes them out of the response, and sends them after it. */
const FILES = '__binary_injection__';
const OF_FILES: ReadonlySet<string> = new Set([FILES]);

/** Whether a response has nothing but an error, as the client builds it when a tool fails. */
const isError = (response: JsonView): boolean =>
  response.get('error')?.type === 'string' && response.members().length === 1;

/** The text of an output or an error, or the JSON text of anything else. */
function responseText(response: JsonView): Uint8Array {
  const said = response.others(OF_FILES);
  const text = [response.get('output'), response.get('error')].find((view) => view?.type === 'string');
  if (said.length === 1 && text !== undefined) return text.copy();
  return inString(said.length < response.members().length ? objectOf(copiesOf(said)) : response.bytes);
}
