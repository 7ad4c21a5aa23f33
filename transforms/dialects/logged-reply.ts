/** Reads `response` and finds the reply in it, `choices[0].message`, in one walk. */

import {
  type ElementVisitor,
  isKey,
  type MemberVisitor,
  walkElements,
  walkMembers,
} from '../json/members.ts';
import type { Scanner } from '../json/scanner.ts';
import type { Message } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { createObjectReader } from './logged-messages.ts';

export interface ReplyReader {
  /** Reads the value at `at`; returns the index after it, or -1: the scanner knows where. */
  read(bytes: Uint8Array, at: number): number;
  /** The reply of what was read last; `bytes` are still those. Undefined when there is no message object. */
  message(bytes: Uint8Array): Message | undefined;
}

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
/** How many objects and arrays are open around the response, a choice and its message. */
const RESPONSE_DEPTH = 1;
const CHOICE_DEPTH = 3;
const MESSAGE_DEPTH = 4;

export function createReplyReader(scanner: Scanner): ReplyReader {
  const object = createObjectReader(scanner);
  let start = -1;
  let end = -1;

  // the visitors are made once: a function that is new for each object is not compiled when it is called
  const inResponse: MemberVisitor = (keyStart, keyEnd, value, bytes) => {
    if (!isKey(bytes, keyStart, keyEnd, 'choices')) return scanner.value(bytes, value, RESPONSE_DEPTH + 1);
    start = -1;
    if (bytes[value] !== OPEN_ARRAY) return scanner.value(bytes, value, CHOICE_DEPTH - 1);
    return walkElements(bytes, value, scanner, inChoices);
  };

  const inChoices: ElementVisitor = (number, choice, bytes) =>
    number === 0 && bytes[choice] === OPEN_OBJECT
      ? walkMembers(bytes, choice, scanner, inChoice)
      : scanner.value(bytes, choice, CHOICE_DEPTH);

  const inChoice: MemberVisitor = (keyStart, keyEnd, value, bytes) => {
    if (!isKey(bytes, keyStart, keyEnd, 'message')) return scanner.value(bytes, value, MESSAGE_DEPTH);
    start = bytes[value] === OPEN_OBJECT ? value : -1;
    end = object.scan(bytes, value, MESSAGE_DEPTH);
    return end;
  };

  return {
    read(bytes, at) {
      start = -1;
      if (bytes[at] !== OPEN_OBJECT) return scanner.value(bytes, at, RESPONSE_DEPTH);
      return walkMembers(bytes, at, scanner, inResponse);
    },
    message(bytes) {
      if (start < 0) return undefined;
      const text = object.copy(bytes, start, end);
      return { bytes: text, role: stringValue(text, 'role') ?? '' };
    },
  };
}
