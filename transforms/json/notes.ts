/**
 * Notes on objects that live on: what was found out about them once. All of an object's notes are in one list, in a private
 * field on the object itself, which no other code can see or compare; a WeakMap would do the same at a fifth of the speed and
 * twice the memory. One field for all kinds, so that objects with different notes are still of one shape.
 */

/** Gives the constructor below any object as its `this`: private fields are then made on that object. */
export const Given: new (object: object) => object = class {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: this is how a private field gets onto an object that exists
    return object;
  }
};

class Noted extends Given {
  readonly #notes: unknown[] = [];

  static of(object: object): unknown[] | undefined {
    return #notes in object ? (object as Noted).#notes : undefined;
  }

  static begin(object: object): unknown[] {
    return new Noted(object).#notes;
  }
}

export interface Notes<T> {
  /** Note on the object, or undefined. */
  of(object: object): T | undefined;
  /** Notes it; once for each object. */
  set(object: object, note: T): void;
}

let kinds = 0;

/** A kind of note: each call makes one that the others do not see. For modules, not for what they make: a kind is never given back. */
export function createNotes<T>(): Notes<T> {
  const kind = kinds++;
  return {
    of: (object) => Noted.of(object)?.[kind] as T | undefined,
    set(object, note) {
      const notes = Noted.of(object) ?? Noted.begin(object);
      while (notes.length < kind) notes.push(undefined);
      notes[kind] = note;
    },
  };
}

/** Noted where the work made undefined of an object. */
const UNDEFINED = Symbol('undefined');

/**
 * Remembers what `work` made of each object, as long as the object lives. `work` must depend on it alone. For modules: each call
 * makes a kind of note. Entries share the messages that they repeat, so work is done once per distinct message.
 */
export function perObject<O extends object, T>(work: (object: O) => T): (object: O) => T {
  const made = createNotes<T | typeof UNDEFINED>();
  return (object) => {
    const known = made.of(object);
    if (known !== undefined) return known === UNDEFINED ? (undefined as T) : known;
    const value = work(object);
    made.set(object, value === undefined ? UNDEFINED : value);
    return value;
  };
}
