/**
 * Dialect `messages`: lines that are already conversations, each its own session: `{"messages": [...], "tools": [...]}`
 * as turnmill writes it, and ShareGPT's `{"conversations": [...], "system": ..., "tools": ...}`. Public datasets also
 * name the list `conversation`, and some write it as JSON in a string. Messages keep their bytes; a last message of the
 * assistant is the reply (docs/reference/dialects-of-conversations.md).
 */

import { JsonView } from '../json/json-view.ts';
import type { Message, Origin, ReadingNote, Rejection } from '../model/element.ts';
import { isEmptyReply } from '../model/reply.ts';
import { systemText } from './anthropic/pair.ts';
import { isClineSession } from './cline/message.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { ReadContext } from './dialect-spec.ts';
import { readForeignMessages } from './messages/foreign-messages.ts';
import { readTurns } from './messages/sharegpt-turns.ts';
import { readValueParts, UnknownPart } from './messages/value-parts.ts';
import { withSystem } from './shared/build-messages.ts';
import { carriesContent } from './shared/carried-content.ts';
import { COPIED_MESSAGE } from './shared/known-members.ts';
import { missingOrBad } from './shared/line-objects.ts';
import { toolsIn } from './shared/logged-bodies.ts';
import { modelMeta } from './shared/logged-meta.ts';
import { present, structured } from './shared/logged-values.ts';
import { notedFirst, unreadText, warning } from './shared/reading-notes.ts';
import { hasUnsaidLine, OF_LOGGERS, saidBy, saidIn } from './shared/said-texts.ts';
import { withSealed } from './shared/sealed-messages.ts';
import { says, unreadIn } from './shared/unread-text.ts';

/** An object with one of these beside its list is not a bare conversation: it has an answer, or several, or events. */
const NOT_BARE = [
  ...['response', 'completion', 'choices', 'output', 'chosen', 'rejected', 'projectHash'],
  ...['trajectory_format', 'expected', 'userMessage', 'assistantResponse', 'request', 'working_dir'],
];
/** Two of these beside the list mark a chat of the dialect `astracodex`. */
const CHAT_MEMBERS = ['meta', 'settings', 'state', 'lastDocument'];

/** Names of the member that holds the conversation; the first one that is a list counts. */
const LISTS = ['messages', 'conversations', 'conversation'];

/** Other members that are read, and those that turnmill itself writes. */
const READ: ReadonlySet<string> = new Set(['tools', 'system', 'model', 'metadata', 'parallel_tool_calls']);

const FUNCTIONS = 'functions';
const PLAIN_KEY = /^[\w.-]{1,40}$/;
const MAX_NAMES = 32;

/**
 * Reports members that are not read, so that nothing is lost silently: each name once per source, by the first object
 * that has it. An object that is read again reports the same.
 */
class IgnoredMembers {
  readonly #read: ReadonlySet<string>;
  /** The place of the object that reported a name. */
  readonly #named = new Map<string, Origin>();

  /** @param read members not to report */
  constructor(read: ReadonlySet<string>) {
    this.#read = read;
  }

  /** The finding for an object; undefined if it has no new member. @param own names of the members that were read */
  in(json: JsonView, origin: Origin, own: readonly string[]): ReadingNote | undefined {
    const names = new Set<string>();
    for (const [key, value] of json.members()) {
      if (own.includes(key) || this.#read.has(key) || value.type === 'null') continue;
      const name = PLAIN_KEY.test(key) ? key : 'a key that is not a word';
      const named = this.#named.get(name);
      if (named === undefined ? this.#named.size >= MAX_NAMES : !isSamePlace(named, origin)) continue;
      this.#named.set(name, origin);
      names.add(name);
    }
    if (names.size === 0) return undefined;
    return warning('members-ignored', `members beside the messages are not read: ${[...names].join(', ')}`);
  }
}

const isSamePlace = (a: Origin, b: Origin): boolean =>
  a.offset === b.offset && a.line === b.line && a.source === b.source;

/** Whether the value is a list of messages: the first has a role. Exports of other chats also have a `messageId`. */
function isList(value: JsonView | undefined): boolean {
  const list = structured(value);
  const first = list?.type === 'array' ? list.elements()[0] : undefined;
  if (first?.type !== 'object') return list?.type === 'array';
  const hasRole = ['role', 'from'].some((key) => first.get(key) !== undefined);
  return hasRole && first.get('messageId') === undefined;
}

/** Whether the conversation ends with a question: it may also be a call that failed, in a log of calls. */
function isOpen(value: JsonView | undefined): boolean {
  const last = structured(value)?.elements().at(-1);
  return last?.get('role')?.text() === 'user';
}

interface Listed {
  /** Name of the member that holds the list. */
  readonly name: string;
  readonly messages: readonly Message[];
}

/** The messages, in any of the formats, or the rejection of the object. */
function messagesIn(json: JsonView, context: ReadContext, keepSealed: boolean): Listed | Rejection {
  const lists = LISTS.map((name) => structured(json.get(name)));
  const at = lists.findIndex((list) => list?.type === 'array');
  const [name, list] = [LISTS[at], lists[at]];
  if (name === undefined || list === undefined) {
    const other = LISTS.map((key) => json.get(key)).find((one) => one !== undefined);
    return context.reject('bad-messages', missingOrBad('messages', other?.at ?? -1), other);
  }
  const view = json.get(name);
  const logged = elementsOf(list, name, view?.type === 'array' ? context : undefined);
  if (typeof logged === 'string') return context.reject('bad-messages', logged, view);
  if ('kind' in logged) return logged;
  const messages = readValueParts(logged);
  if (!(messages instanceof UnknownPart))
    return { name, messages: readForeignMessages(messages, keepSealed) };
  return context.reject('unknown-part', `a part of type ${messages.type} is not known`, view);
}

/**
 * The elements as messages, or what is wrong with the first element that is not a message.
 * @param context for a list that is not JSON in a string: the elements of `messages` were read during the walk
 */
function elementsOf(
  list: JsonView,
  name: string,
  context: ReadContext | undefined,
): readonly Message[] | Rejection | string {
  if (context !== undefined && name === 'messages') {
    const walked = context.messages();
    return 'kind' in walked && isTurns(name, list) ? readTurns(list.bytes, name) : walked;
  }
  if (isTurns(name, list)) return readTurns(list.bytes, name);
  const elements = list.elements();
  const bad = elements.findIndex((message) => message.get('role')?.type !== 'string');
  if (bad >= 0) return `${name}[${bad}] is not an object with a string role`;
  return elements.map((one) => ({ bytes: one.copy(), role: one.get('role')?.text() ?? '' }));
}

/** Whether the list has turns of ShareGPT. A list not named `messages` has them unless its first element has a role. */
function isTurns(name: string, list: JsonView): boolean {
  const first = list.elements()[0];
  if (first?.get('role') !== undefined) return false;
  return name !== 'messages' || first?.get('from') !== undefined;
}

/** The member with the system text beside messages that lack it, as Hermes and others name it. */
function promptIn(json: JsonView, [first]: readonly Message[]): string | undefined {
  if (present(json.get('system')) || first?.role === 'system') return undefined;
  return OF_LOGGERS.find((key) => json.get(key)?.type === 'string' && says(json.get(key)));
}

const ANSWER = unreadText(
  'the conversation ends without an answer, and a member beside the messages carries content',
);

const OTHER = unreadText(
  'the conversation ends with an answer, and a member beside the messages has another one',
);
/** Members of a logged call that hold its answer. */
const REPLIES = ['response', 'completion', 'output'] as const;

/** Whether a member of a logged call, among lines that are conversations, has an answer that the messages lack. */
function hasOtherAnswer(json: JsonView, messages: readonly Message[]): boolean {
  const answers = REPLIES.map((key) => json.get(key)).filter(present);
  if (answers.length === 0) return false;
  const said = saidBy(messages);
  return answers.some((answer) => hasUnsaidLine(saidIn(structured(answer)?.parsed()), said));
}

/** The finding about what may be the answer of a conversation, beside its messages. */
function unreadAnswer(
  json: JsonView,
  own: readonly string[],
  messages: readonly Message[],
): ReadingNote | undefined {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && !isEmptyReply(last))
    return hasOtherAnswer(json, messages) ? OTHER : undefined;
  const inside =
    last?.role === 'assistant' && unreadIn(new JsonView(last.bytes), COPIED_MESSAGE, 'the answer');
  const stray = json.others(READ).some(([key, value]) => !own.includes(key) && isAnswer(key, value));
  return inside || (stray ? ANSWER : undefined);
}

/** Members in which programs keep the answer beside the messages. A label, a score or a reference is none. */
const ANSWERS =
  /^(?:(?:model|llm|ai|assistant|generated|predicted|final|raw)_?)?(?:outputs?|answers?|responses?|completions?|predictions?|results?|repl(?:y|ies)|generations?)$|^(?:generated|output|response)_?text$/i;
/** Texts that say how a run ended. */
const VERDICT =
  /^(?:pass|passed|fail|failed|failure|success|succeeded|error|ok|true|false|correct|incorrect|timeout|done|completed)$/i;

/** Is a member a list or an object that carries content, or a text under the name of an answer? */
function isAnswer(key: string, logged: JsonView): boolean {
  const value = structured(logged);
  const isOpen = value?.type === 'object' || value?.type === 'array';
  return (isOpen && carriesContent(value)) || (ANSWERS.test(key) && holdsText(value));
}

/** Is it a text, a list with one, or an object with one under the name of an answer? */
function holdsText(value: JsonView | undefined): boolean {
  if (value?.type === 'string') return isText(value);
  if (value?.elements().some(isText) === true) return true;
  return value?.members().some(([key, one]) => ANSWERS.test(key) && isText(one)) === true;
}

const isText = (value: JsonView): boolean =>
  says(value) && value.type === 'string' && !VERDICT.test(value.text() ?? '');

const messages: Dialect = defineDialect({
  name: 'messages',
  summary: 'Conversations, one per line: {messages, tools} as written by the formats, or ShareGPT.',
  knownBy: 'a messages, conversations or conversation list, without a response beside it',
  messages: 'messages',
  tools: 'tools',
  keys: ['conversations', 'conversation', 'system', 'model', ...OF_LOGGERS, FUNCTIONS],
  memory: ({ keepSealed = false }) => ({ ignored: new IgnoredMembers(READ), keepSealed }),
  alone: true,
  copies: true,
  lacks: ['replies'],
  marks: ['messages'],
  detect: (first) => {
    const key = LISTS.find((name) => isList(first.get(name)));
    const isOther =
      NOT_BARE.some((name) => first.get(name) !== undefined) ||
      isClineSession(first) ||
      CHAT_MEMBERS.filter((name) => first.get(name) !== undefined).length >= 2;
    if (key === undefined || isOther) return false;
    return !isOpen(first.get(key)) || 'unless-later';
  },
  read(json, context, { ignored, keepSealed }) {
    const listed = messagesIn(json, context, keepSealed);
    if ('kind' in listed) return listed;
    const prompt = promptIn(json, listed.messages);
    const system = json.get(prompt ?? 'system');
    const isText = system?.type === 'string';
    const text = isText ? system.bytes : system && systemText(system.bytes);
    if (present(system) && text === undefined)
      return context.reject('bad-messages', 'system is not valid', system);
    const messages = text === undefined ? listed.messages : withSystem(text, listed.messages);
    const functions = toolsIn(json.get(FUNCTIONS)); // OpenAI's older format for training
    const own = [listed.name, ...(prompt === undefined ? [] : [prompt])];
    if (functions.length > 0) own.push(FUNCTIONS);
    const notes = [ignored.in(json, context.origin, own), unreadAnswer(json, own, messages)].filter(
      (note) => note !== undefined,
    );
    const { messages: sent, reply } = context.replyLast(notedFirst(messages, notes));
    if ('kind' in sent) return sent;
    const meta = modelMeta(json.get('model'));
    const tools = context.tools();
    const hasTools = 'kind' in tools || tools.length > 0;
    return withSealed({ messages: sent, reply, tools: hasTools ? tools : functions, meta });
  },
});

export default messages;
