/** Turns a finished conversation into entries: one per path, with the places of its lines. */

import type {
  Entry,
  EntryLog,
  EntryTraits,
  Fate,
  Message,
  Origin,
  ReadingNote,
} from '../../model/element.ts';
import { createEntryLog } from '../../model/entry-log.ts';
import { settleReply } from '../../model/reply.ts';
import type { FoldSelect, ReadElement } from '../dialect.ts';
import { noted, sealedNote, UNANSWERED } from '../shared/reading-notes.ts';
import { NO_TOOLS } from '../shared/tool-definitions.ts';
import type { Item, Path } from './path.ts';
import { metaOfPath } from './path-meta.ts';
import type { Thread } from './thread.ts';

/** A thread whose conversation has ended. */
export interface Closed {
  readonly thread: Thread;
  /** Whether another conversation continues it after a compaction. */
  readonly isContinued: boolean;
}

interface Choice {
  readonly select: FoldSelect;
  readonly keepSealed: boolean;
  /** Members that all entries of the dialect share. */
  readonly traits?: EntryTraits | undefined;
}

const NO_SYSTEM: ReadingNote = {
  rule: 'no-system',
  severity: 'WARNING',
  message: 'the log has no system text (--system-text adds one)',
};

/** @param nextName returns the id of the next entry */
export function* elementsOf(
  { thread, isContinued }: Closed,
  source: string,
  choice: Choice,
  nextName: () => string,
): Generator<ReadElement> {
  const { select } = choice;
  if (select === 'leaves') thread.dropEmptyTip();
  for (const path of thread.paths) {
    const isAbandoned = path !== thread.path;
    if (thread.isRefused) yield refused(thread, path, source, nextName());
    else if (path.items.every(({ content }) => content === undefined))
      yield* fates('client-event', path, source);
    else if (isAbandoned ? select === 'last' || !path.isAnswered : select === 'last' && isContinued)
      yield* fates('abandoned-branch', path, source);
    else yield entryOf(thread, path, source, choice, nextName());
  }
}

function* fates(rule: string, path: Path, source: string): Generator<Fate> {
  for (const place of path.lines())
    yield { kind: 'fate', fate: `dropped:${rule}`, origin: { source, ...place } };
}

function logOf(path: Path, source: string): { readonly origin: Origin; readonly lines: EntryLog } {
  const log = createEntryLog();
  for (let i = 0; i < path.lineCount; i++) log.add(path.place(i));
  return { origin: { source, ...path.place(0) }, lines: log.take() };
}

function refused(thread: Thread, path: Path, source: string, sessionId: string): Entry {
  return {
    kind: 'entry',
    ...logOf(path, source),
    sessionId,
    alone: true,
    timestamp: path.startedAt,
    messages: [],
    tools: thread.tools ?? NO_TOOLS,
    reply: undefined,
    refused: { reason: 'conversation-too-long', detail: 'longer than --max-conversation' },
    changes: new Map(),
  };
}

function entryOf(
  thread: Thread,
  path: Path,
  source: string,
  { keepSealed, traits }: Choice,
  sessionId: string,
): Entry {
  const changes = new Map<string, number>();
  const messages = messagesOf(path, keepSealed, changes);
  const meta = metaOfPath(thread.meta, path);
  const root = path.rootId;
  const first = messages[0];
  if (first !== undefined) messages[0] = noted(first, notesOn(thread, path, first));
  const last = messages.at(-1);
  const reply = last?.role === 'assistant' ? last : undefined;
  return settleReply({
    kind: 'entry',
    ...logOf(path, source),
    sessionId,
    alone: true,
    timestamp: path.startedAt,
    messages: reply === undefined ? messages : messages.slice(0, -1),
    tools: thread.tools ?? NO_TOOLS,
    reply,
    ...traits,
    ...(meta !== undefined && { meta }),
    ...(root !== undefined && { root }),
    changes,
  });
}

/** Findings about the conversation as a whole; its first message carries them. */
function notesOn(thread: Thread, path: Path, { role }: Message): readonly ReadingNote[] {
  const notes = [...thread.notes];
  if (role !== 'system' && role !== 'developer') notes.push(NO_SYSTEM);
  const sealed = path.items.filter(({ isSealed }) => isSealed === true).length;
  if (sealed > 0) notes.push(sealedNote(sealed));
  return notes;
}

function messagesOf({ items }: Path, keepSealed: boolean, changes: Map<string, number>): Message[] {
  const lastTurn = items.findLastIndex(({ isTurn }) => isTurn === true);
  const messages: Message[] = [];
  for (const [i, item] of items.entries()) {
    const message = messageOf(item, keepSealed);
    for (const rule of item.changes ?? []) changes.set(rule, (changes.get(rule) ?? 0) + 1);
    if (message === undefined) continue;
    const isUnanswered = i < lastTurn && item.calls.some(({ result }) => result === undefined);
    messages.push(isUnanswered ? noted(message, [UNANSWERED]) : message);
    for (const { result } of item.calls) if (result !== undefined) messages.push(result);
  }
  return messages;
}

/** The message of an item; undefined if it is empty. It is built once, so that paths share the object. */
function messageOf(item: Item, keepSealed: boolean): Message | undefined {
  const { content, notes = [] } = item;
  if (content === undefined) return undefined;
  if (!('role' in content)) {
    if (content.isSealed) item.isSealed = true;
    const isEmpty = content.isEmpty(keepSealed);
    if (content.isSealed && !keepSealed) item.changes = [...(item.changes ?? []), 'sealed-reasoning'];
    else if (isEmpty) item.changes = [...(item.changes ?? []), 'empty-assistant'];
    item.content = isEmpty ? undefined : content.message(keepSealed);
  }
  if (item.content !== undefined && notes.length > 0) item.content = noted(item.content as Message, notes);
  delete item.notes;
  return item.content as Message | undefined;
}
