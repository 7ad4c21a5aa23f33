/** The limits of an entry: its messages, and its elements in all. */
import type { ReadElement } from '../dialects/dialect.ts';
import { rejectObject } from '../dialects/shared/line-objects.ts';
import { elementsIn, mayExceed, mostInAll } from '../json/elements.ts';
import { perObject } from '../json/notes.ts';
import { ANY_NUMBER } from '../json/scanner.ts';
import type { Entry, Line } from '../model/element.ts';
import type { LineReason } from '../model/reasons.ts';
import { rejectLine } from '../model/rejection.ts';

export interface MaxOfEntry {
  /** Undefined for no limit. */
  readonly maxMessages: number | undefined;
  readonly maxElements: number;
}

/** Enforces the limits of an entry. */
export class EntryLimits {
  readonly #maxMessages: number | undefined;
  readonly #maxElements: number;

  constructor({ maxMessages, maxElements }: MaxOfEntry) {
    this.#maxMessages = maxMessages;
    this.#maxElements = maxElements;
  }

  /** The limit that an entry exceeds, as reason and detail; undefined if none. */
  #excessOf(entry: Entry, mayBeCrowded: boolean): readonly [LineReason, string] | undefined {
    const count = messagesOf(entry);
    if (this.#maxMessages !== undefined && count > this.#maxMessages)
      return ['too-many-messages', `${count} messages, over the limit of ${this.#maxMessages}`];
    if (!mayBeCrowded || elementsOfEntry(entry) <= mostInAll(this.#maxElements)) return undefined;
    const all = `messages, tools and reply have more than ${mostInAll(this.#maxElements)} elements in all`;
    return ['too-many-elements', all];
  }

  bounded(line: Line, element: ReadElement, isOnly: boolean): ReadElement {
    if (element.kind === 'entry' && element.lines !== undefined) return this.boundedFold(element);
    const mayBeCrowded = mayExceed(element.origin.length, mostInAll(this.#maxElements));
    if (element.kind !== 'entry' || (this.#maxMessages === undefined && !mayBeCrowded)) return element;
    const excess = this.#excessOf(element, mayBeCrowded);
    if (excess === undefined) return element;
    const [reason, detail] = excess;
    return isOnly
      ? rejectLine('parse', line, reason, detail)
      : rejectObject(line, element.origin, reason, detail, -1);
  }

  /** Marks a conversation that is too long. Its lines were accepted before, so they are rejected with its session. */
  boundedFold(entry: Entry): Entry {
    const [, detail] = this.#excessOf(entry, false) ?? [];
    if (detail === undefined) return entry;
    return { ...entry, messages: [], reply: undefined, refused: { reason: 'conversation-too-long', detail } };
  }
}

const messagesOf = ({ length, messages, reply }: Entry): number =>
  length ?? messages.length + (reply === undefined ? 0 : 1);

/** Number of JSON elements in a message or tool, at all levels. */
const elementsWithin = perObject(({ bytes }: { readonly bytes: Uint8Array }) =>
  elementsIn(bytes, 0, bytes.length, ANY_NUMBER),
);

function elementsOfEntry({ messages, tools, reply }: Entry): number {
  let count = reply === undefined ? 0 : elementsWithin(reply);
  for (const message of messages) count += elementsWithin(message);
  for (const tool of tools) count += elementsWithin(tool);
  return count;
}
