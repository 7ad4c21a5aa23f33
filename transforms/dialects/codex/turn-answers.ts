/**
 * Finds answers and questions that only an event has. The events of a turn repeat the texts of its items, each right
 * before or after its item; an event may lack lines that the client does not show.
 */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { parseString } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import type { FoldPlace } from '../fold/fold.ts';
import { unreadText } from '../shared/reading-notes.ts';
import type { ResponseItem, ResponseMessage } from '../shared/responses-items.ts';
import { isSaidIn, Questions } from './questions.ts';

const NONE: readonly never[] = [];

/** The text of an event that no item has repeated yet. */
interface Waiting {
  /** None where a line was rejected. */
  readonly text: Uint8Array | undefined;
  /** The last item before it. */
  readonly last?: Uint8Array | undefined;
  /** The text of a question, as a plain text; undefined for an answer. */
  readonly asked?: string;
  readonly isItem?: boolean;
}

export class TurnAnswers {
  /** Texts of the turn's items, as JSON strings. */
  #items: Uint8Array[] = [];
  #waiting: Waiting[] = [];
  /** Texts of events that no item repeats. */
  #alone: Uint8Array[] = [];

  readonly #questions = new Questions();
  #isReviewing = false;
  /** Has the turn an event of an unknown type, which may say that a review begins or ends? */
  isUnsure = false;

  /** @param isOn whether the answers of events are those of a reviewer, which has another rollout */
  review(isOn: boolean): void {
    this.#isReviewing = isOn;
  }

  /** Adds the answer of an event. */
  addEvent(text: JsonView, isItem = false): void {
    if (this.#isReviewing && !this.isUnsure) return;
    const { bytes } = text;
    if (this.#items.some((item) => isSameText(item, bytes)) || this.#isAgain(bytes, isItem)) return;
    this.#waiting.push({ text: text.copy(), last: this.#items.at(-1), isItem });
  }

  /** Adds what the user said in an event. */
  addQuestion(text: JsonView, isItem = false): void {
    if (this.#isReviewing && !this.isUnsure) return;
    const asked = text.text() ?? '';
    if (asked.trim() === '' || this.#isAgain(text.bytes, isItem) || this.#questions.repeat(asked, isItem))
      return;
    this.#waiting.push({ text: text.copy(), asked, isItem });
  }

  /** Has the last event, which was of another type, the text already? */
  #isAgain(text: Uint8Array, isItem: boolean): boolean {
    const last = this.#waiting.at(-1);
    return last?.text !== undefined && last.isItem !== isItem && isSameText(last.text, text);
  }

  /** Forgets the events so far. */
  clear(): void {
    this.#waiting = [];
  }

  /** Marks that a line was rejected: the texts before it and after it are not one answer. */
  cut(): void {
    if (this.#waiting.length > 0) this.#waiting.push({ text: undefined });
  }

  /**
   * Adds a message of the user.
   * @returns what the events before it have alone; undefined if it repeats a question that was taken for one
   */
  addMessage(message: ResponseMessage): readonly Waiting[] | undefined {
    if (this.#questions.isAdded(message)) return undefined;
    const at = this.#waiting.findIndex(({ asked }) => asked !== undefined && isSaidIn(asked, message));
    if (at < 0) {
      this.#questions.add(message);
      return this.addItem([]);
    }
    const after = this.#waiting.slice(at + 1);
    this.#questions.match(message, this.#waiting[at]?.isItem === true);
    this.#waiting = this.#waiting.slice(0, at);
    const alone = this.addItem([]);
    this.#waiting = after;
    return alone;
  }

  /**
   * Adds an item.
   * @param isAside whether a message of the user may still follow the events before it
   * @returns what these have alone
   */
  addItem(texts: readonly Uint8Array[], isAside = false): readonly Waiting[] {
    for (const text of texts) this.#items.push(text);
    if (this.#waiting.length === 0) return NONE;
    const asked = isAside ? this.#waiting.findIndex((one) => one.asked !== undefined) : -1;
    const kept = asked < 0 ? [] : this.#waiting.splice(asked);
    const turn = this.#waiting.findLastIndex((one) => one.asked !== undefined);
    // the item after an event mostly repeats it as it is, so the one before is compared last
    const alone = this.#waiting.filter(
      ({ text, last, asked: question }, i) =>
        text === undefined ||
        question !== undefined ||
        !(
          (i > turn && texts.some((one) => isPartOf(text, one))) ||
          (last !== undefined && isPartOf(text, last))
        ),
    );
    this.#waiting = kept;
    for (const { text, asked: question } of alone)
      if (question !== undefined) this.#questions.setAdded(question);
      else if (text !== undefined) this.#alone.push(text);
    return alone;
  }

  /** Does an item only repeat texts of events that were taken for answers before it? */
  isRepeat(texts: readonly Uint8Array[]): boolean {
    if (texts.length === 0 || this.#alone.length === 0) return false;
    return texts.every((text) => this.#alone.some((event) => isSameText(event, text)));
  }

  /** Ends the turn. */
  end(): void {
    this.#items = [];
    this.#alone = [];
    this.isUnsure = false;
  }
}

const isSameText = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && isSameBytes(a, b);

/** Is the text of an event that of an item, or some of its lines? */
function isPartOf(event: Uint8Array, item: Uint8Array): boolean {
  if (isSameText(event, item)) return true;
  const [said, whole] = [textOf(event).trim(), textOf(item)];
  return said.length <= whole.length && said.split('\n').every((line) => whole.includes(line.trim()));
}

const textOf = (json: Uint8Array): string => parseString(json, 0, json.length);

/** Is any of the messages an answer? */
export const hasAnswer = (items: readonly FoldPlace[]): boolean =>
  items.some(({ content }) => content !== undefined && !('role' in content));

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

export const UNSURE: ReadingNote = unreadText(
  'an answer that only an event has is in a turn with an event of an unknown type',
);
