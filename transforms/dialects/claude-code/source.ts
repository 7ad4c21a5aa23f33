/**
 * Folds the lines of one Claude Code transcript into conversations: finds the conversation and the position of each
 * line, or the reason to leave it out.
 */

import type { Fate, LineFate, Message, ReadingNote, Rejection } from '../../model/element.ts';
import { keyOf } from '../../model/hashed-set.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { FoldBlock } from '../fold/assistant-draft.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { readVersions, replaceResult } from '../fold/later-version.ts';
import { LineSpots } from '../fold/line-spots.ts';
import { noteItem } from '../fold/thread.ts';
import { ANTHROPIC_MESSAGE } from '../shared/known-members.ts';
import { metaOf } from '../shared/logged-meta.ts';
import {
  COPIED_HISTORY,
  cutNotes,
  INTERRUPT,
  KEPT_MISSING,
  PARENT_MISSING,
  unknownEvent,
  warning,
} from '../shared/reading-notes.ts';
import { AnswerNames } from './answer-names.ts';
import { AwaitedLines } from './awaited-lines.ts';
import { chooseKept, KeptMessages, type Preserved } from './kept-messages.ts';
import { addUser, type ClaudeLine, isMark, SPEAKERS, type UserContent } from './line.ts';
import { CLIENT_EVENTS, isCommand } from './marks.ts';
import { PromptQueue } from './prompt-queue.ts';
import { Replay } from './replay.ts';
import { StreamPieces } from './stream-pieces.ts';

const MAIN = 'main';
const HARNESS = 'claude-code';

const UNKNOWN_PARENT = warning(
  'parent-missing',
  'the parent of a line is not in the log: it is read in the order of the log',
);

export class ClaudeSource {
  /** Its id, once a line has named it. */
  session: string | undefined;
  /** Bytes of its lines. */
  bytes = 0;
  /** Whether the run that prints the lines has ended. */
  hasEnded = false;
  /** Begins the names of its threads, which other sessions of the log have too. */
  readonly #prefix: string;
  readonly #main: string;
  readonly threads: Set<string> = new Set();
  /** Position of each line, by its uuid. A line that was left out has the position of its parent. */
  readonly #spots = new LineSpots();
  /** The last message that a person typed, per thread. */
  readonly #turns = new Map<string, FoldPlace>();
  readonly #unknown = new Set<string>();
  /** The last line with a command of the client: what the command says to the model comes after it. */
  #command: string | undefined;
  readonly #answers = new AnswerNames();
  readonly #awaited = new AwaitedLines();
  readonly #kept = new KeptMessages();
  readonly #replay = new Replay();
  readonly #queue = new PromptQueue();
  readonly #stream: StreamPieces;
  #hasParents = false;
  /** Whether a line may follow another one than the last. */
  #isTree = false;
  /** Findings to report with the next message. */
  notes: ReadingNote[] = [];

  /** @param prefix begins the names of its threads */
  constructor(prefix = '') {
    this.#prefix = prefix;
    this.#main = `${prefix}${MAIN}`;
    this.#stream = new StreamPieces(this.#main);
  }

  read(line: ClaudeLine, context: ReadContext): LineFate {
    const { uuid, message } = line;
    if (message !== undefined && SPEAKERS.has(line.type))
      context.fold.expect(message, ANTHROPIC_MESSAGE, 'message');
    if (uuid !== undefined && this.#spots.has(uuid)) return this.#readAgain(line, uuid, context);
    if (typeof line.parent === 'string') this.#hasParents = true;
    if (line.type === 'stream_event') {
      this.#stream.add(this.#threadOf(line), line.event, context);
      return this.#drop('stream-partial', line, context);
    }
    if (line.type === 'system' && line.text('subtype') === 'compact_boundary')
      return this.#compact(line, context);
    if (line.hasBadPrompt) return context.reject('bad-event', 'attachment.prompt is not valid');
    const queued = line.type === 'attachment' ? line.queuedPrompt : undefined;
    if (queued !== undefined) return this.#readAttached(line, queued, context);
    if (line.type === 'content-replacement') return this.#readReplacements(line, context);
    if (line.type === 'queue-operation') return this.#readQueue(line, context);
    if (line.type === 'attachment') return this.#drop('client-attachment', line, context);
    if (CLIENT_EVENTS.has(line.type) && line.role === undefined) return this.#readState(line, context);
    return this.#readMessage(line, context);
  }

  /** Drops a line about the client. Where a run begins or ends, no line repeats the pieces of an answer before it. */
  #readState(line: ClaudeLine, context: ReadContext): Fate {
    if (line.beginsRun) this.#stream.settle(this.#main, context.fold);
    else if (line.contextCut !== undefined) this.notes.push(line.contextCut);
    else if (line.text('subtype') === 'api_retry' || line.retract(this.#spots, context.fold))
      this.#stream.forget(this.#main);
    else if (line.type === 'result') {
      this.hasEnded = true;
      line.endRun(this.#stream, context);
    }
    return this.#drop('client-event', line, context);
  }

  /** Reads a line whose uuid has occurred. If its content is another, it is a later version and replaces the former. */
  #readAgain(line: ClaudeLine, uuid: string, context: ReadContext): LineFate {
    const spot = this.#spots.get(uuid);
    const { fold } = context;
    const isKnown = SPEAKERS.has(line.type) || CLIENT_EVENTS.has(line.type);
    const lost = isKnown || spot?.place === undefined ? undefined : line.contentOfUnknown;
    if (lost !== undefined) return context.reject('bad-event', lost);
    const fault = SPEAKERS.has(line.type) ? line.fault : undefined;
    if (fault !== undefined) return context.reject('bad-event', fault);
    const isOpen = spot?.isOwn === true && fold.has(spot.stretch.thread);
    if (!isOpen || spot.place === undefined || line.isSynthetic) return context.drop('copied-line');
    this.#open(line, context);
    return readVersions(line.versions, spot.place, context);
  }

  #readMessage(line: ClaudeLine, context: ReadContext): LineFate {
    const { type } = line;
    if (!SPEAKERS.has(type)) {
      this.#noteUnknown(type);
      this.#drop('client-event', line, context);
      return line.leave(context);
    }
    this.hasEnded = false;
    const fault = line.fault;
    if (fault !== undefined) return context.reject('bad-event', fault);
    if (type === 'assistant') return this.#readAssistant(line, context);
    return this.#readUser(line, line.userContent as UserContent, context);
  }

  #readAssistant(line: ClaudeLine, context: ReadContext): Fate | undefined {
    if (line.isSynthetic) {
      this.#stream.skip();
      line.noteCut(this.#threadOf(line), context.fold);
      return this.#drop('synthetic-message', line, context);
    }
    const blocks = line.blocks as readonly FoldBlock[];
    const { fold, origin } = context;
    const thread = this.#open(line, context);
    this.#stream.repeat(thread, line.message, blocks);
    const repeated = this.#replay.answer(thread, blocks, fold);
    if (repeated !== undefined) return this.#repeat(line, thread, repeated, context);
    this.#goToBranch(line, thread, fold);
    this.#kept.addBefore(thread, line.uuid, false, fold, this.#spots);
    const turn = this.#turns.get(thread)?.index ?? 0;
    const { messageId = `${origin.line} ${origin.offset}` } = line;
    const name = this.#answers.nameOf(line, thread, `${turn} ${messageId}`, blocks);
    const { isForked } = line;
    const facts = isForked ? { isForked } : { meta: fold.keepsMeta ? line.meta : line.modelMeta };
    const place = fold.amend(name, blocks, 'replace', facts);
    this.#answers.record(line, thread, place);
    for (const cut of cutNotes(line.stopReason))
      if (place.notes?.includes(cut) !== true) noteItem(place, { notes: [cut] });
    this.#recordSpot(line, thread, place, context);
    return undefined;
  }

  /** Reads an event of the queue: a prompt that the model received in the middle of a turn. */
  #readQueue(line: ClaudeLine, context: ReadContext): Fate | undefined {
    const { fold } = context;
    const prompt = this.#queue.read(line.text('operation'), line.queueContent);
    if (prompt?.rest === undefined || !fold.has(this.#main)) return this.#drop('client-event', line, context);
    const thread = this.#open(line, context);
    this.#goToBranch(line, thread, fold);
    this.#kept.addBefore(thread, undefined, false, fold, this.#spots);
    this.#queue.receive(prompt, fold.add(prompt.rest, { isTurn: true }));
    return undefined;
  }

  /** Replaces long results by the texts that the model received in place of them. */
  #readReplacements(line: ClaudeLine, context: ReadContext): Fate | undefined {
    const { fold } = context;
    const thread = `${this.#prefix}${line.text('agentId') ?? MAIN}`;
    if (!fold.has(thread)) return this.#drop('client-event', line, context);
    fold.open(thread, '');
    const changed = line.replacements.map(({ callId, message }) => replaceResult(callId, message, fold));
    return changed.includes(true) ? undefined : this.#drop('client-event', line, context);
  }

  /** Reads an attachment with a queued prompt, which an event of the queue may have had before. */
  #readAttached(line: ClaudeLine, prompt: UserContent, context: ReadContext): LineFate {
    const { fold } = context;
    const place = this.#queue.attach(prompt);
    if (place === undefined) return this.#readUser(line, prompt, context);
    const thread = this.#open(line, context);
    if (!fold.isHere(place)) return this.#readUser(line, prompt, context);
    this.#recordSpot(line, thread, fold.reset(place, prompt.rest), context);
    return undefined;
  }

  #readUser(line: ClaudeLine, content: UserContent, context: ReadContext): LineFate {
    const { results, rest } = content;
    const { fold } = context;
    const fate = results.length === 0 ? this.#leaveOut(line, content, context) : undefined;
    if (fate !== undefined) return fate;
    const thread = this.#open(line, context);
    this.#answers.endPiece(thread);
    const isSummary = line.is('isCompactSummary');
    // versions before the boundary have only the summary, without a parent
    if (isSummary && line.parent === null && fold.last.index >= 0) {
      this.#endStretch(thread, [], fold);
      this.#open(line, context);
    }
    this.#kept.addBefore(thread, line.uuid, isSummary, fold, this.#spots);
    const isMeta = line.is('isMeta') && !(typeof line.parent === 'string' && line.parent === this.#command);
    const isTurn = results.length === 0 && !isMeta && !isSummary;
    const repeated =
      this.#replay.words(thread, content, fold) ??
      (isTurn && line.type === 'user' ? this.#rewind(line, rest, thread, context) : undefined);
    if (repeated !== undefined) return this.#repeat(line, thread, repeated, context);
    this.#goToBranch(line, thread, fold);
    const place = addUser(content, { isTurn, isCopied: isSummary, isForked: line.isForked }, fold);
    if (isTurn && line.type === 'user') {
      this.#turns.set(thread, place as FoldPlace);
      this.#replay.setTime(place as FoldPlace, line.time?.text());
    }
    this.#recordSpot(line, thread, place, context);
    return undefined;
  }

  /** Drops a line with only texts of the client, or with nothing. */
  #leaveOut(line: ClaudeLine, content: UserContent, context: ReadContext): Fate | undefined {
    const { rest, texts } = content;
    if (rest === undefined) return this.#drop('client-event', line, context);
    if (isMark(content)) return this.#interrupt(line, context);
    if (texts?.every(isCommand) !== true) return undefined;
    this.#command = line.uuid;
    return this.#drop('client-command', line, context);
  }

  /**
   * Goes back to the message that a typed text continues, if that is before the current turn: the user rewound.
   * @returns the message that the text repeats, in place of going back
   */
  #rewind(
    line: ClaudeLine,
    text: Message | undefined,
    thread: string,
    { fold }: ReadContext,
  ): FoldPlace | undefined {
    const place = this.#parentOutsideTurn(line, thread, fold);
    if (place === undefined) return undefined;
    const repeated = this.#replay.begin(thread, place, text, line.time?.text(), fold);
    if (repeated === undefined) fold.cut(place);
    this.#isTree = true;
    return repeated;
  }

  #parentOutsideTurn({ parent }: ClaudeLine, thread: string, fold: Fold): FoldPlace | undefined {
    if (parent === undefined || fold.last.index < 0) return undefined;
    if (parent === null) return this.#hasParents ? fold.root : undefined;
    const spot = this.#spots.get(parent);
    if (spot === undefined || spot.stretch !== this.#spots.stretchOf(thread)) return undefined;
    const place = spot.place ?? fold.root;
    const isHere = place.index < 0 || fold.isHere(place);
    const turn = this.#turns.get(thread);
    return !isHere || (turn !== undefined && place.index < turn.index) ? place : undefined;
  }

  /** Leaves out a line that repeats another one under a new id. */
  #repeat(line: ClaudeLine, thread: string, place: FoldPlace, context: ReadContext): Fate {
    this.#recordSpot(line, thread, place, context);
    return context.drop('copied-line');
  }

  /**
   * A new line comes after the last one that was repeated, or in the branch of its parent: two clients that resumed one
   * session write their lines in turns.
   */
  #goToBranch({ parent }: ClaudeLine, thread: string, fold: Fold): void {
    const spot = this.#isTree && typeof parent === 'string' ? this.#spots.get(parent) : undefined;
    const isOpen = spot === undefined || spot.stretch === this.#spots.stretchOf(thread);
    if (!isOpen && spot.stretch.thread === thread) fold.note(PARENT_MISSING);
    const left = isOpen ? spot?.place : undefined;
    const at = this.#replay.end(thread) ?? (left && !fold.isHere(left) ? left : undefined);
    if (at === undefined || at.index < 0 || at === fold.last) return;
    fold.cut(at);
    if (at.turn !== undefined) this.#turns.set(thread, at.turn);
  }

  #interrupt(line: ClaudeLine, context: ReadContext): Fate {
    this.#stream.forget(this.#open(line, context));
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
    this.#endStretch(thread, kept, fold);
    this.#recordSpot(line, thread, undefined, context);
    return undefined;
  }

  #endStretch(thread: string, kept: readonly FoldPlace[], fold: Fold): void {
    this.#replay.clear();
    this.#isTree = true;
    this.#stream.settle(thread, fold);
    fold.close(true);
    this.#spots.end(thread, kept);
    this.#turns.delete(thread);
  }

  /** Holds the messages that a compaction kept until their position is reached. */
  #keep(preserved: Preserved, line: ClaudeLine, thread: string, fold: Fold): readonly FoldPlace[] {
    const { items, awaited, isBroken } = chooseKept(preserved, thread, this.#spots, fold);
    const hasRoom = this.#kept.hasRoom(thread);
    if (isBroken || !hasRoom) this.notes.push(KEPT_MISSING);
    for (const uuid of awaited) this.#expectLine(uuid, thread, KEPT_MISSING);
    if (!hasRoom) return [];
    this.#kept.hold(thread, preserved, line.uuid, items);
    return items;
  }

  #drop(rule: string, line: ClaudeLine, context: ReadContext): Fate {
    const { uuid, parent } = line;
    if (uuid !== undefined) {
      this.#spots.follow(uuid, parent ?? undefined, () => this.#threadOf(line));
      this.#awaited.occur(uuid, false, context.fold);
    }
    return context.drop(rule);
  }

  /** Makes the line's conversation the current one. */
  #open(line: ClaudeLine, { fold, origin }: ReadContext): string {
    const thread = this.#threadOf(line);
    const session = this.session ?? origin.source;
    const agent = thread === this.#main ? undefined : thread.slice(this.#prefix.length);
    const isNew = fold.open(thread, agent === undefined ? session : `${session}/${agent}`, line.time);
    if (isNew) this.threads.add(thread);
    if (isNew && fold.keepsMeta) {
      const parent = agent === undefined ? undefined : this.session;
      fold.describe(metaOf({ source_id: this.session, harness: HARNESS, parent }));
    }
    for (const note of this.notes) fold.note(note);
    if (line.isForked) fold.note(COPIED_HISTORY);
    this.notes = [];
    if (typeof line.parent === 'string') this.#expectLine(line.parent, thread);
    return thread;
  }

  #expectLine(uuid: string, thread: string, note = UNKNOWN_PARENT): void {
    if (!this.#spots.has(uuid)) this.#awaited.expect(uuid, thread, note);
  }

  /** Called at the end of the session: reports the lines that were named but did not occur. */
  end(fold: Fold): Rejection | undefined {
    this.#awaited.end(fold);
    return this.#stream.end(fold);
  }

  /** Name of the line's thread: `main`, or the sub-agent's id; without one, the uuid of the sub-agent's first line. */
  #threadOf({ agent, parent, uuid }: ClaudeLine): string {
    if (agent === undefined) return this.#main;
    if (agent !== null) return `${this.#prefix}${agent}`;
    const named = typeof parent === 'string' ? this.#spots.get(parent)?.stretch.thread : undefined;
    return named === undefined || named === this.#main ? `${this.#prefix}${uuid ?? 'agent'}` : named;
  }

  #recordSpot(
    { uuid, parent }: ClaudeLine,
    thread: string,
    place: FoldPlace | undefined,
    { fold, origin }: ReadContext,
  ): void {
    if (uuid === undefined) return;
    this.#spots.put(uuid, thread, place, fold);
    if (place !== undefined) {
      fold.identify(uuid);
      this.#awaited.addChild(parent, place);
    }
    this.#awaited.occur(uuid, place?.offset === origin.offset, fold);
  }

  #noteUnknown(type: string): void {
    if (!this.#unknown.has(keyOf(type))) this.notes.push(unknownEvent(type));
    this.#unknown.add(keyOf(type));
  }
}
