/** Prepares messages for display. It runs on the server, so that the page needs no code for reading logs. */
import { isErrorText } from '../../transforms/checks/result-verdict.ts';
import {
  parseMessageSegments,
  protocolLines,
} from '../../transforms/dialects/text-protocol/message-segments.ts';
import {
  formatToolActivity,
  getActivityLine,
} from '../../transforms/dialects/text-protocol/tool-activity.ts';
import { ifPossible } from '../errors.ts';
import { callsOf, messagesOf } from './app/messages.ts';
import type { Message, RecordSummary, Shown, ShownSegment } from './app/types.ts';

/** A record as JSON text and as its value. */
export interface ReadRecord {
  readonly json: Buffer;
  readonly value: unknown;
}

/**
 * Parses a record; the lines of a trace become a list. Returns undefined if it is not JSON: a table of a deck, or a
 * truncated record.
 */
export function readRecord(content: Buffer): ReadRecord | undefined {
  return parsed(content) ?? (content.includes('\n') ? parsed(listOfLines(content)) : undefined);
}

const parsed = (json: Buffer): ReadRecord | undefined =>
  ifPossible(() => ({ json, value: JSON.parse(json.toString()) }));

function listOfLines(content: Buffer): Buffer {
  return Buffer.from(`[${content.toString().replaceAll('\n', ',')}]`);
}

export function shownOf(messages: readonly Message[]): readonly Shown[] {
  return messages.map((message): Shown => {
    const role = message.role ?? message.from;
    const content = message.content ?? message.value;
    const calls = callsOf(message);
    const parts = role === 'assistant' || role === 'gpt' ? partsOf(content) : undefined;
    return {
      ...(calls.length > 0 && { calls: calls.map(activityOf) }),
      ...(parts !== undefined && { parts }),
      ...(role === 'tool' && isErrorText(textIn(content)) && { failed: true as const }),
    };
  });
}

/** Returns the activity line of a call: that of a message with no other call. */
function activityOf(call: unknown): string {
  return getActivityLine({ tool_calls: [call] }) ?? 'tool: ?';
}

function partsOf(content: unknown): Shown['parts'] {
  const parts = Array.isArray(content) ? content : [content];
  const shown = parts.flatMap((part, i) => {
    const text = typeof part === 'string' ? part : textOfPart(part);
    const segments = text === undefined ? [] : parseMessageSegments(text);
    const states = text === undefined ? [] : protocolLines(text);
    const isPlain = segments.every(({ kind }) => kind === 'text') && states.length === 0;
    return isPlain ? [] : [[i, { segments: segments.map(segmentOf), states }] as const];
  });
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

function segmentOf(segment: ReturnType<typeof parseMessageSegments>[number]): ShownSegment {
  if (segment.kind !== 'tool') return segment;
  const { call, argumentsText } = segment;
  if (call === undefined) return { kind: 'tool', text: '' };
  return { kind: 'tool', text: argumentsText, activity: formatToolActivity(call), name: call.name };
}

function textOfPart(part: unknown): string | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  const { text } = part as { readonly text?: unknown };
  return typeof text === 'string' ? text : undefined;
}

/** Returns the text of a message's content: a string, or the texts of its parts. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (typeof part === 'string' ? part : (textOfPart(part) ?? ''))).join('');
}

const TITLE_CHARACTERS = 160;

const ROLE_NAMES: Readonly<Record<string, string>> = {
  human: 'user',
  gpt: 'assistant',
  function_call: 'assistant',
  observation: 'tool',
};

/** Returns the name under which a role is counted. */
export function roleName(role: string): string {
  return Object.hasOwn(ROLE_NAMES, role) ? (ROLE_NAMES[role] as string) : role;
}

export function summaryOf(record: unknown): RecordSummary {
  const messages = messagesOf(record) ?? [];
  const roles = new Map<string, number>();
  const tools = new Set<string>();
  let calls = 0;
  for (const message of messages) {
    const role = String(message.role ?? message.from ?? '?');
    const name = roleName(role);
    roles.set(name, (roles.get(name) ?? 0) + 1);
    for (const call of callsOf(message)) {
      calls += 1;
      tools.add(nameOf(call));
    }
  }
  const question = messages.find(({ role, from }) => role === 'user' || from === 'human') ?? messages[0];
  const text = question === undefined ? textOfRecord(record) : textIn(question.content ?? question.value);
  return {
    title: text
      .slice(0, 4 * TITLE_CHARACTERS)
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, TITLE_CHARACTERS),
    messages: messages.length,
    roles: Object.fromEntries(roles),
    calls,
    tools: [...tools],
  };
}

function nameOf(call: unknown): string {
  const { function: fn, name } = (call ?? {}) as {
    readonly function?: { readonly name?: unknown };
    readonly name?: unknown;
  };
  return String(fn?.name ?? name ?? '?');
}

/** Returns the text of a record in a format that writes texts. */
function textOfRecord(record: unknown): string {
  const { prompt, text } = (record ?? {}) as { readonly prompt?: unknown; readonly text?: unknown };
  return typeof prompt === 'string' ? prompt : typeof text === 'string' ? text : '';
}
