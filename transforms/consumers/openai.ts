/**
 * Records that OpenAI's check of fine-tuning files refuses, according to its guide, its reference and its data check.
 */

import { readArguments } from '../formats/tool-arguments.ts';
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, membersOf, valueBytes, valuesOf } from '../json/members.ts';
import { decode } from '../json/utf8.ts';
import { assistantCalls } from '../model/assistant-calls.ts';
import type { Message, WrittenRecord } from '../model/element.ts';
import { objectBytes, stringValue, type ToolCall, toolCallsOf } from '../model/message.ts';
import { type ConsumerRule, where } from './consumer-rule.ts';

const OPENAI_MEMBERS: ReadonlySet<string> = new Set(
  'role content name tool_calls tool_call_id function_call weight refusal audio'.split(' '),
);
const TOOL_MEMBERS: ReadonlySet<string> = new Set(['type', 'function']);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Results that answer no call of the assistant message before them, and calls that are unanswered when another role
 * follows.
 */
function matchResults({ written }: WrittenRecord): {
  readonly orphans: number[];
  readonly unanswered: number[];
} {
  const orphans: number[] = [];
  const unanswered: number[] = [];
  let asker = -1;
  let open: (string | undefined)[] = [];
  written.forEach((message, at) => {
    if (message.role === 'tool') {
      const place = open.indexOf(stringValue(message.bytes, 'tool_call_id'));
      if (place < 0) orphans.push(at);
      else open.splice(place, 1);
      return;
    }
    if (open.length > 0) unanswered.push(asker);
    open = assistantCalls(message).map(({ id }) => id);
    asker = at;
  });
  return { orphans, unanswered }; // calls at the very end are the training target
}

/** Does the message have neither content nor calls? */
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

/** The definitions of a record; none if they are a string. */
function toolsOf({ bytes }: WrittenRecord): readonly Uint8Array[] {
  const tools = valueBytes(bytes, 'tools');
  return tools?.[0] === OPEN_ARRAY ? elementsOf(tools) : [];
}

const rules: readonly Pick<ConsumerRule, 'name' | 'says' | 'broken'>[] = [
  {
    name: 'reader-orphan-result',
    says: 'is not the result of a call in the assistant message before it',
    broken: (record) => matchResults(record).orphans,
  },
  {
    name: 'reader-unanswered-call',
    says: 'has a call without a result before the next message',
    broken: (record) => matchResults(record).unanswered,
  },
  {
    name: 'reader-members',
    says: "has members that OpenAI's file check does not accept",
    broken: (record) =>
      where(record, ({ bytes }) => membersOf(bytes).some(({ key }) => !OPENAI_MEMBERS.has(key))),
  },
  {
    name: 'reader-end',
    says: 'is the last message, but not by an assistant',
    broken: ({ written }) =>
      written.some(({ role }) => role === 'assistant') && written.at(-1)?.role !== 'assistant'
        ? [written.length - 1]
        : [],
  },
  {
    name: 'reader-content',
    says: 'has no content, which is allowed only for an assistant message with calls',
    broken: (record) => where(record, isEmpty),
  },
  {
    name: 'reader-weight',
    says: 'has a weight that is not 0 or 1, or that is not of an assistant message',
    broken: (record) => where(record, hasBadWeight),
  },
  {
    name: 'reader-calls',
    says: "has tool_calls that are not a list of an assistant's calls, each with an id, the type function and a name of 1 to 64 letters, digits, _ and -",
    broken: (record) => where(record, hasBadCalls),
  },
  {
    name: 'reader-arguments',
    says: 'has a call whose arguments are not a JSON object',
    broken: (record) =>
      where(record, (message) =>
        assistantCalls(message).some((call) => readArguments(call.arguments).holds !== 'object'),
      ),
  },
  {
    name: 'reader-tool',
    says: 'has a tool that is not {type, function} with a name of 1 to 64 letters, digits, _ and -, and an object of parameters if any',
    broken: (record) => (toolsOf(record).some(isBadTool) ? [-1] : []),
  },
];

export const openaiRules: readonly ConsumerRule[] = rules.map((rule) => ({
  ...rule,
  effect: 'refuses',
  formats: ['openai'],
}));
