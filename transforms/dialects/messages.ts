/**
 * Dialect `messages`: lines that are already conversations, each its own session. `{"messages": [...], "tools": [...]}`
 * as turnmill itself writes it, and ShareGPT's `{"conversations": [...], "system": ..., "tools": ...}`. Messages keep
 * their bytes; if the last one is the model's, it is the reply (docs/dialect-details.md).
 */

import type { JsonView } from '../json/json-view.ts';
import type { Message, ReadingNote, Rejection } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { ReadContext } from './dialect-spec.ts';
import { readForeignMessages } from './foreign-messages.ts';
import { missingOrBad } from './line-objects.ts';
import { systemMessage } from './made-messages.ts';
import { noted, warning } from './reading-notes.ts';
import { readTurns } from './sharegpt-turns.ts';
import { readValueParts, UnknownPart } from './value-parts.ts';

/** Beside a list of messages they say that it is not the whole conversation, or that there is more than one. */
const OTHERS = [
  ...['response', 'completion', 'choices', 'output', 'chosen', 'rejected', 'projectHash'],
  ...['trajectory_format', 'expected', 'userMessage', 'assistantResponse', 'request'],
];
/** Two of them beside the list are the mark of a chat of a text-protocol agent. */
const OF_CHATS = ['meta', 'settings', 'state', 'lastDocument'];

/** Members that are read, and those that this program writes beside them. */
const READ: ReadonlySet<string> = new Set([
  ...['messages', 'conversations', 'tools', 'system', 'metadata', 'parallel_tool_calls'],
]);

const PLAIN_KEY = /^[\w.-]{1,40}$/;
const MOST_NAMES = 32;

/** Reports members of a log's objects that are not read, so that nothing is lost silently: each name once per source. */
class IgnoredMembers {
  readonly #read: ReadonlySet<string>;
  readonly #named = new Set<string>();

  /** @param read members that are read or carry no information */
  constructor(read: ReadonlySet<string>) {
    this.#read = read;
  }

  /** The note on this object; undefined if it has no new member. */
  in(json: JsonView): ReadingNote | undefined {
    const names: string[] = [];
    for (const [key, value] of json.members()) {
      if (this.#read.has(key) || value.type === 'null') continue;
      const name = PLAIN_KEY.test(key) ? key : 'a key that is not a word';
      if (this.#named.has(name) || this.#named.size >= MOST_NAMES) continue;
      this.#named.add(name);
      names.push(name);
    }
    if (names.length === 0) return undefined;
    return warning('members-ignored', `members beside the messages are not read: ${names.join(', ')}`);
  }
}

/** Is it a list whose first object says who speaks? Exports of chats say it in other words. */
function isList(list: JsonView | undefined): boolean {
  const first = list?.type === 'array' ? list.elements()[0] : undefined;
  if (first?.type !== 'object') return list?.type === 'array';
  const speaks = ['role', 'from'].some((key) => first.get(key) !== undefined);
  return speaks && first.get('messageId') === undefined;
}

/** The messages of either form, or why there are none. */
function messagesIn(json: JsonView, context: ReadContext): readonly Message[] | Rejection {
  const list = json.get('messages');
  if (list?.type === 'array') {
    const logged = context.messages();
    const messages = 'kind' in logged ? logged : readValueParts(logged);
    if (!(messages instanceof UnknownPart))
      return 'kind' in messages ? messages : readForeignMessages(messages);
    return context.reject('unknown-part', `a part of type ${messages.type} is not known`, list);
  }
  const conversations = json.get('conversations');
  if (conversations?.type !== 'array')
    return context.reject('bad-messages', missingOrBad('messages', list?.at ?? -1), list);
  const turns = readTurns(conversations.bytes);
  return typeof turns === 'string' ? context.reject('bad-messages', turns, conversations) : turns;
}

const messages: Dialect = defineDialect({
  name: 'messages',
  summary: 'Conversations, one per line: {messages, tools} as written by the formats, or ShareGPT.',
  knownBy: 'a list messages or conversations, without an answer beside it',
  messages: 'messages',
  tools: 'tools',
  keys: ['conversations', 'system'],
  memory: () => new IgnoredMembers(READ),
  alone: true,
  lacks: ['replies'],
  marks: ['messages'],
  detect: (first) =>
    ['messages', 'conversations'].some((key) => isList(first.get(key))) &&
    !OTHERS.some((key) => first.get(key) !== undefined) &&
    OF_CHATS.filter((key) => first.get(key) !== undefined).length < 2,
  read(json, context, ignored) {
    const list = messagesIn(json, context);
    if ('kind' in list) return list;
    const system = json.get('system');
    if (system !== undefined && system.type !== 'string' && system.type !== 'null')
      return context.reject('bad-messages', 'system is not valid', system);
    const messages = system === undefined ? list : [...systemMessage(system.bytes), ...list];
    const note = ignored.in(json);
    const [first, ...others] = messages;
    const reported = note === undefined || first === undefined ? messages : [noted(first, [note]), ...others];
    return { ...context.replyLast(reported), tools: context.tools() };
  },
});

export default messages;
