/** Assembles streams of Bedrock's Converse API: events named by their member, with the deltas of blocks. */

import type { JsonView } from '../../json/json-view.ts';
import { encode } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { arrayOf, copiesOf, makeMessage, objectOf, type Piece } from '../shared/build-messages.ts';
import { ARGUMENTS_CUT, RESPONSE_ERROR } from '../shared/reading-notes.ts';
import { indexIn, STREAM_CUT, type StreamedAnswer, type StreamGrammar, UnknownKinds } from './grammar.ts';
import { GrowingMembers, GrowingText } from './growing-text.ts';

const EVENTS = [
  ...['messageStart', 'contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop'],
  'metadata',
] as const;
const FAILURE = /^[a-z][A-Za-z]*Exception$/;

const eventOf = (event: Pick<JsonView, 'get'>): string | undefined =>
  EVENTS.find((name) => event.get(name)?.type === 'object');

/** Whether the event belongs to such a stream. `metadata` alone may be a member of any object. */
export function isConverseEvent(event: Pick<JsonView, 'get'>): boolean {
  const name = eventOf(event);
  return name !== undefined && name !== 'metadata';
}

export class ConverseEvents implements StreamGrammar {
  readonly #blocks = new Map<number, Block>();
  readonly #unknown = new UnknownKinds();
  #head: Piece[] = [];
  #hasStarted = false;
  isOver = false;
  #isFailed = false;

  put(event: JsonView): void {
    const name = eventOf(event) ?? event.keys()[0];
    const body = name === undefined ? undefined : event.get(name);
    if (name === 'messageStart') this.#hasStarted = true;
    else if (name === 'contentBlockStart') this.#block(body).start(body?.get('start'));
    else if (name === 'contentBlockDelta') {
      if (!this.#block(body).grow(body?.get('delta'))) this.#unknown.add(name, event);
    } else if (name === 'messageStop') {
      this.isOver = true;
      this.#note('stopReason', body?.get('stopReason'));
    } else if (name === 'metadata') this.#note('usage', body?.get('usage'));
    else if (FAILURE.test(name ?? '')) this.#isFailed = true;
    else if (name === 'contentBlockStop') this.#block(body).end();
    else this.#unknown.add(name, event);
  }

  #note(key: string, value: JsonView | undefined): void {
    if (value !== undefined) this.#head.push([key, value.copy()]);
  }

  #block(body: JsonView | undefined): Block {
    const index = (body && indexIn(body, 'contentBlockIndex')) ?? this.#blocks.size;
    const known = this.#blocks.get(index) ?? new Block();
    this.#blocks.set(index, known);
    return known;
  }

  begins(event: JsonView): boolean {
    return event.get('messageStart') !== undefined && (this.#hasStarted || this.isOver);
  }

  isOfAnother(event: JsonView): boolean {
    if (event.get('messageStart') !== undefined) return this.#blocks.size > 0;
    return this.isOver && event.get('contentBlockDelta') !== undefined;
  }

  answer(): StreamedAnswer {
    const all = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const blocks = all.filter((block) => this.isOver || !block.isUnsaid);
    const content = arrayOf(blocks.map((block) => block.json()));
    const { bytes: message } = makeMessage('assistant', [['content', content]]);
    const isCut = blocks.length < all.length || blocks.some((block) => block.isCut);
    const notes: ReadingNote[] = isCut ? [ARGUMENTS_CUT] : [];
    if (this.#isFailed) notes.push(RESPONSE_ERROR);
    else if (!this.isOver) notes.push(STREAM_CUT);
    const json = objectOf([['output', objectOf([['message', message]])], ...this.#head]);
    return { json, notes: [...notes, ...this.#unknown.notes()] };
  }
}

class Block {
  readonly #text = new GrowingText();
  readonly #input = new GrowingText();
  readonly #reasoning = new GrowingMembers();
  #call: readonly Piece[] | undefined;
  #hasEnded = false;

  start(start: JsonView | undefined): void {
    const call = start?.get('toolUse');
    if (call !== undefined) this.#call = copiesOf(call.members());
  }

  /** @returns false for a delta of an unknown kind */
  grow(delta: JsonView | undefined): boolean {
    const [text, input] = [delta?.get('text'), delta?.get('toolUse')?.get('input')];
    const reasoning = delta?.get('reasoningContent');
    if (text?.type === 'string') this.#text.add(text.bytes);
    else if (input?.type === 'string') this.#input.add(input.bytes);
    else if (reasoning?.type === 'object') this.#reasoning.add(reasoning);
    else return false;
    return true;
  }

  end(): void {
    this.#hasEnded = true;
  }

  get isCut(): boolean {
    return this.#input.isCut;
  }

  /** Is it a call that was cut before its input came? */
  get isUnsaid(): boolean {
    return this.#call !== undefined && this.#input.isEmpty && !this.#hasEnded;
  }

  json(): Uint8Array {
    const input = this.#input.isEmpty ? EMPTY_OBJECT : this.#input.value();
    if (this.#call !== undefined || !this.#input.isEmpty)
      return objectOf([['toolUse', objectOf([...(this.#call ?? []), ['input', input]])]]);
    if (!this.#reasoning.isEmpty) return objectOf([['reasoningContent', this.#reasoningJson()]]);
    return objectOf([['text', this.#text.json()]]);
  }

  #reasoningJson(): Uint8Array {
    const pieces = this.#reasoning.pieces();
    const isText = this.#reasoning.text('text') !== undefined;
    return isText ? objectOf([['reasoningText', objectOf(pieces)]]) : objectOf(pieces);
  }
}

const EMPTY_OBJECT = encode('{}');
