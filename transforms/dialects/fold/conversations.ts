/** Turns a finished conversation into entries: one per path, with the places of its lines. */

import type {
  Entry,
  EntryLog,
  EntryTraits,
  Fate,
  Lack,
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

/** The account of a session: how many of its conversations were written. */
export interface SessionCount {
  /** Returns the id of the next entry. */
  nextName(): string;
  /** Counts one more abandoned branch that is written. @returns false if that is more than the limit */
  takeBranch(): boolean;
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

type PathUse = 'write' | 'refuse' | 'drop' | 'client';

export function* elementsOf(
  { thread, isContinued }: Closed,
  source: string,
  choice: Choice,
  count: SessionCount,
): Generator<ReadElement> {
  const { select } = choice;
  if (select === 'leaves') thread.dropEmptyTip();
  const useOf = (path: Path): PathUse => {
    if (thread.isRefused) return 'refuse';
    if (thread.isDiscarded || path.isEmpty) return 'client';
    const isWritten =
      path === thread.path ? select !== 'last' || !isContinued : select !== 'last' && path.isAnswered;
    return isWritten ? 'write' : 'drop';
  };
  const uses = new Map(thread.paths.map((path) => [path, useOf(path)]));
  const beyond = branchesBeyond(thread, uses, count);
  for (const path of beyond.size === 0 ? uses.keys() : thread.paths) {
    const use = uses.get(path);
    if (use === 'refuse') yield refused(thread, path, source, count.nextName(), TOO_LONG);
    else if (use === 'client') yield* fates('client-event', path, source);
    else if (use !== 'write') yield* fates('abandoned-branch', path, source);
    else if (beyond.has(path)) yield refused(thread, path, source, count.nextName(), TOO_MANY);
    else yield entryOf(thread, path, source, choice, count.nextName());
  }
}

/**
 * The abandoned branches beyond the limit. The first ones in the order of the log and the current path are written; lines of
 * messages that a written path has too become lines of that one.
 */
function branchesBeyond(
  thread: Thread,
  uses: ReadonlyMap<Path, PathUse>,
  count: SessionCount,
): ReadonlySet<Path> {
  const written: Path[] = [];
  const beyond = new Set<Path>();
  for (const [path, use] of uses) {
    if (use !== 'write') continue;
    if (path === thread.path) written.unshift(path);
    else if (count.takeBranch()) written.push(path);
    else beyond.add(path);
  }
  if (beyond.size === 0) return beyond;
  const owners = new Map<Item, Path>();
  for (const path of written) {
    let item = path.tip;
    for (; item.index >= 0 && !owners.has(item); item = item.before) owners.set(item, path);
    if (item.index < 0 && !owners.has(item)) owners.set(item, path);
  }
  for (const path of beyond) path.shareLines((item) => owners.get(item));
  return beyond;
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

type Refused = NonNullable<Entry['refused']>;

const TOO_LONG: Refused = { reason: 'conversation-too-long', detail: 'longer than --max-conversation' };
const TOO_MANY: Refused = {
  reason: 'too-many-branches',
  detail: 'the session has more branches than --max-branches; the first ones and the last state are written',
};

function refused(thread: Thread, path: Path, source: string, sessionId: string, reason: Refused): Entry {
  return {
    kind: 'entry',
    ...logOf(path, source),
    sessionId,
    alone: true,
    timestamp: path.startedAt,
    messages: [],
    tools: thread.tools ?? NO_TOOLS,
    reply: undefined,
    refused: reason,
    changes: new Map(),
  };
}

/** Logs of events are those of clients. */
const OWN_LOG: readonly Lack[] = ['marks'];

function entryOf(
  thread: Thread,
  path: Path,
  source: string,
  { keepSealed, traits }: Choice,
  sessionId: string,
): Entry {
  const changes = new Map<string, number>();
  const { items, rootId: root } = path;
  const messages = messagesOf(items, keepSealed, changes);
  const meta = metaOfPath(thread.meta, items);
  const first = messages[0];
  if (first !== undefined) messages[0] = noted(first, notesOn(thread, items, first));
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
    lacks: traits?.lacks === undefined ? OWN_LOG : [...traits.lacks, ...OWN_LOG],
    ...(meta !== undefined && { meta }),
    ...(root !== undefined && { root }),
    changes,
  });
}

/** Findings about the conversation as a whole; its first message carries them. */
function notesOn(thread: Thread, items: readonly Item[], { role }: Message): readonly ReadingNote[] {
  const notes = [...thread.notes];
  if (role !== 'system' && role !== 'developer') notes.push(NO_SYSTEM);
  const sealed = items.filter(({ isSealed }) => isSealed === true).length;
  if (sealed > 0) notes.push(sealedNote(sealed));
  return notes;
}

function messagesOf(items: readonly Item[], keepSealed: boolean, changes: Map<string, number>): Message[] {
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
