/** Counts the messages of a record by role and its calls by tool, for the report. */

import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, valuesOf } from '../json/members.ts';
import { textScanner } from '../json/plain-scanner.ts';
import { skipBlanks } from '../json/scanner.ts';
import { eachAssistantCall, hasFunctionCall } from '../model/assistant-calls.ts';
import type { Message, WrittenRecord } from '../model/element.ts';
import { legacyCallOf, stringValue } from '../model/message.ts';
import { messageFormats } from './format-rules.ts';
import { parsedShape } from './parsed-shape.ts';
import { NO_NAME, type RecordShape, ShapeCounter } from './shape-counter.ts';

/** Names of the members with the messages, by format. */
const LISTS = [['messages'], ['fullConversation'], ['conversations'], ['prompt', 'completion']];
/** Names of the member with the role of a message, by format. */
const ROLE_KEYS = ['role', 'from'];

/** The shape of a record; undefined if its format does not write a list of messages. */
export function shapeOfWritten({ format, written, bytes }: WrittenRecord): RecordShape | undefined {
  return messageFormats.has(format) ? shapeOfMessages(written) : shapeOfRecord(bytes, format);
}

/** Reads the shape from the bytes of a record; undefined if these are not an object with a list of messages. */
export function shapeOfRecord(record: Uint8Array, format: string): RecordShape | undefined {
  const quick = messageFormats.has(format) ? parsedShape(record) : undefined;
  if (quick !== undefined) return quick;
  const messages = readMessages(record, format);
  return messages && shapeOfMessages(messages);
}

/** Reads the messages from the bytes of a record; undefined if these are not an object with a list of messages. */
export function readMessages(record: Uint8Array, format: string): readonly Message[] | undefined {
  if (record[0] !== OPEN_OBJECT) return undefined;
  if (!messageFormats.has(format) && textScanner.value(record, 0, 0) !== record.length) return undefined;
  for (const names of LISTS) {
    const lists = valuesOf(record, names);
    if (lists.every((list) => list?.[0] === OPEN_ARRAY))
      return lists.flatMap((list) => elementsOf(list as Uint8Array)).flatMap(messageOf);
  }
  return undefined;
}

function messageOf(json: Uint8Array): readonly Message[] {
  const bytes = json.subarray(skipBlanks(json, 0));
  if (bytes[0] !== OPEN_OBJECT) return [];
  for (const key of ROLE_KEYS) {
    const role = stringValue(bytes, key);
    if (role !== undefined) return [{ bytes, role }];
  }
  return [{ bytes, role: NO_NAME }];
}

export function shapeOfMessages(messages: readonly Message[]): RecordShape {
  const counter = new ShapeCounter();
  for (const message of messages) {
    counter.message(message.role);
    if (message.role !== 'assistant') continue;
    eachAssistantCall(message, ({ name }) => counter.call(name));
    if (hasFunctionCall(message)) {
      const legacy = legacyCallOf(message);
      if (legacy !== undefined) counter.call(legacy.name);
    }
  }
  return counter.take();
}
