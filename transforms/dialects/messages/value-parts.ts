/**
 * Converts messages whose content is a list of `{type, value}`, the second format of LLaMA-Factory: texts, reasoning
 * and calls. Calls have no ids: they get `call_1`, `call_2` ..., and a result answers the first open one.
 */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { elementsOf, membersOf, valueBytes, valuesOf } from '../../json/members.ts';
import { quote, valueIn } from '../../json/respace.ts';
import type { Message } from '../../model/element.ts';
import { stringValue, textOfValue } from '../../model/message.ts';
import { arrayOf, callJson, joinStrings, objectOf, type Piece } from '../shared/build-messages.ts';
import { argumentsOf } from '../shared/call-arguments.ts';

/** Members that the conversion replaces. */
const REPLACED = new Set(['role', 'content']);

/** Returned in place of the messages if a part has an unknown type. */
export class UnknownPart {
  readonly type: string;

  constructor(type: string) {
    this.type = /^[\w.-]{1,40}$/.test(type) ? type : 'another type';
  }
}

/** Whether the content is a list whose first part has a `value`. */
function hasValueParts({ bytes }: Message): boolean {
  const content = valueBytes(bytes, 'content');
  if (content?.[0] !== OPEN_ARRAY) return false;
  const first = elementsOf(content)[0];
  return first?.[0] === OPEN_OBJECT && stringValue(first, 'value') !== undefined;
}

/** The converted messages; the same list if none has such parts. */
export function readValueParts(messages: readonly Message[]): readonly Message[] | UnknownPart {
  if (!messages.some(hasValueParts)) return messages;
  const converted: Message[] = [];
  let calls = 0; // number of calls so far
  let open: string[] = []; // ids of the unanswered calls
  for (const message of messages) {
    const parts = hasValueParts(message) ? partsOf(message) : undefined;
    if (parts instanceof UnknownPart) return parts;
    if (parts === undefined) converted.push(message);
    else {
      const ids = parts.calls.map(() => `call_${++calls}`);
      if (ids.length > 0) open = ids;
      const answers = message.role === 'tool' ? open.shift() : undefined;
      converted.push(messageOf(message, parts, ids, answers));
    }
  }
  return converted;
}

interface Parts {
  /** JSON strings. */
  readonly texts: readonly Uint8Array[];
  readonly thoughts: readonly Uint8Array[];
  /** JSON texts of objects with a name. */
  readonly calls: readonly Uint8Array[];
}

function partsOf({ bytes }: Message): Parts | UnknownPart {
  const parts = { texts: [] as Uint8Array[], thoughts: [] as Uint8Array[], calls: [] as Uint8Array[] };
  for (const part of elementsOf(valueBytes(bytes, 'content') as Uint8Array)) {
    const [typeJson, value] = part[0] === OPEN_OBJECT ? valuesOf(part, ['type', 'value']) : [];
    const type = textOfValue(typeJson) ?? '';
    if (value?.[0] !== QUOTE) return new UnknownPart(type);
    if (type === 'text') parts.texts.push(value);
    else if (type === 'reasoning') parts.thoughts.push(value);
    else if (type === 'tool_call') {
      const call = callIn(value);
      if (call === undefined) return new UnknownPart(type);
      parts.calls.push(call);
    } else return new UnknownPart(type);
  }
  return parts;
}

/** The call in a JSON string; undefined if there is none. */
function callIn(value: Uint8Array): Uint8Array | undefined {
  const json = valueIn((textOfValue(value) as string).trim());
  return json?.[0] === OPEN_OBJECT && stringValue(json, 'name') ? json : undefined;
}

function messageOf(
  { bytes, role }: Message,
  { texts, thoughts, calls }: Parts,
  ids: readonly string[],
  answers: string | undefined,
): Message {
  const list = calls.map((call, i) => {
    const [name, args] = valuesOf(call, ['name', 'arguments']);
    return callJson(ids[i], textOfValue(name), args && argumentsOf(args));
  });
  const others = membersOf(bytes).filter(({ key }) => !REPLACED.has(key));
  const pieces: Piece[] = [['role', quote(role)]];
  if (answers !== undefined) pieces.push(['tool_call_id', quote(answers)]);
  if (texts.length > 0 || calls.length === 0)
    pieces.push(['content', texts.length === 0 ? '""' : joinStrings(texts)]);
  if (thoughts.length > 0) pieces.push(['reasoning_content', joinStrings(thoughts)]);
  if (list.length > 0) pieces.push(['tool_calls', arrayOf(list)]);
  for (const { key, valueStart, end } of others) pieces.push([key, bytes.subarray(valueStart, end)]);
  return { bytes: objectOf(pieces), role };
}
