/** Format `chat`: `{"messages":[...],"tools":[...]}`, every message and tool as its own bytes (conversion.md §3). */
import type { Conversation, Message, ToolDefinition } from '../element.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Format } from './format.ts';

const HEAD = encode('{"messages":[');
const MIDDLE = encode('],"tools":[');
const TAIL = encode(']}');
const COMMA = encode(',');

/** The record that holds these messages and tools. */
export function chatRecord(messages: readonly Message[], tools: readonly ToolDefinition[]): Uint8Array {
  return concat([HEAD, ...withCommas(messages), MIDDLE, ...withCommas(tools), TAIL]);
}

/** The JSON texts with commas between them. */
export function withCommas(items: readonly { readonly bytes: Uint8Array }[]): Uint8Array[] {
  return items.flatMap(({ bytes }, i) => (i === 0 ? [bytes] : [COMMA, bytes]));
}

const chat: Format = {
  name: 'chat',
  summary: 'One conversation per line: {"messages": [...], "tools": [...]}, bytes as logged.',
  rules: [],
  encode({ messages, tools }: Conversation) {
    return { bytes: chatRecord(messages, tools), written: messages, findings: [] };
  },
};

export default chat;
