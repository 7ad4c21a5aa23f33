/**
 * Dialect `astracodex`: chats of an agent that writes its calls into its text. One chat is one JSON document,
 * `{meta, settings, state, messages, lastDocument?}`, and one session. The keys have changed twice; all three versions
 * are read (docs/reference/dialects-of-conversations.md).
 */

import { OPEN_OBJECT } from '../json/bytes.ts';
import type { JsonView } from '../json/json-view.ts';
import { quote } from '../json/respace.ts';
import type { Message, ReadingNote } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ObjectPart, ReadContext } from './dialect-spec.ts';
import { arrayOf, callJson, makeMessage, type Piece, toolMessage } from './shared/build-messages.ts';
import { argumentsOf } from './shared/call-arguments.ts';
import { missingOrBad } from './shared/line-objects.ts';
import { present } from './shared/logged-values.ts';
import { noted, warning } from './shared/reading-notes.ts';
import { saidIn } from './shared/said-texts.ts';
import { known, says, unreadIn, unreadMember } from './shared/unread-text.ts';
import { type ChatMessage, readChatMessage } from './text-protocol/chat-message.ts';
import { createOpenCalls, type OpenCalls } from './text-protocol/open-calls.ts';

const CALL_MEMBERS = 'id type name:text arguments! args! retrigger index';
const CALL = known(CALL_MEMBERS, { 'function:object!': known(CALL_MEMBERS) });
/** The members of messages, in all versions. */
const MESSAGE = known(
  [
    'role content:text! text:text! rawText:text think:text tool_result! toolResult! tool_call_id toolCallId',
    'activityLine header headerExpanded id name type timestamp ts createdAt created_at model status state attachments',
  ].join(' '),
  { 'tool_calls:list!': CALL, 'toolCalls:list!': CALL },
);

const CHAT_KEYS = ['meta', 'settings', 'state', 'lastDocument'];

function read(json: JsonView, context: ReadContext): ObjectPart {
  const list = json.get('messages');
  if (list?.type !== 'array')
    return context.reject('bad-messages', missingOrBad('messages', list?.at ?? -1), list);
  const calls = createOpenCalls();
  const messages: Message[] = [];
  const changes = new Map<string, number>();
  let unread: ReadingNote | undefined;
  let index = -1;
  for (const logged of list.each()) {
    index++;
    const { bytes } = logged;
    const message = bytes[0] === OPEN_OBJECT ? readChatMessage(bytes) : undefined;
    if (message === undefined)
      return context.reject('bad-messages', `messages[${index}] is not an object with a string role`, list);
    if (message.namelessCalls > 0)
      return context.reject('unknown-content', `messages[${index}] has a call without a name`, list);
    for (const rule of message.changes) changes.set(rule, (changes.get(rule) ?? 0) + 1);
    for (const one of messagesOf(message, calls)) messages.push(one);
    unread ??= unreadIn(logged, MESSAGE, `messages[${index}]`) ?? secondIn(logged, `messages[${index}]`);
  }
  const [first] = messages;
  if (unread !== undefined && first !== undefined) messages[0] = noted(first, [unread]);
  const meta = json.get('meta');
  return {
    ...context.replyLast(messages),
    sessionId: meta?.textOf('id') || undefined,
    timestamp: context.time(createdAt(meta)),
    changes,
  };
}

/** Names of the same member in two versions; the first one is read. */
const TWINS = [
  ['content', 'text'],
  ['tool_calls', 'toolCalls'],
  ['tool_result', 'toolResult'],
] as const;

/** The finding about a member that says something else than its name in another version. */
function secondIn(message: JsonView, place: string): ReadingNote | undefined {
  const differs = ([own, other]: (typeof TWINS)[number]): boolean => {
    const [first, second] = [message.get(own), message.get(other)];
    return present(first) && says(second) && saidIn(first.parsed()) !== saidIn(second?.parsed());
  };
  const twin = TWINS.find(differs);
  return twin && unreadMember(place, twin[1], 'another value under the name of another version');
}

function createdAt(meta: JsonView | undefined): JsonView | undefined {
  return meta?.get('createdAt') ?? meta?.get('created_at') ?? meta?.get('created');
}

function messagesOf(message: ChatMessage, open: OpenCalls): readonly Message[] {
  const { role, content, thought, calls, result } = message;
  const ids = calls.length === 0 ? [] : open.call(calls.map(({ name }) => name));
  const text = result && argumentsOf(result);
  if (role === 'tool')
    return [toolMessage(open.answer(message.answers), content.length > 2 ? content : (text ?? content))];
  const members: Piece[] = [['content', content]];
  if (thought !== '') members.push(['reasoning_content', quote(thought)]);
  if (calls.length > 0) members.push(['tool_calls', arrayOf(eachCall(calls, ids))]);
  const converted = noted(makeMessage(role, members), notesOf(message));
  return text === undefined ? [converted] : [converted, toolMessage(open.answer(message.answers), text)];
}

function* eachCall(calls: ChatMessage['calls'], ids: readonly string[]): Generator<Uint8Array> {
  for (const [i, { name, arguments: args }] of calls.entries())
    yield callJson(ids[i], name, argumentsOf(args));
}

function notesOf({ callsLeftOut: count, debris }: ChatMessage): readonly ReadingNote[] {
  const notes = debris.map((message) => warning('protocol-debris', message));
  if (count === 0) return notes;
  const what = count === 1 ? '1 call before the last one is' : `${count} calls before the last one are`;
  const message = `${what} left out, because the agent ran only the last one`;
  return [warning('calls-left-out', message), ...notes];
}

/** Whether the object has, besides its messages, at least two members of such a chat. */
function detect(first: FirstObject): boolean {
  const known = CHAT_KEYS.filter((key) => first.get(key) !== undefined).length;
  return first.get('messages')?.type === 'array' && known >= 2;
}

const astracodex: Dialect = defineDialect({
  name: 'astracodex',
  summary: 'Chats of a text-protocol agent: {meta, settings, state, messages}, old and new keys.',
  knownBy: 'a messages list, and two of meta, settings, state and lastDocument',
  keys: ['messages'],
  alone: true,
  lacks: ['replies', 'tools', 'marks'],
  detect,
  read,
});

export default astracodex;
