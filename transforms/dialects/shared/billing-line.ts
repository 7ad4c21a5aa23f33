/**
 * The line that Claude Code puts before its system text, about who pays. It differs in each request of a conversation, so it
 * is left out: with it, no request would continue the one before.
 */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { elementsOf, valueBytes } from '../../json/members.ts';
import { concat, replaceValue } from '../../json/splice.ts';
import { latin1, NO_TEXT } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { arrayOf } from './build-messages.ts';

const BILLING = /^"x-anthropic-billing-header:[^\\"]*(?:\\n)*/;
const MAX_BILLING_BYTES = 1024;

/** A text without that line; undefined if nothing is left. @param text JSON string */
export function withoutBilling(text: Uint8Array): Uint8Array | undefined {
  const line = BILLING.exec(latin1(text.subarray(0, MAX_BILLING_BYTES)))?.[0].length;
  if (line === undefined) return text;
  return line < text.length - 1 ? concat([NO_TEXT.subarray(0, 1), text.subarray(line)]) : undefined;
}

/** A system message without that line, which may be the first part of its content; the same message if it has none. */
export function messageWithoutBilling(message: Message): Message {
  if (message.role !== 'system') return message;
  const content = valueBytes(message.bytes, 'content');
  const short =
    content && (content[0] === QUOTE ? (withoutBilling(content) ?? NO_TEXT) : withoutPart(content));
  if (short === undefined || short === content) return message;
  return { ...message, bytes: replaceValue(message.bytes, 'content', short) ?? message.bytes };
}

function withoutPart(content: Uint8Array): Uint8Array {
  const [first, ...others] = content[0] === OPEN_ARRAY ? elementsOf(content) : [];
  const text = first?.[0] === OPEN_OBJECT ? valueBytes(first, 'text') : undefined;
  return text?.[0] === QUOTE && withoutBilling(text) === undefined ? arrayOf(others) : content;
}
