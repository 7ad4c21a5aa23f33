/**
 * The messages of calls that later calls continue by id. The calls share them as a tree, so that a chain of n calls takes
 * time and memory in proportion to n: the messages of a conversation are listed once, when it is written.
 */

import { createKeeper, isPassing } from '../../json/keep.ts';
import { perObject } from '../../json/notes.ts';
import type { Changes, Message } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { extendPath, hasSameBytes, NO_END, type PathEnd } from '../../model/path-hashes.ts';
import type { ReadingOptions } from '../dialect.ts';
import { asReadMessage, type ReadMessage } from '../pairs/item-messages.ts';
import { NO_CHANGES } from './line-objects.ts';
import { noted, sealedNote } from './reading-notes.ts';
import { faultIn, faultOf, type Unreadable } from './unreadable.ts';

/**
 * Messages and metadata that are held until a source ends. Small values lie in blocks with others that live shortly, and
 * holding one would keep its whole block.
 */
const keep = createKeeper();

const heldBytes = (bytes: Uint8Array): Uint8Array =>
  isPassing(bytes) ? keep(bytes, 0, bytes.length) : bytes;

const USUAL_MEMBERS = 2;

/**
 * The message in memory that it shares only with others that are held. Lists the members of a usual message: V8 would
 * create a hidden class for each spread object.
 */
export function copyToHold(message: Message): Message {
  const { role } = message;
  const bytes = heldBytes(message.bytes);
  if (bytes === message.bytes) return message;
  return Object.keys(message).length === USUAL_MEMBERS ? { bytes, role } : { ...message, bytes };
}

const copied = perObject(copyToHold);

/** Like `copyToHold`, and the same object each time for the same message. */
export const heldMessage = (message: Message): Message =>
  isPassing(message.bytes) ? copied(message) : message;

export const heldMeta = (meta: Meta): Meta =>
  new Map([...meta].map(([name, value]) => [name, heldBytes(value)]));

/** Does a user or a tool speak? */
export const speaks = ({ role }: Message): boolean =>
  role !== 'assistant' && role !== 'system' && role !== 'developer';

type Cleaned = NonNullable<ReadingOptions['cleaned']>;

/** The messages that one call added to a conversation. */
export class History {
  /** The call that it continues. */
  readonly before: History | undefined;
  readonly sessionId: string;
  // about all messages up to here
  readonly length: number;
  /** The calls of the last message that has some. */
  readonly open: ReadMessage['calls'] | undefined;
  /** Number of messages with encrypted reasoning. */
  readonly sealed: number;
  readonly changes: ReadonlyMap<string, number>;
  /** Whether a user or a tool speaks. */
  readonly hasQuestion: boolean;
  readonly hasAnswer: boolean;
  /** The first message that may not be written, and its index. */
  readonly faulty: { readonly message: Message; readonly at: number } | undefined;
  readonly #messages: readonly Message[];
  /** The messages with their facts, unless these are the usual ones: a list and an object less for most messages. */
  readonly #read: readonly ReadMessage[] | undefined;
  /** The end of its path after the system text of its call. */
  #end: PathEnd | undefined;
  #system: readonly Message[] | undefined;

  constructor(before: History | undefined, added: readonly ReadMessage[], sessionId: string) {
    let { length = 0, sealed = 0, open, hasQuestion = false, hasAnswer = false } = before ?? {};
    let faulty = before?.faulty;
    let isUsual = true;
    // one walk: each request of a source may send its whole conversation again
    const held = added.map((one) => {
      const { message, calls, isSealed, changes } = one;
      if (calls.length > 0) open = calls;
      if (isSealed) sealed++;
      isUsual &&= message !== undefined && calls.length === 0 && !isSealed && changes.length === 0;
      if (message === undefined) return one;
      const own = heldMessage(message);
      // the fault is noted on the message that was read: notes on those that are held take more room than their text
      if (faulty === undefined && isFaulty(message)) faulty = { message: own, at: length };
      length++;
      if (message.role === 'assistant') hasAnswer = true;
      else if (speaks(message)) hasQuestion = true;
      return own === message ? one : { message: own, calls, isSealed, changes };
    });
    this.before = before;
    this.#messages = messagesOf(held);
    this.#read = isUsual ? undefined : held;
    this.sessionId = sessionId;
    this.length = length;
    this.open = open;
    this.sealed = sealed;
    this.changes = withChanges(before?.changes, added);
    this.hasQuestion = hasQuestion;
    this.hasAnswer = hasAnswer;
    this.faulty = faulty;
  }

  get addedMessages(): readonly Message[] {
    return this.#messages;
  }

  get added(): readonly ReadMessage[] {
    return this.#read ?? this.#messages.map(asReadMessage);
  }

  /** All messages up to and including it. */
  get messages(): readonly Message[] {
    return this.list((added) => added);
  }

  /** The same, as `cleaned` leaves those of each call. */
  list(cleaned: Cleaned): readonly Message[] {
    const parts: (readonly Message[])[] = [];
    for (let at: History | undefined = this; at !== undefined; at = at.before)
      parts.push(cleaned(at.addedMessages, 0));
    return parts.reverse().flat();
  }

  /** Remembers the end of its path after a system text. */
  setEnd(system: readonly Message[], end: PathEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#system = this.before?.heldSystem(system) ?? system;
  }

  /** The list that it holds already, if its call has the same system text. */
  heldSystem(system: readonly Message[]): readonly Message[] | undefined {
    return isSameList(this.#system, system) ? this.#system : undefined;
  }

  /** The end of its path after a system text. Calls of one chain mostly have the same. @param cleaned the same one each time */
  endAfter(system: readonly Message[], cleaned: Cleaned): PathEnd {
    const pending: History[] = [];
    let at: History | undefined = this;
    for (; at !== undefined && !isSameList(at.#system, system); at = at.before) pending.push(at);
    let end = (at === undefined ? undefined : at.#end) ?? extendPath(NO_END, cleaned(system, 0)).end;
    for (const one of pending.reverse()) {
      end = extendPath(end, cleaned(one.addedMessages, 0)).end;
      one.setEnd(system, end);
    }
    return end;
  }
}

// exact in size, which `flatMap` is not
const messagesOf = (list: readonly ReadMessage[]): readonly Message[] =>
  list.filter(({ message }) => message !== undefined).map(({ message }) => message as Message);

const isFaulty = (message: Message): boolean => faultOf(message, '') !== undefined;

/** @param start number of messages before these */
function faultyIn(messages: readonly Message[], start: number): History['faulty'] {
  const at = messages.findIndex(isFaulty);
  return at < 0 ? undefined : { message: messages[at] as Message, at: start + at };
}

/**
 * Why the first message of a call that may not be written may not; undefined if all may. Does not list the messages of the
 * calls that it continues.
 * @param messages those that it lists itself
 * @param areCopies as for `faultIn`
 */
export function faultOfCall(
  messages: readonly Message[],
  reply: Message | undefined,
  chain: CallChain | undefined,
  areCopies?: boolean,
): Unreadable | undefined {
  if (chain?.before === undefined) return faultIn(messages, reply, areCopies);
  const { at, before } = chain;
  const added = faultyIn(messages.slice(at), before.length);
  const first = faultyIn(messages.slice(0, at), -at) ?? before.faulty ?? added;
  return first === undefined ? faultIn([], reply) : faultOf(first.message, `messages[${at + first.at}]`);
}

/** The place of a call in a chain. */
export interface CallChain {
  /** Number of its messages before those of `before`: the system text. */
  readonly at: number;
  /** Messages that it does not list itself. */
  readonly before: History | undefined;
  /** The messages that it added, for later calls. */
  readonly own: History | undefined;
  /** Number of messages with encrypted reasoning, to be reported when the messages are listed; 0 if it is reported already. */
  readonly sealed: number;
}

/** All messages of a call. @param messages those that it lists itself */
export function wholeMessages(
  messages: readonly Message[],
  chain: CallChain | undefined,
): readonly Message[] {
  if (chain === undefined) return messages;
  const { at, before, sealed } = chain;
  if (before === undefined) return messages.map(heldMessage); // the objects that later calls have
  const all = [...messages.slice(0, at), ...before.messages, ...messages.slice(at)];
  const first = all[0];
  if (sealed > 0 && first !== undefined) all[0] = noted(first, [sealedNote(sealed)]);
  return all;
}

/** The number of changes by rule, with those of more messages. */
export function withChanges(before: Changes | undefined, added: readonly ReadMessage[]): Changes {
  if (added.every(({ changes }) => changes.length === 0)) return before ?? NO_CHANGES;
  const all = new Map(before);
  for (const { changes } of added) for (const rule of changes) all.set(rule, (all.get(rule) ?? 0) + 1);
  return all;
}

export const isSameList = (a: readonly Message[] | undefined, b: readonly Message[]): boolean =>
  a !== undefined && a.length === b.length && a.every((message, i) => hasSameBytes(message, b[i]));
