/**
 * Converts one message of the Messages API to canonical messages (docs/reference/dialects-of-calls.md): first the results of tools,
 * one message each, then the rest. A message whose content is a string stays byte for byte.
 */

import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { elementsOf, membersOf, valueBytes, valuesOf } from '../../json/members.ts';
import { oneLine } from '../../json/one-line.ts';
import { addMember, concat, editMembers, replaceValue } from '../../json/splice.ts';
import { decode } from '../../json/utf8.ts';
import type { Entry, Message, ReadingNote } from '../../model/element.ts';
import { stringValue, textOfValue } from '../../model/message.ts';
import { isSameMessage } from '../../model/message-key.ts';
import type { EntryFields } from '../dialect-spec.ts';
import { type CallPiece, sealedBlock } from '../fold/assistant-draft.ts';
import { type Block, CACHE_MARK, readBlock, resultContent } from './anthropic-blocks.ts';
import { arrayOf, joinStrings, makeMessage, type Piece } from './build-messages.ts';
import { contentOfParts } from './content-parts.ts';
import { ANTHROPIC_BLOCK } from './known-members.ts';
import { hasMark, NO_CONTENT, saidBesideCalls } from './no-content.ts';
import { error, keptBlock, noted, ORDER_LOST, RESULT_ERROR } from './reading-notes.ts';
import { isSameResult } from './same-result.ts';
import { unreadNotes } from './unread-text.ts';

/** A thought that the server does not show has an empty text and a signature. */
const EMPTY_STRING_BYTES = 2;

/**
 * @param logged the JSON text of an object; undefined if it has no role
 * @param keepSealed write encrypted reasoning as `reasoning_details`
 */
export function readMessage(logged: Uint8Array, keepSealed = false): readonly Message[] | undefined {
  const role = stringValue(logged, 'role');
  return role === undefined ? undefined : messagesOf(logged, role, false, keepSealed);
}

/**
 * Converts an answer.
 * @param content JSON text of a list of blocks or a string
 * @param speaker who it says that it is from
 */
export function readReply(
  content: Uint8Array,
  stopReason: string | undefined,
  keepSealed = false,
  speaker = 'assistant',
): Message {
  const { bytes } = makeMessage(speaker, [['content', content]]);
  const [reply] = messagesOf(bytes, speaker, true, keepSealed) as [Message];
  const isCut = stopReason === 'max_tokens' && valueBytes(reply.bytes, 'tool_calls') !== undefined;
  const unread = unreadNotes(new JsonView(content), ANTHROPIC_BLOCK, 'content of the answer');
  return noted(reply, [...(isCut ? [TRUNCATED_CALL] : []), ...unread]);
}

/** Who an answer of this API is from: the model, unless its type or its role says something else. */
export function speakerOf(answer: Uint8Array): string {
  const [type, role] = valuesOf(answer, ['type', 'role']).map(textOfValue);
  return type === undefined || type === 'message' ? (role ?? 'assistant') : type;
}

/**
 * Joins an answer with the text that the request gave as its beginning: in this API, an answer after a message of the model
 * continues it.
 */
export function joinPrefill<T extends Pick<EntryFields, 'reply'> & Pick<Entry, 'messages'>>(call: T): T {
  const { messages, reply } = call;
  const begun = messages.at(-1);
  if (begun?.role !== 'assistant' || reply?.role !== 'assistant' || isSameMessage(begun, reply)) return call;
  const [start, rest] = [begun, reply].map(({ bytes }) => valueBytes(bytes, 'content'));
  const isText = start?.[0] === QUOTE && (rest === undefined || rest[0] === QUOTE);
  if (!isText || membersOf(begun.bytes).length !== 2) return call;
  const text = rest === undefined ? start : concat([start.subarray(0, -1), rest.subarray(1)]);
  const bytes = replaceValue(reply.bytes, 'content', text) ?? addMember(reply.bytes, 'content', text);
  return { ...call, messages: messages.slice(0, -1), reply: noted({ ...reply, bytes }, begun.notes ?? []) };
}

const TRUNCATED_CALL = error(
  'truncated-call',
  'the answer ended at max_tokens with a tool_use: its input may be cut off',
);

function messagesOf(
  raw: Uint8Array,
  role: string,
  isReply: boolean,
  keepSealed: boolean,
): readonly Message[] {
  const content = valueBytes(raw, 'content');
  if (content?.[0] !== OPEN_ARRAY) return [onOneLine(raw, role, [])];
  const isOfModel = isReply || role === 'assistant';
  const blocks = elementsOf(content).map((block) => readBlock(block, isOfModel));
  const results = distinctResults(blocks);
  const rest = blocks.filter(({ kind }) => kind !== 'result');
  return rest.length === 0 && results.length > 0
    ? results
    : [...results, restOf(raw, role, rest, keepSealed)];
}

/** The results of a message. One that says what another of its call says is left out. */
function distinctResults(blocks: readonly Block[]): readonly Message[] {
  const found = blocks.flatMap((block) => (block.kind === 'result' ? [block.block] : []));
  if (found.length < 2) return found.map(readResult);
  const first = new Map<string, Message>();
  return found.flatMap((block) => {
    const id = stringValue(block, 'tool_use_id') ?? '';
    const result = readResult(block);
    const known = first.get(id);
    if (id !== '' && known === undefined) first.set(id, result);
    return known !== undefined && isSameResult(known, result) ? [] : [result];
  });
}

const onOneLine = (json: Uint8Array, role: string, notes: readonly ReadingNote[]): Message =>
  noted({ bytes: oneLine(json), role }, notes);

export function readResult(block: Uint8Array): Message {
  const [id, content, isError] = valuesOf(block, ['tool_use_id', 'content', 'is_error']);
  const { bytes, notes = [] } = resultMessage(id, content, isError);
  return onOneLine(bytes, 'tool', notes);
}

/** Builds the tool message for a result. The values are JSON text on one line. */
export function resultMessage(
  id: Uint8Array | undefined,
  content: Uint8Array | undefined,
  isError: Uint8Array | undefined,
): Message {
  const notes: ReadingNote[] = [];
  const answers: Piece[] = id === undefined ? [] : [['tool_call_id', id]];
  const text = resultContent(content, (note) => notes.push(note));
  if (isError !== undefined && decode(isError) === 'true') notes.push(RESULT_ERROR);
  return noted(makeMessage('tool', [...answers, ['content', text]]), notes);
}

/** The message without its results. */
function restOf(raw: Uint8Array, role: string, blocks: readonly Block[], keepSealed: boolean): Message {
  const parts = blocks.flatMap((block) => (block.kind === 'part' ? [block.part] : []));
  const calls = blocks.flatMap((block) => (block.kind === 'call' ? [block] : []));
  const thoughts = blocks.flatMap((block) => (block.kind === 'thought' ? [block.text] : []));
  const sealed = blocks.flatMap((block) => (block.kind === 'sealed' ? [sealedBlock(block.data).detail] : []));
  const shown = thoughts.filter(({ length }) => length > EMPTY_STRING_BYTES);
  const said = calls.length > 0 ? saidBesideCalls(parts) : parts;
  const content = said.length === 0 && calls.length > 0 ? null : contentOfParts(said);
  const at = membersOf(raw).findLastIndex(({ key }) => key === 'content');
  let bytes = editMembers(raw, ({ key }, i) => {
    if (i === at) return content;
    return key === 'content' || key === CACHE_MARK ? null : undefined;
  });
  if (shown.length > 0) bytes = addMember(bytes, 'reasoning_content', joinStrings(shown));
  if (keepSealed && sealed.length > 0) bytes = addMember(bytes, 'reasoning_details', arrayOf(sealed));
  if (calls.length > 0) bytes = withCalls(bytes, calls);
  const empty = role === 'assistant' && hasMark(parts) ? [NO_CONTENT] : [];
  const message = onOneLine(bytes, role, [...notesOn(blocks), ...empty]);
  return sealed.length === 0 ? message : { ...message, sealed: keepSealed ? 'kept' : 'dropped' };
}

/** Adds calls. Those that the message has beside its content too, as clients of LangChain log them, count once. */
function withCalls(message: Uint8Array, calls: readonly CallPiece[]): Uint8Array {
  const list = valueBytes(message, 'tool_calls');
  const beside = list?.[0] === OPEN_ARRAY ? elementsOf(list) : [];
  const ids = beside.map((call) => (call[0] === OPEN_OBJECT ? stringValue(call, 'id') : undefined));
  const others = calls.filter(({ id }) => id === undefined || !ids.includes(id));
  const all = arrayOf([...beside, ...others.map(({ json }) => json)]);
  return replaceValue(message, 'tool_calls', all) ?? addMember(message, 'tool_calls', all);
}

function notesOn(blocks: readonly Block[]): readonly ReadingNote[] {
  const notes = blocks.flatMap((block) =>
    block.kind === 'part' && block.kept !== undefined ? [keptBlock(block.kept)] : [],
  );
  const firstCall = blocks.findIndex(({ kind }) => kind === 'call');
  const isMixed =
    firstCall >= 0 && blocks.slice(firstCall).some(({ kind }) => kind !== 'call' && kind !== 'sealed');
  return isMixed ? [...notes, ORDER_LOST] : notes;
}
