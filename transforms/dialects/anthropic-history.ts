/**
 * Reads the messages of consecutive requests of the Messages API. Repeated messages are recognised by their bytes; a
 * message that differs only in a cache mark gets the previous `Message` objects.
 */
import { OPEN_OBJECT } from '../json/bytes.ts';
import { elementsIn, mostInAll } from '../json/elements.ts';
import { createKeeper } from '../json/keep.ts';
import { KnownList } from '../json/known-list.ts';
import { membersOf, rememberMembers } from '../json/members.ts';
import type { Scanner } from '../json/scanner.ts';
import type { Message } from '../model/element.ts';
import { readMessage } from './anthropic-message.ts';

/** A logged message and its canonical messages; undefined if it is not a message. */
interface Turn {
  readonly bytes: Uint8Array;
  messages: readonly Message[] | undefined;
}

export interface History {
  /** Reads the array at `at`; returns the index after it, or -1: the scanner knows the position. */
  read(bytes: Uint8Array, at: number, depth: number): number;
  /** The messages read last; undefined if an element is not an object with a string role. */
  messages(): readonly Message[] | undefined;
  forget(): void;
}

const keep = createKeeper();
/** Remembering the members of a shorter message would take more memory than the message, and its walk is short. */
const LEAST_REMEMBERED_BYTES = 128;

export function createHistory(scanner: Scanner): History {
  const most = mostInAll(scanner.maxElements);
  let elements = 0; // number of elements in the new messages of the current array
  let depth = 0; // nesting around the current messages
  let before: readonly Turn[] = [];
  const list = new KnownList<Turn>(scanner, makeTurn, (bytes, at) => scanner.value(bytes, at, depth));

  /** Creates nothing for an entry that already has too many elements, because it is about to be rejected. */
  function makeTurn(bytes: Uint8Array, start: number, end: number): Turn {
    elements += elementsIn(bytes, start, end, most);
    return elements > most ? NO_TURN : readTurn(bytes, start, end);
  }

  /** Reuses the objects of the previous request where they are equal. */
  function share(turn: Turn, i: number): void {
    const earlier = before[i];
    if (earlier !== undefined && earlier !== turn && saysTheSame(earlier, turn))
      turn.messages = earlier.messages;
  }

  return {
    read(bytes, at, listDepth) {
      depth = listDepth + 1;
      elements = 0;
      const end = list.read(bytes, at);
      list.items.forEach(share);
      before = list.items;
      return end;
    },
    messages() {
      const all: Message[] = [];
      for (const { messages } of list.items) {
        if (messages === undefined) return undefined;
        for (const message of messages) all.push(message); // spreading a hundred thousand would overflow the stack
      }
      return all;
    },
    forget() {
      before = [];
      list.forget();
    },
  };
}

const NO_TURN: Turn = { bytes: new Uint8Array(0), messages: undefined };

function readTurn(bytes: Uint8Array, start: number, end: number): Turn {
  const own = keep(bytes, start, end);
  const messages = own[0] === OPEN_OBJECT ? readMessage(own) : undefined;
  for (const { bytes: text } of messages ?? [])
    if (text.length >= LEAST_REMEMBERED_BYTES) rememberMembers(text, membersOf(text).slice()); // a copy without spare capacity
  return { bytes: own, messages };
}

function saysTheSame({ messages: some }: Turn, { messages: others }: Turn): boolean {
  if (some === undefined || others === undefined || some.length !== others.length) return false;
  return some.every(({ bytes }, i) => Buffer.compare(bytes, (others[i] as Message).bytes) === 0);
}
