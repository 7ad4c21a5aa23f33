/** Counts and reports the encrypted reasoning of a conversation that is read as a whole. */
import type { Changes, Message } from '../../model/element.ts';
import { noted, notedFirst, sealedNote } from './reading-notes.ts';

/** Fields of an entry, or of a part of an object. */
interface Answered {
  readonly messages: readonly Message[];
  readonly reply?: Message | undefined;
  readonly changes?: Changes | undefined;
}

/** The entry with its sealed messages counted, and a finding on its first message; the same object if there are none. */
export function withSealed<Of extends Answered>(entry: Of): Of {
  const { messages, reply } = entry;
  let sealed = 0;
  let dropped = 0;
  for (const message of reply === undefined ? messages : [...messages, reply]) {
    if (message.sealed !== undefined) sealed++;
    if (message.sealed === 'dropped') dropped++;
  }
  if (sealed === 0) return entry;
  const changes = new Map(entry.changes);
  if (dropped > 0) changes.set('sealed-reasoning', (changes.get('sealed-reasoning') ?? 0) + dropped);
  const notes = [sealedNote(sealed)];
  return messages.length === 0
    ? { ...entry, changes, reply: noted(reply as Message, notes) }
    : { ...entry, changes, messages: notedFirst(messages, notes) };
}
