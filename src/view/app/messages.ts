/** Finds the messages of a record, and their members, under the names of its format. */
import type { Call, Message } from './types.ts';

/**
 * Returns the messages of a record; undefined if its format has none.
 * @param record for a trace, the list of its lines
 */
export function messagesOf(record: unknown): readonly Message[] | undefined {
  if (Array.isArray(record)) return record.map(messageOfLine).filter(isMessage);
  if (typeof record !== 'object' || record === null) return undefined;
  const { messages, fullConversation, conversations, ...others } = record as Readonly<
    Record<string, unknown>
  >;
  const list = messages ?? fullConversation ?? conversations ?? splitMessages(others);
  return Array.isArray(list) ? list.filter(isMessage) : undefined;
}

/** Returns the messages of a record in two parts. */
function splitMessages({ prompt, completion }: Readonly<Record<string, unknown>>): unknown {
  return Array.isArray(prompt) && Array.isArray(completion) ? [...prompt, ...completion] : undefined;
}

/** Returns the message of a line; undefined for the header of a trace. */
function messageOfLine(line: unknown): unknown {
  return (line as { readonly message?: unknown } | null)?.message;
}

const isMessage = (value: unknown): value is Message => typeof value === 'object' && value !== null;

export function callsOf(message: Message): readonly Call[] {
  const calls = message.tool_calls ?? message.toolCalls;
  return Array.isArray(calls) ? calls : [];
}

/** Returns the id of the call whose result a message is. */
export function callIdOf(message: Message): unknown {
  return message.tool_call_id === undefined ? message.toolCallId : message.tool_call_id;
}

export function reasoningOf(message: Message): string {
  const { reasoning_content: content, reasoning, thinking, reasoningContent } = message;
  const shown = content ?? reasoning ?? thinking ?? reasoningContent;
  return typeof shown === 'string' ? shown : '';
}
