/** Builds messages from pieces of JSON text, so that logged strings keep their bytes. */

import { QUOTE } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { copyOf } from '../../json/keep.ts';
import { rememberMembers } from '../../json/members.ts';
import { quote } from '../../json/respace.ts';
import { concat } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';

/** A member of a message: its key, and its value as JSON text. */
export type Piece = readonly [key: string, json: Uint8Array | string];

const EMPTY_STRING_BYTES = 2;
const COMMA = encode(',');
const QUOTE_BYTES = encode('"');
const LINE_FEED = encode('\\n');
const OPEN_ARRAY = encode('[');
const CLOSE_ARRAY = encode(']');
const OPEN = encode('{');
const CLOSE = encode('}');
const CLOSE_TWO = encode('}}');
const MAX_PIECES = 64;
const MAX_PIECE = 32;
/** Caches the UTF-8 of the short keys and values that most messages share. */
const firstKeys = new Map<string, Uint8Array>();
const laterKeys = new Map<string, Uint8Array>();
const shortValues = new Map<string, Uint8Array>();

export function objectOf(members: readonly Piece[]): Uint8Array {
  return concat(piecesIn(members));
}

/** An object with a type. @param type a name, which needs no escapes */
export const typedObject = (type: string, ...members: readonly Piece[]): Uint8Array =>
  objectOf([['type', `"${type}"`], ...members]);

/** Members as they were logged. */
export const copiesOf = (members: readonly (readonly [key: string, value: JsonView])[]): Piece[] =>
  members.map(([key, value]) => [key, value.copy()]);

/** Like `objectOf`, for a message: remembers its members, because the stages look for them many times. */
export function messageObject(members: readonly Piece[]): Uint8Array {
  const pieces = piecesIn(members);
  const bytes = concat(pieces);
  let at = 1;
  rememberMembers(bytes, () =>
    members.map(([key], i) => {
      const start = i === 0 ? at : at + 1;
      const valueStart = at + lengthAt(pieces, i * 2 + 1);
      at = valueStart + lengthAt(pieces, i * 2 + 2);
      return { key, start, valueStart, end: at };
    }),
  );
  return bytes;
}

const lengthAt = (pieces: readonly Uint8Array[], index: number): number =>
  (pieces[index] as Uint8Array).length;

/** A brace, a key and a value for each member, and a brace. The comma belongs to the key after it. */
function piecesIn(members: readonly Piece[]): readonly Uint8Array[] {
  const pieces = new Array<Uint8Array>(members.length * 2 + 2);
  pieces[0] = OPEN;
  let count = 1;
  for (const [key, json] of members) {
    const isFirst = count === 1;
    const known = isFirst ? firstKeys : laterKeys;
    pieces[count++] = known.get(key) ?? encoded(known, key, `${isFirst ? '' : ','}${quote(key)}:`);
    pieces[count++] =
      typeof json === 'string' ? (shortValues.get(json) ?? encoded(shortValues, json, json)) : json;
  }
  pieces[count] = CLOSE;
  return pieces;
}

function encoded(known: Map<string, Uint8Array>, name: string, text: string): Uint8Array {
  const bytes = encode(text);
  if (known.size < MAX_PIECES && text.length <= MAX_PIECE) known.set(name, copyOf(bytes));
  return bytes;
}

export function makeMessage(role: string, members: readonly Piece[]): Message {
  return { bytes: messageObject([['role', quote(role)], ...members]), role };
}

/** Builds the result of a call. @param content JSON text @param others members after the content */
export function toolMessage(
  callId: string | undefined,
  content: Uint8Array,
  others: readonly Piece[] = [],
): Message {
  const answers: Piece[] = callId === undefined ? [] : [['tool_call_id', quote(callId)]];
  return makeMessage('tool', [...answers, ['content', content], ...others]);
}

/** Builds the system message; none if `text`, a JSON value, is empty or not a string. */
export function systemMessage(text: Uint8Array): readonly Message[] {
  if (text[0] !== QUOTE || text.length === EMPTY_STRING_BYTES) return [];
  return [makeMessage('system', [['content', text]])];
}

/** Messages after the system text that a log has beside them, unless they begin with the same. @param text JSON text */
export function withSystem(text: Uint8Array, messages: readonly Message[]): readonly Message[] {
  const [system] = systemMessage(text);
  return system === undefined || isSameText(system, messages[0]) ? messages : [system, ...messages];
}

export function isSameText(system: Message, other: Message | undefined): boolean {
  if (system.role !== 'system' || other?.role !== 'system') return false;
  const text = stringValue(system.bytes, 'content');
  return text !== undefined && text === stringValue(other.bytes, 'content');
}

/** The JSON text of a call in OpenAI's format. @param args JSON text, usually a string */
export function callJson(
  id: string | undefined,
  name: string | undefined,
  args: Uint8Array | undefined,
): Uint8Array {
  const idMember = id === undefined ? '' : `"id":${quote(id)},`;
  const nameMember = name === undefined ? '' : `"name":${quote(name)}`;
  const head = `{${idMember}"type":"function","function":{${nameMember}`;
  if (args === undefined) return encode(`${head}}}`);
  const key = name === undefined ? '"arguments":' : ',"arguments":';
  return concat([encode(head + key), args, CLOSE_TWO]);
}

/** Pieces are joined in batches of this size, because each takes a hundred bytes besides its own. */
const MAX_LOOSE = 2000;

export function arrayOf(elements: Iterable<Uint8Array>): Uint8Array {
  const joined: Uint8Array[] = [];
  let loose: Uint8Array[] = [OPEN_ARRAY];
  for (const element of elements) {
    if (joined.length > 0 || loose.length > 1) loose.push(COMMA);
    loose.push(element);
    if (loose.length < MAX_LOOSE) continue;
    joined.push(concat(loose));
    loose = [];
  }
  loose.push(CLOSE_ARRAY);
  return concat([...joined, ...loose]);
}

/** Joins JSON strings with line feeds to one JSON string; their escapes stay. */
export function joinStrings(strings: readonly Uint8Array[]): Uint8Array {
  if (strings.length === 1) return strings[0] as Uint8Array;
  const bodies = strings.map((json) => json.subarray(1, -1));
  return concat([
    QUOTE_BYTES,
    ...bodies.flatMap((body, i) => (i === 0 ? [body] : [LINE_FEED, body])),
    QUOTE_BYTES,
  ]);
}

/** The members that are strings with a text, as JSON. */
export const stringsOf = (object: JsonView, ...keys: readonly string[]): readonly Uint8Array[] =>
  keys.flatMap((key) => {
    const value = object.get(key);
    return value?.type === 'string' && value.bytes.length > EMPTY_STRING_BYTES ? [value.copy()] : [];
  });

/** Returns the members of a message to build: a view keeps its bytes, a string becomes a JSON string. */
export function piecesOf(members: Readonly<Record<string, JsonView | string | undefined>>): readonly Piece[] {
  return Object.entries(members).flatMap(([key, value]): Piece[] => {
    if (value === undefined) return [];
    return [[key, typeof value === 'string' ? quote(value) : value.copy()]];
  });
}

/** A message with the id of the call that it answers replaced. */
export const withCallId = (message: JsonView, id: string | undefined): Uint8Array =>
  objectOf(
    message
      .members()
      .map(
        ([key, value]): Piece => [key, key === 'tool_call_id' && id !== undefined ? quote(id) : value.copy()],
      ),
  );
