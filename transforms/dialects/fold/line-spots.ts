/**
 * Finds the place of a line in its conversation by the line's id. A source may have millions of lines, so this holds
 * numbers for each (about 40 bytes), and messages only while their conversation is open.
 */
import { IdTable } from '../../model/id-table.ts';
import { NumberColumn } from '../../model/number-column.ts';
import type { Fold, FoldPlace } from './fold.ts';

/** The place of a line: a thread's conversation, and the message after which the line comes. */
export interface Spot {
  /** The conversation of the line. */
  readonly stretch: Stretch;
  /** Undefined before the first message, and in a conversation that has ended, whose messages are not held. */
  readonly place: FoldPlace | undefined;
  /** Whether the message is the line's own. A line without a message has the place of its parent. */
  readonly isOwn: boolean;
}

/** One conversation of a thread, up to the compaction that ends it. */
export interface Stretch {
  readonly number: number;
  readonly thread: string;
  /** The messages of its lines. */
  places: FoldPlace[];
  /**
   * In a conversation that has ended: messages that the open one has too, by their index in the former `places` plus 1.
   */
  kept?: ReadonlyMap<number, FoldPlace>;
}

export class LineSpots {
  readonly #ids = new IdTable();
  /** For each line, the number of its conversation. */
  readonly #stretchNumbers = new NumberColumn();
  /**
   * For each line, `2 * (index in places + 1)`, or 0 without a message; plus 1 if the message is not the line's own.
   */
  readonly #placeNumbers = new NumberColumn();
  readonly #stretches: Stretch[] = [];
  /** The open conversation of each thread. */
  readonly #open = new Map<string, Stretch>();
  /** For each thread, the conversations that have ended and share messages with the open one. */
  readonly #former = new Map<string, readonly Stretch[]>();

  has(id: string): boolean {
    return this.#ids.numberOf(id) >= 0;
  }

  get(id: string): Spot | undefined {
    const line = this.#ids.numberOf(id);
    if (line < 0) return undefined;
    const stretch = this.#stretches[this.#stretchNumbers.at(line)] as Stretch;
    const place = this.#placeNumbers.at(line);
    const number = place >>> 1;
    const isOwn = place % 2 === 0;
    const kept = stretch.kept?.get(number);
    if (kept !== undefined) return { stretch: this.stretchOf(stretch.thread), place: kept, isOwn };
    return { stretch, place: stretch.places[number - 1], isOwn };
  }

  /**
   * Records the message of a line, in the open conversation of a thread.
   * @param place undefined before the first message
   */
  put(id: string, thread: string, place: FoldPlace | undefined, fold: Pick<Fold, 'isHere'>): void {
    const stretch = this.stretchOf(thread);
    const isHere = place !== undefined && fold.isHere(place);
    // the conversation was refused: its messages are no longer held
    if (place !== undefined && !isHere) stretch.places = [];
    const { places } = stretch;
    if (isHere && places.at(-1) !== place) places.push(place);
    this.#set(id, stretch.number, isHere ? places.length * 2 : 0);
  }

  /**
   * Records a line without a message: it gets the place of the line before. Without one, its place is before the first
   * message of the open conversation; if that line has not occurred, after the last message so far.
   */
  follow(id: string, before: string | undefined, thread: () => string): void {
    const line = before === undefined ? -1 : this.#ids.numberOf(before);
    if (line >= 0) {
      this.#set(id, this.#stretchNumbers.at(line), this.#placeNumbers.at(line) | 1);
      return;
    }
    const { number, places } = this.stretchOf(thread());
    this.#set(id, number, before === undefined ? 1 : (places.length * 2) | 1);
  }

  /** The open conversation of a thread. */
  stretchOf(thread: string): Stretch {
    const known = this.#open.get(thread);
    if (known !== undefined) return known;
    const stretch: Stretch = { number: this.#stretches.length, thread, places: [] };
    this.#stretches.push(stretch);
    this.#open.set(thread, stretch);
    return stretch;
  }

  /**
   * Ends the open conversation of a thread; the next line begins another one.
   * @param kept messages that the next one has too; `move` sets their places there
   */
  end(thread: string, kept: readonly FoldPlace[] = []): void {
    const stretch = this.stretchOf(thread);
    stretch.kept = new Map(stretch.places.map((place, i) => [i + 1, place]));
    stretch.places = [];
    this.#former.set(thread, [...(this.#former.get(thread) ?? []), stretch]);
    this.move(thread, new Map(kept.map((place) => [place, place])));
    this.#open.delete(thread);
  }

  /**
   * Moves the lines of kept messages to the copies in the open conversation of a thread; forgets all other messages.
   */
  move(thread: string, copies: ReadonlyMap<FoldPlace, FoldPlace>): void {
    const former = this.#former.get(thread) ?? [];
    for (const stretch of former) stretch.kept = keptOf(stretch.kept ?? [], copies);
    const left = former.filter(({ kept }) => kept !== undefined && kept.size > 0);
    if (left.length > 0) this.#former.set(thread, left);
    else this.#former.delete(thread);
  }

  #set(id: string, stretch: number, place: number): void {
    const line = this.#ids.add(id);
    this.#stretchNumbers.set(line, stretch);
    this.#placeNumbers.set(line, place);
  }
}

function keptOf(
  before: Iterable<readonly [number, FoldPlace]>,
  copies: ReadonlyMap<FoldPlace, FoldPlace>,
): ReadonlyMap<number, FoldPlace> {
  const kept = new Map<number, FoldPlace>();
  for (const [number, place] of before) {
    const copy = copies.get(place);
    if (copy !== undefined) kept.set(number, copy);
  }
  return kept;
}
