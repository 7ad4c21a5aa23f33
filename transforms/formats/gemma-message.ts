/** Reads text and calls of a message for both FunctionGemma formats, and reports anything that these cannot express. */

import { LETTER_N } from '../json/bytes.ts';
import { membersOf } from '../json/members.ts';
import { decode, encode } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import {
  firstVisible,
  type MessageText,
  objectBytes,
  otherContent,
  textOf,
  toolCallsOf,
} from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import { isBlank } from '../model/white-space.ts';
import type { Note } from './gemma-rules.ts';
import { readArguments } from './tool-arguments.ts';

const EMPTY = encode('{}');
const MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['assistant', new Set(['role', 'content', 'tool_calls', 'function_call'])],
  ['tool', new Set(['role', 'content', 'tool_call_id', 'name', 'tool_name'])],
]);
const OTHER_MEMBERS = new Set(['role', 'content']);

/** A call that has a function with a name. */
export type NamedCall = ToolCall & { readonly name: string };

/** Whether the message is an answer without text and calls, which is left out at the end of a conversation. */
export function isEmptyAnswer(message: Message): boolean {
  if (message.role !== 'assistant' || firstVisible(message) !== undefined) return false;
  const calls = toolCallsOf(message) ?? [];
  if (calls.length > 0 || objectBytes(message.bytes, 'function_call') !== undefined) return false;
  return otherContent(message) === undefined && isBlank(textOf(message).text ?? '');
}

/**
 * The text of a message, with a line for each part. Reports parts that are not text, which it leaves out, and other
 * content, as JSON text.
 */
export function messageText(message: Message, note: Note): string {
  const other = otherContent(message);
  if (other === undefined) return textOnly(textOf(message, '\n'), note);
  note('content-not-text');
  return decode(other);
}

export function textOnly({ text, otherParts, isJoined }: MessageText, note: Note): string {
  if (otherParts) note('non-text-part');
  if (isJoined) note('parts-joined');
  return text ?? '';
}

/** The calls of an assistant message that have a name. Reports the others. */
export function namedCalls(message: Message, note: Note): readonly NamedCall[] {
  const calls = toolCallsOf(message) ?? [];
  if (calls === 'not-a-list' || objectBytes(message.bytes, 'function_call') !== undefined)
    note('call-unreadable');
  if (calls === 'not-a-list') return [];
  return calls.filter((call): call is NamedCall => {
    if (!call.name) note('call-unreadable');
    return Boolean(call.name);
  });
}

/** The JSON text of a call's arguments; `{}`, with a finding, if there are none or they are not an object. */
export function callArguments(json: Uint8Array | undefined, note: Note): Uint8Array {
  const { holds, source } = readArguments(json);
  if (holds === 'none') note('empty-arguments');
  else if (holds !== 'object') note('arguments-not-object');
  return holds === 'object' ? source : EMPTY;
}

/** Reports members of a message, except null ones, that a turn cannot hold. */
export function noteMembers({ bytes, role }: Message, note: Note): void {
  const names = MEMBERS.get(role) ?? OTHER_MEMBERS;
  const others = membersOf(bytes).some(
    ({ key, valueStart }) => !names.has(key) && bytes[valueStart] !== LETTER_N,
  );
  if (others) note('member-left-out');
}
