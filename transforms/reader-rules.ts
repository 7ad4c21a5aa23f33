/**
 * What the readers of a format do with records that are well formed, as they document it: OpenAI's check of a training file,
 * chat templates (TRL, axolotl), loaders with columns (`datasets`). Only `turnmill check --target` asks: none of this stops a
 * build. LLaMA-Factory's and FunctionGemma's demands are rules of their formats already.
 */
import type { Message, Row } from './element.ts';
import { membersOf, valueBytes } from './json/members.ts';
import { REASONING_MEMBERS, stringValue, type ToolCall, toolCallsOf } from './message.ts';

/** What the reader does with the record, or with a part of it. */
export type Effect = 'drops' | 'alters' | 'refuses';

export interface ReaderRule {
  readonly name: string;
  readonly effect: Effect;
  readonly formats: readonly string[];
  /** Follows the place: `messages[3] ...`. */
  readonly says: string;
  /** The numbers of the messages in question; -1 for the record as a whole. */
  broken(row: Row): readonly number[];
}

const TEMPLATES = ['chat', 'chat-inline', 'trl', 'axolotl'];
const ROLES: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);
const OPENAI_MEMBERS: ReadonlySet<string> = new Set(
  'role content name tool_calls tool_call_id function_call weight refusal audio'.split(' '),
);
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_ARRAY = 0x5d;

const where = (row: Row, test: (message: Message, at: number) => boolean): readonly number[] =>
  row.written.flatMap((message, at) => (test(message, at) ? [at] : []));

function callsOf(message: Message): readonly ToolCall[] {
  const calls = message.role === 'assistant' ? toolCallsOf(message) : undefined;
  return calls === undefined || calls === 'not-a-list' ? [] : calls;
}

/** Results that answer no call of the assistant message before them, and calls that go unanswered before another speaks. */
function matchResults({ written }: Row): { readonly orphans: number[]; readonly unanswered: number[] } {
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
    open = callsOf(message).map(({ id }) => id);
    asker = at;
  });
  return { orphans, unanswered }; // calls at the very end are what is to be learned
}

function hasObjects({ bytes, written }: Row): boolean {
  const tools = valueBytes(bytes, 'tools');
  if (tools?.[0] === OPEN_ARRAY && tools[1] !== CLOSE_ARRAY) return true;
  return written.some((message) => callsOf(message).some((call) => call.arguments?.[0] === OPEN_OBJECT));
}

export const readerRules: readonly ReaderRule[] = [
  {
    name: 'reader-no-answer',
    effect: 'refuses',
    formats: [...TEMPLATES, 'openai'],
    says: 'has no assistant message to learn from',
    broken: (row) => (row.written.some(({ role }) => role === 'assistant') ? [] : [-1]),
  },
  {
    name: 'reader-role',
    effect: 'refuses',
    formats: [...TEMPLATES, 'openai'],
    says: 'has a role that is none of system, user, assistant and tool',
    broken: (row) => where(row, ({ role }) => !ROLES.has(role)),
  },
  {
    name: 'reader-late-system',
    effect: 'alters',
    formats: TEMPLATES,
    says: 'is a system message that is not the first one: many templates move it, leave it out or refuse it',
    broken: (row) => where(row, ({ role }, at) => role === 'system' && at > 0),
  },
  {
    name: 'reader-parts',
    effect: 'alters',
    formats: TEMPLATES,
    says: 'has a list of parts as its content: templates of text models write the list itself, or fail',
    broken: (row) => where(row, ({ bytes }) => valueBytes(bytes, 'content')?.[0] === OPEN_ARRAY),
  },
  {
    name: 'reader-reasoning',
    effect: 'drops',
    formats: TEMPLATES,
    says: 'has reasoning beside its text: templates write it after the last question only, or never',
    broken: (row) =>
      where(row, ({ bytes }) => REASONING_MEMBERS.some((key) => valueBytes(bytes, key) !== undefined)),
  },
  {
    name: 'reader-columns',
    effect: 'alters',
    formats: TEMPLATES,
    says: 'has tools or arguments as objects: loaders with columns fill them up with nulls (--arrow-safe)',
    broken: (row) => (hasObjects(row) ? [-1] : []),
  },
  {
    name: 'reader-orphan-result',
    effect: 'refuses',
    formats: ['openai'],
    says: 'is a result of no call of the assistant message before it',
    broken: (row) => matchResults(row).orphans,
  },
  {
    name: 'reader-unanswered-call',
    effect: 'refuses',
    formats: ['openai'],
    says: 'has a call that no result answers before the next message',
    broken: (row) => matchResults(row).unanswered,
  },
  {
    name: 'reader-members',
    effect: 'refuses',
    formats: ['openai'],
    says: "has members that OpenAI's check of the file does not know",
    broken: (row) => where(row, ({ bytes }) => membersOf(bytes).some(({ key }) => !OPENAI_MEMBERS.has(key))),
  },
];

/** What a finding of a format itself does to the record, when it does not reject it. */
export function effectOf(rule: string): Effect {
  const known = readerRules.find(({ name }) => name === rule);
  if (known !== undefined) return known.effect;
  return /left-out$|dropped$|^unanswered-end$|^non-text-part$|^malformed-call$/.test(rule)
    ? 'drops'
    : 'alters';
}
