/** Pairs what the user said in events with the items that repeat it: each item repeats one event. */
import { decode } from '../../json/utf8.ts';
import { makeMessage } from '../shared/build-messages.ts';
import type { ResponseMessage } from '../shared/responses-items.ts';

/** Old versions have no events at all, so only the last items wait for one. */
const MAX_WAITING = 8;

export class Questions {
  /** Items that no event has repeated yet. */
  #items: ResponseMessage[] = [];
  /** The last item that an event repeated, and whether that event had it whole. */
  #matched: { readonly message: ResponseMessage; readonly isItem: boolean } | undefined;
  /** Texts of events that were taken for messages. */
  #added: string[] = [];

  add(message: ResponseMessage): void {
    this.#items.push(message);
    if (this.#items.length > MAX_WAITING) this.#items.shift();
  }

  match(message: ResponseMessage, isItem: boolean): void {
    this.#matched = { message, isItem };
    this.#items = [];
    this.#added = [];
  }

  /** Does an event repeat an item before it? Two events of different types may repeat the same one. */
  repeat(asked: string, isItem: boolean): boolean {
    const same = this.#items.findIndex(({ text }) => text === asked);
    const at = same < 0 ? this.#items.findIndex((item) => isSaidIn(asked, item)) : same;
    const item = this.#items[at];
    if (item === undefined) {
      const last = this.#matched;
      return last !== undefined && last.isItem !== isItem && isSaidIn(asked, last.message);
    }
    const later = this.#items.slice(at + 1);
    this.match(item, isItem);
    this.#items = later;
    return true;
  }

  setAdded(asked: string): void {
    this.#added.push(asked);
    if (this.#added.length > MAX_WAITING) this.#added.shift();
  }

  /** Does an item repeat the text of an event that was taken for a message? */
  isAdded(message: ResponseMessage): boolean {
    const at = this.#added.findIndex((asked) => hasLines(asked, message));
    if (at < 0) return false;
    this.#added.splice(at, 1);
    return true;
  }
}

/** A message with the text of an event. @param json the same as a JSON string */
export function questionOf(json: Uint8Array, text: string): ResponseMessage {
  return { kind: 'message', message: makeMessage('user', [['content', json]]), text };
}

/** Is the text of an event in a message, which the client may have put other texts around? */
export function isSaidIn(asked: string, { text, message }: ResponseMessage): boolean {
  if (text === asked) return true;
  const whole = bare(text ?? textsIn(message.bytes));
  return whole.includes(bare(asked)) || asked.split('\n').every((line) => whole.includes(bare(line)));
}

/** Are the lines of a text whole lines of a message? */
const hasLines = (asked: string, { text, message }: ResponseMessage): boolean =>
  `\n${text ?? textsIn(message.bytes)}\n`.includes(`\n${asked}\n`);

const bare = (text: string): string => text.replaceAll(/\s+/g, '');

function textsIn(json: Uint8Array): string {
  const { content } = JSON.parse(decode(json));
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n');
}
