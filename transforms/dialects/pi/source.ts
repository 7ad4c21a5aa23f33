/**
 * Folds pi sessions into conversations: one per path through the tree; each compaction starts a new one. The lines are
 * called entries here, as in pi's documentation.
 */

import type { JsonView } from '../../json/json-view.ts';
import type { Fate, LineFate, Rejection } from '../../model/element.ts';
import { HashedSet } from '../../model/hashed-set.ts';
import { differentSpeakers } from '../../model/known-roles.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { readVersion } from '../fold/later-version.ts';
import { makeMessage } from '../shared/build-messages.ts';
import { contentOfUnknown, leaveUnknown } from '../shared/carried-content.ts';
import { foldResultBlocks } from '../shared/chat-object.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { present } from '../shared/logged-values.ts';
import { isOfTwoSpeakers } from '../shared/message-blocks.ts';
import {
  COPIED_HISTORY,
  HISTORY_MISSING,
  INTERRUPT,
  KEPT_MISSING,
  PARENT_MISSING,
  unknownEvent,
} from '../shared/reading-notes.ts';
import { StoppedAnswers } from '../shared/stopped-answers.ts';
import { isOtherThanList } from '../shared/unread-text.ts';
import { PI_MESSAGE, type PiMessage, readPiMessage } from './message.ts';
import { StreamedMessages } from './streamed-messages.ts';

const TWO_SPEAKERS = differentSpeakers('a message');
const MAIN = 'main';
const HARNESS = 'pi';
/** Entries about the client, not the conversation. */
const CLIENT: ReadonlySet<string> = new Set([
  ...['model_change', 'thinking_level_change', 'active_tools_change', 'custom', 'label', 'session_info'],
  ...['leaf', 'session_start', 'session_info_changed', 'thinking_level_changed', 'model_changed'],
  ...['queue_update', 'compaction_start', 'auto_compaction_start', 'auto_retry_start', 'auto_retry_end'],
  ...['todo_state', 'session_end', 'session_settings', 'agent_turn_outcome'], // of Factory Droid
]);
/** The compaction of Factory Droid. */
const DROID = 'compaction_state';
/** Events of `pi --mode json` after a compaction, with its result. */
const COMPACTED: ReadonlySet<string> = new Set(['compaction_end', 'auto_compaction_end']);
/** Entries with a message; `message_end` is the one of `pi --mode json`. */
const MESSAGES: ReadonlySet<string> = new Set(['message', 'message_end', 'custom_message']);
const SUMMARIES: ReadonlySet<string> = new Set(['branch_summary', 'compaction', DROID]);
/** Events of `pi --mode json` that announce or repeat a message. */
const STREAM_EVENT =
  /^(?:(?:agent|turn)_(?:start|end)|message_(?:start|update)|tool_execution_(?:start|update|end))$/;

/** Position of an entry: that of its message, or of the message before it. */
interface Spot {
  /** Undefined before the first message. */
  readonly place: FoldPlace | undefined;
  /** Whether the message is the entry's own. */
  readonly isOwn: boolean;
}

export class PiSource {
  #session: string | undefined;
  #isFork = false;
  /** Positions in the current conversation by id; an entry without an id is named `#` and its number. */
  #spots = new Map<string, Spot>();
  /** Ids of the entries that a compaction replaced. */
  readonly #replaced = new HashedSet();
  #entries = 0;
  #isCompacted = false;
  /** Name of the entry that the next one continues. */
  #leaf: string | undefined;
  #parent: string | undefined;
  readonly #pieces = new StreamedMessages();
  readonly #stopped = new StoppedAnswers();

  read(type: string, entry: JsonView, context: ReadContext): LineFate {
    if (type === 'session') return this.#begin(entry, context);
    const id = entry.get('id')?.text();
    if (id !== undefined && (this.#spots.has(id) || this.#replaced.has(id)))
      return this.#readAgain(id, type, entry, context);
    this.#entries++;
    if (type === 'message' || type === 'message_end')
      return this.#readMessage(entry, entry.get('message'), context);
    if (type === 'custom_message') return this.#readMessage(entry, entry, context);
    if (type === 'branch_summary') return this.#readSummary(entry, context);
    const isOfDroid = type === DROID && entry.get('summaryText')?.type === 'string';
    if (type === 'compaction' || isOfDroid) return this.#compact(entry, context);
    const result = COMPACTED.has(type) ? entry.get('result') : undefined;
    if (present(result)) return this.#compact(result, context);
    const dropped = this.#drop('client-event', entry, context);
    if (STREAM_EVENT.test(type)) this.#pieces.add(type, entry, context);
    if (CLIENT.has(type) || STREAM_EVENT.test(type)) return dropped;
    if (!COMPACTED.has(type)) this.#noteUnknown(type, entry, context);
    return leaveUnknown(type, entry, context);
  }

  /** Reads an entry whose id has occurred. If its message is another, it replaces the former. */
  #readAgain(id: string, type: string, entry: JsonView, context: ReadContext): LineFate {
    const { place, isOwn } = this.#spots.get(id) ?? {};
    const isKnown = MESSAGES.has(type) || CLIENT.has(type) || SUMMARIES.has(type);
    const lost = isKnown ? undefined : contentOfUnknown(type, entry);
    if (isOwn === true && lost !== undefined) return context.reject('bad-event', lost, entry);
    const message = type === 'custom_message' ? entry : entry.get('message');
    if (message !== undefined) context.fold.expect(message, PI_MESSAGE, 'message');
    const parsed = message && readPiMessage(message);
    if (MESSAGES.has(type) && isOwn === true && parsed === undefined)
      return context.reject('bad-event', 'message is not valid', message ?? entry);
    if (isOwn === true && message !== undefined && isOfTwoSpeakers(message))
      return context.reject('unknown-speaker', TWO_SPEAKERS, message);
    if (isOwn !== true || parsed === undefined || !isFolded(parsed)) return context.drop('copied-line');
    this.#open(entry, context);
    return readVersion(parsed, place, context);
  }

  /** Called at the end of the source. */
  end(fold: Fold): Rejection | undefined {
    return this.#pieces.end(fold);
  }

  #begin(header: JsonView, context: ReadContext): undefined {
    this.#pieces.settle(context.fold);
    context.fold.closeAll();
    this.#spots.clear();
    this.#replaced.clear();
    this.#entries = 0;
    this.#isCompacted = false;
    this.#leaf = undefined;
    this.#session = header.get('id')?.text();
    const [parent] = ['parentSession', 'branchedFrom'].flatMap((key) => header.get(key)?.text() ?? []);
    this.#parent = parent;
    this.#isFork = parent !== undefined;
    this.#open(header, context);
    return undefined;
  }

  #readMessage(entry: JsonView, message: JsonView | undefined, context: ReadContext): LineFate {
    if (message !== undefined) context.fold.expect(message, PI_MESSAGE, 'message');
    const parsed = message && readPiMessage(message);
    if (parsed === undefined) return context.reject('bad-event', 'message is not valid', message);
    if (parsed.kind !== 'message' && parsed.kind !== 'result') this.#pieces.repeat();
    if (message !== undefined && isOfTwoSpeakers(message))
      return context.reject('unknown-speaker', TWO_SPEAKERS, message);
    if (parsed.kind === 'excluded') return this.#drop('client-event', entry, context);
    if (parsed.kind === 'synthetic') return this.#drop('synthetic-message', entry, context);
    this.#goTo(entry, context);
    const { fold, origin } = context;
    if (parsed.kind === 'interrupted') {
      fold.noteLast(INTERRUPT);
      return this.#drop('interrupt-mark', entry, context);
    }
    if (parsed.kind === 'answer') this.#stopped.leaveOut(fold);
    // Factory Droid, whose sessions are such trees too, has calls and results as the Messages API has them
    const place = foldResultBlocks(context, message as JsonView)
      ? fold.last
      : foldMessage(parsed, `${origin.line} ${origin.offset}`, fold, false);
    if (parsed.kind === 'answer' && parsed.isStopped) this.#stopped.add(place);
    this.#recordSpot(entry, place);
    return undefined;
  }

  #readSummary(entry: JsonView, context: ReadContext): LineFate {
    const summary = entry.get('summary');
    if (summary?.type !== 'string') return context.reject('bad-event', 'summary is not a text', summary);
    this.#goTo(entry, context);
    this.#recordSpot(entry, context.fold.add(makeMessage('user', [['content', summary.copy()]])));
    return undefined;
  }

  /** Ends the conversation. The next one begins with the summary and the kept messages. */
  #compact(entry: JsonView, context: ReadContext): LineFate {
    const summary = entry.get('summaryText') ?? entry.get('summary');
    if (summary?.type !== 'string') return context.reject('bad-event', 'summary is not a text', summary);
    const tail = entry.get('retainedTail');
    if (tail?.elements().some(isOfTwoSpeakers) === true)
      return context.reject('unknown-speaker', TWO_SPEAKERS, tail);
    const lost = lostIn(tail);
    if (lost !== undefined) return context.reject('bad-event', lost, tail);
    this.#goTo(entry, context);
    const { fold } = context;
    this.#stopped.leaveOut(fold);
    const lacksKept = this.#keptSpot(entry) === 'missing' && (tail?.elements().length ?? 0) === 0;
    const kept = fold.itemsFrom(this.#firstKept(entry, fold.last.index + 1));
    const leaf = this.#leaf;
    fold.close(true);
    this.#isCompacted = true;
    this.#open(entry, context);
    fold.add(makeMessage('user', [['content', summary.copy()]]), { isCopied: true });
    this.#keepSpots(new Map(fold.carry(kept).map((copy, i) => [kept[i] as FoldPlace, copy])));
    if (kept.length === 0) this.#addTail(tail, context);
    if (lacksKept) fold.note(KEPT_MISSING);
    // in Droid, the next entry names the one before the compaction as its parent
    if (leaf !== undefined && entry.get('parentId') === undefined && !this.#spots.has(leaf))
      this.#spots.set(leaf, { place: fold.last, isOwn: false });
    this.#recordSpot(entry, fold.last);
    return undefined;
  }

  /** Adds the kept messages as context; newer versions log them in the compaction itself. */
  #addTail(tail: JsonView | undefined, { fold, origin }: ReadContext): void {
    for (const [i, message] of (tail?.elements() ?? []).entries()) {
      fold.expect(message, PI_MESSAGE, `retainedTail[${i}]`);
      const parsed = readPiMessage(message);
      if (parsed === undefined || !isFolded(parsed) || (parsed.kind === 'answer' && parsed.isStopped))
        continue;
      foldMessage(parsed, `${origin.line} ${origin.offset} ${i}`, fold, true);
    }
  }

  /** Moves entries of kept messages to their new positions. Only the ids of all others are remembered. */
  #keepSpots(carried: ReadonlyMap<FoldPlace, FoldPlace>): void {
    const before = this.#spots;
    this.#spots = new Map();
    for (const [id, { place, isOwn }] of before) {
      const moved = place && carried.get(place);
      if (moved === undefined) this.#replaced.add(id);
      else this.#spots.set(id, { place: moved, isOwn });
    }
  }

  /** Index of the first kept message; `count` if none was kept. */
  #firstKept(entry: JsonView, count: number): number {
    const spot = this.#keptSpot(entry);
    if (spot === undefined || spot === 'missing') return count;
    const isAfter = !spot.isOwn || entry.get('anchorMessage') !== undefined;
    return (spot.place?.index ?? -1) + (isAfter ? 1 : 0);
  }

  /** The position of the first entry that a compaction kept, or of the last that it did not; undefined if it names none. */
  #keptSpot(entry: JsonView): Spot | 'missing' | undefined {
    const index = entry.get('firstKeptEntryIndex');
    const named = entry.get('anchorMessage')?.get('id') ?? entry.get('firstKeptEntryId');
    const id = named?.text() ?? (index === undefined ? '' : `#${index.parsed()}`);
    return id === '' ? undefined : (this.#spots.get(id) ?? 'missing');
  }

  /** Opens the conversation, and goes back to the entry's parent if that is not the entry before. */
  #goTo(entry: JsonView, context: ReadContext): void {
    const { fold } = context;
    this.#open(entry, context);
    const parent = entry.get('parentId');
    const id = parent?.text();
    if (parent === undefined || id === this.#leaf) return;
    const isRoot = id === undefined || id === this.#session;
    const spot = isRoot ? undefined : this.#spots.get(id);
    if (isRoot ? this.#isCompacted : spot === undefined && this.#replaced.has(id))
      this.#leave(entry, context, isRoot);
    else if (!isRoot && spot === undefined) fold.note(PARENT_MISSING);
    else fold.cut(spot?.place ?? fold.root);
  }

  /** Leaves the conversation for one before a compaction, of whose messages only the ids are known. */
  #leave(entry: JsonView, context: ReadContext, isRoot: boolean): void {
    const { fold } = context;
    fold.close(true);
    this.#keepSpots(new Map());
    this.#open(entry, context);
    if (!isRoot) fold.note(HISTORY_MISSING);
  }

  #open(entry: JsonView, { fold, origin }: ReadContext): void {
    if (!fold.open(MAIN, this.#session ?? origin.source, entry.get('timestamp'))) return;
    if (this.#isFork) fold.note(COPIED_HISTORY);
    fold.describe(metaOf({ source_id: this.#session, harness: HARNESS, parent: this.#parent }));
  }

  #drop(rule: string, entry: JsonView, context: ReadContext): Fate {
    const leaf = this.#leaf;
    const parent = this.#knownParent(entry);
    const name = this.#name(entry);
    if (parent !== leaf) this.#leaf = leaf; // the next message would not go back: #name has set it
    const spot = this.#spots.get(parent ?? '');
    const isReplaced = parent === undefined ? this.#isCompacted : this.#replaced.has(parent);
    if (spot === undefined && isReplaced) this.#replaced.add(name);
    else this.#spots.set(name, { place: spot?.place, isOwn: false });
    return context.drop(rule);
  }

  /** The entry that one continues: the entry before it if it names none that is known; undefined for the root. */
  #knownParent(entry: JsonView): string | undefined {
    const parent = entry.get('parentId');
    const id = parent?.text();
    if (parent?.type === 'null' || (id !== undefined && id === this.#session)) return undefined;
    return id !== undefined && (this.#spots.has(id) || this.#replaced.has(id)) ? id : this.#leaf;
  }

  #recordSpot(entry: JsonView, place: FoldPlace): void {
    this.#spots.set(this.#name(entry), { place, isOwn: true });
  }

  /** The entry's name. Sets `#leaf` to it. */
  #name(entry: JsonView): string {
    this.#leaf = entry.get('id')?.text() ?? `#${this.#entries}`;
    return this.#leaf;
  }

  #noteUnknown(type: string, entry: JsonView, context: ReadContext): void {
    this.#open(entry, context);
    context.fold.note(unknownEvent(type));
  }
}

/** Why messages that a compaction kept cannot be read; undefined if all can. */
function lostIn(tail: JsonView | undefined): string | undefined {
  if (isOtherThanList(tail)) return 'retainedTail is not a list';
  const unread = tail?.elements().filter((message) => readPiMessage(message) === undefined) ?? [];
  return unread.flatMap((message) => contentOfUnknown(message.textOf('role'), message) ?? [])[0];
}

type FoldedMessage = Extract<PiMessage, { readonly kind: 'answer' | 'result' | 'message' }>;

const isFolded = (message: PiMessage): message is FoldedMessage =>
  message.kind === 'answer' || message.kind === 'result' || message.kind === 'message';

/** @param name for the message, if it is an answer @param isCopied whether it is context only */
function foldMessage(parsed: FoldedMessage, name: string, fold: Fold, isCopied: boolean): FoldPlace {
  if (parsed.kind === 'result') return fold.answer(parsed.callId, parsed.message, { isCopied });
  if (parsed.kind === 'message') {
    const { message, isTurn, changes = [] } = parsed;
    return fold.add(message, { isTurn, isCopied, changes });
  }
  const { blocks, notes, meta } = parsed;
  return fold.amend(name, blocks, 'add', { notes, isCopied, ...(!isCopied && { meta }) });
}
