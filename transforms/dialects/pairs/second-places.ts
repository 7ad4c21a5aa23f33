/** Finds messages in a second list of a logged call, and system texts beside its messages, which are not read. */

import { isSameBytes, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { isKey } from '../../json/members.ts';
import { parseJson } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { ERRORS } from '../shared/failed-answer.ts';
import { PARAMETERS, parametersIn, TOOLS } from '../shared/logged-bodies.ts';
import { present, structured } from '../shared/logged-values.ts';
import { geminiRequest, isOtherRequest } from '../shared/other-apis.ts';
import {
  type BadRequest,
  isUnsaid,
  messagesIn,
  OF_GEMINI,
  OF_LOGS,
  otherSystem,
  SYSTEM_NAMES,
  saidBy,
  textsOf,
} from '../shared/said-texts.ts';
import { says } from '../shared/unread-text.ts';
import { SECOND_ANSWERS } from './other-answers.ts';
import { isResponsesRequest } from './request.ts';

/** Members that may hold the messages of a call. */
const LISTS = ['messages', 'input', 'prompt', 'contents'] as const;
/** Members of a request that hold its system text. */
const SYSTEM = ['system', 'instructions', ...OF_GEMINI] as const;
/** Those that a request of chat completions may have beside its messages, besides `system`, which is read. */
export const INSTRUCTIONS: readonly string[] = SYSTEM_NAMES.filter((name) => name !== 'system');

/** Names of second places, of lists, of answers, of system texts and of tools. */
const SECOND: readonly string[] = [LISTS, SECOND_ANSWERS, SYSTEM_NAMES, TOOLS, PARAMETERS].flat();
/** Members of a request or a response that must not occur twice: only the last one would be read. */
const ONCE: ReadonlySet<string> = new Set([...SECOND, 'body']);
const LOOKED_AT: readonly string[] = [...SECOND, ...ERRORS];
const OPEN: ReadonlySet<number | undefined> = new Set([QUOTE, OPEN_ARRAY, OPEN_OBJECT]);

/**
 * May a member of a pair, of its request or of its response, that a byte walker does not read, be a second place, or say
 * that the call failed?
 */
export const isSecondPlace = (bytes: Uint8Array, start: number, end: number, value: number): boolean =>
  OPEN.has(bytes[value]) && LOOKED_AT.some((name) => isKey(bytes, start, end, name));

/** Has a request or a response one of these members twice? */
export function hasKeyTwice(object: JsonView | undefined): boolean {
  const keys = object?.keys().filter((key) => ONCE.has(key)) ?? [];
  return new Set(keys).size < keys.length;
}

/**
 * Finds a list of messages that says what neither the request nor the answer says. The call is then rejected: a finding
 * would be lost with a call that a later one continues.
 * @param answer messages that were read
 * @param json the logged object
 * @param own the value whose messages are read
 */
export function otherList(
  request: JsonView,
  answer: readonly Message[],
  json: JsonView,
  own: JsonView | undefined = readIn(request),
): BadRequest | undefined {
  const places = [request, json, structured(json.get('request'))].filter(present);
  const others = places.flatMap((place) =>
    LISTS.flatMap((key) => {
      const logged = place.get(key);
      const list = structured(logged);
      return logged !== undefined &&
        list !== undefined &&
        messagesIn(list).length > 0 &&
        !hasBytesOf(list, own)
        ? [{ key, logged, list }]
        : [];
    }),
  );
  if (others.length === 0) return undefined;
  const said = new Set<string>();
  for (const view of [own, ...SYSTEM.map((key) => request.get(key))]) addTexts(view?.parsed(), said);
  for (const { bytes } of answer) addTexts(parseJson(bytes), said);
  const other = others.find(({ list }) => list.elements().some((message) => saysMore(message, said)));
  return other && { detail: `the call has other messages in a second list: ${other.key}`, at: other.logged };
}

/**
 * Finds a system text that the messages of a call lack: in its request, in the object around it, and in the parameters of
 * both.
 * @param names of the members of the request that are not read
 */
export function systemBeside(
  request: JsonView | undefined,
  json: JsonView,
  messages: readonly Message[],
  names: readonly string[] | undefined = request && unreadIn(request),
): BadRequest | undefined {
  const own = request && otherSystem(request, messages, names);
  if (own !== undefined) return own;
  const sent = request === json ? undefined : request;
  const template = [json, sent].map((place) => otherTemplate(place, messages)).find(present);
  if (template !== undefined) return { detail: TEMPLATE, at: template };
  return [json, ...parametersIn(json), ...parametersIn(sent)]
    .map((place) => otherSystem(place, messages))
    .find((other) => other !== undefined);
}

const TEMPLATE = 'the call has a template beside its messages: prompt.template';
/** A placeholder or a comment, in the syntax of any language of templates. */
const PLACEHOLDER = /\{\{\{?[^{}]*\}?\}\}|\{#[^#]*#\}|\{\w+\}/;
/** The beginning of a block, whose text the messages may lack. */
const BLOCK = /\{%|\{\{-?\s*[#^]/;

/** The template that a logger of prompts (Humanloop) has beside the messages, if these lack a text between its placeholders. */
function otherTemplate(place: JsonView | undefined, messages: readonly Message[]): JsonView | undefined {
  const template = structured(structured(place?.get('prompt'))?.get('template'));
  if (template === undefined || !says(template)) return undefined;
  const texts = [template.text() ?? [], ...template.elements().map(textsOf)].flat();
  const said = saidBy(messages);
  return texts.some((text) => !BLOCK.test(text) && text.split(PLACEHOLDER).some((one) => isUnsaid(one, said)))
    ? template
    : undefined;
}

const UNREAD_IN_RESPONSES = SYSTEM_NAMES.filter((name) => name !== 'instructions');

/** The members of a request with a system text that its reader does not read. */
function unreadIn(request: JsonView): readonly string[] {
  if (isOtherRequest(request)) return OF_LOGS;
  return isResponsesRequest(request) ? UNREAD_IN_RESPONSES : INSTRUCTIONS;
}

/** The value whose messages are read. */
function readIn(request: JsonView): JsonView | undefined {
  const gemini = geminiRequest(request);
  if (gemini !== undefined) return structured(gemini.get('contents'));
  if (isResponsesRequest(request)) return structured(request.get('input'));
  return structured(request.get('messages') ?? request.get('prompt'));
}

const hasBytesOf = (list: JsonView, own: JsonView | undefined): boolean =>
  own !== undefined && isSameBytes(list.bytes, own.bytes);

/** Does a message have a text that is not among these? */
const saysMore = (message: JsonView, said: ReadonlySet<string>): boolean =>
  textsOf(message).some((text) => text.trim() !== '' && !said.has(text.trim()));

function addTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value.trim());
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addTexts(inner, texts);
}
