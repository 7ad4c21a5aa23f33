/**
 * The keys of objects in their order, as a tree: the lines of a client have few orders of keys, so most objects follow a path
 * that another one has taken. Their keys are compared instead of decoded, and the places of their members are known.
 */
import { knownText, spells } from '../../json/utf8.ts';
import type { ValueTape } from '../../json/value-tape.ts';

/** With more layouts than this, all are forgotten. */
const MAX_LAYOUTS = 2000;
/** The keys of objects with more members are not remembered. */
const MAX_MEMBERS = 64;

/** The keys of an object up to a member. */
class KeyLayout {
  readonly #key: string;
  readonly #before: KeyLayout | undefined;
  /** Number of its last member, from 0; -1 if it has none. */
  readonly number: number;
  /** Number of the last member whose key must not occur twice, and does; -1 if there is none. */
  readonly duplicate: number;
  readonly #next = new Map<string, KeyLayout>();
  /** The one of the next layouts that occurred last; none after a key with an escape or beyond ASCII. */
  #likely: KeyLayout | undefined;
  #places: Map<string, number> | undefined;

  constructor(key = '', before?: KeyLayout, isOnce = false) {
    this.#key = key;
    this.#before = before;
    this.number = before === undefined ? -1 : before.number + 1;
    const isDuplicate = isOnce && before?.has(key) === true;
    this.duplicate = isDuplicate ? this.number : (before?.duplicate ?? -1);
  }

  /** @returns the layout after a key, if that is the likely one */
  likely(bytes: Uint8Array, start: number, end: number): KeyLayout | undefined {
    const likely = this.#likely;
    return likely !== undefined && spells(bytes, start + 1, end - 1, likely.#key) ? likely : undefined;
  }

  /** @returns the layout after a key; undefined if it has not occurred */
  after(key: string, isPlain: boolean): KeyLayout | undefined {
    const next = this.#next.get(key);
    if (isPlain) this.#likely = next;
    return next;
  }

  add(key: string, isOnce: boolean): KeyLayout {
    const next = new KeyLayout(key, this, isOnce);
    this.#next.set(key, next);
    return next;
  }

  /** Number of the last member with each key. */
  get places(): ReadonlyMap<string, number> {
    if (this.#places !== undefined) return this.#places;
    const keys: string[] = [];
    for (let layout: KeyLayout = this; layout.#before !== undefined; layout = layout.#before)
      keys.unshift(layout.#key);
    this.#places = new Map(keys.map((key, i) => [key, i]));
    return this.#places;
  }

  has(key: string): boolean {
    if (this.#before === undefined) return false;
    return this.#key === key || this.#before.has(key);
  }
}

export class KeyLayouts {
  readonly #isOnce: (key: string) => boolean;
  readonly #rows = new Int32Array(MAX_MEMBERS);
  #empty = new KeyLayout();
  #count = 0;

  /** @param isOnce tells whether a key must not occur twice in an object */
  constructor(isOnce: (key: string) => boolean) {
    this.#isOnce = isOnce;
  }

  /**
   * Tells a tape where the members of its object are.
   * @returns the index of the last key that must not occur twice, and does; -1 if there is none
   */
  place(bytes: Uint8Array, tape: ValueTape): number {
    if (this.#count > MAX_LAYOUTS) this.#forget();
    let layout = this.#empty;
    for (let row = 1, end = tape.next(0); row < end; row = tape.next(row)) {
      const [start, keyEnd] = [tape.keyStart(row), tape.keyEnd(row)];
      layout = layout.likely(bytes, start, keyEnd) ?? this.#after(layout, bytes, start, keyEnd);
      if (layout.number === MAX_MEMBERS) return this.#duplicateIn(bytes, tape);
      this.#rows[layout.number] = row;
    }
    tape.place(layout.places, this.#rows);
    return layout.duplicate < 0 ? -1 : tape.keyStart(this.#rows[layout.duplicate] as number);
  }

  #after(layout: KeyLayout, bytes: Uint8Array, start: number, end: number): KeyLayout {
    const key = knownText(bytes, start, end);
    const known = layout.after(key, key.length === end - start - 2);
    if (known !== undefined) return known;
    this.#count++;
    return layout.add(key, this.#isOnce(key));
  }

  #duplicateIn(bytes: Uint8Array, tape: ValueTape): number {
    const keys = new Set<string>();
    let at = -1;
    for (let row = 1, end = tape.next(0); row < end; row = tape.next(row)) {
      const key = knownText(bytes, tape.keyStart(row), tape.keyEnd(row));
      if (!this.#isOnce(key)) continue;
      if (keys.has(key)) at = tape.keyStart(row);
      keys.add(key);
    }
    return at;
  }

  #forget(): void {
    this.#empty = new KeyLayout();
    this.#count = 0;
  }
}
