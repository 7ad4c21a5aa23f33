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
import { noted, sealedNote, UNANSWERED, warning } from '../shared/reading-notes.ts';
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

const NO_SYSTEM = warning('no-system', 'the log has no system text (--system-text adds one)');

const ONLY_ANSWERS = warning('no-question', 'the log has no question, only the answers');

const NONE: ReadonlySet<Path> = new Set();

type PathUse = 'write' | 'refuse' | 'drop' | 'client';

export function* elementsOf(
  closed: Closed,
  source: string,
  choice: Choice,
  counts: SessionCounts,
): Generator<ReadElement> {
  const { thread, isContinued } = closed;
  const { select } = choice;
  // a compaction left something, and nothing may have followed
  const hasLeft = counts.isContinuation(closed) && !thread.hasLateResults;
  if (select === 'leaves') thread.dropEmptyTip();
  const useOf = (path: Path): PathUse => {
    if (thread.isRefused) return 'refuse';
    if (thread.isDiscarded || path.isEmpty) return 'client';
    if (select === 'last') return path === thread.path && !isContinued ? 'write' : 'drop';
    const isWritten = path === thread.path ? !(hasLeft && path.isCopied) : path.isAnswered;
    return isWritten ? 'write' : 'drop';
  };
  const uses = new Map(thread.paths.map((path) => [path, useOf(path)]));
  const beyond = branchesBeyond(thread, uses, counts);
  // lines that moved to another path may have changed the order
  for (const path of beyond.size === 0 ? uses.keys() : thread.paths) {
    const use = uses.get(path);
    if (use === 'refuse') yield refused(thread, path, source, counts.nextName(thread.sessionId), TOO_LONG);
    else if (use === 'client') yield* fates('client-event', path, source);
    else if (use !== 'write') yield* fates('abandoned-branch', path, source);
    else if (beyond.has(path))
      yield refused(thread, path, source, counts.nextName(thread.sessionId), TOO_MANY);
    else yield entryOf(thread, path, source, choice, counts.nextName(thread.sessionId));
  }
}

/**
 * Abandoned branches over the limit. The current path and the first branches are written; they get the lines of the
 * messages that they share with the others.
 */
function branchesBeyond(
  thread: Thread,
  uses: ReadonlyMap<Path, PathUse>,
  counts: SessionCounts,
): ReadonlySet<Path> {
  if (thread.paths.length === 1) return NONE;
  const written: Path[] = [];
  const beyond = new Set<Path>();
  for (const [path, use] of uses) {
    if (use !== 'write') continue;
    if (path === thread.path) written.unshift(path);
    else if (counts.takeBranch(thread.sessionId)) written.push(path);
    else beyond.add(path);
  }
  if (beyond.size === 0) return beyond;
  const owners = new Map<Item, Path>();
  // the position before the first message is its own `before`
  for (const path of written)
    for (let item = path.tip; !owners.has(item); item = item.before) owners.set(item, path);
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

/** A client's own log may quote the marks of loggers. */
const OWN_LOG: readonly Lack[] = ['marks'];

function entryOf(
  thread: Thread,
  path: Path,
  source: string,
  { keepSealed, traits }: Choice,
  sessionId: string,
): Entry {
  const changes = new Map<string, number>();
  const { items } = path;
  const root = items[0]?.rootId;
  const messages = messagesOf(items, keepSealed, changes);
  const meta = metaOfPath(thread.meta, items);
  const first = messages[0];
  if (first !== undefined) messages[0] = noted(first, notesOn(thread, items, messages));
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
function notesOn(
  thread: Thread,
  items: readonly Item[],
  messages: readonly Message[],
): readonly ReadingNote[] {
  const notes = [...thread.notes];
  const begin = messages.find(({ role }) => role !== 'system' && role !== 'developer');
  if (begin === messages[0]) notes.push(NO_SYSTEM);
  if (begin !== undefined && !messages.some(({ role }) => role === 'user')) notes.push(ONLY_ANSWERS);
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

/** Counts what was written of each session: its conversations, and the branches that were abandoned. */
export class SessionCounts {
  readonly #maxBranches: number;
  #conversations = new Map<string, number>();
  #branches = new Map<string, number>();
  /** Names of the threads whose next conversation begins with what a compaction left. */
  #continued = new Set<string>();

  /** @param maxBranches conversations that are written of a session in which the user went back */
  constructor(maxBranches: number) {
    this.#maxBranches = maxBranches;
  }

  /** The id of the next conversation: the second one of a session is named `ID#2`. */
  nextName(sessionId: string): string {
    const count = (this.#conversations.get(sessionId) ?? 0) + 1;
    this.#conversations.set(sessionId, count);
    return count === 1 ? sessionId : `${sessionId}#${count}`;
  }

  /** Whether a conversation continues the one before it of its thread. Called once for each, in their order. */
  isContinuation({ thread: { name, sessionId }, isContinued }: Closed): boolean {
    const key = `${sessionId} ${name}`;
    const isAfter = this.#continued.delete(key);
    if (isContinued) this.#continued.add(key);
    return isAfter;
  }

  /** Counts one more abandoned branch that is written. @returns false if that is more than the limit */
  takeBranch(sessionId: string): boolean {
    const count = (this.#branches.get(sessionId) ?? 1) + 1; // the last state is one
    if (count > this.#maxBranches) return false;
    this.#branches.set(sessionId, count);
    return true;
  }

  clear(): void {
    this.#conversations = new Map();
    this.#branches = new Map();
    this.#continued = new Set();
  }
}
