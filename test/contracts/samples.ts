/** Messages of every kind that logs hold, and a way to see whether they were changed. */
import type {
  Conversation,
  Entry,
  Message,
  SessionEnd,
  WrittenRecord,
} from '../../transforms/model/element.ts';
import { asArray, asBuffer, latin1 } from '../transforms/bytes.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  entryOf,
  GOOD_TOOL,
  messageOf,
  originOf,
  recordOf,
  result,
  toolOf,
  user,
} from '../transforms/checks/samples.ts';

const WORDS = 'You are a general-purpose AI agent called goose.';

const all: readonly Message[] = [
  messageOf({ role: 'system', content: WORDS }),
  messageOf({ role: 'developer', content: 'x', name: null }),
  user('<info-msg>22:14</info-msg>'),
  user('hi'),
  user([
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: { url: 'x' } },
  ]),
  assistant(''),
  assistant(null),
  calling(
    call('1', 'read', '{"a": 1.0}'),
    call('1', 'read', '{"a": 1.0}'),
    {},
    'x',
    call('2', 'w', 'no json'),
  ),
  result('1', '{"error": true}'),
  result('2', ''),
  result(undefined, { a: 1 }),
  messageOf({ role: 'assistant', content: 'a <tool_call>', function_call: { name: 'f' } }),
  messageOf({ role: 'assistant', tool_calls: {} }),
  { role: 'user', bytes: asBuffer('{ "role":"user","content":"\\ud800é","n":[1e400,-0],"n":1 }') },
  { role: 'user', bytes: asArray('{"role":"user",\t"content":"\u2028"}') },
];

/** Message lists, once in Buffers and once in plain arrays. */
export const lists: readonly (readonly Message[])[] = [
  [],
  all,
  all.toReversed(),
  ...all.map((message) => [message]),
  ...all.map((message, i) => [message, all[(i + 1) % all.length] as Message]),
];

const tools = [GOOD_TOOL, toolOf({ name: 'read', parameters: [] }, 'read'), toolOf({ x: 1 })];

export const conversations: readonly Conversation[] = lists.map((messages, i) =>
  conversationOf(messages, { tools: i % 2 === 0 ? tools : [], truncated: i % 3 }),
);
export const entries: readonly Entry[] = lists.map((messages, i) => ({
  ...entryOf(messages, i + 1),
  reply: messages.at(-1),
}));
export const records: readonly WrittenRecord[] = lists.flatMap((messages) => [
  recordOf('chat', messages),
  recordOf('chat-inline', messages),
]);
export const ends: readonly SessionEnd[] = (['written', 'rejected', 'empty', 'none'] as const).map(
  (fate) => ({
    ...{ kind: 'session-end', origin: originOf(9), last: true, sessionId: 's' },
    fate,
  }),
);

/** Any value as text, one character for each byte: equal texts mean equal values. */
export function snapshot(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner instanceof Uint8Array) return `bytes ${latin1(inner)}`;
    if (typeof inner === 'bigint') return `${inner}n`;
    if (inner instanceof Map || inner instanceof Set) return [...inner];
    // JSON.stringify calls a Buffer's toJSON before the replacer
    if (
      typeof inner === 'object' &&
      inner !== null &&
      'data' in inner &&
      'type' in inner &&
      inner.type === 'Buffer'
    )
      return `bytes ${latin1(Uint8Array.from(inner.data as number[]))}`;
    return inner;
  });
}

/** Freezes everything except bytes, which cannot be frozen. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || Object.isFrozen(value))
    return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
  return value;
}
