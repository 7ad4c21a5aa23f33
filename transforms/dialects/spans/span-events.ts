/**
 * Reads messages from the events of a span, where older conventions of OpenTelemetry put them: `gen_ai.user.message`
 * and others with `gen_ai.choice`, and before that `gen_ai.content.prompt` and `gen_ai.content.completion`.
 */

import { JsonView } from '../../json/json-view.ts';
import { differentSpeakers, roleNamed } from '../../model/known-roles.ts';
import { copiesOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { carriesContent } from '../shared/carried-content.ts';
import { addAnswer, noteFinish } from '../shared/logged-answer.ts';
import { addRequest, refuseValue } from '../shared/logged-bodies.ts';
import { firstOf, present, unpacked } from '../shared/logged-values.ts';
import { isPrintedAnswer, isPrintedMessages, isPrintedParts } from '../shared/printed-value.ts';
import { OTHER_CHOICES } from '../shared/reading-notes.ts';
import type { Transcript } from '../shared/transcript.ts';
import { says } from '../shared/unread-text.ts';
import { strayOfModel } from './known-attributes.ts';
import { answerIn } from './no-answer.ts';
import { plainValue, SpanAttributes } from './span-attributes.ts';

const MESSAGE = /^gen_ai\.(system|user|assistant|tool)\.message$/;
const CHOICE = 'gen_ai.choice';
const PROMPT = 'gen_ai.content.prompt';
const COMPLETION = 'gen_ai.content.completion';
/** Name of an event with what its span lacks: the input and the output may be in two of them. */
const DETAILS = 'gen_ai.client.inference.operation.details';
/** Attribute of an event with its body as JSON text. */
const WHOLE = 'gen_ai.event.content';
/** Members of an event that do not belong to its message. */
const EVENT_MEMBERS: ReadonlySet<string> = new Set(['event.name', 'event_name', 'event']);

const nameOf = (event: JsonView): string => firstOf(event, 'event.name', 'event_name', 'name')?.text() ?? '';

const isMessageName = (name: string): boolean =>
  MESSAGE.test(name) || name === CHOICE || name === PROMPT || name === COMPLETION;

const isMessageEvent = (event: JsonView): boolean => isMessageName(nameOf(event)) || isUnknownEvent(event);

/** May an event among the messages be one, though its name is another? */
const isStrange = (event: JsonView): boolean => isUnknownName(event) && carriesContent(bodyOf(event));

export const isDetails = (event: JsonView): boolean => nameOf(event) === DETAILS;

/** Is an event none of the conventions, and no exception? */
export function isUnknownName(event: JsonView): boolean {
  const name = nameOf(event);
  return name !== 'exception' && !isCallEvent(name) && !OTHER_EVENTS.has(name);
}

/** Events of the convention that have no messages of a call. */
const OTHER_EVENTS: ReadonlySet<string> = new Set(['gen_ai.evaluation.result']);
const UNKNOWN_ATTRIBUTE = 'an event of the call has words in an attribute that turnmill does not know';
const UNKNOWN_EVENT = 'an event of the call carries content, but its name is not known';

/** Does an event belong to the convention and carry content, under a name that is not known? */
export function isUnknownEvent(event: JsonView): boolean {
  const name = nameOf(event);
  if (!name.startsWith('gen_ai.') || isCallEvent(name) || OTHER_EVENTS.has(name)) return false;
  return carriesContent(bodyOf(event));
}

/** Whether an event of this name has messages of a model call. */
export const isCallEvent = (name: string): boolean => isMessageName(name) || name === DETAILS;

/** The events of a span that are messages, in their order, and those among them that may be. */
export function messageEvents(span: JsonView, attributes: SpanAttributes): readonly JsonView[] {
  const list = listsOf(span, attributes).find((events) => events.some(isMessageEvent)) ?? [];
  return list.filter((event) => isMessageEvent(event) || isStrange(event));
}

/** The attributes of all events of a span that have the details of its call. */
export const detailsIn = (span: JsonView, attributes: SpanAttributes): readonly (JsonView | undefined)[] =>
  (listsOf(span, attributes).find((events) => events.some(isDetails)) ?? [])
    .filter(isDetails)
    .flatMap((event) => [event.get('attributes'), bodyOf(event)]);

export const eventsOf = (span: JsonView, attributes: SpanAttributes): readonly JsonView[] =>
  listsOf(span, attributes).flat();

/** The exceptions that a span recorded. */
export const exceptionsOf = (span: JsonView, attributes: SpanAttributes): readonly (JsonView | undefined)[] =>
  eventsOf(span, attributes)
    .filter((event) => nameOf(event) === 'exception')
    .map((event) => SpanAttributes.of(event.get('attributes')).at('exception').json());

/** Is one of the events not an object? */
export const hasOddEvent = (span: JsonView, attributes: SpanAttributes): boolean =>
  eventsOf(span, attributes).some((event) => event.type !== 'object' && says(event));

/** The places that a span may have events in; some clients log them as one attribute. */
function listsOf(span: JsonView, attributes: SpanAttributes): readonly (readonly JsonView[])[] {
  const lists = [span.get('events'), attributes.at('events').value].map((list) => unpacked(list)?.elements());
  return [...lists, span.get('logs')?.elements().map(eventOf)].map((list) => list ?? []);
}

/** An event in the words of Jaeger: the field `event` is its name. */
function eventOf(log: JsonView): JsonView {
  const fields = log.get('fields');
  const name = fields
    ?.elements()
    .find((field) => field.get('key')?.text() === 'event')
    ?.get('value');
  const pieces: Piece[] = name === undefined ? [] : [['name', name.copy()]];
  if (fields !== undefined) pieces.push(['attributes', fields.copy()]);
  return new JsonView(objectOf(pieces));
}

/**
 * Adds the messages of the events.
 * @returns whether an answer was added
 */
export function addEvents(transcript: Transcript, events: readonly JsonView[]): boolean {
  let hasReply = false;
  for (const event of events) {
    const name = nameOf(event);
    const body = bodyOf(event);
    const role = MESSAGE.exec(name)?.[1];
    const whole = event.get('attributes')?.get(WHOLE);
    if (whole !== undefined && unpacked(whole)?.type !== 'object') refuseValue(transcript, whole);
    const content = role === 'tool' ? undefined : body.get('content');
    if (content?.type === 'string' && isPrintedParts(content)) refuseValue(transcript, content);
    const stray = strayOfModel(SpanAttributes.of(event.get('attributes')), []);
    if (stray !== undefined) transcript.refuse('unknown-content', UNKNOWN_ATTRIBUTE, body);
    if (isOfOther(body, role)) transcript.refuse('unknown-speaker', differentSpeakers('an event'), body);
    else if (role !== undefined) transcript.add(messageOf(body, role), role);
    else if (name === PROMPT) addRequest(transcript, body.get('gen_ai.prompt'));
    else if (name === COMPLETION) hasReply = addAnswer(transcript, completionOf(body)) || hasReply;
    else if (name !== CHOICE) transcript.refuse('unknown-content', UNKNOWN_EVENT, body);
    else if (hasReply) transcript.note(OTHER_CHOICES);
    else hasReply = addChoice(transcript, body);
  }
  return hasReply;
}

/** Is an event whose name is that of another speaker of the role of the model? */
const isOfOther = (body: JsonView, role: string | undefined): boolean =>
  role !== undefined && role !== 'assistant' && roleNamed(body.textOf('role') ?? '') === 'assistant';

const completionOf = (body: JsonView): JsonView | undefined =>
  answerIn('gen_ai.completion', body.get('gen_ai.completion'));

function addChoice(transcript: Transcript, choice: JsonView): boolean {
  const message = unpacked(firstOf(choice, 'message', 'content'));
  const before = transcript.messages.length;
  if (message?.type === 'string' && (isPrintedMessages(message) || isPrintedAnswer(message)))
    refuseValue(transcript, message);
  const isWhole = message?.type === 'object' && firstOf(message, 'content', 'tool_calls') !== undefined;
  transcript.addAnswer(asAnswer(isWhole ? withCalls(message, choice) : withContent(choice, message)));
  noteFinish(transcript, choice.get('finish_reason'));
  return transcript.messages.length > before;
}

/** A choice is an answer, whether or not its message has a role. */
function asAnswer(message: JsonView): JsonView {
  if (message.get('role') !== undefined) return message;
  return new JsonView(objectOf([['role', '"assistant"'], ...copiesOf(message.members())]));
}

/** The message of a choice, with the calls that the choice has beside it. */
function withCalls(message: JsonView, choice: JsonView): JsonView {
  const calls = present(message.get('tool_calls')) ? undefined : unpacked(choice.get('tool_calls'));
  if (!present(calls)) return message;
  const others = message.members().filter(([key]) => key !== 'tool_calls');
  return new JsonView(objectOf([...copiesOf(others), ['tool_calls', calls.copy()]]));
}

/** Builds an answer from a choice that has the content and the calls side by side. */
function withContent(choice: JsonView, content: JsonView | undefined): JsonView {
  const pieces: Piece[] = content === undefined ? [] : [['content', content.copy()]];
  const calls = unpacked(choice.get('tool_calls'));
  if (calls !== undefined) pieces.push(['tool_calls', calls.copy()]);
  return pieces.length === 0 ? messageOf(choice, 'assistant') : new JsonView(objectOf(pieces));
}

/** The members of an event: its body, the JSON text in one of its attributes, its attributes, or the event itself. */
export function bodyOf(event: JsonView): JsonView {
  const attributes = event.get('attributes');
  const list = attributes?.type === 'array' ? new JsonView(objectOf(pairsOf(attributes))) : attributes;
  const places = [event.get('body'), list?.get(WHOLE), list];
  return places.map((place) => unpacked(place)).find((place) => place?.type === 'object') ?? event;
}

/** Attributes as OTLP and Jaeger have them. */
function pairsOf(list: JsonView): readonly Piece[] {
  return list.elements().flatMap((pair): Piece[] => {
    const key = pair.get('key')?.text();
    const value = pair.get('value');
    if (key !== undefined && value !== undefined) return [[key, plainValue(value)]];
    return key === undefined && says(pair) ? [['?', pair.copy()]] : [];
  });
}

const isEventName = (value: JsonView): boolean => MESSAGE.test(value.text() ?? '');

/** Builds a message from the members of an event. The `id` of a tool message is that of the call that it answers. */
function messageOf(body: JsonView, role: string): JsonView {
  const pieces: Piece[] = [];
  for (const [key, value] of body.members()) {
    if (EVENT_MEMBERS.has(key) || key.startsWith('gen_ai.') || value.type === 'null' || isEventName(value))
      continue;
    const isAnswered = key === 'id' && role === 'tool' && body.get('tool_call_id') === undefined;
    const structured = key === 'content' || key === 'tool_calls' ? partsIn(value, role) : value;
    pieces.push([isAnswered ? 'tool_call_id' : key, structured.copy()]);
  }
  if (body.get('role') === undefined) pieces.unshift(['role', `"${role}"`]);
  return new JsonView(objectOf(pieces));
}

/** Parses a list of parts that was logged as text. In a tool message, only a list of results is parsed. */
function partsIn(value: JsonView, role: string): JsonView {
  const list = unpacked(value);
  const parts = list?.type === 'array' ? list.elements() : [];
  const members = role === 'tool' ? RESULTS : PARTS;
  const areParts = parts.length > 0 && parts.every((part) => firstOf(part, ...members) !== undefined);
  return areParts && list !== undefined ? list : value;
}

const RESULTS = ['toolResult'] as const;
const PARTS = [
  ...['text', 'toolUse', 'toolResult', 'reasoningContent', 'type', 'function'],
  ...['image', 'document', 'video', 'cachePoint', 'citationsContent', 'guardContent'],
] as const;
