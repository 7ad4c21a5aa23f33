/**
 * Converts messages that are not in the format of the chat completions API: content blocks of the Messages API, calls
 * without a `function` object, and results that name their call in a list. All others stay byte for byte.
 */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { elementsOf, valueBytes, valuesOf } from '../../json/members.ts';
import { addMember, editElements, replaceValue } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import { readMessage } from '../shared/anthropic-message.ts';
import { messageWithoutBilling } from '../shared/billing-line.ts';
import { readCall } from '../shared/chat-object.ts';
import { isForeignPart, withoutForeignParts } from '../shared/foreign-parts.ts';
import { COPIED_MESSAGE } from '../shared/known-members.ts';
import { notedFirst } from '../shared/reading-notes.ts';
import { unreadNotes } from '../shared/unread-text.ts';
import { isAgentDojoPart, readAgentDojo, repeatsCall, withEdited } from './agent-dojo.ts';

const isObject = (json: Uint8Array): boolean => json[0] === OPEN_OBJECT;

/**
 * The messages in the canonical words; the same list when all of them are already.
 * @param keepSealed write encrypted reasoning as `reasoning_details`
 */
export function readForeignMessages(logged: readonly Message[], keepSealed = false): readonly Message[] {
  const [first] = logged;
  const begin = first && messageWithoutBilling(first);
  const messages = begin === undefined || begin === first ? logged : [begin, ...logged.slice(1)];
  const isForeign = (one: Message): boolean =>
    hasBlocks(one) || hasFlatCalls(one) || listedId(one) !== undefined || repeatsCall(one) || hasOutputs(one);
  if (!messages.some(isForeign)) return messages;
  return messages.flatMap((one) => {
    const message = withCallId(withoutOutputs(readAgentDojo(one)));
    if (!hasBlocks(message) && !hasFlatCalls(message)) return message;
    const read = hasBlocks(message)
      ? (readMessage(withoutForeignParts(message.bytes), keepSealed) ?? [message])
      : [message];
    const whole = read.map((one) => (hasFlatCalls(one) ? withFunctions(one) : one));
    return notedFirst(whole, unreadNotes(new JsonView(message.bytes), COPIED_MESSAGE, 'a message'));
  });
}

/** The id of the call that a result answers, if it is in a list, as SWE-agent writes it. */
function listedId({ bytes, role }: Message): Uint8Array | undefined {
  if (role !== 'tool') return undefined;
  const [id, list] = valuesOf(bytes, ['tool_call_id', 'tool_call_ids']);
  if (list?.[0] !== OPEN_ARRAY || id?.[0] === QUOTE) return undefined;
  const [only, ...others] = elementsOf(list);
  return only?.[0] === QUOTE && others.length === 0 ? only : undefined;
}

/** The type of texts in results of trajectories that a program makes of the logs of clients. */
const OUTPUT = 'tool_output';
const TEXT = encode('"text"');

const isOutput = (part: Uint8Array): boolean =>
  isObject(part) && stringValue(part, 'type') === OUTPUT && stringValue(part, 'text') !== undefined;

function hasOutputs({ bytes, role }: Message): boolean {
  const content = role === 'tool' ? valueBytes(bytes, 'content') : undefined;
  return content?.[0] === OPEN_ARRAY && elementsOf(content).some(isOutput);
}

/** A result with plain texts in place of those. */
const withoutOutputs = (message: Message): Message =>
  message.role === 'tool' ? withEdited(message, 'content', outputAsText) : message;

const outputAsText = (part: Uint8Array): Uint8Array | undefined =>
  isOutput(part) ? replaceValue(part, 'type', TEXT) : undefined;

function withCallId(message: Message): Message {
  const id = listedId(message);
  if (id === undefined) return message;
  const { bytes } = message;
  return {
    ...message,
    bytes: replaceValue(bytes, 'tool_call_id', id) ?? addMember(bytes, 'tool_call_id', id),
  };
}

/** Whether the content is a list with a part of another API, or with a bare text. */
function hasBlocks({ bytes, role }: Message): boolean {
  const content = valueBytes(bytes, 'content');
  if (content?.[0] !== OPEN_ARRAY) return false;
  return elementsOf(content).some(
    (block) =>
      block[0] === QUOTE || isForeignPart(block, role === 'assistant') || (isObject(block) && isBlock(block)),
  );
}

/** Other clients have parts of these types too, so only those with the members of their API count. */
function isBlock(block: Uint8Array): boolean {
  switch (stringValue(block, 'type')) {
    case 'input_text':
    case 'output_text':
      return stringValue(block, 'text') !== undefined;
    case 'tool_use':
      return stringValue(block, 'name') !== undefined;
    case 'tool_result':
      return stringValue(block, 'tool_use_id') !== undefined;
    case 'redacted_thinking':
      return stringValue(block, 'data') !== undefined;
    case 'image':
      return valueBytes(block, 'source')?.[0] === OPEN_OBJECT;
    case 'thinking':
      return [QUOTE, OPEN_ARRAY].includes(valueBytes(block, 'thinking')?.[0] ?? 0) || isAgentDojoPart(block);
    case 'text':
      return isAgentDojoPart(block);
    default:
      return false;
  }
}

function callsIn(message: Uint8Array): Uint8Array | undefined {
  const calls = valueBytes(message, 'tool_calls');
  return calls?.[0] === OPEN_ARRAY ? calls : undefined;
}

function hasFlatCalls({ bytes, role }: Message): boolean {
  const calls = role === 'assistant' ? callsIn(bytes) : undefined;
  return calls !== undefined && elementsOf(calls).some(isFlat);
}

/** Whether a call has its name beside its arguments, as in LangChain and tau2. */
function isFlat(call: Uint8Array): boolean {
  if (!isObject(call)) return false;
  const [fn] = valuesOf(call, ['function']);
  if (fn === undefined) return stringValue(call, 'name') !== undefined;
  return fn[0] === QUOTE;
}

function withFunctions(message: Message): Message {
  const calls = editElements(callsIn(message.bytes) as Uint8Array, (call) => {
    const read = isFlat(call) ? readCall(new JsonView(call)) : undefined;
    return read?.kind === 'call' ? read.json : undefined;
  });
  return { ...message, bytes: replaceValue(message.bytes, 'tool_calls', calls) ?? message.bytes };
}
