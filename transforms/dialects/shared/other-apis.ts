/**
 * Reads the bodies of two APIs whose parts have no type: Gemini's generateContent (`contents`, `candidates`) and
 * Bedrock's Converse (`messages`, `output.message`). They are added to a transcript, because calls of Gemini may have
 * no ids.
 */

import type { JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import type { FirstObject } from '../dialect-spec.ts';
import { CONVERSE_MESSAGE, GEMINI_CONTENT, unreadSystem } from './known-bodies.ts';
import { addSystem } from './logged-bodies.ts';
import { firstOf, present, structured } from './logged-values.ts';
import { cutNotes, FILTERED, finishText, OTHER_CHOICES, RESPONSE_ERROR } from './reading-notes.ts';
import { type BadRequest, OF_GEMINI } from './said-texts.ts';
import type { Transcript } from './transcript.ts';

const CONVERSE_PARTS = [
  ...['text', 'toolUse', 'toolResult', 'reasoningContent', 'image', 'document', 'video', 'audio'],
  ...['guardContent', 'cachePoint'],
] as const;
const CONVERSE_ROLES: ReadonlySet<string | undefined> = new Set(['user', 'assistant']);
const GEMINI_ROLES: ReadonlySet<string> = new Set(['user', 'model', 'function', 'tool']);

/** A request of Gemini, which Code Assist wraps in `request`; undefined for any other body. */
export function geminiRequest(body: JsonView | undefined): JsonView | undefined {
  const inner = body?.get('contents') === undefined ? structured(body?.get('request')) : undefined;
  return [body, inner].find((one) => present(one?.get('contents')));
}

/** Are the messages lists of parts without a type, as only Converse has them? */
export function isConverse(body: JsonView | undefined): boolean {
  const [message] = structured(body?.get('messages'))?.elements() ?? [];
  const [part] = message?.get('content')?.elements() ?? [];
  return part?.type === 'object' && part.get('type') === undefined && hasPart(part);
}

const hasPart = (part: JsonView): boolean => firstOf(part, ...CONVERSE_PARTS) !== undefined;

/** Is it a request of one of the two APIs? */
export const isOtherRequest = (body: JsonView): boolean =>
  geminiRequest(body) !== undefined || isConverse(body);

const RESULT_ID = Buffer.from('"tool_call_id"');
const NO_IDS = ['"tool_call_id":""', '"tool_call_id": ""'].map((text) => Buffer.from(text));
const CALLS = Buffer.from('"tool_calls"');
const IMAGES = Buffer.from('"images"');

/** Is it a chat as Ollama has it: with calls without ids or with empty ones, or with images as data beside the content? */
export function isOllama(body: JsonView): boolean {
  const { bytes } = body;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const hasNone = !text.includes(RESULT_ID) || NO_IDS.some((id) => text.includes(id));
  const mayLackIds = hasNone && text.includes(CALLS);
  if (!mayLackIds && !text.includes(IMAGES)) return false;
  const messages = structured(body.get('messages'))?.elements() ?? [];
  return messages.some((message) => (mayLackIds && hasNamelessCall(message)) || hasImages(message));
}

const hasImages = (message: JsonView): boolean => message.get('images')?.elements()[0]?.type === 'string';

/** Has a message calls, none of which has an id? */
export function hasNamelessCall(message: JsonView): boolean {
  const calls = message.get('tool_calls')?.elements() ?? [];
  const isFunction = (call: JsonView): boolean => call.get('function')?.type === 'object';
  const isNameless = (call: JsonView): boolean => !present(call.get('id')) || call.textOf('id') === '';
  return calls.length > 0 && calls.every((call) => isFunction(call) && isNameless(call));
}

/** FirstObject that name messages which the server has stored. */
const CACHED = ['cachedContent', 'cached_content'] as const;
const CACHED_ELSEWHERE = 'the request names cached content: the log lacks its messages';

/** Adds the messages of a request. */
export function addOtherRequest(transcript: Transcript, body: JsonView): BadRequest | undefined {
  const gemini = geminiRequest(body);
  const add = isConverse(body) ? addConverse : addChat;
  const bad = gemini === undefined ? add(transcript, body) : addGemini(transcript, gemini);
  const hasSystem = transcript.messages[0]?.role === 'system';
  const unread = hasSystem ? undefined : unreadSystem(gemini ?? body);
  const cached = [gemini, firstOf(gemini, 'config')].map((one) => firstOf(one, ...CACHED)).find(present);
  if (cached !== undefined) transcript.refuse('body-elsewhere', CACHED_ELSEWHERE, cached);
  if (unread !== undefined) transcript.noteFirst(unread);
  return bad;
}

function addConverse(transcript: Transcript, body: JsonView): BadRequest | undefined {
  addSystem(transcript, body.get('system'));
  const list = structured(body.get('messages'));
  const messages = list?.elements() ?? [];
  const odd = messages.find((message) => !CONVERSE_ROLES.has(message.textOf('role')));
  if (odd !== undefined) return { detail: 'a message has no role user or assistant', at: odd };
  if (list !== undefined)
    transcript.addList(list, messages, (message) =>
      transcript.add(message, message.textOf('role'), CONVERSE_MESSAGE),
    );
  return undefined;
}

function addChat(transcript: Transcript, body: JsonView): undefined {
  const list = structured(body.get('messages'));
  if (list !== undefined) transcript.addList(list, list.elements());
}

function addGemini(transcript: Transcript, request: JsonView): BadRequest | undefined {
  const config = firstOf(request, 'config');
  addSystem(transcript, firstOf(request, ...OF_GEMINI) ?? firstOf(config, ...OF_GEMINI));
  const contents = structured(request.get('contents')) as JsonView;
  const elements = contents.type === 'array' ? contents.elements() : [contents];
  const odd = elements.find((content) => !isContent(content));
  if (odd !== undefined)
    return { detail: 'a content has no parts, or no role user, model or function', at: odd };
  if (contents.type === 'array')
    transcript.addList(contents, elements, (content) => addContent(transcript, content));
  else addContent(transcript, contents);
  return undefined;
}

const isContent = (value: JsonView): boolean =>
  (value.type === 'string' || present(value.get('parts'))) && GEMINI_ROLES.has(roleOf(value));

const roleOf = (content: JsonView): string => content.get('role')?.text() ?? 'user';

function addContent(transcript: Transcript, content: JsonView): void {
  if (content.type === 'string') transcript.addBlocks('user', [{ kind: 'text', text: content.bytes }]);
  else transcript.add(content, roleOf(content), GEMINI_CONTENT);
}

/** An answer of Gemini, or a chunk of one, without the `response` that Code Assist wraps it in. */
export function geminiBody<T extends FirstObject>(view: T): T | JsonView {
  const inner = view.get('candidates') === undefined ? view.get('response') : undefined;
  return inner?.type === 'object' ? inner : view;
}

export const isGeminiAnswer = (body: FirstObject): boolean =>
  body.get('candidates')?.type === 'array' || body.get('promptFeedback')?.type === 'object';

/** An answer of one of the two APIs, without what wraps it; undefined for any other body. */
export function otherAnswer(view: JsonView): JsonView | undefined {
  const gemini = [view, geminiBody(view)].find(isGeminiAnswer);
  return gemini ?? (view.get('output')?.get('message')?.type === 'object' ? view : undefined);
}

/** Adds the message of such an answer, if there is one. @returns findings about the answer */
export function addOtherAnswer(transcript: Transcript, answer: JsonView): readonly ReadingNote[] {
  const converse = answer.get('output')?.get('message');
  const [first, ...others] = answer.get('candidates')?.elements() ?? [];
  const message = converse ?? first?.get('content');
  const speaker = message?.get('role')?.text() ?? 'model';
  const isAnswer = message?.type === 'object' && (speaker === 'model' || speaker === 'assistant');
  const kind = converse === undefined ? GEMINI_CONTENT : CONVERSE_MESSAGE;
  if (isAnswer) transcript.add(message, 'assistant', kind);
  else if (present(message))
    transcript.refuse('unknown-speaker', 'the answer does not say that the model speaks', message);
  const stop = firstOf(answer, 'stopReason') ?? firstOf(first, 'finishReason', 'finish_reason');
  const isBlocked = first === undefined && present(firstOf(answer, 'promptFeedback', 'prompt_feedback'));
  return [
    ...cutNotes(finishText(stop)),
    ...(isBlocked ? [FILTERED] : []),
    ...(present(answer.get('error')) ? [RESPONSE_ERROR] : []),
    ...(others.length > 0 ? [OTHER_CHOICES] : []),
  ];
}
