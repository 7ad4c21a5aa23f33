/**
 * Messages and metadata that are held until a source ends. Small values lie in blocks with others that live shortly, and
 * holding one would keep its whole block.
 */
import { createKeeper, isPassing } from '../../json/keep.ts';
import { perObject } from '../../json/notes.ts';
import type { Message } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';

const keep = createKeeper();

const heldBytes = (bytes: Uint8Array): Uint8Array =>
  isPassing(bytes) ? keep(bytes, 0, bytes.length) : bytes;

const USUAL_MEMBERS = 2;

/** Lists the members of a usual message: V8 would create a hidden class for each spread object. */
const copied = perObject((message: Message): Message => {
  const { role } = message;
  const bytes = heldBytes(message.bytes);
  return Object.keys(message).length === USUAL_MEMBERS ? { bytes, role } : { ...message, bytes };
});

/** The message in memory that it shares only with others that are held; the same object for the same message. */
export const heldMessage = (message: Message): Message =>
  isPassing(message.bytes) ? copied(message) : message;

export const heldMeta = (meta: Meta): Meta =>
  new Map([...meta].map(([name, value]) => [name, heldBytes(value)]));
