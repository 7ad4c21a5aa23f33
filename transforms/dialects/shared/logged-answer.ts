/** Reads answers of model calls as observability platforms log them, and adds them to a transcript. */

import type { JsonView } from '../../json/json-view.ts';
import { isMasked } from '../../model/cut-texts.ts';
import { roleNamed } from '../../model/known-roles.ts';
import { arePieces, joinedPieces, mayBePieces } from './answer-pieces.ts';
import { bodyInBase64 } from './base64-text.ts';
import { itemIn } from './calls-in-text.ts';
import { carriesContent } from './carried-content.ts';
import { addItems, isItem, PLACEHOLDER, refuseValue } from './logged-bodies.ts';
import { firstOf, isCutJson, textOf, unpacked } from './logged-values.ts';
import { bodyOf } from './message-blocks.ts';
import { blocksOf, callOf, type MessageBlock } from './message-parts.ts';
import { isPrintedAnswer, isPrintedStream, printedForm } from './printed-value.ts';
import {
  clearedNotes,
  cutNotes,
  finishText,
  OTHER_ANSWER,
  OTHER_CHOICES,
  RESPONSE_ERROR,
  responseNotes,
} from './reading-notes.ts';
import { isUnsaid, saidBy } from './said-texts.ts';
import type { Transcript } from './transcript.ts';

/** Several messages in an answer are items of it, or choices; undefined if the log does not say. */
export type Several = 'items' | 'choices' | undefined;

/**
 * Adds an answer: a message, a completion, a list of either, or a text.
 * @returns whether there is one
 */
export function addAnswer(transcript: Transcript, logged: JsonView | undefined, several?: Several): boolean {
  const view = unpacked(logged);
  if (view === undefined) return false;
  const text = view.text();
  if (isEmpty(view) || isMasked(text) || isCutText(view)) {
    transcript.note(PLACEHOLDER);
    return false;
  }
  const before = transcript.messages.length;
  if (view.type === 'array' && mayBePieces(view.elements())) refuseValue(transcript, view);
  else if (view.type === 'array') addAnswers(transcript, view, several);
  else if (view.type === 'object') addCompletion(transcript, view);
  else if (view.type === 'string') addText(transcript, view);
  else refuseValue(transcript, view);
  return transcript.messages.length > before;
}

/** Is it JSON whose end is missing? A model may write a list or an object of another language. */
function isCutText(view: JsonView): boolean {
  if (view.type !== 'string' || !isCutJson(view.text() ?? '')) return false;
  const form = printedForm(view);
  return form === undefined || form === 'cut';
}

/** Adds a text of the model, and its calls. One that a program printed is not what the model wrote. */
function addText(transcript: Transcript, text: JsonView, calls: readonly MessageBlock[] = []): void {
  const body = bodyInBase64(text);
  if (isPrintedAnswer(text) || isPrintedStream(text)) transcript.refuse('unknown-content', PRINTED, text);
  else if (body !== undefined && body !== 'packed' && firstOf(body, ...BODY) !== undefined)
    addCompletion(transcript, body);
  else if (body !== undefined) transcript.refuse('unknown-content', IN_BASE64, text);
  else transcript.addBlocks('assistant', [{ kind: 'text', text: textOf(text) }, ...calls]);
}

const IN_BASE64 = 'the answer is a body in base64 that is not one of a known API';
/** Members of an answer of an API. */
const BODY = ['choices', 'candidates', 'generations', 'output', 'content', 'message', 'messages'];
const PRINTED =
  'the answer is an object that was printed into a text, not as JSON, or a stream of events as one text';

/** Is it what tracers log while there is no answer: an empty object or list? */
const isEmpty = (view: JsonView): boolean =>
  (view.type === 'object' && view.members().length === 0) ||
  (view.type === 'array' && view.elements().length === 0);

/** Takes the first of several answers, unless they are items of one answer or turns of one conversation. */
function addAnswers(transcript: Transcript, list: JsonView, several?: Several): void {
  const elements = list.elements().flatMap((one) => unpacked(one) ?? []);
  const [first, ...others] = elements;
  if (first?.type === 'array') {
    addAnswers(transcript, first, several);
    if (others.length > 0) transcript.note(OTHER_CHOICES);
  } else if (elements.some((one) => isItem(one)) || elements.some(isMessageItem))
    addItems(transcript, elements);
  else if (elements.every(isBlock)) {
    if (elements.length > 0) transcript.addBlocks('assistant', blocksOf(list));
  } else if (elements.some((one) => one.get('role')?.text() === 'tool'))
    for (const one of elements) addCompletion(transcript, one);
  else if (others.length > 0 && several !== 'choices' && arePieces(elements)) {
    const whole = joinedPieces(elements);
    if (whole === undefined) refuseValue(transcript, list);
    else addCompletion(transcript, whole);
  } else if (others.length > 0 && areItems(elements, several)) {
    transcript.addItems(elements);
    noteFinish(transcript, elements.map(finishOf).find(isCut));
  } else {
    const asked = others.find((one) => roleNamed(one.get('role')?.text() ?? '') === 'user');
    if (asked !== undefined) transcript.refuse('unknown-speaker', ASKED, asked);
    const strange = others.length > 0 ? elements.find(isStrange) : undefined;
    if (strange !== undefined) transcript.refuse('unknown-content', STRANGE, strange);
    addCompletion(transcript, first as JsonView);
    if (others.length > 0) transcript.note(OTHER_CHOICES);
  }
}

/** Is it an object that is neither a message nor a choice, but carries content? */
const isStrange = (one: JsonView): boolean =>
  one.type === 'object' &&
  firstOf(one, 'role', 'type', 'message', 'kwargs', 'data', ...SPEAKING, ...TEXTS) === undefined &&
  carriesContent(one);

const STRANGE = 'a list of answers has an object in it that is not one, but carries content';
const ASKED = 'a list of answers has a message of the user in it';

/** Is it a message of the Responses API? It is one of several items, while an answer of the Messages API stands alone. */
const isMessageItem = (one: JsonView, _at: number, all: readonly JsonView[]): boolean =>
  all.length > 1 && one.get('type')?.text() === 'message';

/**
 * Some clients log each item of an answer as a message: a thought, a text, a call. Choices are texts, if the log does
 * not say how many there are.
 */
function areItems(messages: readonly JsonView[], several: Several): boolean {
  const areOfModel = messages.every((one) => isOfModel(one) && hasContent(one));
  if (!areOfModel || several === 'choices') return false;
  return several === 'items' || messages.some((one) => !isText(one));
}

const hasContent = (message: JsonView): boolean =>
  ['content', 'parts', 'tool_calls', 'kwargs', 'data'].some((key) => message.get(key) !== undefined);

const isText = (message: JsonView): boolean =>
  itemIn(bodyOf(message).body).every(({ kind }) => kind === 'text');

/** Does it have a type, without being a message or a choice? */
const isBlock = (one: JsonView): boolean =>
  (one.get('type') ?? one.get('toolCallId')) !== undefined &&
  firstOf(one, 'role', 'message', 'kwargs', 'data') === undefined &&
  !isLangChain(one);

const isLangChain = (one: JsonView): boolean =>
  ['ai', 'AIMessageChunk', 'constructor', 'Generation', 'ChatGeneration'].includes(
    one.get('type')?.text() ?? '',
  );

function addCompletion(transcript: Transcript, answer: JsonView): void {
  const before = transcript.messages.length;
  addOne(transcript, answer);
  const texts = TEXTS.map((key) => answer.textOf(key)).filter(Boolean);
  if (texts.length === 0 || transcript.messages.length === before) return;
  const said = saidBy(transcript.messages.slice(before));
  if (texts.some((text) => isUnsaid(text, said))) transcript.note(OTHER_ANSWER);
}

function addOne(transcript: Transcript, answer: JsonView): void {
  const choices = firstOf(answer, 'choices', 'candidates', 'generations');
  const items = firstOf(answer, 'output')?.elements() ?? [];
  const messages = unpacked(firstOf(answer, 'messages'));
  if (messages?.type === 'array') addLast(transcript, messages.elements());
  else if (choices?.type === 'array') addAnswers(transcript, choices);
  else if (items.some((one) => isItem(one) || one.get('type')?.text() === 'message'))
    addItems(transcript, items, responseNotes(answer));
  else {
    addReply(transcript, answer);
    noteFinish(transcript, finishOf(answer));
    transcript.note(...clearedNotes(answer));
  }
}

/** Adds the messages of the model at the end of a list, which may hold the request too. */
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

/** Does the type of a message, as LangChain writes it, name a speaker other than the model? */
function isOfOther(message: JsonView | undefined): boolean {
  const type = message?.get('type')?.text();
  if (type === undefined || type === 'message' || type === 'constructor') return false;
  return message?.get('role') === undefined && roleNamed(type) !== 'assistant';
}

/** Adds a message, or the text and calls of an object without one. */
function addReply(transcript: Transcript, answer: JsonView): void {
  const inner = firstOf(answer, 'message', 'content');
  const message = inner?.type === 'object' ? inner : answer;
  const calls = unpacked(firstOf(answer, 'toolCalls', 'tool_calls'));
  const text = firstOf(answer, ...TEXTS);
  if (inner === undefined && firstOf(answer, 'error') !== undefined) transcript.note(RESPONSE_ERROR);
  else if (hasEarlierSteps(answer)) transcript.refuse('unknown-content', EARLIER_STEPS, answer);
  else if (isOfOther(answer.get('message')))
    transcript.refuse('unknown-speaker', 'an answer has the type of another speaker', message);
  else if (SPEAKING.some((key) => firstOf(message, key) !== undefined)) transcript.addAnswer(message);
  else if (text?.type === 'string') addText(transcript, text, calls?.elements().map(callOf));
  else if (calls !== undefined) transcript.addBlocks('assistant', calls.elements().map(callOf));
  else if (text?.type === 'object') addCompletion(transcript, text);
  else refuseValue(transcript, answer);
}

/** Does a result of the AI SDK have steps before its answer? Their calls and results are turns that are not read. */
export const hasEarlierSteps = (result: JsonView): boolean =>
  result.typeOf('text') === 'string' &&
  [result.get('steps'), result.get('response')?.get('messages')].some(
    (list) => list?.type === 'array' && list.elements().length > 1,
  );

const EARLIER_STEPS = 'the answer is the last of several steps, whose calls and results are not read';

/** Members that hold the text of an answer that is not a message. */
const TEXTS = [
  ...['text', 'completion', 'output_text', 'output', 'response', 'message', 'combined_chunk_content'],
];

/** Members that mark an object as a message of the model. */
const SPEAKING = ['role', 'content', 'parts', 'kwargs', 'data', 'tool_calls', 'function_call'];

const FINISHES = ['finish_reason', 'finishReason', 'stop_reason', 'stopReason'] as const;

/** Why an answer ended; LangChain says it beside the message, or in its metadata. */
function finishOf(answer: JsonView): JsonView | undefined {
  const message = answer.get('message');
  const places = [
    answer,
    answer.get('generation_info'),
    message,
    message?.get('kwargs'),
    answer.get('kwargs'),
  ];
  const named = places.flatMap((place) => [place, place?.get('response_metadata')]);
  return named.map((place) => firstOf(place, ...FINISHES)).find((reason) => reason !== undefined);
}

/** Reports a truncated answer. */
export function noteFinish(transcript: Transcript, reason: JsonView | undefined): void {
  transcript.note(...cutNotes(finishText(reason)));
}

/** Does an answer that ended for this reason lack something? */
export const isCut = (reason: JsonView | undefined): reason is JsonView =>
  cutNotes(finishText(reason)).length > 0;
