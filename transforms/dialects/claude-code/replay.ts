/**
 * A stretch of a transcript that is logged a second time under new ids: a compaction of some versions writes the last
 * turns again, with the parents and times of the first ones. Read as a turn taken back, it would be written twice.
 */
import type { Message } from '../../model/element.ts';
import { AssistantDraft, type FoldBlock } from '../fold/assistant-draft.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import type { UserContent } from './line.ts';

type Items = Pick<Fold, 'at' | 'isHere'>;

export class Replay {
  /** When each typed text was logged. */
  readonly #times = new WeakMap<FoldPlace, string>();
  #thread: string | undefined;
  /** The first message that was repeated. */
  #first: FoldPlace | undefined;
  /** The message that was repeated last. */
  #at: FoldPlace | undefined;

  setTime(place: FoldPlace, time: string | undefined): void {
    if (time !== undefined) this.#times.set(place, time);
  }

  /**
   * Begins if a text that goes back to a position is the one that came after it.
   * @returns the message that it repeats
   */
  begin(
    thread: string,
    before: FoldPlace,
    text: Message | undefined,
    time: string | undefined,
    fold: Items,
  ): FoldPlace | undefined {
    if (before.index >= 0 && !fold.isHere(before)) return undefined;
    const first = fold.at(before.index + 1);
    const isRepeated = first !== undefined && time !== undefined && this.#times.get(first) === time;
    if (!isRepeated || !isSame(first.content, text)) return undefined;
    this.#thread = thread;
    this.#at = this.#first = first;
    return first;
  }

  /** The message that the blocks of an answer repeat; undefined if they are new. */
  answer(thread: string, blocks: readonly FoldBlock[], fold: Items): FoldPlace | undefined {
    if (this.#thread !== thread || this.#at === undefined) return undefined;
    const has = ({ content }: FoldPlace): boolean =>
      content instanceof AssistantDraft && blocks.every((block) => content.has(block));
    return this.#goOn(
      [this.#at, fold.at(this.#at.index + 1)].find((place) => place !== undefined && has(place)),
    );
  }

  /** The message that a user line repeats, or whose calls have its results already. */
  words(thread: string, { results, rest }: UserContent, fold: Items): FoldPlace | undefined {
    const at = this.#at;
    if (this.#thread !== thread || at === undefined) return undefined;
    if (results.length === 0) {
      const next = fold.at(at.index + 1);
      return this.#goOn(next !== undefined && isSame(next.content, rest) ? next : undefined);
    }
    const has = ({ calls }: FoldPlace): boolean =>
      results.every(({ callId, message }) =>
        calls.some(({ id, result }) => id === callId && isSame(result, message)),
      );
    let called: FoldPlace | undefined = at;
    while (called !== undefined && !has(called)) called = called === this.#first ? undefined : called.before;
    return rest === undefined && called !== undefined ? this.#goOn(at) : undefined;
  }

  /** Ends with a line that is new. @returns the message after which it comes; undefined if nothing was repeated */
  end(thread: string): FoldPlace | undefined {
    if (this.#thread !== thread) return undefined;
    const at = this.#at;
    this.clear();
    return at;
  }

  clear(): void {
    this.#thread = this.#first = this.#at = undefined;
  }

  #goOn(place: FoldPlace | undefined): FoldPlace | undefined {
    if (place !== undefined) this.#at = place;
    return place;
  }
}

const isSame = (a: Message | AssistantDraft | undefined, b: Message | undefined): boolean =>
  a !== undefined && b !== undefined && 'role' in a && Buffer.compare(a.bytes, b.bytes) === 0;
