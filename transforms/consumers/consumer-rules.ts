/**
 * Rules for well-formed records that a consumer of their format refuses or changes, according to its documentation:
 * OpenAI's check of training files, chat templates (TRL, axolotl), templates of LLaMA-Factory, loaders with typed columns
 * (`datasets`). `turnmill check --target` applies them all; a build counts those that refuse (refusals.ts). Other
 * requirements of LLaMA-Factory, and those of FunctionGemma, are rules of their formats.
 */

import { NO_ANSWER } from '../formats/shared-rules.ts';
import { CLOSE_ARRAY, OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { valueBytes } from '../json/members.ts';
import { decode } from '../json/utf8.ts';
import { assistantCalls } from '../model/assistant-calls.ts';
import { REASONING_MEMBERS } from '../model/message.ts';
import { wordSet, words } from '../model/words.ts';
import { type ConsumedRecord, type ConsumerRule, type Effect, type Refusal, where } from './consumer-rule.ts';
import { llamaFactoryRules } from './llama-factory.ts';
import { openaiRules } from './openai.ts';
import { templateRules } from './templates.ts';

const TEMPLATES = ['chat', 'chat-inline', 'trl', 'axolotl'];
const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);

/** The rule about roles, which needs nothing else of a record. */
export const UNKNOWN_ROLE = 'reader-role';

export const isKnownRole = (role: string): boolean => ROLES.has(role);

function hasObjectValues({ bytes, written }: ConsumedRecord): boolean {
  const tools = valueBytes(bytes, 'tools');
  if (tools?.[0] === OPEN_ARRAY && tools[1] !== CLOSE_ARRAY) return true;
  return written.some((message) =>
    assistantCalls(message).some((call) => call.arguments?.[0] === OPEN_OBJECT),
  );
}

const STRING = /"(?:[^"\\]|\\.)*"/g;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** An escape in JSON text; the group is the beginning of half of a surrogate pair. */
const ESCAPE = /\\(?:ud[89ab]..\\ud[c-f]|(ud[89a-f])|.)/gi;

function hasHalfPair({ bytes }: ConsumedRecord): boolean {
  for (const [, half] of decode(bytes).matchAll(ESCAPE)) if (half !== undefined) return true;
  return false;
}

/** Counts the numbers of a record that the JSON type of `datasets` changes or refuses. */
function lossyNumbers({ bytes }: ConsumedRecord): number {
  const numbers = decode(bytes).replace(STRING, '""').match(NUMBER) ?? [];
  return numbers.filter((number) => {
    if (/^-?\d+$/.test(number))
      return number.length > 18 && (number.length > 20 || !isIn64Bits(BigInt(number)));
    const value = Number(number);
    return Math.abs(value) < 1e21 ? Number(value.toFixed(10)) !== value : !Number.isFinite(value);
  }).length;
}

/** The loader reads whole numbers with or without a sign. */
const isIn64Bits = (number: bigint): boolean =>
  BigInt.asIntN(64, number) === number || BigInt.asUintN(64, number) === number;

export const consumerRules: readonly ConsumerRule[] = [
  {
    name: UNKNOWN_ROLE,
    effect: 'refuses',
    formats: [...TEMPLATES, 'openai'],
    problem: 'has a role that is not one of system, user, assistant and tool',
    broken: (record) => where(record, ({ role }) => !isKnownRole(role)),
    refusal: {
      summary: 'a role that templates do not know',
      remedy: '--format trl rejects them, but writes function as tool',
    },
  },
  {
    name: 'reader-late-system',
    effect: 'alters',
    formats: TEMPLATES,
    problem:
      'is a system message, but not the first message: many templates move it, leave it out or refuse it, and ms-swift refuses it',
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
    problem:
      'has reasoning next to its text: templates write it only after the last question, or never, and ms-swift leaves it out',
    broken: (record) =>
      where(record, ({ bytes }) => REASONING_MEMBERS.some((key) => valueBytes(bytes, key) !== undefined)),
  },
  {
    name: 'reader-columns',
    effect: 'alters',
    formats: TEMPLATES,
    problem:
      'has tools or arguments as objects: loaders that do not read the card fill them with nulls (use --arrow-safe)',
    broken: (record) => (hasObjectValues(record) ? [-1] : []),
  },
  {
    name: 'reader-numbers',
    effect: 'alters',
    formats: ['chat', 'chat-inline', 'trl', 'openai', 'atif', 'samples'],
    problem:
      'has a number outside of texts that `load_dataset` rounds to 10 decimal places, or refuses because it has more than 64 bits',
    detail: (record) => {
      const count = lossyNumbers(record);
      return count === 1 ? '1 number' : `${count} numbers`;
    },
    broken: (record) => (lossyNumbers(record) > 0 ? [-1] : []),
  },
  {
    name: 'reader-half-characters',
    effect: 'alters',
    formats: [...TEMPLATES, ...words('openai sharegpt functiongemma functiongemma-teaching prompt atif')],
    problem:
      'has half of a surrogate pair in a text: `load_dataset` leaves it out or refuses the shard, and tokenizers refuse it',
    broken: (record) => (hasHalfPair(record) ? [-1] : []),
  },
  ...templateRules,
  ...llamaFactoryRules,
  ...openaiRules,
];

/** Returns the refusal of a rule; undefined for any other name. */
export const refusalNamed = (rule: string): Refusal | undefined =>
  consumerRules.find(({ name }) => name === rule)?.refusal;

/** Rules of several formats that report that a part of the conversation is left out. Any other rule reports a change. */
const LEFT_OUT: ReadonlySet<string> = wordSet(`
  definition-left-out malformed-call member-left-out members-dropped messages-left-out non-text-part unanswered-end
`);

/** How consumers treat a record with a finding of this rule, which may also be a rule of its format. */
export function effectOf(rule: string): Effect {
  const known = consumerRules.find(({ name }) => name === rule);
  if (rule === NO_ANSWER) return 'refuses';
  return known?.effect ?? (LEFT_OUT.has(rule) ? 'drops' : 'alters');
}
