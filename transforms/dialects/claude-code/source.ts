/**
 * Folds the lines of one Claude Code transcript into conversations: finds the conversation and the position of each
 * line, or the reason to leave it out.
 */

import type { Fate, ReadingNote, Rejection } from '../../model/element.ts';
import { keyOf } from '../../model/hashed-set.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { LineSpots } from '../fold/line-spots.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { INTERRUPT, TWO_IDS, unknownEvent, warning } from '../shared/reading-notes.ts';
import { chooseKept, KeptMessages, type Preserved } from './kept-messages.ts';
import type { ClaudeLine, UserContent } from './line.ts';

/** Lines about the client, not the conversation. */
export const CLIENT_EVENTS: ReadonlySet<string> = new Set([
  ...['system', 'attachment', 'progress', 'summary', 'file-history-snapshot', 'queue-operation'],
  ...['last-prompt', 'ai-title', 'custom-title', 'permission-mode', 'pr-link', 'mode', 'result'],
  ...['agent-name', 'agent-color', 'agent-setting', 'tag', 'task-summary', 'worktree-state', 'relocated'],
  ...['file-history-delta', 'attribution-snapshot', 'content-replacement', 'speculation-accept'],
  ...['continued-in', 'ended-by-model', 'bridge-session', 'history-suppression', 'isolation-latch'],
  ...['atis-latch', 'cost-state', 'observer-ref', 'frame-link', 'artifact-autoreact-ledger'],
  ...['artifact-comment-monitor'],
]);

/** Beginnings of user texts that a command of the client produced. */
const COMMAND =
  /^\s*<(?:command-name|command-message|local-command-stdout|local-command-stderr|local-command-caveat)>/;
const INTERRUPTED = /^\s*\[Request interrupted by user/;

const MAIN = 'main';
const HARNESS = 'claude-code';

const CUT = warning('reply-cut', 'the answer ended at max_tokens');
const PARENT_MISSING = warning(
  'parent-missing',
  'the parent of a line is not in the log: it is read in the order of the log',
);
const KEPT_MISSING = warning(
  'parent-missing',
  'messages that a compaction kept are not in the conversation before it: they are left out',
);

interface Awaited {
  readonly thread: string;
  readonly note: ReadingNote;
}

export class ClaudeSource {
  readonly #splits: boolean;
  #session: string | undefined;
  /** Position of each line, by its uuid. A line that was left out has the position of its parent. */
  readonly #spots = new LineSpots();
  /** The last message that a person typed, per thread. */
  readonly #turns = new Map<string, FoldPlace>();
  readonly #unknown = new Set<string>();
  /** Name of the answer that continues under another id, per thread (see `isUnfinishedPiece`). */
  readonly #unfinished = new Map<string, string>();
  /** Lines that were named but have not occurred yet, with what to report if they never do. */
  readonly #awaited = new Map<string, Awaited>();
  readonly #kept = new KeptMessages();
  #hasParents = false;
  /** Findings to report with the next message. */
  #notes: ReadingNote[] = [];

  /** @param splits whether another session id begins a new session */
  constructor(splits: boolean) {
    this.#splits = splits;
  }

  read(line: ClaudeLine, context: ReadContext): Fate | Rejection | undefined {
    const { uuid } = line;
    if (uuid !== undefined && this.#spots.has(uuid)) return context.drop('copied-line');
    this.#enterSession(line, context);
    if (typeof line.parent === 'string') this.#hasParents = true;
    if (line.type === 'stream_event') return this.#drop('stream-partial', line, context);
    if (line.type === 'system' && line.text('subtype') === 'compact_boundary')
      return this.#compact(line, context);
    const queued = line.type === 'attachment' ? line.queuedPrompt : undefined;
    if (queued !== undefined) return this.#readUser(line, queued, context);
    if (line.type === 'attachment') return this.#drop('client-attachment', line, context);
    if (CLIENT_EVENTS.has(line.type)) return this.#drop('client-event', line, context);
    return this.#readMessage(line, context);
  }

  #readMessage(line: ClaudeLine, context: ReadContext): Fate | Rejection | undefined {
    const { type, message, role } = line;
    const isKnown = type === 'user' || type === 'assistant';
    if (!isKnown) this.#noteUnknown(type);
    if (message === undefined) {
      if (!isKnown) return this.#drop('client-event', line, context);
      return context.reject('bad-event', 'message is not an object');
    }
    const speaker = role ?? type;
    if (speaker === 'assistant') return this.#readAssistant(line, context);
    if (speaker === 'user') {
      const { userContent } = line;
      if (userContent === undefined) return context.reject('bad-event', 'message.content is not valid');
      return this.#readUser(line, userContent, context);
    }
    return isKnown
      ? context.reject('bad-event', 'message.role is not valid')
      : this.#drop('client-event', line, context);
  }

  #readAssistant(line: ClaudeLine, context: ReadContext): Fate | Rejection | undefined {
    const { blocks, messageId } = line;
    if (line.isSynthetic) return this.#drop('synthetic-message', line, context);
    if (blocks === undefined) return context.reject('bad-event', 'message.content is not valid');
    const { fold, origin } = context;
    const thread = this.#open(line, context);
    this.#kept.addBefore(thread, line.uuid, false, fold, this.#spots);
    const name = this.#unfinished.get(thread) ?? messageId ?? `${origin.line} ${origin.offset}`;
    const place = fold.amend(name, blocks, 'replace', fold.keepsMeta ? { meta: line.meta } : {});
    if (line.isUnfinishedPiece) this.#unfinished.set(thread, name);
    else this.#unfinished.delete(thread);
    if (line.isCut && place.notes?.includes(CUT) !== true) place.notes = [...(place.notes ?? []), CUT];
    this.#recordSpot(line, thread, place, context);
    return undefined;
  }

  #readUser(line: ClaudeLine, content: UserContent, context: ReadContext): Fate | Rejection | undefined {
    const { results, rest, text } = content;
    const { fold } = context;
    if (results.length === 0 && text !== undefined) {
      if (COMMAND.test(text)) return this.#drop('client-command', line, context);
      if (INTERRUPTED.test(text)) return this.#interrupt(line, context);
    }
    if (results.length === 0 && rest === undefined) return this.#drop('client-event', line, context);
    const thread = this.#open(line, context);
    this.#unfinished.delete(thread);
    const isCopied = line.is('isCompactSummary');
    this.#kept.addBefore(thread, line.uuid, isCopied, fold, this.#spots);
    const isTurn = results.length === 0 && !line.is('isMeta') && !isCopied;
    if (isTurn && line.type === 'user') this.#rewind(line, thread, context);
    let place: FoldPlace | undefined;
    for (const { callId, message } of results) place = fold.answer(callId, message);
    if (rest !== undefined) place = fold.add(rest, { isTurn, isCopied });
    if (isTurn && line.type === 'user') this.#turns.set(thread, place as FoldPlace);
    this.#recordSpot(line, thread, place, context);
    return undefined;
  }

  /** Goes back to the message that a typed text continues, if that is before the current turn: the user rewound. */
  #rewind(line: ClaudeLine, thread: string, { fold }: ReadContext): void {
    const { parent } = line;
    if (parent === undefined || fold.last.index < 0) return;
    if (parent === null) {
      if (this.#hasParents) fold.cut(fold.root);
      return;
    }
    const spot = this.#spots.get(parent);
    if (spot === undefined || spot.stretch !== this.#spots.stretchOf(thread)) return;
    const place = spot.place ?? fold.root;
    const isHere = place.index < 0 || fold.items[place.index] === place;
    const turn = this.#turns.get(thread);
    if (!isHere || (turn !== undefined && place.index < turn.index)) fold.cut(place);
  }

  #interrupt(line: ClaudeLine, context: ReadContext): Fate {
    this.#open(line, context);
    context.fold.noteLast(INTERRUPT);
    return this.#drop('interrupt-mark', line, context);
  }

  /** Ends the conversation at a compaction; the next one begins with its summary and the messages that it kept. */
  #compact(line: ClaudeLine, context: ReadContext): Fate | undefined {
    const thread = this.#open(line, context);
    const { fold } = context;
    const { preserved } = line;
    if (fold.last.index < 0) {
      this.#kept.renew(thread, preserved, line.uuid, fold, this.#spots);
      return this.#drop('client-event', line, context);
    }
    const kept = preserved === undefined ? [] : this.#keep(preserved, line, thread, fold);
    fold.close(true);
    this.#spots.end(thread, kept);
    this.#turns.delete(thread);
    this.#recordSpot(line, thread, undefined, context);
    return undefined;
  }

  /** Holds the messages that a compaction kept until their position is reached. */
  #keep(preserved: Preserved, line: ClaudeLine, thread: string, fold: Fold): readonly FoldPlace[] {
    const { items, awaited, isBroken } = chooseKept(preserved, thread, this.#spots, fold.items);
    const hasRoom = this.#kept.hasRoom(thread);
    if (isBroken || !hasRoom) this.#notes.push(KEPT_MISSING);
    for (const uuid of awaited) this.#expectLine(uuid, thread, KEPT_MISSING);
    if (!hasRoom) return [];
    this.#kept.hold(thread, preserved, line.uuid, items);
    return items;
  }

  #drop(rule: string, line: ClaudeLine, context: ReadContext): Fate {
    const { uuid, parent } = line;
    if (uuid !== undefined) {
      this.#spots.follow(uuid, parent ?? undefined, () => this.#threadOf(line));
      this.#hasOccurred(uuid);
    }
    return context.drop(rule);
  }

  /** Makes the line's conversation the current one. */
  #open(line: ClaudeLine, { fold, origin, time }: ReadContext): string {
    const thread = this.#threadOf(line);
    const session = this.#session ?? origin.source;
    const isNew = !fold.has(thread);
    fold.open(thread, thread === MAIN ? session : `${session}/${thread}`, time(line.time));
    if (isNew && fold.keepsMeta) {
      const parent = thread === MAIN ? undefined : this.#session;
      fold.describe(metaOf({ source_id: this.#session, harness: HARNESS, parent }));
    }
    for (const note of this.#notes) fold.note(note);
    this.#notes = [];
    if (typeof line.parent === 'string') this.#expectLine(line.parent, thread);
    return thread;
  }

  #expectLine(uuid: string, thread: string, note = PARENT_MISSING): void {
    if (this.#spots.has(uuid)) return;
    const key = keyOf(uuid);
    if (!this.#awaited.has(key)) this.#awaited.set(key, { thread, note });
  }

  /** Called at the end of the source: reports the lines that were named but did not occur. */
  end(fold: Fold): void {
    for (const { thread, note } of this.#awaited.values()) {
      if (!fold.has(thread)) continue;
      fold.open(thread, '');
      fold.note(note);
    }
  }

  /** Name of the line's thread: `main`, or the sub-agent's id; without one, the uuid of the sub-agent's first line. */
  #threadOf({ agent, parent, uuid }: ClaudeLine): string {
    if (agent === undefined) return MAIN;
    if (agent !== null) return agent;
    const named = typeof parent === 'string' ? this.#spots.get(parent)?.stretch.thread : undefined;
    return named === undefined || named === MAIN ? (uuid ?? 'agent') : named;
  }

  #recordSpot(
    { uuid }: ClaudeLine,
    thread: string,
    place: FoldPlace | undefined,
    { fold }: ReadContext,
  ): void {
    if (uuid === undefined) return;
    this.#spots.put(uuid, thread, place, fold);
    this.#hasOccurred(uuid);
  }

  #hasOccurred(uuid: string): void {
    if (this.#awaited.size > 0) this.#awaited.delete(keyOf(uuid));
  }

  #noteUnknown(type: string): void {
    if (this.#unknown.has(keyOf(type))) return;
    this.#unknown.add(keyOf(type));
    this.#notes.push(unknownEvent(type));
  }

  #enterSession({ sessionId }: ClaudeLine, { fold }: ReadContext): void {
    if (sessionId === undefined || sessionId === this.#session) return;
    if (this.#session === undefined) this.#session = sessionId;
    else if (this.#splits) {
      this.end(fold);
      fold.closeAll();
      this.#session = sessionId;
      const all = [this.#spots, this.#turns, this.#awaited, this.#unfinished, this.#kept];
      for (const known of all) known.clear();
      this.#hasParents = false;
    } else this.#notes.push(TWO_IDS);
  }
}
