/** Work that is done once per distinct message: entries share the messages that they repeat. */

import { createNotes } from '../json/notes.ts';
import type { Message } from './element.ts';

/** Noted where the work made undefined of an object. */
const UNDEFINED = Symbol('undefined');

/**
 * Remembers what `work` made of each object, as long as the object lives. `work` must depend on it alone. For modules: each call
 * makes a kind of note (json/notes.ts).
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

/** The same for messages. */
export function perMessage<T>(work: (message: Message) => T): (message: Message) => T {
  return perObject(work);
}
