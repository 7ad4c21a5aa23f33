/**
 * Finds answers that only an event has. The events of a turn repeat the texts of its items, each right before or after
 * its item; an event may lack lines that the client does not show.
 */
import type { JsonView } from '../../json/json-view.ts';
import { isSameBytes } from '../../json/same-bytes.ts';
import { parseString } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import type { FoldPlace } from '../fold/fold.ts';
import type { ResponseItem } from '../shared/responses-items.ts';

const NONE: readonly never[] = [];

export class TurnAnswers {
  /** Texts of the turn's items, as JSON strings. */
  #items: Uint8Array[] = [];
  /** Texts of events that no item has repeated yet, each with the last item before it; no text where a line was rejected. */
  #waiting: { readonly text: Uint8Array | undefined; readonly last: Uint8Array | undefined }[] = [];
  /** Texts of events that no item repeats. */
  #alone: Uint8Array[] = [];

  #isReviewing = false;
  /** Has the turn an event of an unknown type, which may say that a review begins or ends? */
  isUnsure = false;

  /** @param isOn whether the answers of events are those of a reviewer, which has another rollout */
  review(isOn: boolean): void {
    this.#isReviewing = isOn;
  }

  /** Adds the text of an event. */
  addEvent(text: JsonView): void {
    if (this.#isReviewing && !this.isUnsure) return;
    const { bytes } = text;
    if (this.#items.some((item) => isSameText(item, bytes))) return;
    this.#waiting.push({ text: text.copy(), last: this.#items.at(-1) });
  }

  /** Marks that a line was rejected: the texts before it and after it are not one answer. */
  cut(): void {
    if (this.#waiting.length > 0) this.#waiting.push({ text: undefined, last: undefined });
  }

  /** Adds an item. @returns the texts of the events before it that it does not repeat; undefined between two answers */
  addItem(texts: readonly Uint8Array[]): readonly (Uint8Array | undefined)[] {
    for (const text of texts) this.#items.push(text);
    if (this.#waiting.length === 0) return NONE;
    // the item after an event mostly repeats it as it is, so the one before is compared last
    const alone = this.#waiting.flatMap(({ text, last }) => {
      if (text === undefined) return [undefined];
      const isRepeated =
        texts.some((one) => isPartOf(text, one)) || (last !== undefined && isPartOf(text, last));
      return isRepeated ? [] : [text];
    });
    this.#waiting = [];
    this.#alone.push(...alone.filter((text) => text !== undefined));
    return alone;
  }

  /** Does an item only repeat texts of events that were taken for answers before it? */
  isRepeat(texts: readonly Uint8Array[]): boolean {
    if (texts.length === 0 || this.#alone.length === 0) return false;
    return texts.every((text) => this.#alone.some((event) => isSameText(event, text)));
  }

  /** Ends the turn. @returns the texts of events that no item repeats */
  end(): readonly (Uint8Array | undefined)[] {
    const alone = this.addItem([]);
    this.#items = [];
    this.#alone = [];
    this.isUnsure = false;
    return alone;
  }
}

const isSameText = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && isSameBytes(a, b);

/** Is the text of an event that of an item, or some of its lines? */
function isPartOf(event: Uint8Array, item: Uint8Array): boolean {
  if (isSameText(event, item)) return true;
  if (event.length > item.length) return false;
  const whole = textOf(item);
  return textOf(event)
    .split('\n')
    .every((line) => whole.includes(line.trim()));
}

const textOf = (json: Uint8Array): string => parseString(json, 0, json.length);

/** Do the events before the first item have an answer, and does the item not repeat what they begin with? */
export function isApart(events: readonly FoldPlace[], item: ResponseItem): boolean {
  const said = events.flatMap(({ content }) => content ?? []);
  const drafts = said.flatMap((one) => ('role' in one ? [] : [one]));
  if (item.kind === 'blocks')
    return drafts.length > 0 && !item.blocks.some((block) => drafts.some((one) => one.has(block)));
  const asked = said.find((one): one is Message => 'role' in one && one.role === 'user');
  if (item.kind !== 'message' || asked === undefined) return false;
  return drafts.length > 0 && !isSameBytes(asked.bytes, item.message.bytes);
}

export const UNSURE: ReadingNote = {
  rule: 'unread-text',
  severity: 'ERROR',
  message: 'an answer that only an event has is in a turn with an event of an unknown type',
};
