/**
 * Rules for records that OpenAI's check of fine-tuning files refuses, according to its guide, its API reference and the
 * script that it publishes for checking data.
 */

import { readArguments } from '../formats/tool-arguments.ts';
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, type Member, membersOf, valueBytes, valuesOf } from '../json/members.ts';
import { decode } from '../json/utf8.ts';
import { assistantCalls, knownToolCalls } from '../model/assistant-calls.ts';
import type { Message } from '../model/element.ts';
import { objectBytes, REASONING_MEMBERS, stringValue } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import { UnansweredCalls } from '../model/unanswered-calls.ts';
import { type ConsumedRecord, type ConsumerRule, type Refusal, where } from './consumer-rule.ts';

export const REASONING_RULE = 'reader-no-reasoning';
export const MEMBERS_RULE = 'reader-members';

export const OPENAI_MEMBERS: ReadonlySet<string> = new Set(
  'role content name tool_calls tool_call_id function_call weight refusal audio'.split(' '),
);
const isForeign = ({ key }: Member): boolean => !OPENAI_MEMBERS.has(key) && !REASONING_MEMBERS.includes(key);
const TOOL_MEMBERS: ReadonlySet<string> = new Set(['type', 'function']);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
export const MAX_TOOLS = 128;

/**
 * Finds results that answer no call of the assistant message before them, and messages with calls that have no result
 * before the next message of another role. Returns their indexes.
 */
function matchResults({ written }: ConsumedRecord): {
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

/** The types of the parts that a content may have, by role. */
const PART_TYPES: ReadonlyMap<string, ReadonlySet<unknown>> = new Map([
  ['user', new Set(['text', 'image_url', 'input_audio', 'file'])],
  ['assistant', new Set(['text', 'refusal'])],
]);
const ONLY_TEXT: ReadonlySet<unknown> = new Set(['text']);

function hasBadPart({ bytes, role }: Message): boolean {
  const content = valueBytes(bytes, 'content');
  if (content?.[0] !== OPEN_ARRAY) return false;
  const types = PART_TYPES.get(role) ?? ONLY_TEXT;
  return elementsOf(content).some((part) => {
    const type = part[0] === OPEN_OBJECT ? stringValue(part, 'type') : undefined;
    return type === undefined || !types.has(type) || valueBytes(part, type) === undefined;
  });
}

function hasBadWeight({ bytes, role }: Message): boolean {
  const weight = valueBytes(bytes, 'weight');
  return weight !== undefined && (role !== 'assistant' || ![0, 1].includes(Number(decode(weight))));
}

function hasBadCalls(message: Message): boolean {
  const calls = knownToolCalls(message);
  if (calls === undefined) return false;
  return (
    message.role !== 'assistant' || calls === 'not-a-list' || calls.length === 0 || calls.some(isBadCall)
  );
}

export const isBadCall = ({ bytes, isObject, id, name = '' }: ToolCall): boolean =>
  !isObject || id === undefined || !NAME.test(name) || stringValue(bytes, 'type') !== 'function';

export function isBadTool(tool: Uint8Array): boolean {
  const fn = tool[0] === OPEN_OBJECT ? objectBytes(tool, 'function') : undefined;
  if (fn === undefined || stringValue(tool, 'type') !== 'function') return true;
  if (membersOf(tool).some(({ key }) => !TOOL_MEMBERS.has(key))) return true;
  const parameters = valueBytes(fn, 'parameters');
  return (
    !NAME.test(stringValue(fn, 'name') ?? '') || (parameters !== undefined && parameters[0] !== OPEN_OBJECT)
  );
}

/** The tool definitions of a record; none if they are a string. */
function toolsOf({ bytes }: ConsumedRecord): readonly Uint8Array[] {
  const tools = valueBytes(bytes, 'tools');
  return tools?.[0] === OPEN_ARRAY ? elementsOf(tools) : [];
}

/** The remedy where no option helps; a message that shows where does without. */
export const SHOWS_WHERE = 'turnmill check LOGS --target openai shows where';

type OpenaiRule = Pick<ConsumerRule, 'problem' | 'broken'> & Partial<Refusal> & Pick<Refusal, 'summary'>;

const rules: Readonly<Record<string, OpenaiRule>> = {
  [REASONING_RULE]: {
    summary: 'reasoning',
    remedy: '--reasoning drop',
    problem: "has reasoning, which OpenAI's file check does not accept",
    broken: (record) =>
      where(record, ({ bytes }) => membersOf(bytes).some(({ key }) => REASONING_MEMBERS.includes(key))),
  },
  'reader-orphan-result': {
    summary: 'a result without a call',
    problem: 'is not the result of a call in the assistant message before it',
    broken: (record) => matchResults(record).orphans,
  },
  'reader-unanswered-call': {
    summary: 'a call without a result',
    problem: 'has a call without a result before the next message',
    broken: (record) => matchResults(record).unanswered,
  },
  [MEMBERS_RULE]: {
    summary: 'members that only other providers know',
    problem: "has members that OpenAI's file check does not accept",
    broken: (record) => where(record, ({ bytes }) => membersOf(bytes).some(isForeign)),
  },
  'reader-end': {
    summary: 'no answer at the end',
    problem: 'is the last message, but not an assistant message',
    broken: ({ written }) =>
      written.some(({ role }) => role === 'assistant') && written.at(-1)?.role !== 'assistant'
        ? [written.length - 1]
        : [],
  },
  'reader-content': {
    summary: 'a message without content',
    problem: 'has no content, which is allowed only for an assistant message with calls',
    broken: (record) => where(record, isEmpty),
  },
  'reader-part-types': {
    summary: 'an image or another part that its role cannot have',
    problem:
      'has a part that OpenAI does not accept in its role: images, sounds and files are for users, refusals for assistants, texts for all',
    broken: (record) => where(record, hasBadPart),
  },
  'reader-weight': {
    summary: 'a weight that is not 0 or 1 of an answer',
    problem: 'has a weight that is not 0 or 1, or is not an assistant message',
    broken: (record) => where(record, hasBadWeight),
  },
  'reader-calls': {
    summary: 'a call without an id or a good name',
    problem:
      "has tool_calls that are not a list of an assistant's calls, each with an id, the type function and a name of 1 to 64 letters, digits, _ and -",
    broken: (record) => where(record, hasBadCalls),
  },
  'reader-arguments': {
    summary: 'arguments that are not a JSON object',
    remedy: '--on-finding arguments-not-json=reject',
    problem: 'has a call whose arguments are not a JSON object',
    broken: (record) =>
      where(record, (message) =>
        assistantCalls(message).some((call) => readArguments(call.arguments).holds !== 'object'),
      ),
  },
  'reader-tool': {
    summary: 'a tool without a good name or with bad parameters, or more than 128 tools',
    problem:
      'has more than 128 tools, or one that is not {type, function} with a name of 1 to 64 letters, digits, _ and -, and parameters, if any, that are an object',
    broken: (record) => {
      const tools = toolsOf(record);
      return tools.length > MAX_TOOLS || tools.some(isBadTool) ? [-1] : [];
    },
  },
};

export const openaiRules: readonly ConsumerRule[] = Object.entries(rules).map(
  ([name, { problem, broken, summary, remedy = SHOWS_WHERE }]) => ({
    ...{ name, problem, broken, refusal: { summary, remedy } },
    effect: 'refuses',
    formats: ['openai'],
  }),
);
