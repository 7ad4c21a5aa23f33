/**
 * Stage: conversation -> conversation. Gives the model's reasoning one name, leaves out messages that are only a thought,
 * and keeps, drops or inlines the reasoning (docs/cleaning.md): `reasoning_content` or `thinking` of a message, or a
 * `<think>` block before its text. Every change is counted by rule.
 */

import { arrayOf } from '../dialects/shared/build-messages.ts';
import { CHAT_MESSAGE } from '../dialects/shared/known-members.ts';
import { noted, SEALED, SUMMARY } from '../dialects/shared/reading-notes.ts';
import { unreadIn } from '../dialects/shared/unread-text.ts';
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { JsonView } from '../json/json-view.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { addMember, concat, dropMembers, replaceValue } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message, ReadingNote, StreamElement } from '../model/element.ts';
import { REASONING_MEMBERS, reasoningOf, stringValue, textOfValue } from '../model/message.ts';
import { hasOtherName, nameReasoning } from '../model/reasoning-names.ts';
import { rejectSession } from '../model/rejection.ts';
import { afterThought, CLOSE_THOUGHT, isLoneThought, OPEN_THOUGHT, THOUGHT_PARTS } from '../model/reply.ts';
import { mayBeSigned, withoutSignatures } from '../model/thought-signatures.ts';
import type { OptionSpecs, PlacedStage } from '../stage.ts';
import { hasOnlyPlaceholders, ONLY_PLACEHOLDERS, withoutCutAnswers } from './cut-answers.ts';

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

const NOT_INLINED: ReadingNote = {
  rule: 'reasoning-not-inlined',
  severity: 'WARNING',
  message: 'the reasoning contains a <think> tag: not moved into the text',
};

const UNKNOWN_FORM: ReadingNote = {
  rule: 'unread-text',
  severity: 'ERROR',
  message: 'the reasoning of an answer is of a form that turnmill does not know',
};

/** Removes the reasoning of a message; the same object if it has none. */
export function withoutReasoning(message: Message): Message {
  const bytes = withoutThoughtParts(dropMembers(message.bytes, ({ key }) => REASONING_MEMBERS.includes(key)));
  const text = textOfValue(valueBytes(bytes, 'content'));
  const rest = text === undefined ? undefined : afterThought(text);
  const edited =
    rest === undefined ? bytes : (replaceValue(bytes, 'content', encode(quote(rest))) as Uint8Array);
  return edited === message.bytes ? message : { ...message, bytes: edited };
}

/** Removes the parts of a content that are reasoning; the same bytes if there are none. */
function withoutThoughtParts(bytes: Uint8Array): Uint8Array {
  const list = valueBytes(bytes, 'content');
  if (list?.[0] !== OPEN_ARRAY) return bytes;
  const parts = elementsOf(list);
  const kept = parts.filter(
    (part) => part[0] !== OPEN_OBJECT || !THOUGHT_PARTS.has(stringValue(part, 'type') ?? ''),
  );
  if (kept.length === parts.length) return bytes;
  return replaceValue(bytes, 'content', arrayOf(kept)) as Uint8Array;
}

/**
 * Moves the reasoning of a message before its text; the same object if it has none. Reasoning with a tag that would end
 * its block early is not moved, with a finding.
 */
export function withReasoningInText(message: Message): Message {
  const thought = reasoningOf(message);
  if (thought === '') return message;
  if (thought.includes(OPEN_THOUGHT) || thought.includes(CLOSE_THOUGHT))
    return { ...message, notes: [...(message.notes ?? []), NOT_INLINED] };
  const bytes = dropMembers(message.bytes, ({ key }) => REASONING_MEMBERS.includes(key));
  const block = `${OPEN_THOUGHT}\n${thought}\n${CLOSE_THOUGHT}\n\n`;
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

function applyTo(conversation: Conversation, mode: ReasoningMode): StreamElement {
  const taught = withoutLoneThoughts(withoutCutAnswers(conversation));
  if (hasOnlyPlaceholders(taught, conversation)) {
    const { origin, sessionId } = conversation;
    return rejectSession('reasoning', origin, sessionId, 'body-placeholder', ONLY_PLACEHOLDERS);
  }
  const settled = withNamedReasoning(taught, mode === 'keep-sealed');
  return mode === 'keep' || mode === 'keep-sealed' ? settled : withMode(settled, mode);
}

/** Adds to the changes of a conversation. */
function counted({ changes }: Conversation, rule: string, count: number): Conversation['changes'] {
  return count === 0 ? changes : new Map(changes).set(rule, (changes.get(rule) ?? 0) + count);
}

/** Gives all reasoning one name. Reports encrypted parts and summaries; those beside calls are kept where they are, or dropped. */
function withNamedReasoning(conversation: Conversation, keepSealed: boolean): Conversation {
  const isOther = (message: Message): boolean =>
    message.role === 'assistant' && (hasOtherName(message) || mayBeSigned(message));
  if (!conversation.messages.some(isOther)) return conversation;
  let sealed = 0;
  let renamed = 0;
  const messages = conversation.messages.map((message) => {
    if (!isOther(message)) return message;
    const named = hasOtherName(message) ? nameReasoning(message, keepSealed) : undefined;
    const own = named?.message ?? message;
    const unsigned = withoutSignatures(own);
    const isSealed = named?.isSealed === true || unsigned !== own;
    if (named !== undefined) renamed++;
    if (isSealed) sealed++;
    const notes = [...(named?.isSummary === true ? [SUMMARY] : []), ...(isSealed ? [SEALED] : [])];
    if (named?.isLost === true) notes.push(UNKNOWN_FORM);
    return noted(keepSealed ? own : unsigned, notes);
  });
  const changes = counted(conversation, 'reasoning-name', renamed);
  const all = { ...conversation, messages, changes };
  return { ...all, changes: counted(all, 'sealed-reasoning', keepSealed ? 0 : sealed) };
}

/** The finding about words beside a thought, in a member that is not known. */
function unreadOf({ bytes }: Message): readonly ReadingNote[] {
  const unread = unreadIn(new JsonView(bytes), CHAT_MESSAGE, 'a message that is only a thought');
  return unread === undefined ? [] : [unread];
}

/** Leaves out messages that are only a thought: they would teach an empty answer. Samples keep theirs. */
function withoutLoneThoughts(conversation: Conversation): Conversation {
  if (conversation.sample !== undefined) return conversation;
  if (!conversation.messages.some(isLoneThought)) return conversation;
  const kept: Message[] = [];
  let notes: readonly ReadingNote[] = [];
  for (const message of conversation.messages) {
    if (isLoneThought(message)) notes = [...notes, ...(message.notes ?? []), ...unreadOf(message)];
    else {
      kept.push(noted(message, notes));
      notes = [];
    }
  }
  if (kept.length > 0) kept.push(noted(kept.pop() as Message, notes));
  const count = conversation.messages.length - kept.length;
  return { ...conversation, messages: kept, changes: counted(conversation, 'empty-reply', count) };
}

function withMode(conversation: Conversation, mode: ReasoningMode): Conversation {
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
  return { ...conversation, messages, changes: counted(conversation, rule, changed) };
}

const reasoning: PlacedStage<ReasoningOptions> = {
  name: 'reasoning',
  after: 'tool-dedupe',
  summary: "Keeps, drops or inlines the model's reasoning.",
  options,
  takes: 'conversation',
  create: ({ reasoning: mode }) => ({ conversation: (conversation) => [applyTo(conversation, mode)] }),
};

export default reasoning;
