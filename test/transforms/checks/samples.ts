/** Builds messages, conversations, entries and records from plain values for the tests of checks. */
import type { Found } from '../../../transforms/checks/check.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import type {
  Conversation,
  Entry,
  Message,
  Origin,
  ToolDefinition,
  WrittenRecord,
} from '../../../transforms/model/element.ts';

export function originOf(line: number): Origin {
  return { source: 'a.jsonl', line, offset: line * 100, length: 99 };
}

export function messageOf(value: { readonly role: string; readonly [key: string]: unknown }): Message {
  return rawMessage(value.role, JSON.stringify(value));
}

export function rawMessage(role: string, json: string): Message {
  return { role, bytes: encode(json) };
}

export const user = (content: unknown): Message => messageOf({ role: 'user', content });
export const assistant = (content: unknown): Message => messageOf({ role: 'assistant', content });
export const result = (id: string | undefined, content: unknown): Message =>
  messageOf({ role: 'tool', ...(id === undefined ? {} : { tool_call_id: id }), content });

/** A call in OpenAI's form. */
export function call(id: string, name: string, args: unknown = '{}'): object {
  return { id, type: 'function', function: { name, arguments: args } };
}

export function calling(...calls: readonly unknown[]): Message {
  return messageOf({ role: 'assistant', tool_calls: calls });
}

export function toolOf(value: unknown, name?: string): ToolDefinition {
  return { bytes: encode(JSON.stringify(value)), name };
}

export const GOOD_TOOL: ToolDefinition = toolOf(
  { name: 'read', parameters: { type: 'object', properties: {}, required: [] } },
  'read',
);

export function conversationOf(messages: readonly Message[], more: Partial<Conversation> = {}): Conversation {
  const toolCounts = { seen: 0, kept: 0, duplicateSame: 0, duplicateConflict: 0 };
  return {
    kind: 'conversation',
    origin: originOf(1),
    sessionId: 's',
    startedAt: 0n,
    messages,
    tools: [GOOD_TOOL],
    superseded: 0,
    truncated: 0,
    changes: new Map(),
    toolCounts,
    ...more,
  };
}

export function entryOf(
  messages: readonly Message[],
  line = 1,
  reply: Message | undefined = assistant('Hi'),
): Entry {
  const changes = new Map<string, number>();
  return {
    kind: 'entry',
    origin: originOf(line),
    sessionId: 's',
    timestamp: 0n,
    messages,
    tools: [],
    reply,
    changes,
  };
}

/** A record in `format` of the conversation `messages`, which holds the messages `written`. */
export function recordOf(
  format: string,
  messages: readonly Message[],
  written: readonly Message[] = messages,
): WrittenRecord {
  const conversation = conversationOf(messages);
  const { origin, sessionId } = conversation;
  return {
    kind: 'record',
    origin,
    sessionId,
    group: 'g',
    format,
    bytes: encode('{}'),
    conversation,
    written,
  };
}

/** Findings as `SEVERITY rule`. */
export function named(found: Iterable<Found>): string[] {
  return [...found].map(({ severity, rule }) => `${severity} ${rule}`);
}

export function texts(found: Iterable<Found>): string[] {
  return [...found].map(({ message }) => message);
}
