/**
 * Rules for well-formed records that a consumer of their format refuses or changes, according to its documentation:
 * OpenAI's check of training files, chat templates (TRL, axolotl), loaders with typed columns (`datasets`).
 * `turnmill check --target` applies them all, a build counts those that refuse (refusals.ts). The requirements of LLaMA-Factory and FunctionGemma are rules of their
 * formats.
 */

import { ownLosses } from '../formats/format-rules.ts';
import { NO_ANSWER } from '../formats/shared-rules.ts';
import { CLOSE_ARRAY, OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { valueBytes } from '../json/members.ts';
import { assistantCalls } from '../model/assistant-calls.ts';
import { REASONING_MEMBERS, stringValue } from '../model/message.ts';
import { type ConsumedRecord, type ConsumerRule, type Effect, type Refusal, where } from './consumer-rule.ts';
import { openaiRules } from './openai.ts';

const TEMPLATES = ['chat', 'chat-inline', 'trl', 'axolotl'];
const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);

/** The rule about roles, which needs nothing else of a record. */
export const UNKNOWN_ROLE = 'reader-role';

export const isKnownRole = (role: string): boolean => ROLES.has(role);

/** The list of several calls in the value of a turn, which may begin with a text or a thought. */
const SEVERAL = /(?:^|\n<tool_call>|<\/think>\n\n)\[\{"name": /;

function hasObjectValues({ bytes, written }: ConsumedRecord): boolean {
  const tools = valueBytes(bytes, 'tools');
  if (tools?.[0] === OPEN_ARRAY && tools[1] !== CLOSE_ARRAY) return true;
  return written.some((message) =>
    assistantCalls(message).some((call) => call.arguments?.[0] === OPEN_OBJECT),
  );
}

export const consumerRules: readonly ConsumerRule[] = [
  {
    name: UNKNOWN_ROLE,
    effect: 'refuses',
    formats: [...TEMPLATES, 'openai'],
    problem: 'has a role that is not one of system, user, assistant and tool',
    broken: (record) => where(record, ({ role }) => !isKnownRole(role)),
    refusal: {
      summary: 'a role that templates do not know',
      remedy: '--format trl leaves them out',
    },
  },
  {
    name: 'reader-late-system',
    effect: 'alters',
    formats: TEMPLATES,
    problem:
      'is a system message, but not the first message: many templates move it, leave it out or refuse it',
    broken: (record) => where(record, ({ role }, at) => role === 'system' && at > 0),
  },
  {
    name: 'reader-parts',
    effect: 'alters',
    formats: TEMPLATES,
    problem: 'has a list of parts as its content: templates of text models print the list, or fail',
    broken: (record) => where(record, ({ bytes }) => valueBytes(bytes, 'content')?.[0] === OPEN_ARRAY),
  },
  {
    name: 'reader-reasoning',
    effect: 'drops',
    formats: TEMPLATES,
    problem: 'has reasoning next to its text: templates write it only after the last question, or never',
    broken: (record) =>
      where(record, ({ bytes }) => REASONING_MEMBERS.some((key) => valueBytes(bytes, key) !== undefined)),
  },
  {
    name: 'reader-columns',
    effect: 'alters',
    formats: TEMPLATES,
    problem:
      'has tools or arguments as objects: loaders with typed columns fill them with nulls (use --arrow-safe)',
    broken: (record) => (hasObjectValues(record) ? [-1] : []),
  },
  {
    name: 'reader-parallel-calls',
    effect: 'alters',
    formats: ['sharegpt'],
    problem:
      "has several calls at once: LLaMA-Factory's tool format `glm4` refuses them, and its preprocessing ends there",
    broken: (record) =>
      where(
        record,
        ({ bytes }) =>
          stringValue(bytes, 'from') === 'function_call' && SEVERAL.test(stringValue(bytes, 'value') ?? ''),
      ),
  },
  ...openaiRules,
];

/** Returns the refusal of a rule; undefined for any other name. */
export const refusalNamed = (rule: string): Refusal | undefined =>
  consumerRules.find(({ name }) => name === rule)?.refusal;

/** Rules of several formats that report that a part of the conversation is left out. Any other rule reports a change. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'definition-left-out',
  'malformed-call',
  'member-left-out',
  'members-dropped',
  'messages-left-out',
  'non-text-part',
  'unanswered-end',
  ...ownLosses,
]);

/** How consumers treat a record with a finding of this rule, which may also be a rule of its format. */
export function effectOf(rule: string): Effect {
  const known = consumerRules.find(({ name }) => name === rule);
  if (rule === NO_ANSWER) return 'refuses';
  return known?.effect ?? (LEFT_OUT.has(rule) ? 'drops' : 'alters');
}
