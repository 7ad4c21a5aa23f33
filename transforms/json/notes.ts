/**
 * Notes on long-lived objects: facts that were computed for them once. The notes of an object are in a private field on
 * the object itself, which no other code can see or compare; a WeakMap has a fifth of the speed and takes twice the
 * memory. All kinds of notes share one field, so that objects with different notes have the same shape.
 */

/** Base class that returns its argument from the constructor, so that subclasses add private fields to that object. */
export const ReturnOverride: new (object: object) => object = class {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the only way to add a private field to an existing object
    return object;
  }
};

/** Kinds whose states fit into one number, two bits each. */
const KINDS_A_NUMBER = 16;
const STATE = 0b11;
/** States of a note. Any other value, and any note of a kind that fits into neither number, is in the list. */
const LISTED = 0;
const UNDEFINED = 1;
const FALSE = 2;
const TRUE = 3;
/** Returned for a note that there is not. */
const NONE = Symbol('none');

/** The notes of an object. Most are undefined or a boolean, and most objects have no other. */
class Notes {
  #first = 0;
  #second = 0;
  /** Kinds and values in turn. */
  #list: readonly unknown[] | undefined;

  get(kind: number): unknown {
    const state = this.#stateOf(kind);
    if (state !== LISTED) return state === UNDEFINED ? undefined : state === TRUE;
    const list = this.#list;
    if (list !== undefined) for (let i = 0; i < list.length; i += 2) if (list[i] === kind) return list[i + 1];
    return NONE;
  }

  set(kind: number, value: unknown): void {
    const state = value === undefined ? UNDEFINED : value === false ? FALSE : value === true ? TRUE : LISTED;
    if (state === LISTED || kind >= 2 * KINDS_A_NUMBER)
      this.#list = (this.#list ?? []).concat([kind, value]); // no spare capacity
    else if (kind < KINDS_A_NUMBER) this.#first |= state << (kind * 2);
    else this.#second |= state << ((kind - KINDS_A_NUMBER) * 2);
  }

  #stateOf(kind: number): number {
    if (kind < KINDS_A_NUMBER) return (this.#first >> (kind * 2)) & STATE;
    return kind < 2 * KINDS_A_NUMBER ? (this.#second >> ((kind - KINDS_A_NUMBER) * 2)) & STATE : LISTED;
  }
}

class Noted extends ReturnOverride {
  readonly #notes = new Notes();

  static of(object: object): Notes | undefined {
    return #notes in object ? (object as Noted).#notes : undefined;
  }

  static begin(object: object): Notes {
    return new Noted(object).#notes;
  }
}

let kinds = 0;

/**
 * Caches the result of `work` for each object, as long as the object lives. `work` must depend on the object only. Call
 * this at module level: each call creates a kind of note, which is never freed. Entries share the messages that they
 * repeat, so `work` is called once per distinct message.
 */
export function perObject<O extends object, T>(work: (object: O) => T): (object: O) => T {
  const kind = kinds++;
  return (object) => {
    const notes = Noted.of(object) ?? Noted.begin(object);
    const known = notes.get(kind);
    if (known !== NONE) return known as T;
    const value = work(object);
    notes.set(kind, value);
    return value;
  };
}
