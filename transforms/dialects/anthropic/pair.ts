/** Reads the system text and the answer of a pair of the Messages API, and recognises such pairs. */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { elementsOf, valuesOf } from '../../json/members.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { objectBytes, stringValue, textOfValue } from '../../model/message.ts';
import type { ObjectMembers } from '../dialect.ts';
import { readReply, speakerOf } from '../shared/anthropic-message.ts';
import { withoutBilling } from '../shared/billing-line.ts';
import { joinStrings } from '../shared/build-messages.ts';
import { messageNotes, noted } from '../shared/reading-notes.ts';

/** The system text as one JSON string; undefined if it is neither a string nor a list of text blocks. */
export function systemText(json: Uint8Array): Uint8Array | undefined {
  if (json[0] === QUOTE) return withoutBilling(json) ?? NO_TEXT;
  if (json[0] !== OPEN_ARRAY) return undefined;
  const texts = elementsOf(json).map((block) =>
    block[0] === OPEN_OBJECT ? valuesOf(block, ['text'])[0] : undefined,
  );
  if (!texts.every((text) => text?.[0] === QUOTE)) return undefined;
  return joinStrings(texts.flatMap((text) => withoutBilling(text as Uint8Array) ?? []));
}

/** The answer; undefined if the response is an error or empty. */
export function replyOf(response: Uint8Array, keepSealed = false): Message | undefined {
  const answer = objectBytes(response, 'body') ?? response;
  const [content] = valuesOf(answer, ['content']);
  if (content?.[0] !== OPEN_ARRAY) return undefined;
  const view = new JsonView(answer);
  const stop = view.textOf('stop_reason');
  return noted(readReply(content, stop, keepSealed, speakerOf(answer)), messageNotes(view));
}

/** The name of the model in a response. */
export function modelOf(response: Uint8Array): Uint8Array | undefined {
  const [model] = valuesOf(objectBytes(response, 'body') ?? response, ['model']);
  return isThere(model) ? model : undefined;
}

/** Has a response a member that may be another answer than its content? */
export function hasSecondAnswer(response: Uint8Array): boolean {
  const answer = objectBytes(response, 'body') ?? response;
  return valuesOf(answer, ['completion', 'output_text', 'text', 'choices', 'output']).some(isThere);
}

const isObject = (json: Uint8Array | undefined): json is Uint8Array => json?.[0] === OPEN_OBJECT;
const bodyOf = (json: Uint8Array | undefined): Uint8Array | undefined =>
  isObject(json) ? (objectBytes(json, 'body') ?? json) : undefined;

/**
 * Whether the object is a pair of this API: its answer has content and no choices. A pair without an answer must have
 * members that only this API has.
 */
export function detect(first: ObjectMembers): boolean {
  if (!first.has('request')) return isBareResponse(first);
  if (!isObject(first.get('request')) || isCapture(first.get('request') as Uint8Array)) return false;
  const [content, choices, type, output] = answerOf(first.get('response'));
  if (choices !== undefined || isObject(output)) return false; // the latter is an answer of Converse
  if (content?.[0] === OPEN_ARRAY || textOfValue(type) === 'error') return true;
  return isRequest(bodyOf(first.get('request')) as Uint8Array); // after the answer, because it is long
}

/** Does a request have members that only this API has? */
export function isRequest(request: Uint8Array): boolean {
  const [system, tools, messages] = valuesOf(request, ['system', 'tools', 'messages']);
  return (
    system !== undefined || objectsOf(tools).some(hasInputSchema) || objectsOf(messages).some(hasToolUse)
  );
}

/** Does a request have members that this API lacks and the chat API has? */
export function isChatRequest(request: Uint8Array): boolean {
  const [tools, messages] = valuesOf(request, ['tools', 'messages']);
  const isFunction = (tool: Uint8Array): boolean => valuesOf(tool, ['function'])[0] !== undefined;
  const isChat = (message: Uint8Array): boolean => CHAT_ROLES.has(stringValue(message, 'role') ?? '');
  return objectsOf(tools).some(isFunction) || objectsOf(messages).some(isChat);
}

const CHAT_ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'tool', 'function']);

/** Whether the request is a logged HTTP request: it has a URL, a method and a body. */
export function isCapture(request: Uint8Array): boolean {
  const [url, uri, path, method, body, ...messages] = valuesOf(request, CAPTURE);
  const isSent = [url, uri, path].some(isThere) && isThere(method);
  return isSent && (isThere(body) || !messages.some(isThere));
}

const CAPTURE = ['url', 'uri', 'path', 'method', 'body', 'messages', 'input', 'prompt'];
export const isThere = (value: Uint8Array | undefined): boolean =>
  value !== undefined && value[0] !== LETTER_N;

/** Types of texts in the Responses API, whose items have a type, a role and a content too. */
const OF_RESPONSES = /^(?:in|out)put_/;

/** Members that name who speaks in logs of other programs. */
export const SPEAKERS: readonly string[] = ['sender', 'author', 'kind', 'message_type'];

/**
 * Whether an object without a request is an answer: its type or its role says so, and nothing else says who speaks.
 * @param member gives the JSON text of a member
 */
export function isOfModel(member: (key: string) => Uint8Array | undefined): boolean {
  const [type, role] = [member('type'), member('role')];
  if (type === undefined && role === undefined) return false;
  if (type !== undefined && textOfValue(type) !== 'message') return false;
  if (role !== undefined && textOfValue(role) !== 'assistant') return false;
  return SPEAKERS.every((key) => member(key) === undefined);
}

/** Whether the object is an answer without its request. A bare message has a role, but no other member of an answer. */
function isBareResponse(first: ObjectMembers): boolean {
  const content = first.get('content');
  if (content?.[0] !== OPEN_ARRAY || first.has('messages')) return false;
  const block = elementsOf(content).find(isObject);
  const type = block && stringValue(block, 'type');
  if (block !== undefined && (type === undefined || OF_RESPONSES.test(type))) return false;
  return isOfModel((key) => first.get(key)) && ['type', 'stop_reason', 'usage'].some((key) => first.has(key));
}

/** Content, choices and type of an answer, which may be the body of a logged HTTP response. */
function answerOf(response: Uint8Array | undefined): readonly (Uint8Array | undefined)[] {
  if (!isObject(response)) return [];
  const [body, ...parts] = valuesOf(response, ['body', ...ANSWER]);
  return isObject(body) ? valuesOf(body, ANSWER) : parts;
}

const ANSWER = ['content', 'choices', 'type', 'output'];

function objectsOf(list: Uint8Array | undefined): readonly Uint8Array[] {
  return list?.[0] === OPEN_ARRAY ? elementsOf(list).filter(isObject) : [];
}

function hasInputSchema(tool: Uint8Array): boolean {
  return valuesOf(tool, ['input_schema'])[0] !== undefined;
}

function hasToolUse(message: Uint8Array): boolean {
  const blocks = objectsOf(valuesOf(message, ['content'])[0]);
  return blocks.some((block) => stringValue(block, 'type') === 'tool_use');
}
