/**
 * The key of a message: equal for messages that say the same. Reasoning and ids of calls do not count, because clients drop
 * the one from the history and change the other; neither does how a text is escaped.
 */
import { QUOTE } from '../json/bytes.ts';
import { valuesOf } from '../json/members.ts';
import { decode, encode, knownText, NO_TEXT, textPieces } from '../json/utf8.ts';
import type { Message } from './element.ts';
import { equalityKey, parseExactly } from './equality-key.ts';
import { createSha256, shortHashOf } from './hashed-set.ts';
import { isObject } from './message.ts';
import { type MessageKey, MessageReader } from './message-reader.ts';

const SAME_ROLES: ReadonlyMap<string, string> = new Map([
  ['developer', 'system'],
  ['function', 'tool'],
]);
const NONE: readonly never[] = [];
/** The members that count. */
const COUNTED = ['role', 'content', 'tool_calls', 'tool_call_id', 'function_call', 'refusal', 'audio'];
/** Created on first use; null if it is not available. */
let reader: MessageReader | null | undefined;

/** @param message a valid JSON object */
export function keyOf(message: Uint8Array): MessageKey {
  return messageReader()?.keyOf(message) ?? parsedKeyOf(message);
}

/** Returns the reader of plain messages; null if WebAssembly is not available. */
export function messageReader(): MessageReader | null {
  if (reader === undefined) reader = createReader();
  return reader;
}

/** Do both say the same, with the same ids of calls? */
export function isSameMessage(one: Message, other: Message): boolean {
  const [a, b] = [keyOf(one.bytes), keyOf(other.bytes)];
  return a.digest === b.digest && a.callIds.join() === b.callIds.join();
}

function createReader(): MessageReader | null {
  try {
    return new MessageReader();
  } catch {
    return null;
  }
}

/** Computes the key of any message; the reader has the same result for most of them. */
export function parsedKeyOf(message: Uint8Array): MessageKey {
  const [roleJson, content, callsJson, answered, ...others] = valuesOf(message, COUNTED);
  const role = roleJson?.[0] === QUOTE ? knownText(roleJson, 0, roleJson.length) : `${valueIn(roleJson)}`;
  const name = SAME_ROLES.get(role) ?? role;
  const callIds: string[] = [];
  const calls = callsJson === undefined ? NONE : keysOfCalls(parseExactly(decode(callsJson)), callIds);
  const called = [...calls, ...otherAnswer(others.map(valueIn))];
  const digest =
    content?.[0] === QUOTE
      ? digestOfText(headOf(name, NONE, called), content)
      : digestOfParts(name, valueIn(content), called);
  return { digest, callIds, answered: name === 'tool' ? `${valueIn(answered)}` : undefined };
}

const valueIn = (json: Uint8Array | undefined): unknown =>
  json === undefined ? undefined : parseExactly(decode(json));

/** Its end is the end of its last value, so that a text after it cannot be mistaken for a part of it. */
const headOf = (name: string, parts: readonly unknown[], called: readonly unknown[]): string =>
  equalityKey([name, parts, called]);

/** Yields the parts of an answer in other members: a call in the old form, a refusal, or speech, of which a client sends back the id. */
function* otherAnswer([call, refusal, audio]: readonly unknown[]): Generator<unknown> {
  if (isObject(call)) yield ['function_call', keyOfFunction(call)];
  if (typeof refusal === 'string' && refusal !== '') yield ['refusal', refusal];
  if (isObject(audio)) yield ['audio', audio.id ?? audio];
}

/** @param ids receives the ids of the calls */
function keysOfCalls(calls: unknown, ids: string[]): readonly unknown[] {
  return (Array.isArray(calls) ? calls.filter(isObject) : NONE).map(({ id, function: fn, ...rest }) => {
    ids.push(`${id}`);
    return isObject(fn) ? keyOfFunction(fn) : [null, rest];
  });
}

const keyOfFunction = ({ name, arguments: args }: Readonly<Record<string, unknown>>): readonly unknown[] => [
  name ?? null,
  typeof args === 'string' ? parsedOrText(args) : (args ?? {}),
];

function parsedOrText(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}

/** @param text a JSON string: a giant one is never decoded as a whole */
function digestOfText(head: string, text: Uint8Array): string {
  const hash = createSha256().update(head, 'utf16le').update('"');
  for (const piece of textPieces(text)) hash.update(JSON.stringify(piece).slice(1, -1));
  return shortHashOf(hash.update('"'));
}

/**
 * Joins texts that follow each other in a content that is a list, so that one of texts alone has the key of one text. Null, an
 * empty text and an empty list give the same key. Beside other parts, the places of the texts count.
 */
function digestOfParts(name: string, content: unknown, called: readonly unknown[]): string {
  const parts = Array.isArray(content)
    ? content
    : content === null || content === undefined
      ? NONE
      : [content];
  const others: unknown[] = [];
  let texts: string[] = [];
  for (const part of parts) {
    if (content === parts && isText(part)) {
      texts.push(part.text);
      continue;
    }
    const before = texts.join('\n');
    if (before !== '') others.push(before);
    texts = [];
    others.push(part);
  }
  const text = texts.length === 0 ? NO_TEXT : encode(JSON.stringify(texts.join('\n')));
  return shortHashOf(
    createSha256()
      .update(headOf(name, others, called), 'utf16le')
      .update(text),
  );
}

const isText = (part: unknown): part is { readonly text: string } =>
  isObject(part) && part.type === 'text' && typeof part.text === 'string';
