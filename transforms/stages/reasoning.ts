/**
 * Stage: conversation -> conversation. Keeps, drops or inlines the model's reasoning (docs/conversion.md):
 * `reasoning_content` or `thinking` of a message, or a `<think>` block before its text. Every change is counted by
 * rule.
 */

import { OPEN_ARRAY, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { addMember, concat, dropMembers, replaceValue } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message, ReadingNote } from '../model/element.ts';
import { REASONING_MEMBERS, reasoningOf, textOfValue } from '../model/message.ts';
import { isEmptyReply } from '../model/reply.ts';
import type { Handlers, OptionSpecs, Stage } from '../stage.ts';

export const REASONING_MODES = ['keep', 'keep-sealed', 'last', 'drop', 'inline'] as const;
export type ReasoningMode = (typeof REASONING_MODES)[number];

export interface ReasoningOptions {
  readonly reasoning: ReasoningMode;
}

const options: OptionSpecs<ReasoningOptions> = {
  reasoning: {
    describe:
      "Keep the model's reasoning, except encrypted parts (keep) or including them (keep-sealed); keep it only after the last user message (last); drop it; or move it into the text, in <think> tags (inline)",
    default: 'keep',
    choices: REASONING_MODES,
  },
};

const OPEN = '<think>';
const CLOSE = '</think>';
const NOT_INLINED: ReadingNote = {
  rule: 'reasoning-not-inlined',
  severity: 'WARNING',
  message: 'the reasoning contains a <think> tag: not moved into the text',
};

/** Removes the reasoning of a message; the same object if it has none. */
export function withoutReasoning(message: Message): Message {
  const bytes = dropMembers(message.bytes, ({ key }) => REASONING_MEMBERS.includes(key));
  const text = textOfValue(valueBytes(bytes, 'content'));
  const rest = text === undefined ? undefined : afterThought(text);
  const edited =
    rest === undefined ? bytes : (replaceValue(bytes, 'content', encode(quote(rest))) as Uint8Array);
  return edited === message.bytes ? message : { ...message, bytes: edited };
}

/** The text after a `<think>` block at its beginning; undefined if there is none. */
function afterThought(text: string): string | undefined {
  const start = text.trimStart();
  const end = start.startsWith(OPEN) ? start.indexOf(CLOSE) : -1;
  return end < 0 ? undefined : start.slice(end + CLOSE.length).trimStart();
}

/**
 * Moves the reasoning of a message before its text; the same object if it has none. Reasoning with a tag that would end
 * its block early is not moved, with a finding.
 */
export function withReasoningInText(message: Message): Message {
  const thought = reasoningOf(message);
  if (thought === '') return message;
  if (thought.includes(OPEN) || thought.includes(CLOSE)) {
    return { ...message, notes: [...(message.notes ?? []), NOT_INLINED] };
  }
  const bytes = dropMembers(message.bytes, ({ key }) => REASONING_MEMBERS.includes(key));
  const block = `${OPEN}\n${thought}\n${CLOSE}\n\n`;
  const content = valueBytes(bytes, 'content');
  const inlined = withTextBefore(block, content);
  return {
    ...message,
    bytes: replaceValue(bytes, 'content', inlined) ?? addMember(bytes, 'content', inlined),
  };
}

/** Puts a text before a content, which stays byte for byte. */
function withTextBefore(block: string, content: Uint8Array | undefined): Uint8Array {
  const json = encode(quote(block));
  if (content?.[0] === QUOTE) return concat([json.subarray(0, -1), content.subarray(1)]);
  if (content?.[0] !== OPEN_ARRAY) return json;
  const part = concat([encode('[{"type":"text","text":'), json, encode('}')]);
  return concat([part, encode(elementsOf(content).length > 0 ? ',' : ''), content.subarray(1)]);
}

function applyTo(conversation: Conversation, mode: ReasoningMode): Conversation {
  const from =
    mode === 'last' ? conversation.messages.findLastIndex(({ role }) => role === 'user') : Infinity;
  const rule = mode === 'inline' ? 'reasoning-inlined' : 'reasoning-dropped';
  const change = mode === 'inline' ? withReasoningInText : withoutReasoning;
  let changed = 0;
  const messages = conversation.messages.map((message, i) => {
    if (message.role !== 'assistant' || i > from) return message;
    const result = change(message);
    if (result.bytes !== message.bytes) changed++;
    return result;
  });
  const changes = new Map(conversation.changes);
  if (changed > 0) changes.set(rule, changed);
  const answer = messages.at(-1);
  if (answer !== undefined && answer !== conversation.messages.at(-1) && isEmptyReply(answer)) {
    messages.pop(); // it was only reasoning; a record never ends in an empty answer
    changes.set('empty-reply', 1);
  }
  return { ...conversation, messages, changes };
}

function create({ reasoning: mode }: ReasoningOptions): Handlers {
  return mode === 'keep' || mode === 'keep-sealed'
    ? {}
    : { conversation: (conversation) => [applyTo(conversation, mode)] };
}

export const reasoning: Stage<ReasoningOptions> = {
  name: 'reasoning',
  summary: "Keeps, drops or inlines the model's reasoning.",
  options,
  create,
};
