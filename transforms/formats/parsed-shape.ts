/** Reads the shape of an ordinary record with `JSON.parse`, in a tenth of the time that its bytes take. */
import { latin1 } from '../json/utf8.ts';
import { isObject } from '../model/message.ts';
import { type RecordShape, ShapeCounter } from './shape-counter.ts';

/** A parsed record takes up to ten times its bytes. */
const MAX_BYTES = 1024 * 1024;
const ASCII = /^[\0-\x7f]+$/;

/**
 * @param record bytes of a record with `messages`
 * @returns undefined if anything is unusual: record-shape.ts then reads the bytes
 */
export function parsedShape(record: Uint8Array): RecordShape | undefined {
  if (record.length > MAX_BYTES) return undefined;
  const messages = messagesIn(record);
  if (messages === undefined) return undefined;
  const counter = new ShapeCounter();
  for (const message of messages) if (!countMessage(message, counter)) return undefined;
  return counter.take();
}

function messagesIn(record: Uint8Array): readonly unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(latin1(record)); // only texts in ASCII are used
    return isObject(parsed) && Array.isArray(parsed.messages) ? parsed.messages : undefined;
  } catch {
    return undefined; // the bytes are damaged
  }
}

function countMessage(message: unknown, counter: ShapeCounter): boolean {
  if (!isObject(message) || !isPlain(message.role)) return false;
  counter.message(message.role);
  if (message.role !== 'assistant') return true;
  const { tool_calls: calls = null, function_call: old = null } = message;
  if (old !== null) return false;
  return calls === null || (Array.isArray(calls) && calls.every((call) => countCall(call, counter)));
}

function countCall(call: unknown, counter: ShapeCounter): boolean {
  const fn = isObject(call) ? call.function : undefined;
  if (!isObject(fn) || !isPlain(fn.name)) return false;
  counter.call(fn.name);
  return true;
}

const isPlain = (text: unknown): text is string => typeof text === 'string' && ASCII.test(text);
