/**
 * Reads messages of AgentDojo, whose parts have their words as `content`, and whose calls have their name as `function`. A
 * failed call has an `error`, which AgentDojo sends to the model in place of the content.
 */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { elementsOf, valueBytes, valuesOf } from '../../json/members.ts';
import { addMember, dropMembers, editElements, replaceValue } from '../../json/splice.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import { noted, RESULT_ERROR } from '../shared/reading-notes.ts';

type Edit = (element: Uint8Array) => Uint8Array | undefined;

/** Is it a text or a thought with its words as `content`? */
export const isAgentDojoPart = (part: Uint8Array): boolean => partNamed(part) !== undefined;

/** Is it a result that repeats its call? */
export function repeatsCall({ bytes, role }: Message): boolean {
  if (role !== 'tool') return false;
  const [call, error] = valuesOf(bytes, ['tool_call', 'error']);
  return call?.[0] === OPEN_OBJECT && error !== undefined;
}

/** The message with the names of the chat completions API; the same message if it has them already. */
export function readAgentDojo(message: Message): Message {
  const read = withEdited(message, 'content', partNamed);
  if (repeatsCall(message)) return resultOf(read);
  return message.role === 'assistant' ? withEdited(read, 'tool_calls', callNamed) : read;
}

/** The message with the elements of a list as `edit` returns them; the same message if it edits none. */
export function withEdited(message: Message, key: string, edit: Edit): Message {
  const list = valueBytes(message.bytes, key);
  if (list?.[0] !== OPEN_ARRAY) return message;
  const edited = editElements(list, edit);
  const bytes = edited === list ? undefined : replaceValue(message.bytes, key, edited);
  return bytes === undefined ? message : { ...message, bytes };
}

/** `{type: text, content}` as `{type: text, text}`, and the same for a thought. */
function partNamed(part: Uint8Array): Uint8Array | undefined {
  const type = part[0] === OPEN_OBJECT ? stringValue(part, 'type') : undefined;
  return type === 'text' || type === 'thinking' ? renamed(part, 'content', type) : undefined;
}

/** `{function: NAME, args}` as `{name: NAME, args}`. An object as JSON in a string is not a name. */
const callNamed = (call: Uint8Array): Uint8Array | undefined =>
  call[0] === OPEN_OBJECT && valueBytes(call, 'function')?.[1] !== OPEN_OBJECT
    ? renamed(call, 'function', 'name')
    : undefined;

/** The object with a text under another name; undefined if it is not a text, or if the object has that name too. */
function renamed(object: Uint8Array, from: string, to: string): Uint8Array | undefined {
  const [text, own] = valuesOf(object, [from, to]);
  if (text?.[0] !== QUOTE || own !== undefined) return undefined;
  return addMember(
    dropMembers(object, ({ key }) => key === from),
    to,
    text,
  );
}

/** The result as the model saw it, without the call that it repeats. */
function resultOf(message: Message): Message {
  const [error, content] = valuesOf(message.bytes, ['error', 'content']);
  const isError = error?.[0] === QUOTE && error.length > NO_TEXT.length;
  const isShown = isError && isEmpty(content);
  const whole = isShown ? (replaceValue(message.bytes, 'content', error) ?? message.bytes) : message.bytes;
  const isLeft = isError && !isShown;
  const bytes = dropMembers(whole, ({ key }) => key === 'tool_call' || (key === 'error' && !isLeft));
  return noted({ ...message, bytes }, isError ? [RESULT_ERROR] : []);
}

/** Is it an empty text, or a list of such? */
function isEmpty(content: Uint8Array | undefined): boolean {
  if (content?.[0] === OPEN_ARRAY)
    return elementsOf(content).every((part) => stringValue(part, 'text') === '');
  return content?.length === NO_TEXT.length;
}
