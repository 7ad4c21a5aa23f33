/**
 * Dialect `goose`: sessions exported by `goose session export --format json`, and the JSONL files of older versions.
 */
import type { JsonView } from '../json/json-view.ts';
import type { Fate, LineFate, Rejection } from '../model/element.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ReadContext } from './dialect-spec.ts';
import { noteItem } from './fold/thread.ts';
import {
  countReplaced,
  foldGooseMessage,
  isAdded,
  isGooseLine,
  isGooseMessage,
  isHidden,
  isHiddenSummary,
  isOfPair,
} from './goose/message.ts';
import { contentOfUnknown } from './shared/carried-content.ts';
import { CopiedLines } from './shared/copied-lines.ts';
import { LastObject } from './shared/last-object.ts';
import { metaOf } from './shared/logged-meta.ts';
import { CONTEXT_CUT } from './shared/reading-notes.ts';

const HARNESS = 'goose';
const MAIN = 'main';
/** Most messages that a compaction adds: the summary, and the answer after it. */
const ADDED = 2;

function detect(first: FirstObject): boolean {
  if (first.get('role') !== undefined && first.get('created') !== undefined) return isGooseLine(first);
  if (first.get('working_dir') === undefined) return false;
  if (first.get('conversation')?.type === 'array') return true;
  return first.get('description') !== undefined && first.get('role') === undefined;
}

interface Memory {
  /** Number of messages so far, used to name the answers. */
  messages: number;
  /** Number of exported sessions so far. */
  runs: number;
  /** Whether a line of the session was seen by the model. */
  isBegun: boolean;
  readonly last: LastObject;
  copies: CopiedLines;
}

function read(json: JsonView, context: ReadContext, memory: Memory): LineFate {
  const conversation = json.get('conversation');
  if (conversation?.type === 'array') return readExport(json, conversation, context, memory);
  if (json.get('role') === undefined) return readHead(json, context, memory);
  if (!isGooseMessage(json)) return context.reject('bad-event', 'the message has no list of content', json);
  const created = json.get('created');
  const isCopy =
    memory.copies.isTimedCopy(json, context.origin, created) ||
    memory.last.isAgain(json, created, context.origin);
  if (isCopy) return context.drop('copied-line');
  const isSeen = !isHidden(json);
  if (!isSeen && memory.isBegun) return context.drop('client-event');
  memory.isBegun ||= isSeen;
  context.fold.open(MAIN, context.origin.source, created);
  foldGooseMessage(json, `${memory.messages++}`, context);
  return undefined;
}

/** Reads the first line of an older session. */
function readHead(head: JsonView, context: ReadContext, memory: Memory): Fate | Rejection {
  if (head.get('working_dir') !== undefined) {
    context.fold.closeAll();
    memory.isBegun = false;
    memory.copies = new CopiedLines();
  } else if (contentOfUnknown(undefined, head) !== undefined)
    return context.reject('bad-event', 'the message has no role', head);
  return context.drop('client-event');
}

/** Reads an exported session. */
function readExport(
  json: JsonView,
  conversation: JsonView,
  context: ReadContext,
  memory: Memory,
): Rejection | undefined {
  const messages = conversation.elements();
  const bad = messages.findIndex((message) => !isGooseMessage(message));
  if (bad >= 0) return context.reject('bad-messages', `conversation[${bad}] is not a message`, messages[bad]);
  const { fold, origin } = context;
  const thread = `export ${memory.runs++}`;
  const session = json.get('id')?.text() ?? origin.source;
  const { conversations, hidden } = divide(messages);
  for (const [i, part] of conversations.entries()) {
    fold.open(thread, session, part[0]?.get('created'));
    const model = json.get('model_config')?.get('model_name');
    fold.describe(metaOf({ source_id: json.get('id'), harness: HARNESS, model }));
    for (const [j, message] of part.entries())
      foldGooseMessage(message, `${memory.messages++}`, context, i > 0 && j < ADDED && isAdded(message));
    const isCurrent = i === conversations.length - 1;
    if (isCurrent && part.some(isHidden)) fold.note(CONTEXT_CUT);
    if (isCurrent && hidden > 0 && fold.last.index >= 0)
      noteItem(fold.last, { changes: Array.from({ length: hidden }, () => 'not-by-model') });
    fold.close(!isCurrent);
  }
  if (conversations.length === 0) fold.open(thread, session);
  return undefined;
}

interface Divided {
  readonly conversations: readonly (readonly JsonView[])[];
  /** Number of messages of the last conversation that its model does not see: commands of the client, for example. */
  readonly hidden: number;
}

/**
 * The conversations of a session: a compaction hides all messages before it from the model and adds a summary. What
 * earlier ones added was hidden by the next one. Without what is hidden elsewhere, the rest is the last one.
 */
function divide(messages: readonly JsonView[]): Divided {
  const end = countReplaced(messages);
  const replaced = messages.slice(0, end);
  const current = messages.slice(end);
  const seen = current.filter((message) => !isHidden(message) || isOfPair(message));
  const summaries = replaced.flatMap((_, i) => (isHiddenSummary(messages, i) ? [i] : []));
  const starts = [0, ...summaries];
  const earlier = starts.map((start, i) => replaced.slice(start, starts[i + 1]));
  const conversations = [...earlier, seen].filter(({ length }) => length > 0);
  return { conversations, hidden: current.length - seen.length };
}

const goose: Dialect = defineDialect({
  name: 'goose',
  summary: 'Exported sessions of goose, and the lines of its older versions.',
  keys: ['conversation', 'working_dir', 'description', 'id', 'role', 'created', 'content'],
  folds: true,
  memory: (): Memory => ({
    messages: 0,
    runs: 0,
    isBegun: false,
    last: new LastObject(),
    copies: new CopiedLines(),
  }),
  knownBy: 'working_dir and a conversation list; working_dir and description; or role, created and blocks',
  marks: ['conversation', 'working_dir'],
  detect,
  read,
});

export default goose;
