/** Work that is done once per distinct message: entries share the messages that they repeat. */
import type { Message } from './element.ts';
import { createNotes } from './json/notes.ts';

/** Remembers what `work` made of each message, as long as the message lives. `work` must depend on it alone. */
export function perMessage<T>(work: (message: Message) => T): (message: Message) => T {
  const made = createNotes<{ readonly value: T }>();
  return (message) => {
    const known = made.of(message);
    if (known !== undefined) return known.value;
    const value = work(message);
    made.set(message, { value });
    return value;
  };
}
