/**
 * Reads the `messages` of a request and the reply in a response. A new message is walked once, and its members are
 * remembered with its bytes so that no stage has to walk it again. Messages that repeat are only compared
 * (json/known-list.ts).
 */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { createKeeper } from '../../json/keep.ts';
import { KnownList } from '../../json/known-list.ts';
import {
  type ElementVisitor,
  isKey,
  type Member,
  type MemberVisitor,
  rememberMembers,
  textAt,
  walkElements,
  walkMembers,
} from '../../json/members.ts';
import { oneLine } from '../../json/one-line.ts';
import type { ValueScanner } from '../../json/scanner.ts';
import { knownText } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import { answerNotes } from './reading-notes.ts';

/** An element of a list of messages. One without a string role is kept too, so that its repetitions are recognised. */
export interface LoggedMessage {
  readonly bytes: Uint8Array;
  readonly role: string | undefined;
}

export function isMessage(message: LoggedMessage): message is Message {
  return message.role !== undefined;
}

/** @param depth nesting depth of the messages */
export function createMessageList(scanner: ValueScanner, depth: number): KnownList<LoggedMessage> {
  const read = createObjectReader(scanner);

  function make(bytes: Uint8Array, start: number, end: number): LoggedMessage {
    const text = read.copy(bytes, start, end);
    return { bytes: text, role: text[0] === OPEN_OBJECT ? stringValue(text, 'role') : undefined };
  }

  return new KnownList<LoggedMessage>(scanner, make, (bytes, at) => read.scan(bytes, at, depth));
}

/** Copies an object and remembers its members, in one walk. */
export interface ObjectReader {
  /** Scans the value at `at`. Returns the index after it, or -1 with the error's position in the scanner. */
  scan(bytes: Uint8Array, at: number, depth: number): number;
  /** A copy of the bytes scanned last. */
  copy(bytes: Uint8Array, start: number, end: number): Uint8Array;
}

/** Objects with more members are walked again when needed: remembering them would take many times their bytes. */
const MAX_HELD = 1000;

export function createObjectReader(scanner: ValueScanner): ObjectReader {
  const keep = createKeeper();
  const members: Member[] = []; // reused: the first `count` are those of the object scanned last
  let count = 0; // number of members of the object scanned last
  let openedAt = 0;
  let valueDepth = 0;

  // created once: V8 does not compile a function that is new for each object
  const note: MemberVisitor = (start, keyEnd, valueStart, bytes) => {
    const end = scanner.value(bytes, valueStart, valueDepth);
    if (end < 0) return -1;
    const key = knownText(bytes, start, keyEnd);
    members[count++] = {
      key,
      start: start - openedAt,
      valueStart: valueStart - openedAt,
      end: end - openedAt,
    };
    return end;
  };

  return {
    scan(bytes, at, depth) {
      count = 0;
      if (bytes[at] !== OPEN_OBJECT) return scanner.value(bytes, at, depth);
      openedAt = at;
      valueDepth = depth + 1;
      return walkMembers(bytes, at, scanner, note);
    },
    copy(bytes, start, end) {
      const text = oneLine(keep(bytes, start, end));
      if (count > MAX_HELD) members.length = 0;
      else if (text[0] === OPEN_OBJECT) rememberMembers(text, () => members.slice(0, count));
      return text;
    },
  };
}

/** Reads `response` and finds the reply in it, `choices[0].message`, in one walk. */
export interface ReplyReader {
  /** Reads the value at `at`. Returns the index after it, or -1 with the error's position in the scanner. */
  read(bytes: Uint8Array, at: number): number;
  /** The reply of the response read last, from the same `bytes`; undefined if it has no message. */
  message(bytes: Uint8Array): Message | undefined;
  /** Findings about the response read last. */
  notes(): readonly ReadingNote[];
  /** Has the response read last a member that may hold another answer? */
  hasSecond(): boolean;
  /** The model that the response read last names, from the same `bytes`. */
  model(bytes: Uint8Array): JsonView | undefined;
}

/** Nesting depth of the response's members, of a choice and of its message. */
const RESPONSE_DEPTH = 1;
const CHOICE_DEPTH = 3;
const MESSAGE_DEPTH = 4;

/** @param isSecond whether a member of a response may hold another answer */
export function createReplyReader(
  scanner: ValueScanner,
  isSecond: (bytes: Uint8Array, keyStart: number, keyEnd: number, value: number) => boolean = () => false,
): ReplyReader {
  const object = createObjectReader(scanner);
  let start = -1;
  let end = -1;
  let choices = 0;
  let finish: string | undefined;
  let hasError = false;
  let hasSecond = false;
  let [modelStart, modelEnd] = [-1, -1];

  function forgetChoices(): void {
    start = -1;
    choices = 0;
    finish = undefined;
  }

  // created once: V8 does not compile a function that is new for each object
  const inResponse: MemberVisitor = (keyStart, keyEnd, value, bytes) => {
    if (isKey(bytes, keyStart, keyEnd, 'error')) hasError = bytes[value] !== LETTER_N;
    if (isKey(bytes, keyStart, keyEnd, 'model')) {
      modelStart = value;
      modelEnd = scanner.value(bytes, value, RESPONSE_DEPTH + 1);
      return modelEnd;
    }
    if (!isKey(bytes, keyStart, keyEnd, 'choices')) {
      hasSecond ||= isSecond(bytes, keyStart, keyEnd, value);
      return scanner.value(bytes, value, RESPONSE_DEPTH + 1);
    }
    forgetChoices();
    if (bytes[value] !== OPEN_ARRAY) return scanner.value(bytes, value, CHOICE_DEPTH - 1);
    return walkElements(bytes, value, scanner, inChoices);
  };

  const inChoices: ElementVisitor = (number, choice, bytes) => {
    choices = number + 1;
    return number === 0 && bytes[choice] === OPEN_OBJECT
      ? walkMembers(bytes, choice, scanner, inChoice)
      : scanner.value(bytes, choice, CHOICE_DEPTH);
  };

  const inChoice: MemberVisitor = (keyStart, keyEnd, value, bytes) => {
    if (isKey(bytes, keyStart, keyEnd, 'finish_reason')) {
      const after = scanner.value(bytes, value, MESSAGE_DEPTH);
      finish = after < 0 ? undefined : textAt(bytes, value, after);
      return after;
    }
    if (!isKey(bytes, keyStart, keyEnd, 'message')) return scanner.value(bytes, value, MESSAGE_DEPTH);
    start = bytes[value] === OPEN_OBJECT ? value : -1;
    end = object.scan(bytes, value, MESSAGE_DEPTH);
    return end;
  };

  return {
    read(bytes, at) {
      forgetChoices();
      hasError = hasSecond = false;
      modelStart = -1;
      if (bytes[at] !== OPEN_OBJECT) return scanner.value(bytes, at, RESPONSE_DEPTH);
      return walkMembers(bytes, at, scanner, inResponse);
    },
    message(bytes) {
      if (start < 0) return undefined;
      const text = object.copy(bytes, start, end);
      return { bytes: text, role: stringValue(text, 'role') ?? '' };
    },
    notes: () => answerNotes(finish, hasError, choices),
    hasSecond: () => hasSecond,
    model: (bytes) => (modelStart < 0 ? undefined : new JsonView(bytes, modelStart, modelEnd)),
  };
}
