/**
 * Reads the messages of consecutive requests of the Messages API. A message with the same bytes as in the request
 * before is not read again, and one that differs only in a cache mark gets the `Message` objects of the request before.
 */
import { OPEN_OBJECT } from '../../json/bytes.ts';
import { elementsIn, mostInAll } from '../../json/elements.ts';
import { JsonView } from '../../json/json-view.ts';
import { createKeeper } from '../../json/keep.ts';
import { KnownList } from '../../json/known-list.ts';
import { keptMembersOf } from '../../json/members.ts';
import type { ValueScanner } from '../../json/scanner.ts';
import type { Message } from '../../model/element.ts';
import { readMessage } from '../shared/anthropic-message.ts';
import { copyToHold } from '../shared/history.ts';
import { ANTHROPIC_MESSAGE } from '../shared/known-members.ts';
import { notedFirst } from '../shared/reading-notes.ts';
import { unreadNotes } from '../shared/unread-text.ts';

/** A logged message and the canonical messages that it becomes. */
interface Turn {
  readonly bytes: Uint8Array;
  /** Undefined if the logged value is not a message. */
  messages: readonly Message[] | undefined;
}

export interface History {
  /** Reads the array at `at`. Returns the index after it, or -1 with the position of the error in the scanner. */
  read(bytes: Uint8Array, at: number, depth: number): number;
  /** The messages read last; undefined if an element is not an object with a string role. */
  messages(): readonly Message[] | undefined;
  forget(): void;
}

const keep = createKeeper();

/** @param keepSealed write encrypted reasoning as `reasoning_details` */
export function createHistory(scanner: ValueScanner, keepSealed = false): History {
  const most = mostInAll(scanner.maxElements);
  let elements = 0; // JSON elements in the new messages of the current array
  let depth = 0; // nesting depth of the current messages
  let before: readonly Turn[] = [];
  const list = new KnownList<Turn>(scanner, makeTurn, (bytes, at) => scanner.value(bytes, at, depth));

  /** Skips the work for an entry that already has too many elements: it is about to be rejected. */
  function makeTurn(bytes: Uint8Array, start: number, end: number): Turn {
    elements += elementsIn(bytes, start, end, most);
    return elements > most ? NO_TURN : readTurn(bytes, start, end, keepSealed);
  }

  /** Reuses the objects of the previous request if the canonical messages are equal. */
  function share(turn: Turn, i: number): void {
    const earlier = before[i];
    if (earlier !== undefined && earlier !== turn && haveEqualMessages(earlier, turn))
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
        for (const message of messages) all.push(message); // push(...messages) overflows the stack at 100,000
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

function readTurn(bytes: Uint8Array, start: number, end: number, keepSealed: boolean): Turn {
  const own = keep(bytes, start, end);
  const read = own[0] === OPEN_OBJECT ? readMessage(own, keepSealed) : undefined;
  const notes = read && unreadNotes(new JsonView(own), ANTHROPIC_MESSAGE, 'a message of the request');
  const messages = read && notedFirst(read, notes ?? []).map(copyToHold);
  for (const { bytes: text } of messages ?? []) keptMembersOf(text); // walked once, also for the checks and the format
  return { bytes: own, messages };
}

function haveEqualMessages({ messages: some }: Turn, { messages: others }: Turn): boolean {
  if (some === undefined || others === undefined || some.length !== others.length) return false;
  return some.every(({ bytes }, i) => Buffer.compare(bytes, (others[i] as Message).bytes) === 0);
}
