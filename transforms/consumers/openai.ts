/**
 * Rules for records that OpenAI's check of fine-tuning files refuses, according to its guide, its API reference and the
 * script that it publishes for checking data.
 */

import { readArguments } from '../formats/tool-arguments.ts';
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, membersOf, valueBytes, valuesOf } from '../json/members.ts';
import { decode } from '../json/utf8.ts';
import { assistantCalls } from '../model/assistant-calls.ts';
import type { Message, WrittenRecord } from '../model/element.ts';
import { objectBytes, stringValue, type ToolCall, toolCallsOf } from '../model/message.ts';
import { UnansweredCalls } from '../model/unanswered-calls.ts';
import { type ConsumerRule, where } from './consumer-rule.ts';

const OPENAI_MEMBERS: ReadonlySet<string> = new Set(
  'role content name tool_calls tool_call_id function_call weight refusal audio'.split(' '),
);
const TOOL_MEMBERS: ReadonlySet<string> = new Set(['type', 'function']);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Finds results that answer no call of the assistant message before them, and messages with calls that have no result
 * before the next message of another role. Returns their indexes.
 */
function matchResults({ written }: WrittenRecord): {
  readonly orphans: number[];
  readonly unanswered: number[];
} {
  const orphans: number[] = [];
  const unanswered: number[] = [];
  let callerAt = -1;
  let open = new UnansweredCalls<ToolCall>([]);
  written.forEach((message, at) => {
    if (message.role === 'tool') {
      if (open.take(stringValue(message.bytes, 'tool_call_id')) === undefined) orphans.push(at);
      return;
    }
    if (open.count > 0) unanswered.push(callerAt);
    open = new UnansweredCalls(assistantCalls(message));
    callerAt = at;
  });
  return { orphans, unanswered }; // calls at the very end are the training target
}

/** Whether the message has neither content nor calls. */
function isEmpty({ bytes, role }: Message): boolean {
  const [content, calls, legacy] = valuesOf(bytes, ['content', 'tool_calls', 'function_call']);
  if (content?.[0] === QUOTE || content?.[0] === OPEN_ARRAY) return false;
  return role !== 'assistant' || (calls?.[0] !== OPEN_ARRAY && legacy?.[0] !== OPEN_OBJECT);
}

function hasBadWeight({ bytes, role }: Message): boolean {
  const weight = valueBytes(bytes, 'weight');
  return weight !== undefined && (role !== 'assistant' || !['0', '1'].includes(decode(weight)));
}

function hasBadCalls(message: Message): boolean {
  const calls = toolCallsOf(message);
  if (calls === undefined) return false;
  return (
    message.role !== 'assistant' || calls === 'not-a-list' || calls.length === 0 || calls.some(isBadCall)
  );
}

const isBadCall = ({ bytes, isObject, id, name = '' }: ToolCall): boolean =>
  !isObject || id === undefined || !NAME.test(name) || stringValue(bytes, 'type') !== 'function';

function isBadTool(tool: Uint8Array): boolean {
  const fn = tool[0] === OPEN_OBJECT ? objectBytes(tool, 'function') : undefined;
  if (fn === undefined || stringValue(tool, 'type') !== 'function') return true;
  if (membersOf(tool).some(({ key }) => !TOOL_MEMBERS.has(key))) return true;
  const parameters = valueBytes(fn, 'parameters');
  return (
    !NAME.test(stringValue(fn, 'name') ?? '') || (parameters !== undefined && parameters[0] !== OPEN_OBJECT)
  );
}

/** The tool definitions of a record; none if they are a string. */
function toolsOf({ bytes }: WrittenRecord): readonly Uint8Array[] {
  const tools = valueBytes(bytes, 'tools');
  return tools?.[0] === OPEN_ARRAY ? elementsOf(tools) : [];
}

const rules: readonly Pick<ConsumerRule, 'name' | 'problem' | 'broken'>[] = [
  {
    name: 'reader-orphan-result',
    problem: 'is not the result of a call in the assistant message before it',
    broken: (record) => matchResults(record).orphans,
  },
  {
    name: 'reader-unanswered-call',
    problem: 'has a call without a result before the next message',
    broken: (record) => matchResults(record).unanswered,
  },
  {
    name: 'reader-members',
    problem: "has members that OpenAI's file check does not accept",
    broken: (record) =>
      where(record, ({ bytes }) => membersOf(bytes).some(({ key }) => !OPENAI_MEMBERS.has(key))),
  },
  {
    name: 'reader-end',
    problem: 'is the last message, but not an assistant message',
    broken: ({ written }) =>
      written.some(({ role }) => role === 'assistant') && written.at(-1)?.role !== 'assistant'
        ? [written.length - 1]
        : [],
  },
  {
    name: 'reader-content',
    problem: 'has no content, which is allowed only for an assistant message with calls',
    broken: (record) => where(record, isEmpty),
  },
  {
    name: 'reader-weight',
    problem: 'has a weight that is not 0 or 1, or is not an assistant message',
    broken: (record) => where(record, hasBadWeight),
  },
  {
    name: 'reader-calls',
    problem:
      "has tool_calls that are not a list of an assistant's calls, each with an id, the type function and a name of 1 to 64 letters, digits, _ and -",
    broken: (record) => where(record, hasBadCalls),
  },
  {
    name: 'reader-arguments',
    problem: 'has a call whose arguments are not a JSON object',
    broken: (record) =>
      where(record, (message) =>
        assistantCalls(message).some((call) => readArguments(call.arguments).holds !== 'object'),
      ),
  },
  {
    name: 'reader-tool',
    problem:
      'has a tool that is not {type, function} with a name of 1 to 64 letters, digits, _ and -, and parameters, if any, that are an object',
    broken: (record) => (toolsOf(record).some(isBadTool) ? [-1] : []),
  },
];

export const openaiRules: readonly ConsumerRule[] = rules.map((rule) => ({
  ...rule,
  effect: 'refuses',
  formats: ['openai'],
}));
