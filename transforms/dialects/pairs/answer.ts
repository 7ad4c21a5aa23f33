/**
 * Reads the answer of a call in any API: a chat completion, a message of the Messages API, a response of the Responses
 * API, a stream of any of them (as text or as a list of events), or plain text. Then joins it with the messages before
 * it to the fields of an entry.
 */

import { JsonView } from '../../json/json-view.ts';
import { encode, textPieces } from '../../json/utf8.ts';
import type { Message, ReadingNote, ToolDefinition } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import type { EntryFields } from '../dialect-spec.ts';
import { readReply, stopNotes } from '../shared/anthropic-message.ts';
import { makeMessage, objectOf, type Piece } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';
import {
  answerNotes,
  FILTERED,
  noted,
  REPLY_CUT,
  RESPONSE_ERROR,
  sealedNote,
  warning,
} from '../shared/reading-notes.ts';
import { answerInList, answerInText, isCutEvent, objectIn } from '../streams/assembler.ts';
import { STREAM_CUT, type StreamedAnswer } from '../streams/grammar.ts';
import { looksLikeEvents } from '../streams/sse.ts';
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
}

const PLACEHOLDER = warning('body-placeholder', 'the log has a placeholder instead of the answer');

const NONE: Answer = { messages: [], notes: [] };
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
  return view.type === 'object' ? fromObject(view, keepSealed) : NONE;
}

function fromText(view: JsonView, keepSealed: boolean, isRaw: boolean): Answer {
  const [first = ''] = textPieces(view.bytes);
  if (first === '') return NONE;
  const isObject = /^\s*\{/.test(first);
  if (isObject || looksLikeEvents(first)) {
    const text = view.text() as string;
    const streamed = answerInText(text);
    if (streamed !== undefined) return answerFromStream(streamed, keepSealed);
    const object = isObject ? objectIn(encode(text)) : undefined;
    if (object !== undefined && isAnswer(object)) return fromObject(object, keepSealed);
    if (isCutEvent(text)) return { messages: [], notes: [STREAM_CUT] };
  }
  if (isRaw) return { messages: [], notes: [STREAM_CUT] };
  return answerOf(makeMessage('assistant', [['content', view.copy()]]), []);
}

/** The answer of an assembled stream. */
export function answerFromStream({ json, notes }: StreamedAnswer, keepSealed: boolean): Answer {
  const body = new JsonView(json);
  const read = fromObject(body, keepSealed);
  const others = notes.filter(({ rule }) => !read.notes.some((note) => note.rule === rule));
  return { ...read, notes: [...read.notes, ...others], body };
}

/** Whether a JSON object that was logged as text is an answer. */
const isAnswer = (object: JsonView): boolean =>
  ['choices', 'content', 'output', 'error'].some((key) => present(object.get(key)));

function fromList(list: JsonView, keepSealed: boolean): Answer {
  const streamed = answerInList(list);
  if (streamed !== undefined) return answerFromStream(streamed, keepSealed);
  const [first] = list.elements();
  if (first === undefined) return NONE;
  if (present(first.get('message')) || first.get('finish_reason') !== undefined) return fromChoices(list);
  if (isItem(first)) return fromItems(list, keepSealed);
  if (isBlock(first)) return answerOf(readReply(list.copy(), undefined), []);
  return fromChoices(list);
}

const isItem = (view: JsonView): boolean => {
  const type = view.get('type')?.text() ?? '';
  return type === 'message' || type === 'reasoning' || type.endsWith('_call');
};

const isBlock = (view: JsonView): boolean =>
  ['text', 'tool_use', 'thinking', 'redacted_thinking'].includes(view.get('type')?.text() ?? '');

function fromObject(view: JsonView, keepSealed: boolean): Answer {
  const choices = view.get('choices');
  if (choices?.type === 'array') return fromChoices(choices, view.get('error'));
  if (view.get('output')?.type === 'array') return fromResponse(view, keepSealed);
  const content = view.get('content');
  const isMessage = view.get('type')?.text() === 'message' || view.get('stop_reason') !== undefined;
  if (content?.type === 'array' && isMessage) return fromMessagesApi(view, content);
  if (present(view.get('error'))) return FAILED;
  if (present(view.get('helicone_message'))) return { messages: [], notes: [PLACEHOLDER] };
  const message = view.get('message');
  return fromChatMessage(message?.type === 'object' ? message : view);
}

/** The first choice is the answer. */
function fromChoices(choices: JsonView, error?: JsonView): Answer {
  const all = choices.elements();
  const [first] = all;
  if (first === undefined) return present(error) ? FAILED : NONE;
  const message = first.get('message');
  const notes = answerNotes(first.get('finish_reason')?.text(), present(error), all.length);
  const text = first.get('text');
  if (message === undefined && text?.type === 'string')
    return answerOf(makeMessage('assistant', [['content', text.copy()]]), notes);
  const read = fromChatMessage(message ?? first);
  return { ...read, notes: [...read.notes, ...notes] };
}

/** A message, byte for byte. One without a role is the assistant's. */
function fromChatMessage(view: JsonView): Answer {
  if (view.type !== 'object') return NONE;
  const bytes = view.copy();
  const role = stringValue(bytes, 'role');
  const isMessage = role !== undefined || ['content', 'tool_calls'].some((key) => present(view.get(key)));
  return isMessage ? answerOf({ bytes, role: role ?? '' }, []) : NONE;
}

function fromMessagesApi(view: JsonView, content: JsonView): Answer {
  const stop = view.get('stop_reason')?.text();
  return { ...answerOf(readReply(content.copy(), stop), stopNotes(stop)), isMessage: true };
}

function answerOf(message: Message, notes: readonly ReadingNote[]): Answer {
  return { messages: [asReadMessage(message)], notes };
}

function fromResponse(view: JsonView, keepSealed: boolean): Answer {
  const id = view.get('id')?.text();
  const status = view.get('status')?.text();
  if (status !== undefined && PENDING.has(status)) return { messages: [], notes: [], id, isPending: true };
  const notes: ReadingNote[] = [];
  const reason = view.get('incomplete_details')?.get('reason')?.text();
  if (reason === 'max_output_tokens') notes.push(REPLY_CUT);
  if (reason === 'content_filter') notes.push(FILTERED);
  if (present(view.get('error'))) notes.push(RESPONSE_ERROR);
  const read = fromItems(view.get('output') as JsonView, keepSealed);
  return { ...read, notes: [...read.notes, ...notes], id };
}

function fromItems(list: JsonView, keepSealed: boolean): Answer {
  const messages = new ItemMessages(keepSealed);
  for (const item of list.elements()) messages.put(withRole(item));
  return messages.end();
}

/** Adds the role assistant to a message without a role, as in a stream whose beginning is missing. */
function withRole(item: JsonView): JsonView {
  const isNamed = item.get('role') !== undefined || (item.textOf('type') ?? 'message') !== 'message';
  if (item.type !== 'object' || isNamed) return item;
  const members = item.members().map(([key, value]): Piece => [key, value.copy()]);
  return new JsonView(objectOf([...members, ['role', '"assistant"']]));
}

/** Attaches the notes of an answer to its last message; returns them in `rest` if it has no message. */
function notedAnswer({ messages, notes }: Answer): {
  readonly answered: readonly ReadMessage[];
  readonly rest: readonly ReadingNote[];
} {
  const at = messages.findLastIndex(({ message }) => message !== undefined);
  if (at < 0) return { answered: messages, rest: notes };
  const marked = messages.map(
    (one, i): ReadMessage => (i === at ? { ...one, message: noted(one.message as Message, notes) } : one),
  );
  return { answered: marked, rest: [] };
}

export interface AnsweredFields extends Pick<EntryFields, 'reply'> {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly changes: ReadonlyMap<string, number>;
}

/**
 * Joins an answer with the messages before it, and collects the changes and findings of both.
 */
export function answeredFields(
  before: readonly ReadMessage[],
  tools: readonly ToolDefinition[],
  answer: Answer,
): AnsweredFields {
  const { answered, rest } = notedAnswer(answer);
  const all = [...before, ...answered];
  const changes = new Map<string, number>();
  for (const one of all) for (const rule of one.changes) changes.set(rule, (changes.get(rule) ?? 0) + 1);
  const messages = all.flatMap(({ message }) => message ?? []);
  const sealed = all.filter(({ isSealed }) => isSealed).length;
  if (sealed > 0) noteAt(messages, 0, [sealedNote(sealed)]);
  noteAt(messages, messages.length - 1, rest);
  const isAnswered = answered.some(({ message }) => message !== undefined);
  const reply = isAnswered ? messages.pop() : undefined;
  return { messages, reply, tools, changes };
}

function noteAt(messages: Message[], at: number, notes: readonly ReadingNote[]): void {
  const message = messages[at];
  if (message !== undefined) messages[at] = noted(message, notes);
}
