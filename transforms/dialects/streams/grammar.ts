/** Interface for the streams of each API: takes events, and returns the answer as the API does without streaming. */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import { contentOfUnknown } from '../shared/carried-content.ts';
import { error, unknownEvent, warning } from '../shared/reading-notes.ts';

export interface StreamedAnswer {
  /** JSON text of an object: the answer as the API returns it without streaming. */
  readonly json: Uint8Array;
  /** Findings about the stream. */
  readonly notes: readonly ReadingNote[];
}

/** Assembles one answer. */
export interface StreamGrammar {
  /** Adds an event, which is an object. */
  put(event: JsonView): void;
  /** Whether the event begins another answer. */
  begins(event: JsonView): boolean;
  /** Whether the event says something of another answer: this one is over, or the other one has its own id. */
  isOfAnother(event: JsonView): boolean;
  /** Whether the answer is complete. */
  readonly isOver: boolean;
  /** Whether later events repeat all that came in pieces, so that a lost one changes nothing. */
  readonly hasRepeated?: boolean;
  answer(): StreamedAnswer;
}

export const STREAM_CUT: ReadingNote = warning('stream-cut', 'the stream ends before the answer does');

export const TWO_ANSWERS: ReadingNote = error('unknown-content', 'the stream has two answers');

/** A member that is a number, such as the index of a block. */
export function indexIn(event: JsonView, key: string): number | undefined {
  const value = event.get(key);
  return value?.type === 'number' ? Number(value.parsed()) : undefined;
}

/** The JSON text of a string member; valid as long as the event is. */
export function stringIn(event: JsonView | undefined, key: string): Uint8Array | undefined {
  const value = event?.get(key);
  return value?.type === 'string' ? value.bytes : undefined;
}

/** Whether an object has an id, and not this one. @param known JSON text */
export function isOtherId(object: JsonView | undefined, known: Uint8Array | undefined, key = 'id'): boolean {
  const id = stringIn(object, key);
  return id !== undefined && known !== undefined && !isSameBytes(id, known);
}

/** Events that only keep the connection open. */
export const isKeepAlive = (type: string | undefined): boolean => type === 'ping' || type === 'keepalive';

interface UnknownKind {
  readonly event: ReadingNote;
  /** Set if an event of this type carries content. */
  readonly content: string | undefined;
}

/** Reports each unknown type of event once. */
export class UnknownKinds {
  readonly #kinds = new Map<string, UnknownKind>();

  add(kind: string | undefined, json: JsonView): void {
    if (isKeepAlive(kind) || this.#kinds.size >= MAX_KINDS) return;
    const event = unknownEvent(kind, 'events');
    const known = this.#kinds.get(event.message);
    this.#kinds.set(event.message, { event, content: known?.content ?? contentOfUnknown(kind, json) });
  }

  /** Reports an event of a known type that says something under a name that is not read. */
  lose(kind: string | undefined): void {
    const event = unknownEvent(kind, 'events');
    this.#kinds.set(event.message, { event, content: LOST });
  }

  /**
   * An answer that lacks the content of an event is rejected.
   * @param isWhole whether the stream repeated the whole answer
   */
  notes(isWhole = false): readonly ReadingNote[] {
    return [...this.#kinds.values()].map(({ event, content }) =>
      content === undefined || isWhole ? event : error('unknown-content', content),
    );
  }
}

const MAX_KINDS = 20;
const LOST = 'an event has its content in a member that is not known';
