/**
 * Where each line of an event log is, by the id of the line. It knows every line of a source, so it holds numbers only (about 40 bytes for
 * each), and messages for as long as their conversation is open.
 */
import { IdTable } from '../../model/id-table.ts';
import { NumberColumn } from '../../model/number-column.ts';
import type { Fold, FoldPlace } from './fold.ts';

/** The place of a line: a thread's conversation, and the message after which the line comes. */
export interface Spot {
  /** The conversation of the line, open or over. */
  readonly stretch: Stretch;
  /** Undefined: in front of the first message, or in a conversation that is over, which must not be held in memory. */
  readonly place: FoldPlace | undefined;
  /** Is the message its own? False for a line that says nothing, which is where its parent is. */
  readonly isOwn: boolean;
}

/** A conversation of a thread: a compaction ends it and begins another one. */
export interface Stretch {
  readonly number: number;
  readonly thread: string;
  /** Messages that lines are at. */
  places: FoldPlace[];
  /** Messages of a finished conversation that the open one has too, each by its number in `places` plus one. */
  kept?: ReadonlyMap<number, FoldPlace>;
}

export class LineSpots {
  readonly #ids = new IdTable();
  /** Number of the conversation of each line. */
  readonly #stretchNumbers = new NumberColumn();
  /** Twice the index of the message of each line in `places` of its conversation, and two more; 0: none. Odd if the message is not its own. */
  readonly #placeNumbers = new NumberColumn();
  readonly #stretches: Stretch[] = [];
  /** The open conversation of each thread. */
  readonly #open = new Map<string, Stretch>();
  /** Finished conversations of each thread whose messages the open one has in part. */
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

  /** Puts a line at a message of the open conversation of a thread. @param place undefined: in front of the first message */
  put(id: string, thread: string, place: FoldPlace | undefined, { items }: Pick<Fold, 'items'>): void {
    const stretch = this.stretchOf(thread);
    const isHere = place !== undefined && items[place.index] === place;
    // a refused conversation lets its messages go, and never has any again
    if (place !== undefined && !isHere) stretch.places = [];
    const { places } = stretch;
    if (isHere && places.at(-1) !== place) places.push(place);
    this.#set(id, stretch.number, isHere ? places.length * 2 : 0);
  }

  /** Puts a line that says nothing where another line is; in front of the open conversation of a thread when there is no such line. */
  follow(id: string, before: string | undefined, thread: () => string): void {
    const line = before === undefined ? -1 : this.#ids.numberOf(before);
    if (line < 0) this.#set(id, this.stretchOf(thread()).number, 1);
    else this.#set(id, this.#stretchNumbers.at(line), this.#placeNumbers.at(line) | 1);
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
   * The conversation of a thread is over: another one begins with its next line.
   * @param kept its messages that the next one has too; `move` names their places there
   */
  end(thread: string, kept: readonly FoldPlace[] = []): void {
    const stretch = this.stretchOf(thread);
    stretch.kept = new Map(stretch.places.map((place, i) => [i + 1, place]));
    stretch.places = [];
    this.#former.set(thread, [...(this.#former.get(thread) ?? []), stretch]);
    this.move(thread, new Map(kept.map((place) => [place, place])));
    this.#open.delete(thread);
  }

  /** Puts the lines of kept messages at their copies in the open conversation of a thread; forgets the other messages. */
  move(thread: string, copies: ReadonlyMap<FoldPlace, FoldPlace>): void {
    const former = this.#former.get(thread) ?? [];
    for (const stretch of former) stretch.kept = keptOf(stretch.kept ?? [], copies);
    const left = former.filter(({ kept }) => kept !== undefined && kept.size > 0);
    if (left.length > 0) this.#former.set(thread, left);
    else this.#former.delete(thread);
  }

  clear(): void {
    const all = [this.#ids, this.#stretchNumbers, this.#placeNumbers, this.#open, this.#former];
    for (const column of all) column.clear();
    this.#stretches.length = 0;
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
