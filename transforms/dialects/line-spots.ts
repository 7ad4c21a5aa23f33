/**
 * Where each line of an event log is, by the id of the line. It knows every line of a source, so it holds numbers only (about 40 bytes for
 * each), and messages for as long as their conversation is open.
 */
import { IdTable } from '../model/id-table.ts';
import { NumberColumn } from '../model/number-column.ts';
import type { Fold, FoldPlace } from './fold/fold.ts';

/** The place of a line: a thread's conversation, and the message after which the line comes. */
export interface Spot {
  /** The conversation of the line, open or over. */
  readonly stretch: Stretch;
  /** Undefined: in front of the first message, or in a conversation that is over, which must not be held in memory. */
  readonly place: FoldPlace | undefined;
}

/** A conversation of a thread: a compaction ends it and begins another one. */
export interface Stretch {
  readonly number: number;
  readonly thread: string;
  /** Messages that lines are at. */
  places: FoldPlace[];
}

export class LineSpots {
  readonly #ids = new IdTable();
  /** Number of the conversation of each line. */
  readonly #stretchNumbers = new NumberColumn();
  /** Index of the message of each line in `places` of its conversation, and one more; 0: none. */
  readonly #placeNumbers = new NumberColumn();
  readonly #stretches: Stretch[] = [];
  /** The open conversation of each thread. */
  readonly #open = new Map<string, Stretch>();

  has(id: string): boolean {
    return this.#ids.numberOf(id) >= 0;
  }

  get(id: string): Spot | undefined {
    const line = this.#ids.numberOf(id);
    if (line < 0) return undefined;
    const stretch = this.#stretches[this.#stretchNumbers.at(line)] as Stretch;
    return { stretch, place: stretch.places[this.#placeNumbers.at(line) - 1] };
  }

  /** Puts a line at a message of the open conversation of a thread. @param place undefined: in front of the first message */
  put(id: string, thread: string, place: FoldPlace | undefined, { items }: Pick<Fold, 'items'>): void {
    const stretch = this.stretchOf(thread);
    const isHere = place !== undefined && items[place.index] === place;
    // a refused conversation lets its messages go, and never has any again
    if (place !== undefined && !isHere) stretch.places = [];
    const { places } = stretch;
    if (isHere && places.at(-1) !== place) places.push(place);
    this.#set(id, stretch.number, isHere ? places.length : 0);
  }

  /** Puts a line that says nothing where another line is; in front of the open conversation of a thread when there is no such line. */
  follow(id: string, before: string | undefined, thread: () => string): void {
    const line = before === undefined ? -1 : this.#ids.numberOf(before);
    if (line < 0) this.#set(id, this.stretchOf(thread()).number, 0);
    else this.#set(id, this.#stretchNumbers.at(line), this.#placeNumbers.at(line));
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

  /** The conversation of a thread is over: another one begins with its next line. */
  end(thread: string): void {
    this.stretchOf(thread).places = [];
    this.#open.delete(thread);
  }

  clear(): void {
    for (const column of [this.#ids, this.#stretchNumbers, this.#placeNumbers, this.#open]) column.clear();
    this.#stretches.length = 0;
  }

  #set(id: string, stretch: number, place: number): void {
    const line = this.#ids.add(id);
    this.#stretchNumbers.set(line, stretch);
    this.#placeNumbers.set(line, place);
  }
}
