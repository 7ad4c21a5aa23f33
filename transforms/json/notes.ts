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

class Noted extends ReturnOverride {
  readonly #notes: unknown[] = [];

  static of(object: object): unknown[] | undefined {
    return #notes in object ? (object as Noted).#notes : undefined;
  }

  static begin(object: object): unknown[] {
    return new Noted(object).#notes;
  }
}

let kinds = 0;

/** Stored where `work` returned undefined. */
const UNDEFINED = Symbol('undefined');

/**
 * Caches the result of `work` for each object, as long as the object lives. `work` must depend on the object only. Call
 * this at module level: each call creates a kind of note, which is never freed. Entries share the messages that they
 * repeat, so `work` is called once per distinct message.
 */
export function perObject<O extends object, T>(work: (object: O) => T): (object: O) => T {
  const kind = kinds++;
  return (object) => {
    const known = Noted.of(object)?.[kind];
    if (known !== undefined) return (known === UNDEFINED ? undefined : known) as T;
    const value = work(object);
    const notes = Noted.of(object) ?? Noted.begin(object);
    while (notes.length < kind) notes.push(undefined);
    notes[kind] = value === undefined ? UNDEFINED : value;
    return value;
  };
}
