/** Reads one message of a goose session: texts, thoughts and calls; user messages may contain results of calls. */

import { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { NO_ARGUMENTS } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import { blockOfPart, callBlock, type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import {
  arrayOf,
  makeMessage,
  objectOf,
  type Piece,
  toolMessage,
  typedObject,
} from '../shared/build-messages.ts';
import { contentOfParts, listOfParts, mcpPart, partBytes } from '../shared/content-parts.ts';
import { isTrue, present, structured, textOf } from '../shared/logged-values.ts';
import { noted, RESULT_ERROR } from '../shared/reading-notes.ts';
import { known, knownByType, unreadMember } from '../shared/unread-text.ts';

/** Blocks that goose shows to the user and does not send to the model. */
const CLIENT: ReadonlySet<string> = new Set([
  ...['toolConfirmationRequest', 'actionRequired', 'systemNotification', 'conversationCompacted'],
  ...['contextLengthExceeded', 'summarizationRequested', 'error'],
]);
const TEXT = known('type text:text! annotations _meta');
const OF_CALL = 'status name:text arguments! _meta task error';
const REQUEST = known('type id metadata _meta toolMeta thoughtSignature', {
  'toolCall!': known(OF_CALL, { 'value!': known(OF_CALL) }),
});
/** A result, or one of its parts. */
const RESULT_MEMBERS =
  'status isError _meta structuredContent! error:text! type text:text! annotations data mimeType resource uri name title description size';
const IN_RESULT = { 'content:list!': knownByType('type', { text: TEXT }) };
/** The members of a message. Blocks of 2024 have no type; those that the model does not see are not described. */
const MESSAGE = known('id role created metadata', {
  'content:list!': knownByType('type', {
    text: TEXT,
    thinking: known('type thinking:text! signature!'),
    reasoning: known('type text:text!'),
    toolRequest: REQUEST,
    frontendToolRequest: REQUEST,
    toolResponse: known('type id metadata _meta', {
      'toolResult!': known(RESULT_MEMBERS, { ...IN_RESULT, 'value!': known(RESULT_MEMBERS, IN_RESULT) }),
    }),
    '': known('id text:text! tool_name:text arguments! tool_result!'),
  }),
});
const OLD = ['text', 'tool_name', 'tool_result'];
const REQUESTS: ReadonlySet<string> = new Set(['toolRequest', 'frontendToolRequest']);
const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'reasoning']);
const BLOCK_TYPES: ReadonlySet<string> = new Set([
  ...CLIENT,
  ...REQUESTS,
  ...THOUGHTS,
  ...['text', 'image', 'toolResponse', 'redactedThinking'],
]);
const FALSE = 'f'.charCodeAt(0);

export function isGooseMessage(message: JsonView): boolean {
  return message.get('role')?.type === 'string' && message.get('content')?.type === 'array';
}

/** Whether it is a line with a message, by which a log is known whose header is lost. Blocks of 2024 have no type. */
export function isGooseLine(line: FirstObject): boolean {
  const [first] = line.get('content')?.elements() ?? [];
  if (first?.type !== 'object' || line.get('ts') !== undefined) return false;
  const type = first.get('type');
  if (type === undefined) return OLD.some((key) => first.get(key) !== undefined);
  return line.get('created')?.type === 'number' && BLOCK_TYPES.has(type.text() ?? '');
}

/** Whether a message of the conversation is hidden from the model. Notices that only the user sees do not count. */
export function isHidden(message: JsonView): boolean {
  if (!isHiddenFrom('agent', message)) return false;
  const blocks = message.get('content')?.elements() ?? [];
  return blocks.length === 0 || blocks.some(isForModel);
}

const isHiddenFrom = (whom: 'agent' | 'user', message: JsonView | undefined): boolean =>
  message?.get('metadata')?.get(`${whom}Visible`)?.bytes[0] === FALSE;

const PAIR: ReadonlySet<string> = new Set([...REQUESTS, 'toolResponse']);

/** Whether a message has a call or a result: goose hides those of which it later shows the model a summary instead. */
export const isOfPair = (message: JsonView): boolean =>
  message
    .get('content')
    ?.elements()
    .some((block) => PAIR.has(block.textOf('type') ?? '')) === true;

/**
 * Whether a message is the summary of a compaction, which a later one hid. It is hidden from the user and the model, as is the answer
 * after it with which goose tells the model to go on. The last question before a compaction is hidden too, but repeated
 * after them.
 */
export function isHiddenSummary(messages: readonly JsonView[], index: number): boolean {
  const [summary, next] = [messages[index], messages[index + 1]];
  const isUnseen = [summary, next].every((one) => isHiddenFrom('agent', one) && isHiddenFrom('user', one));
  return isUnseen && summary?.get('role')?.text() === 'user' && next?.get('role')?.text() === 'assistant';
}

/**
 * Number of the first messages that a compaction replaced. It hides all of them from the model and adds a summary, which
 * the user does not see. A command of the client and its answer are hidden too, in any place, and so is a command
 * before its prompt.
 */
export function countReplaced(messages: readonly JsonView[]): number {
  const end = messages.findIndex((message) => !isHiddenFrom('agent', message));
  const [summary, next] = messages.slice(end, end + 2);
  const replaced = messages.slice(0, Math.max(end, 0)).filter(isHidden);
  if (!isHiddenFrom('user', summary) || !replaced.some(isAnswer)) return 0;
  return isHiddenFrom('user', next) || !isCommand(replaced.at(-1)) ? end : 0;
}

const isAnswer = (message: JsonView): boolean => message.get('role')?.text() === 'assistant';

const isCommand = (message: JsonView | undefined): boolean =>
  message?.get('content')?.elements()[0]?.get('text')?.text()?.startsWith('/') === true;

/** Whether a block is sent to the model. Tools also return parts for the user only, often the same content. */
function isForModel(block: JsonView): boolean {
  if (CLIENT.has(block.textOf('type') ?? '')) return false;
  const audience = block.get('annotations')?.get('audience')?.elements() ?? [];
  return audience.length === 0 || audience.some((one) => one.text() === 'assistant');
}

/** Whether the client adds the message after a compaction: the summary, or the answer with which it tells the model to go on. */
export const isAdded = (message: JsonView): boolean => isHiddenFrom('user', message);

const PROCEED = 'How would you like to proceed?';
/** The beginning and the end of texts that goose writes in the name of the model: about errors, at limits, and when it was interrupted. */
const NOTICES: readonly (readonly [start: string, end: string])[] = [
  ['Ran into this error', '\n\nPlease retry if you think this is a transient or recoverable error.'],
  ['Network error: ', '\n\nPlease resend your message to try again.'],
  ['Error: Unable to truncate messages', '\n\nPlease start a new session with fresh context and try again.'],
  [
    "I've reached the maximum number of actions I can do without user input.",
    'Would you like me to continue?',
  ],
  ['Ran into this error trying to compact: ', '\n\nPlease try again or create a new session'],
  ['Maximum retry attempts (', ') exceeded. Unable to complete the task successfully.'],
  ['Retry logic encountered an error: ', ''],
  ['The existing call to ', ` was interrupted. ${PROCEED}`],
  ['We interrupted the existing call', `. ${PROCEED}`],
  ['The tool calling loop was interrupted.', PROCEED],
];

function isNotice(block: JsonView): boolean {
  const text = block.textOf('text');
  return text !== undefined && NOTICES.some(([start, end]) => text.startsWith(start) && text.endsWith(end));
}

/** @param name for the message, if it is an answer @param isCopied whether it is context only */
export function foldGooseMessage(
  message: JsonView,
  name: string,
  { fold }: ReadContext,
  isCopied = false,
): void {
  const role = message.get('role')?.text() ?? '';
  fold.expect(message, MESSAGE, 'message');
  const all = message.get('content')?.elements().map(typedBlock) ?? [];
  const blocks = all.filter((block) => isForModel(block) && !(role === 'assistant' && isNotice(block)));
  const changes = blocks.length < all.length ? ['not-by-model'] : [];
  const notes: ReadingNote[] = [];
  if (blocks.length === 0 && all.length > 0) return;
  if (role === 'assistant') {
    fold.amend(
      name,
      blocks.flatMap((block) => blockOf(block, notes)),
      'add',
      { notes, changes, isCopied },
    );
    return;
  }
  const isResult = (block: JsonView): boolean => block.get('type')?.text() === 'toolResponse';
  for (const block of blocks.filter(isResult)) {
    const { callId, result, changes: omitted } = resultOf(block);
    fold.answer(callId, result, { changes: omitted });
  }
  const parts = blocks.filter((block) => !isResult(block)).map((block) => mcpPart(block, notes));
  if (parts.length === 0) return;
  const isTurn = role === 'user' && parts.length === blocks.length;
  fold.add(makeMessage(role, [['content', contentOfParts(parts)]]), { isTurn, notes, changes, isCopied });
}

/** A block of 2024 in today's words; any other block as it is. */
function typedBlock(block: JsonView): JsonView {
  if (block.type !== 'object' || block.get('type') !== undefined) return block;
  const [text, name, args, result] = ['text', 'tool_name', 'arguments', 'tool_result'].map((key) =>
    block.get(key),
  );
  const id = block.get('id');
  const own: readonly Piece[] = id === undefined ? [] : [['id', id.copy()]];
  if (name?.type === 'string') {
    const call: Piece[] = [['name', name.copy()]];
    if (args !== undefined) call.push(['arguments', args.copy()]);
    return new JsonView(typedObject('toolRequest', ...own, ['toolCall', objectOf(call)]));
  }
  if (result !== undefined) {
    const list = structured(result) as JsonView;
    const parts =
      list.type === 'array' ? list.elements().map(typedPart) : [partBytes({ text: textOf(result) })];
    return new JsonView(typedObject('toolResponse', ...own, ['toolResult', arrayOf(parts)]));
  }
  return text?.type === 'string' ? new JsonView(partBytes({ text: text.copy() })) : block;
}

/** A part of a result, named by its only member: `{"Text": {"text": ...}}`. */
function typedPart(part: JsonView): Uint8Array {
  const text = part.get('Text')?.get('text');
  return text?.type === 'string' ? partBytes({ text: text.copy() }) : part.copy();
}

function blockOf(block: JsonView, notes: ReadingNote[]): readonly FoldBlock[] {
  const type = block.get('type')?.text() ?? '';
  if (REQUESTS.has(type)) return [callOf(block)];
  const thinking = type === 'reasoning' ? block.get('text') : block.get('thinking');
  if (THOUGHTS.has(type) && thinking?.type === 'string' && !thinking.isEmptyText)
    return [{ kind: 'thought', text: thinking.copy() }];
  const data = block.get('data') ?? block.get('signature');
  if (type.toLowerCase().endsWith('thinking') && data?.type === 'string') return [sealedBlock(data.copy())];
  return [blockOfPart(mcpPart(block, notes))];
}

/** Reads a call, which may be wrapped in `{status, value}`. */
function callOf(block: JsonView): FoldBlock {
  const id = block.get('id')?.text();
  const envelope = block.get('toolCall');
  const call = envelope?.get('value') ?? envelope;
  const args = call?.get('arguments');
  const written = present(args) ? textOf(args) : NO_ARGUMENTS; // the protocol leaves out empty ones
  return callBlock(id, call?.get('name')?.text(), written);
}

const isBare = (value: JsonView | undefined): boolean =>
  value?.type === 'number' || value?.type === 'boolean';
const BARE_RESULT = unreadMember('a result', 'toolResult', 'a number or a boolean in place of its parts');

interface GooseResult {
  readonly callId: string | undefined;
  readonly result: Message;
  /** Rules that rewrote the result. */
  readonly changes: readonly string[];
}

/** Reads a result, which may be wrapped too: a list of parts, an object with such a list, or an error. */
function resultOf(block: JsonView): GooseResult {
  const callId = block.get('id')?.text();
  const envelope = block.get('toolResult');
  const value = envelope?.get('value') ?? envelope;
  const error = envelope?.get('error');
  const list = (value?.type === 'array' ? value : value?.get('content'))?.elements() ?? [];
  const isError = present(error) || isTrue(value?.get('isError'));
  const notes: ReadingNote[] = isError ? [RESULT_ERROR] : [];
  if ([value, value?.get('content')].some(isBare)) notes.push(BARE_RESULT);
  const seen = list.filter(isForModel);
  const structured = value?.get('structuredContent');
  const parts = seen.map((part) => mcpPart(part, notes));
  const content =
    error?.type === 'string'
      ? error.copy()
      : list.length === 0 && present(structured)
        ? inString(structured.bytes)
        : listOfParts(parts);
  const changes = seen.length < list.length ? ['not-by-model'] : [];
  return { callId, result: noted(toolMessage(callId, content), notes), changes };
}
