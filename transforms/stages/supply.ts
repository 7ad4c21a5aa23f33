/**
 * Stage: adds a system text and the definitions of called tools, which most agent logs lack. Conversations that have
 * their own keep them.
 */

import { makeMessage } from '../dialects/shared/build-messages.ts';
import { defineTool } from '../dialects/shared/tool-definitions.ts';
import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { textScanner } from '../json/plain-scanner.ts';
import { quote } from '../json/respace.ts';
import { skipBlanks } from '../json/scanner.ts';
import { decode, encode } from '../json/utf8.ts';
import type { Conversation, Message, ToolDefinition } from '../model/element.ts';
import { toolCallsOf } from '../model/message.ts';
import type { Meta } from '../model/meta.ts';
import type { Handlers, OptionSpecs, PlacedStage } from '../stage.ts';
import { firstByName } from './tool-dedupe.ts';

export interface SupplyOptions {
  /** Undefined to add none. */
  readonly systemText: string | undefined;
  /** JSON text of a list of definitions; undefined to add none. */
  readonly toolDefinitions: string | undefined;
}

const options: OptionSpecs<SupplyOptions> = {
  systemText: {
    describe: 'Add the text of this file as the system message of conversations that have none',
    default: undefined,
    fromFile: true,
  },
  toolDefinitions: {
    describe:
      'Add tool definitions from this file, a JSON array, to conversations that have none: those of the tools that they call',
    default: undefined,
    fromFile: true,
  },
};

const NO_SYSTEM = 'no-system';
const SYSTEM_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/**
 * Parses tool definitions in the format of the chat completions API (with or without `function`) or the Messages API.
 * @returns undefined if the text is not a JSON array of definitions with names
 */
export function definitionsIn(text: string): readonly ToolDefinition[] | undefined {
  const json = encode(text);
  const start = skipBlanks(json, 0);
  const end = json[start] === OPEN_ARRAY ? textScanner.value(json, start, 0) : -1;
  if (end < 0 || skipBlanks(json, end) < json.length) return undefined;
  const definitions = elementsOf(json.subarray(start, end)).map((one) =>
    one[0] === OPEN_OBJECT ? definitionOf(one) : undefined,
  );
  const named = definitions.filter((one) => one?.name !== undefined) as ToolDefinition[];
  return named.length === definitions.length ? firstByName(named) : undefined;
}

function definitionOf(object: Uint8Array): ToolDefinition {
  const inner = valueBytes(object, 'function');
  return defineTool(inner?.[0] === OPEN_OBJECT ? inner : object);
}

function create({ systemText, toolDefinitions }: SupplyOptions): Handlers {
  if (systemText === undefined && toolDefinitions === undefined) return {};
  const system =
    systemText === undefined ? undefined : makeMessage('system', [['content', quote(systemText)]]);
  const definitions = toolDefinitions === undefined ? [] : definitionsIn(toolDefinitions);
  if (definitions === undefined)
    throw new RangeError('the tool definitions are not a JSON array of named tools');
  return {
    conversation(conversation) {
      const withSystem = system === undefined ? conversation : addSystem(conversation, system);
      return [addTools(withSystem, definitions)];
    },
  };
}

function addSystem(conversation: Conversation, system: Message): Conversation {
  const { messages, changes, meta } = conversation;
  const [first, ...others] = messages;
  if (first === undefined || SYSTEM_ROLES.has(first.role)) return conversation;
  return {
    ...conversation,
    messages: [system, withoutNote(first), ...others],
    changes: new Map([...changes, ['system-supplied', 1]]),
    ...(meta !== undefined && { meta: oneMoreCopied(meta) }),
  };
}

/** Drops the finding that the log has no system text. */
function withoutNote(message: Message): Message {
  const notes = message.notes?.filter(({ rule }) => rule !== NO_SYSTEM);
  return notes === undefined ? message : { ...message, notes };
}

/** Counts the system text as one more copied message, if the messages after it were copied from another session. */
function oneMoreCopied(meta: Meta): Meta {
  const copied = meta.get('copied');
  if (copied === undefined) return meta;
  return new Map([...meta, ['copied', encode(String(Number(decode(copied)) + 1))]]);
}

function addTools(conversation: Conversation, known: readonly ToolDefinition[]): Conversation {
  if (known.length === 0 || conversation.tools.length > 0) return conversation;
  const called = calledNames(conversation.messages);
  const tools = known.filter(({ name }) => called.has(name as string));
  if (tools.length === 0) return conversation;
  const { toolCounts, changes } = conversation;
  const seen = toolCounts.seen + tools.length;
  return {
    ...conversation,
    tools,
    toolCounts: { ...toolCounts, seen, kept: toolCounts.kept + tools.length },
    changes: new Map([...changes, ['tools-supplied', tools.length]]),
  };
}

function calledNames(messages: readonly Message[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const message of messages) {
    const calls = message.role === 'assistant' ? toolCallsOf(message) : undefined;
    if (calls === undefined || calls === 'not-a-list') continue;
    for (const { name } of calls) if (name !== undefined) names.add(name);
  }
  return names;
}

const supply: PlacedStage<SupplyOptions> = {
  name: 'supply',
  after: 'limit-parts',
  summary: 'Adds a system text and tool definitions to conversations that have none, if you supply them.',
  options,
  takes: 'conversation',
  create,
};

export default supply;
