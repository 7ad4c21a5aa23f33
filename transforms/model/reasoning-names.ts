/**
 * Gives the reasoning of a message one name: `reasoning_content`. Providers and gateways log it under several
 * (`OTHER_REASONING_MEMBERS`), often twice. Encrypted parts, which only their provider can read, are left out.
 */

import { arrayOf, joinStrings, objectOf } from '../dialects/shared/build-messages.ts';
import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, keptMembersOf, type Member, membersOf, valueBytes, valuesOf } from '../json/members.ts';
import { addMember, dropMembers, editMembers } from '../json/splice.ts';
import type { Message } from './element.ts';
import { OTHER_REASONING_MEMBERS, stringValue } from './message.ts';

/** A message whose reasoning has one name. */
export interface NamedReasoning {
  readonly message: Message;
  /** Whether a part of its reasoning is encrypted. */
  readonly isSealed: boolean;
  /** Whether the log has only a summary of the reasoning. */
  readonly isSummary: boolean;
  /** Whether some of the reasoning is of an unknown form, and is left out. */
  readonly isLost: boolean;
}

const OTHERS: ReadonlySet<string> = new Set(OTHER_REASONING_MEMBERS);
const NAME = 'reasoning_content';
/**
 * Members of a message in which a client writes what no API has in common, each with the names of reasoning there:
 * LangChain's, and LiteLLM's, which repeats what the provider sent.
 */
const HOLDERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['additional_kwargs', new Set([NAME])],
  ['provider_specific_fields', new Set([NAME, 'reasoning', 'reasoning_details', 'thinking_blocks'])],
]);
/** Members of a message with its reasoning as one text; the first that has any counts. */
const TEXTS = [NAME, 'reasoning', 'reasoning_text', 'tool_plan'] as const;
/** Members of a message that list the parts of its reasoning. */
const LISTS = ['reasoning_details', 'thinking_blocks'] as const;
const LIST_NAMES: ReadonlySet<string> = new Set(LISTS);
const EMPTY_STRING_BYTES = 2;
/** Members of a part of reasoning that are read. */
const PART_TEXTS = ['text', 'thinking', 'summary', 'data', 'signature'] as const;
/** Members of a part of reasoning that say nothing. */
const PART_NAMES: ReadonlySet<string> = new Set(['type', 'id', 'format', 'index']);

/** Whether a member of the message is reasoning under another name than `reasoning_content` and `thinking`. */
export const hasOtherName = ({ bytes }: Message): boolean =>
  keptMembersOf(bytes).some((member) => OTHERS.has(member.key) || heldIn(bytes, member).length > 0);

/** The members with reasoning in an object that holds what no API has in common. */
function heldIn(message: Uint8Array, { key, valueStart, end }: Member): readonly Held[] {
  const names = HOLDERS.get(key);
  if (names === undefined || message[valueStart] !== OPEN_OBJECT) return [];
  const holder = message.subarray(valueStart, end);
  return membersOf(holder)
    .filter((member) => names.has(member.key))
    .map((member): Held => [member.key, holder.subarray(member.valueStart, member.end)])
    .filter(([name, value]) => (LIST_NAMES.has(name) ? isListed(value) : isText(value)));
}

type Held = readonly [name: string, value: Uint8Array];
const isListed = (value: Uint8Array): boolean => isReasoning(value) && elementsOf(value).length > 0;

/** The message without the reasoning that an object in it holds, and without objects that held nothing else. */
function withoutHeld(message: Uint8Array): Uint8Array {
  return editMembers(message, (member) => {
    const held = new Set(heldIn(message, member).map(([name]) => name));
    if (held.size === 0) return undefined;
    const rest = dropMembers(message.subarray(member.valueStart, member.end), ({ key }) => held.has(key));
    return membersOf(rest).length === 0 ? null : rest;
  });
}

/** @param keepSealed whether to keep encrypted parts, as `reasoning_details` */
export function nameReasoning(message: Message, keepSealed: boolean): NamedReasoning {
  const { bytes } = message;
  const held = objectOf(membersOf(bytes).flatMap((member) => heldIn(bytes, member)));
  const places = [bytes, held];
  const { texts, summaries, sealed } = partsOf(places);
  const whole = places
    .flatMap((place) => TEXTS.map((key) => textIn(place, key)))
    .find((text) => text !== undefined);
  const isSummary = whole === undefined && texts.length === 0 && summaries.length > 0;
  const parts = isSummary ? summaries : texts;
  const text = whole ?? (parts.length === 0 ? undefined : joinStrings(parts));
  const isOwn = textIn(bytes, NAME) !== undefined;
  let named = dropMembers(withoutHeld(bytes), ({ key }) => OTHERS.has(key) || (key === NAME && !isOwn));
  if (text !== undefined && !isOwn) named = addMember(named, NAME, text);
  if (keepSealed && sealed.length > 0) named = addMember(named, 'reasoning_details', arrayOf(sealed));
  const isLost = membersOf(bytes).some(
    ({ key, valueStart, end }) => OTHERS.has(key) && isOfUnknownForm(key, bytes.subarray(valueStart, end)),
  );
  return { message: { ...message, bytes: named }, isSealed: sealed.length > 0, isSummary, isLost };
}

/** @param value JSON text of reasoning under the name `key` */
function isOfUnknownForm(key: string, value: Uint8Array): boolean {
  if (value[0] === OPEN_ARRAY && elementsOf(value).length === 0) return false;
  if (value[0] === OPEN_OBJECT && membersOf(value).length === 0) return false;
  if (value[0] === LETTER_N) return false;
  return LIST_NAMES.has(key) ? !isReasoning(value) : value[0] !== QUOTE;
}

/** Whether a list is one of parts of reasoning that are read. @param value JSON text of a list or an object */
export const isReasoning = (value: Uint8Array): boolean =>
  value[0] === OPEN_ARRAY &&
  elementsOf(value).every((part) => part[0] === OPEN_OBJECT && (hasText(part) || isNamed(part)));

const hasText = (part: Uint8Array): boolean => valuesOf(part, PART_TEXTS).some((text) => text?.[0] === QUOTE);
const isNamed = (part: Uint8Array): boolean =>
  membersOf(part).every(({ key, valueStart }) => PART_NAMES.has(key) || part[valueStart] === LETTER_N);

interface Parts {
  /** JSON strings. */
  readonly texts: readonly Uint8Array[];
  readonly summaries: readonly Uint8Array[];
  /** Objects. */
  readonly sealed: readonly Uint8Array[];
}

/** The parts in the first list that has any. A part without a text or a summary counts as encrypted. */
function partsOf(places: readonly Uint8Array[]): Parts {
  const texts: Uint8Array[] = [];
  const summaries: Uint8Array[] = [];
  const sealed: Uint8Array[] = [];
  for (const part of places.map(listIn).find((list) => list.length > 0) ?? []) {
    const text = textIn(part, 'text') ?? textIn(part, 'thinking');
    const summary = textIn(part, 'summary');
    if (text !== undefined) texts.push(text);
    else if (summary !== undefined) summaries.push(summary);
    else if (!isEmpty(part)) sealed.push(sealedPart(part));
  }
  for (const place of places) {
    const opaque = textIn(place, 'reasoning_opaque');
    if (opaque !== undefined) sealed.push(encrypted(opaque));
  }
  return { texts, summaries, sealed };
}

function listIn(message: Uint8Array): readonly Uint8Array[] {
  for (const key of LISTS) {
    const list = valueBytes(message, key);
    const parts = list?.[0] === OPEN_ARRAY ? elementsOf(list).filter((one) => one[0] === OPEN_OBJECT) : [];
    if (parts.length > 0) return parts;
  }
  return [];
}

/** Whether a part is the end of a streamed text: it has neither data nor a signature. */
const isEmpty = (part: Uint8Array): boolean =>
  textIn(part, 'data') === undefined && textIn(part, 'signature') === undefined;

/** @param data JSON text of a string */
const encrypted = (data: Uint8Array | string): Uint8Array =>
  objectOf([
    ['type', '"reasoning.encrypted"'],
    ['data', data],
  ]);

const sealedPart = (part: Uint8Array): Uint8Array =>
  stringValue(part, 'type') === 'redacted_thinking' ? encrypted(textIn(part, 'data') ?? '""') : part;

/** The JSON text of a member that is a string and not empty. */
function textIn(object: Uint8Array, key: string): Uint8Array | undefined {
  const value = valueBytes(object, key);
  return value !== undefined && isText(value) ? value : undefined;
}

const isText = (value: Uint8Array): boolean => value[0] === QUOTE && value.length > EMPTY_STRING_BYTES;
