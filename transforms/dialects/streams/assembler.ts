/** Assembles the answer from a stream of any API. */

import { OPEN_OBJECT } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { textScanner } from '../../json/plain-scanner.ts';
import { skipBlanks } from '../../json/scanner.ts';
import { encode } from '../../json/utf8.ts';
import type { ValueTape } from '../../json/value-tape.ts';
import { objectOf } from '../shared/build-messages.ts';
import { carriesContent } from '../shared/carried-content.ts';
import { present, structured } from '../shared/logged-values.ts';
import { error } from '../shared/reading-notes.ts';
import { strayMember } from '../shared/stray-members.ts';
import { says } from '../shared/unread-text.ts';
import { AnthropicEvents, isAnthropicEvent } from './anthropic-events.ts';
import { ChatChunks, isChatChunk, isOllamaChunk } from './chat-chunks.ts';
import { ConverseEvents, isConverseEvent } from './converse-events.ts';
import { GeminiChunks, isGeminiChunk } from './gemini-chunks.ts';
import { STREAM_CUT, type StreamedAnswer, type StreamGrammar, TWO_ANSWERS } from './grammar.ts';
import { GrowingMembers } from './growing-text.ts';
import { isResponsesEvent, ResponsesEvents } from './responses-events.ts';
import { isOnlyEvents, looksLikeEvents, payloadsIn } from './sse.ts';

const DONE = '[DONE]';

/**
 * Parses a payload; undefined if it is not a single JSON object.
 * @param tape indexes the values of the object until the next one is parsed; without it each lookup searches the bytes
 */
export function objectIn(json: Uint8Array, tape?: ValueTape): JsonView | undefined {
  const start = skipBlanks(json, 0);
  if (json[start] !== OPEN_OBJECT) return undefined;
  const end = textScanner.value(json, start, 0);
  if (end < 0 || skipBlanks(json, end) < json.length) return undefined;
  if (tape === undefined) return new JsonView(json, start, end);
  tape.fill(json, start);
  return JsonView.onTape(json, tape, -1);
}

/** Whether the object is an event or a chunk of a stream. */
export function isStreamEvent(event: Pick<JsonView, 'get'>): boolean {
  if (isChatChunk(event) || isAnthropicEvent(event) || isResponsesEvent(event)) return true;
  return isGeminiChunk(event) || isConverseEvent(event);
}

/** Also true for errors and chunks without choices, which may come before the first event that shows the API. */
const mayBeEvent = (event: JsonView): boolean =>
  isStreamEvent(event) ||
  present(event.get('error')) ||
  event.get('choices')?.type === 'array' ||
  isOllamaChunk(event);

function grammarOf(event: JsonView): StreamGrammar | undefined {
  if (isResponsesEvent(event)) return new ResponsesEvents();
  if (isAnthropicEvent(event) && event.get('type')?.text() !== 'error') return new AnthropicEvents();
  if (isGeminiChunk(event)) return new GeminiChunks();
  if (isConverseEvent(event)) return new ConverseEvents();
  const hasChoices = (event.get('choices')?.elements().length ?? 0) > 0;
  return hasChoices || isChatChunk(event) || isOllamaChunk(event) ? new ChatChunks() : undefined;
}

export class StreamAssembler {
  #grammar: StreamGrammar | undefined;
  /** Events before the first one that shows the API. */
  #early: Uint8Array[] = [];
  #isDamaged = false;
  /** Was a piece of an event the last thing that came, or did something follow it that says more? */
  #torn: 'at the end' | 'inside' | undefined;
  /** Was content in what is not an event? */
  #hasLost = false;
  #hasTwo = false;
  /** Bytes held in memory, as an estimate. */
  weight = 0;

  /** Adds an event. @returns false if it does not belong to any stream */
  put(event: JsonView): boolean {
    // once the grammar is known, it reports events of new kinds
    const isNew =
      this.#grammar !== undefined &&
      (event.get('type')?.type === 'string' ||
        (this.#grammar instanceof ConverseEvents && event.keys().length === 1));
    if (!isNew && !mayBeEvent(event)) {
      this.#hasLost ||= carriesContent(event) || strayMember(event) !== undefined;
      return false;
    }
    this.#grammar ??= grammarOf(event);
    if (this.#grammar !== undefined) {
      this.#settleEarly(this.#grammar);
      this.#hasTwo ||= this.#grammar.isOfAnother(event);
      this.#feed(this.#grammar, event);
      return true;
    }
    if (this.#early.length < MAX_EARLY) this.#early.push(event.copy());
    return true;
  }

  #feed(grammar: StreamGrammar, event: JsonView): void {
    this.weight += event.length;
    if (this.#torn === 'at the end' && goesOn(event)) this.#torn = 'inside';
    grammar.put(event);
  }

  #settleEarly(grammar: StreamGrammar): void {
    for (const event of this.#early) this.#feed(grammar, new JsonView(event));
    this.#early = [];
  }

  /**
   * Records that an event was not JSON, because the stream was truncated or damaged.
   * @param value what is there instead; undefined for text that is not JSON
   * @param isTorn whether it is a piece of an event
   */
  damaged(value?: JsonView, isTorn = false): void {
    this.#isDamaged = true;
    if (isTorn) this.#torn ??= 'at the end';
    this.#hasLost ||= says(value) && !CUT.test(value?.text() ?? '');
  }

  /** Records the end mark `[DONE]`. */
  done(): void {
    if (this.#grammar instanceof ChatChunks) this.#grammar.end();
  }

  /** Whether the event begins another answer. */
  begins(event: JsonView): boolean {
    return this.#grammar?.begins(event) === true;
  }

  get isOver(): boolean {
    return this.#grammar?.isOver === true;
  }

  /** The answer so far; undefined if there was no event of a stream. */
  answer(): StreamedAnswer | undefined {
    if (this.#grammar === undefined) {
      if (this.#early.length === 0) return undefined;
      this.#grammar = new ChatChunks();
      this.#settleEarly(this.#grammar);
    }
    const answer = this.#grammar.answer();
    const hasHole = this.#torn === 'inside' && this.#grammar.hasRepeated !== true;
    const isNoted = hasHole || !this.#isDamaged || answer.notes.includes(STREAM_CUT);
    const own = [
      ...(isNoted ? [] : [DAMAGED]),
      ...(hasHole ? [HOLE] : []),
      ...(this.#hasLost ? [LOST] : []),
      ...(this.#hasTwo ? [TWO_ANSWERS] : []),
    ];
    return own.length === 0 ? answer : { ...answer, notes: [...answer.notes, ...own] };
  }
}

const MAX_EARLY = 16;
/** How a text begins that is a piece of an event. */
const CUT = /^\s*(?:\{|data:|event:|:)/;
const DAMAGED = { ...STREAM_CUT, message: 'a part of the stream is not an event: left out' };

/** Does an event say something? The last one only ends the answer. */
const goesOn = (event: JsonView): boolean =>
  (event.get('choices')?.elements() ?? [event]).some((one) => carriesContent(one));

const HOLE = error(
  'unknown-content',
  'an event inside the stream is damaged: a part of the answer is missing',
);
const LOST = error('unknown-content', 'a part of the stream that is not an event carries content');

/** The answer in a text of server-sent events; undefined if the text has no event of a stream. */
export function answerInText(text: string): StreamedAnswer | undefined {
  if (!looksLikeEvents(text)) return undefined;
  const assembler = new StreamAssembler();
  for (const lines of payloadsIn(text)) {
    const whole = objectIn(encode(lines.join('\n')));
    if (whole !== undefined) putEvent(assembler, whole);
    else for (const line of lines) putPayload(assembler, line);
  }
  return assembler.answer();
}

/**
 * Has a text events that say something, but none of a stream that is read?
 * @param isBody whether it is the body of a response; a model may write a single event, or one in a text
 */
export function holdsOtherEvents(text: string, isBody: boolean): boolean {
  if (!looksLikeEvents(text)) return false;
  const events = [...payloadsIn(text)].flatMap((lines) => objectIn(encode(lines.join('\n'))) ?? []);
  if (!isBody && (events.length < 2 || !isOnlyEvents(text))) return false;
  const whole = new GrowingMembers(); // the pieces of a text may be single words
  for (const event of events) whole.add(event);
  return [...events, new JsonView(objectOf(whole.pieces()))].some(
    (event) => carriesContent(event) || strayMember(event) !== undefined,
  );
}

/** Whether a text is a stream that was truncated in its first event. */
export function isCutEvent(text: string): boolean {
  if (!looksLikeEvents(text)) return false;
  const [[first] = []] = payloadsIn(text);
  return first !== undefined && /^\s*\{/.test(first) && objectIn(encode(first)) === undefined;
}

function putPayload(assembler: StreamAssembler, payload: string): void {
  if (isDone(payload)) assembler.done();
  else putEvent(assembler, objectIn(encode(payload)), payload);
}

/** Is a payload a piece of an event? */
export const isTorn = (event: JsonView | undefined, payload: string): boolean =>
  event === undefined && /^\s*\{/.test(payload);

/** A payload that is a whole list or text. */
function otherIn(payload: string): JsonView | undefined {
  if (!/^\s*["[]/.test(payload)) return undefined;
  const json = encode(payload);
  const start = skipBlanks(json, 0);
  const end = textScanner.value(json, start, 0);
  return end < 0 || skipBlanks(json, end) < json.length ? undefined : new JsonView(json, start, end);
}

function putEvent(assembler: StreamAssembler, event: JsonView | undefined, payload = ''): void {
  if (event === undefined || !assembler.put(event))
    assembler.damaged(otherIn(payload), isTorn(event, payload));
}

const TEXT_CHUNK = 'text_completion';

/** The answer in a text with an event on each line; undefined if its first line is not one. */
export function answerInLines(text: string): StreamedAnswer | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const first = lines.length < 2 ? undefined : objectIn(encode(lines[0] as string));
  if (first === undefined || !(isStreamEvent(first) || isOllamaChunk(first))) return undefined;
  const assembler = new StreamAssembler();
  for (const line of lines) putPayload(assembler, line);
  return assembler.answer();
}

/** The answer in a list of events; undefined if its first element is not an event of a stream. */
export function answerInList(list: JsonView): StreamedAnswer | undefined {
  const events = list.elements().map(eventIn);
  if (events.length > 0 && events.every(({ type }) => type === 'string')) return answerInPieces(events);
  const first = events.find((event) => event.get('choices')?.elements().length !== 0);
  const isEvent = first !== undefined && (isStreamEvent(first) || isOllamaChunk(first));
  if (!isEvent && first?.textOf('object') !== TEXT_CHUNK) return undefined;
  const assembler = new StreamAssembler();
  for (const event of events) {
    if (event.type === 'string' && event.text()?.trim() === DONE) assembler.done();
    else if (event.type === 'object') putEvent(assembler, event);
    else assembler.damaged(event);
  }
  return assembler.answer();
}

/** The event in an element of a list: itself, or its `data` where the name of the event is beside it. */
function eventIn(element: JsonView): JsonView {
  const isEvent = element.type === 'object' && isStreamEvent(element);
  const data = isEvent ? undefined : structured(element.type === 'object' ? element.get('data') : element);
  return data?.type === 'object' && isStreamEvent(data) ? data : element;
}

/** The answer in a text that was logged as it arrived, in pieces. */
function answerInPieces(pieces: readonly JsonView[]): StreamedAnswer | undefined {
  const texts = pieces.map((piece) => piece.text() ?? '');
  return answerInText(texts.join(texts.some((text) => text.includes('\n')) ? '' : '\n'));
}

/** Whether a payload is the end mark. */
export const isDone = (payload: string): boolean => payload.trim() === DONE;
