/**
 * Reads the answer of a call in any API: a chat completion, a message of the Messages API, a response of the
 * Responses API, a stream of any of them (as text or as a list of events), or plain text.
 */

import { JsonView } from '../../json/json-view.ts';
import { textPieces } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { isRole } from '../../model/known-roles.ts';
import { stringValue } from '../../model/message.ts';
import { readForeignMessages } from '../messages/foreign-messages.ts';
import { mayBePieces } from '../shared/answer-pieces.ts';
import { readReply, speakerOf } from '../shared/anthropic-message.ts';
import { bodyInBase64, decoded, isBody } from '../shared/base64-text.ts';
import {
  arrayOf,
  copiesOf,
  makeMessage,
  objectOf,
  type Piece,
  typedObject,
} from '../shared/build-messages.ts';
import { withEmptyArguments } from '../shared/call-arguments.ts';
import { carriesContent } from '../shared/carried-content.ts';
import { blocksOfContent } from '../shared/foreign-parts.ts';
import { BARE_CHOICE, CHAT_CHOICE } from '../shared/known-bodies.ts';
import { CHAT_MESSAGE } from '../shared/known-members.ts';
import { hasEarlierSteps } from '../shared/logged-answer.ts';
import { isTrue, jsonIn, present, structured } from '../shared/logged-values.ts';
import { addOtherAnswer, otherAnswer } from '../shared/other-apis.ts';
import { isPrintedAnswer, printedForm } from '../shared/printed-value.ts';
import {
  answerNotes,
  messageNotes,
  RESPONSE_ERROR,
  responseNotes,
  warning,
} from '../shared/reading-notes.ts';
import { strayMember } from '../shared/stray-members.ts';
import { Transcript } from '../shared/transcript.ts';
import { says, unreadNotes } from '../shared/unread-text.ts';
import {
  answerInLines,
  answerInList,
  answerInText,
  holdsOtherEvents,
  isCutEvent,
  isStreamEvent,
} from '../streams/assembler.ts';
import { isOllamaChunk } from '../streams/chat-chunks.ts';
import { STREAM_CUT, type StreamedAnswer } from '../streams/grammar.ts';
import { looksLikeEvents } from '../streams/sse.ts';
import { areAnswers, isAnswer, isCall } from './answer-as-text.ts';
import { asReadMessage, ItemMessages, type ReadMessage } from './item-messages.ts';

/** A model's answer. */
export interface Answer {
  /** Usually one; none if there is no answer. */
  readonly messages: readonly ReadMessage[];
  readonly notes: readonly ReadingNote[];
  /** Whether it is in the format of the Messages API. */
  readonly isMessage?: true;
  /** Id of the response, by which a later request may continue it. */
  readonly id?: string | undefined;
  /** Whether the answer comes later, under the same id. */
  readonly isPending?: true;
  /** For a stream, the response assembled from it. */
  readonly body?: JsonView;
  /** An answer of Gemini or Converse, to be added to the transcript of its request. */
  readonly other?: JsonView;
  /** Whether there is a response of which nothing is known. */
  readonly isUnknown?: true;
}

/** Is everything in an answer said by another speaker than the model? */
export function isOfOther({ messages }: Answer): boolean {
  const said = messages.flatMap(({ message }) => message ?? []);
  return said.length > 0 && said.every(({ role }) => role !== '' && isRole(role) && role !== 'assistant');
}

const PLACEHOLDER = warning('body-placeholder', 'the log has a placeholder instead of the answer');
const UNREADABLE = warning(
  'body-placeholder',
  'the body of the answer is not of a known API: it is left out',
);

const LEFT_OUT: Answer = { messages: [], notes: [UNREADABLE] };
const NONE: Answer = { messages: [], notes: [] };
const UNKNOWN: Answer = { messages: [], notes: [], isUnknown: true };
const FAILED: Answer = { messages: [], notes: [RESPONSE_ERROR] };
const PENDING: ReadonlySet<string> = new Set(['queued', 'in_progress']);

/**
 * @param view the response, or the body of one
 * @param isRaw whether it is an undecoded HTTP body, in which text that is of no known API is not an answer
 */
export function readAnswer(view: JsonView | undefined, keepSealed: boolean, isRaw = false): Answer {
  if (!present(view)) return NONE;
  if (view.type === 'string') return fromText(view, keepSealed, isRaw);
  if (view.type === 'array') return fromList(view, keepSealed);
  return view.type === 'object' ? fromObject(view, keepSealed) : UNKNOWN;
}

function fromText(view: JsonView, keepSealed: boolean, isRaw: boolean): Answer {
  const [first = ''] = textPieces(view.bytes);
  if (first === '') return NONE;
  const isJson = /^\s*[[{]/.test(first);
  if (isJson || looksLikeEvents(first)) {
    const text = view.text() as string;
    const streamed = answerInText(text) ?? (isJson ? answerInLines(text) : undefined);
    if (streamed !== undefined) return answerFromStream(streamed, keepSealed);
    const value = isJson ? jsonIn(text) : undefined;
    const listed = value?.type === 'array' ? answerInList(value) : undefined;
    if (listed !== undefined) return answerFromStream(listed, keepSealed);
    if (value !== undefined && isRaw)
      return value.elements().some((one) => one.type === 'string') ? LEFT_OUT : readAnswer(value, keepSealed);
    if (value !== undefined && (isAnswer(value) || areAnswers(value))) return readAnswer(value, keepSealed);
    if (holdsOtherEvents(text, isRaw)) return UNKNOWN;
    const form = printedForm(view);
    const isCut = isCutEvent(text) || form === 'cut' || (isRaw && form === undefined);
    if (isCut) return { messages: [], notes: [STREAM_CUT] };
  }
  const inner = isRaw ? decoded(view) : undefined;
  if (inner !== undefined && isBody(inner)) return fromText(inner, keepSealed, isRaw);
  if (isRaw && printedForm(view) !== 'answer') return LEFT_OUT;
  return fromBase64(view, keepSealed) ?? textAnswer(view);
}

/** Reads a text that is a body in base64; undefined if it is not. */
function fromBase64(view: JsonView, keepSealed: boolean): Answer | undefined {
  const body = bodyInBase64(view);
  if (body === undefined) return undefined;
  if (body === 'packed') return UNKNOWN;
  if (body.type === 'string')
    return looksLikeEvents(body.text() ?? '') ? fromText(body, keepSealed, true) : UNKNOWN;
  return body.type === 'array' || isAnswer(body) ? readAnswer(body, keepSealed) : UNKNOWN;
}

function textAnswer(text: JsonView, thought?: JsonView): Answer {
  if (isPrintedAnswer(text)) return UNKNOWN;
  const more: Piece[] = thought !== undefined && says(thought) ? [['reasoning_content', thought.copy()]] : [];
  return answerOf(makeMessage('assistant', [['content', text.copy()], ...more]), []);
}

const withNotes = (answer: Answer, notes: readonly ReadingNote[]): Answer => ({
  ...answer,
  notes: [...answer.notes, ...notes],
});

/** The answer of an assembled stream. */
export function answerFromStream({ json, notes }: StreamedAnswer, keepSealed: boolean): Answer {
  const body = new JsonView(json);
  const read = fromObject(body, keepSealed);
  const others = notes.filter(({ rule }) => !read.notes.some((note) => note.rule === rule));
  return { ...withNotes(read, others), body };
}

function fromList(list: JsonView, keepSealed: boolean): Answer {
  const streamed = answerInList(list);
  if (streamed !== undefined) return answerFromStream(streamed, keepSealed);
  const all = list.elements();
  const [first] = all;
  if (first === undefined) return NONE;
  if (all.some((one) => one.type === 'object' && isStreamEvent(one))) return UNKNOWN;
  if (present(first.get('message')) || first.get('finish_reason') !== undefined)
    return fromChoices(list, keepSealed);
  if (all.every(isMessage) && all.some((one) => one.textOf('role') !== 'assistant'))
    return { messages: readForeignMessages(all.map(messageOf), keepSealed).map(asReadMessage), notes: [] };
  if (isItem(first)) return fromItems(list, keepSealed);
  const blocks = blocksOfContent(list, true);
  if (blocks !== list || isBlock(first)) return answerOf(readReply(blocks.copy(), undefined, keepSealed), []);
  if (mayBePieces(all) || all.some(isOtherPart)) return UNKNOWN;
  return fromChoices(list, keepSealed);
}

const isMessage = (view: JsonView): boolean => view.textOf('role') !== undefined;
const messageOf = (view: JsonView): Message => ({ bytes: view.copy(), role: view.textOf('role') ?? '' });

const isItem = (view: JsonView): boolean => {
  const type = view.get('type')?.text() ?? '';
  if (type === 'reasoning') return view.typeOf('text') !== 'string'; // a part of the AI SDK has a text
  return type === 'message' || (type.endsWith('_call') && type !== 'tool_call');
};

/** Is it a part of an answer in another form, where choices or messages are expected? */
const isOtherPart = (view: JsonView): boolean =>
  isCall(view) || (view.get('type')?.text() !== undefined && !isMessage(view));

const isBlock = (view: JsonView): boolean =>
  ['text', 'tool_use', 'thinking', 'redacted_thinking'].includes(view.get('type')?.text() ?? '');

function fromObject(view: JsonView, keepSealed: boolean): Answer {
  if (view.textOf('object') === 'response.compaction') return NONE;
  const other = otherAnswer(view);
  if (other !== undefined) return fromOther(other, keepSealed);
  const choices = view.get('choices');
  if (choices?.type === 'array') return fromChoices(choices, keepSealed, view.get('error'));
  if (view.get('output')?.type === 'array') return fromResponse(view, keepSealed);
  const content = view.get('content');
  const isBlocks = view.get('type')?.text() === 'message' || view.get('stop_reason') !== undefined;
  if (content?.type === 'array' && isBlocks) return fromMessagesApi(view, content, keepSealed);
  if (present(view.get('error'))) return FAILED;
  if (present(view.get('helicone_message'))) return { messages: [], notes: [PLACEHOLDER] };
  const messages = view.get('messages');
  if (messages?.type === 'array' && view.get('role') === undefined) return fromList(messages, keepSealed);
  if (isOllamaChunk(view)) return fromOllama(view, keepSealed);
  if (content?.type === 'string' && isLlamaCpp(view)) return fromLlamaCpp(view, content);
  const message = view.get('message');
  return fromChatMessage(message?.type === 'object' ? message : view, keepSealed);
}

/** Reads an answer of Ollama that is not a stream, to a chat or to a prompt. */
function fromOllama(view: JsonView, keepSealed: boolean): Answer {
  const isWhole = isTrue(view.get('done'));
  const notes = isWhole ? answerNotes(view.textOf('done_reason'), false, 1) : [STREAM_CUT];
  const message = view.get('message');
  const read =
    message?.type === 'object'
      ? fromChatMessage(message, keepSealed)
      : textAnswer(view.get('response') as JsonView, view.get('thinking'));
  return withNotes(read, notes);
}

/** Members of an answer of the server of llama.cpp that repeat its prompt, or hold its settings. */
const LLAMA_CPP: ReadonlySet<string> = new Set([
  ...['content', 'prompt', 'generation_settings', 'stopping_word'],
]);

/** Is it an answer to a prompt, in which nothing is said beside its content? */
const isLlamaCpp = (view: JsonView): boolean =>
  view.typeOf('stop') === 'boolean' &&
  !['role', 'tool_calls', ...REPLIES].some((key) => present(view.get(key))) &&
  strayMember(view, LLAMA_CPP) === undefined;

/** Reads an answer to a prompt by the server of llama.cpp, which tells in several ways that it was cut. */
function fromLlamaCpp(view: JsonView, content: JsonView): Answer {
  const isCut = view.textOf('stop_type') === 'limit' || isTrue(view.get('stopped_limit'));
  return withNotes(textAnswer(content), answerNotes(isCut ? 'length' : undefined, false, 1));
}

/** An answer of Gemini or Converse, without its request. */
function fromOther(other: JsonView, keepSealed: boolean): Answer {
  const transcript = new Transcript(keepSealed);
  const notes = addOtherAnswer(transcript, other);
  if (transcript.refusal !== undefined) return UNKNOWN;
  return { messages: transcript.messages.map(asReadMessage), notes, other };
}

/** The first choice is the answer. */
function fromChoices(choices: JsonView, keepSealed: boolean, error?: JsonView): Answer {
  const all = choices.elements();
  const [logged] = all;
  if (logged === undefined) return present(error) ? FAILED : NONE;
  const packed = structured(logged);
  const first = packed?.type === 'object' && isChoice(packed) ? packed : logged;
  const message = first.get('message');
  const notes = answerNotes(first.get('finish_reason')?.text(), present(error), all.length);
  const text = first.type === 'string' ? first : first.get('text');
  if (message === undefined && text?.type === 'string') return withNotes(textAnswer(text), notes);
  const delta = message === undefined ? first.get('delta') : undefined;
  if (['content', 'tool_calls'].some((key) => says(delta?.get(key)))) return UNKNOWN; // a piece of a stream
  const isCall = first.get('finish_reason')?.text() === 'tool_calls';
  const said = isCall && message?.type === 'object' ? withEmptyArguments(message) : (message ?? first);
  const whole = fromChatMessage(said, keepSealed);
  const isEnded = message === undefined && first.get('finish_reason') !== undefined;
  const read = whole.isUnknown === true && isEnded && !carriesContent(first) ? NONE : whole;
  const unread = unreadNotes(first, message === undefined ? BARE_CHOICE : CHAT_CHOICE, 'choices[0]');
  return withNotes(read, [...notes, ...unread]);
}

const isChoice = (view: JsonView): boolean =>
  ['message', 'delta', 'finish_reason'].some((key) => view.get(key) !== undefined);

/** Members that hold the text of an answer that is not a message. */
const TEXTS = ['text', 'output_text', 'completion'] as const;
/** Members of a message without content that says something. */
const REPLIES = ['function_call', 'refusal', 'audio', 'reasoning', 'reasoning_content', 'parts'] as const;

/** A message, byte for byte. One without a role is the assistant's. */
function fromChatMessage(view: JsonView, keepSealed: boolean): Answer {
  if (view.type !== 'object') return present(view) ? UNKNOWN : NONE;
  if (hasEarlierSteps(view)) return UNKNOWN;
  const bytes = view.copy();
  const role = stringValue(bytes, 'role');
  if (['content', 'tool_calls'].some((key) => present(view.get(key))))
    return {
      messages: canonical({ bytes, role: role ?? '' }, view, keepSealed).map(asReadMessage),
      notes: [],
    };
  const text = TEXTS.map((key) => view.get(key)).find((value) => value?.type === 'string');
  const isText = text !== undefined && !REPLIES.some((key) => says(view.get(key)));
  if (isText) return fromTextAndCalls(view, text, keepSealed);
  if (strayMember(view, CHAT_MESSAGE.names) !== undefined) return UNKNOWN;
  if (role !== undefined) return answerOf({ bytes, role }, []);
  return view.keys().length === 0 ? NONE : UNKNOWN;
}

/** Reads a text, beside which a result of the AI SDK has its calls, and Cohere's first API its sources. */
function fromTextAndCalls(view: JsonView, text: JsonView, keepSealed: boolean): Answer {
  if (strayMember(view, BESIDE_TEXT) !== undefined) return UNKNOWN;
  const calls = view.get('toolCalls')?.elements() ?? [];
  const said = text.isEmptyText ? [] : [typedObject('text', ['text', text.copy()])];
  const list = arrayOf([...said, ...calls.map((call) => call.copy())]);
  const read = calls.length === 0 ? textAnswer(text) : fromList(new JsonView(list), keepSealed);
  return withNotes(read, answerNotes(view.textOf('finishReason'), false, 1));
}

/** Members beside a text that are read, repeat it or its request, or are its sources. */
const BESIDE_TEXT: ReadonlySet<string> = new Set([
  ...[...TEXTS, 'toolCalls', 'steps', 'response', 'request', 'prompt', 'sources'],
  ...['chat_history', 'citations', 'documents', 'search_queries', 'search_results'],
]);

/** The message in the words of the chat API; the same one if it has no call, result or thought of another API. */
function canonical(message: Message, view: JsonView, keepSealed: boolean): readonly Message[] {
  if (message.role !== '') return readForeignMessages([message], keepSealed);
  const named: Message = { bytes: roleAdded(view), role: 'assistant' };
  const read = readForeignMessages([named], keepSealed);
  return read[0] === named ? [message] : read;
}

function fromMessagesApi(view: JsonView, content: JsonView, keepSealed: boolean): Answer {
  const stop = view.get('stop_reason')?.text();
  const reply = readReply(content.copy(), stop, keepSealed, speakerOf(view.bytes));
  return { ...answerOf(reply, messageNotes(view)), isMessage: true };
}

function answerOf(message: Message, notes: readonly ReadingNote[]): Answer {
  return { messages: [asReadMessage(message)], notes };
}

function fromResponse(view: JsonView, keepSealed: boolean): Answer {
  const id = view.get('id')?.text();
  const status = view.get('status')?.text();
  if (status !== undefined && PENDING.has(status)) return { messages: [], notes: [], id, isPending: true };
  const read = fromItems(view.get('output') as JsonView, keepSealed);
  return { ...withNotes(read, responseNotes(view)), id };
}

function fromItems(list: JsonView, keepSealed: boolean): Answer {
  const messages = new ItemMessages(keepSealed);
  const faults = list.elements().map((item) => messages.put(withRole(item)));
  return faults.every((fault) => fault === undefined) ? messages.end() : UNKNOWN;
}

/** Adds the role assistant to a message without a role, as in a stream whose beginning is missing. */
function withRole(item: JsonView): JsonView {
  const isNamed = item.get('role') !== undefined || (item.textOf('type') ?? 'message') !== 'message';
  if (item.type !== 'object' || isNamed) return item;
  return new JsonView(roleAdded(item));
}

function roleAdded(object: JsonView): Uint8Array {
  return objectOf([['role', '"assistant"'], ...copiesOf(object.members())]);
}
