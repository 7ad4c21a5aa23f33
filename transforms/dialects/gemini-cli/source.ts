/** Folds the recordings of Gemini CLI into conversations; each compression of the context starts a new one. */

import { isSameBytes } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import type { Fate, LineFate, Rejection } from '../../model/element.ts';
import { HashedSet } from '../../model/hashed-set.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { copiesOf, makeMessage, objectOf, toolMessage } from '../shared/build-messages.ts';
import { contentOfUnknown, leaveUnknown } from '../shared/carried-content.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { CONTEXT_CUT, unknownEvent } from '../shared/reading-notes.ts';
import { hasUnknownList, isOtherThanList, known, says } from '../shared/unread-text.ts';
import { GEMINI_MESSAGE, type GeminiMessage, isSameCall, readGeminiMessage } from './message.ts';

const MAIN = 'main';
const HARNESS = 'gemini-cli';

const HEAD = known(
  'sessionId projectHash startTime lastUpdated messages kind summary directories model id type memoryScratchpad activeExtensionName',
);
/** The members of a line without a type, except those of the header that it sets. */
const unknownIn = (line: JsonView, set: JsonView | undefined): JsonView =>
  set?.type === 'object' ? new JsonView(objectOf(copiesOf(set.others(HEAD.names)))) : line;

/** Returned by `openCall` if all calls have their results, so that the result is a repetition. */
const REPEATED = '';

type GeminiResults = Extract<GeminiMessage, { kind: 'results' }>;
type GeminiAnswer = Extract<GeminiMessage, { kind: 'answer' }>;

/** A message of the current conversation. */
interface Spot {
  /** The message after which it comes. */
  readonly before: FoldPlace;
  /** Undefined if it is not part of the conversation. */
  readonly place: FoldPlace | undefined;
  /** The name of an answer in the fold. */
  readonly name: string;
  readonly kind: GeminiMessage['kind'];
}

/** Messages of the current conversation by id, in order. */
class Spots {
  readonly #ids: string[] = [];
  readonly #byId = new Map<string, Spot>();

  /** Their ids, in order of appearance. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  get(id: string): Spot | undefined {
    return this.#byId.get(id);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Adds a message; one with a known id keeps its position. */
  set(id: string, spot: Spot): void {
    if (!this.#byId.has(id)) this.#ids.push(id);
    this.#byId.set(id, spot);
  }

  /** Removes a known message and those after it. Walks these only, because a log may go back at each message. */
  cutFrom(id: string, removed?: HashedSet): void {
    while (this.#byId.has(id)) {
      const last = this.#ids.pop() as string;
      this.#byId.delete(last);
      removed?.add(last);
    }
  }

  clear(): void {
    this.#ids.length = 0;
    this.#byId.clear();
  }
}

export class GeminiSource {
  #session: string | undefined;
  readonly #spots = new Spots();
  /** Ids of the messages of the session that the user took back: they come again if the log has it twice. */
  readonly #takenBack = new HashedSet();
  /** Ids of those that did. */
  readonly #takenAgain = new HashedSet();
  /** Ids of calls in the current conversation that have their result. */
  readonly #answered = new Set<string>();
  /** Ids of calls that the user started. */
  readonly #ofUser = new Set<string>();
  /** The last answer as the client logged it, with the calls that the user started. */
  #lastAnswer: GeminiAnswer | undefined;
  /** Ids of the messages before the current replacement of the context: those that come again are only context. */
  #replaced: ReadonlySet<string> = new Set();
  /** Whether a context is being read. */
  #isReplacing = false;
  /** Whether the context being read begins a conversation: what is new in it was written by the client. */
  #isAnew = false;
  /** Number of conversations so far, part of the names of answers: one that returns later is another message. */
  #stretch = 0;

  read(json: JsonView, context: ReadContext): LineFate {
    if (json.get('sessionId')?.type === 'string') return this.#begin(json, context);
    const target = json.get('$rewindTo')?.text();
    if (target !== undefined) return this.#rewind(target, context);
    const set = json.get('$set');
    const messages = set?.get('messages');
    if (messages?.type === 'array') return this.#replaceAll(messages, context);
    if ((set?.type !== 'object' && says(set)) || isOtherThanList(messages))
      return context.reject('bad-event', 'the messages of $set are not a list', set);
    if (json.get('type') === undefined && contentOfUnknown(undefined, unknownIn(json, set)) === undefined)
      return context.drop('client-event');
    return this.#readMessage(json, context);
  }

  /** Reads the header; in a `.json` recording it has all messages too. */
  #begin(head: JsonView, context: ReadContext): Rejection | undefined {
    const list = head.get('messages');
    if (list === undefined ? hasUnknownList(head, HEAD) : isOtherThanList(list))
      return context.reject('bad-event', 'the header has a list that is not messages', head);
    context.fold.expect(head, HEAD, 'the header');
    const id = head.get('sessionId')?.text();
    if (id !== this.#session) {
      context.fold.closeAll();
      this.#spots.clear();
      this.#takenBack.clear();
      this.#takenAgain.clear();
      this.#answered.clear();
      this.#ofUser.clear();
      this.#session = id;
    }
    this.#open(context, head.get('startTime'));
    return this.#takeAll(list, context);
  }

  #readMessage(json: JsonView, context: ReadContext): LineFate {
    const message = readGeminiMessage(json);
    if (message.kind === 'bad') return context.reject('bad-event', message.detail, json);
    if (this.#takenBack.has(message.id)) {
      this.#takenAgain.add(message.id);
      return context.drop('copied-line');
    }
    this.#open(context, json.get('timestamp'));
    expectMessage(message, json, context.fold, 'message');
    if (this.#take(message, context)) return undefined;
    return message.kind === 'unknown'
      ? leaveUnknown(message.type, json, context)
      : context.drop('client-event');
  }

  /** Adds all messages, unless one is not valid. @returns the rejection of the first one that is not valid */
  #takeAll(list: JsonView | undefined, context: ReadContext): Rejection | undefined {
    const all = list?.elements() ?? [];
    const messages = all.map((json) => readGeminiMessage(json));
    const bad = messages.findIndex(({ kind }) => kind === 'bad');
    if (bad >= 0) return context.reject('bad-messages', `messages[${bad}] is not valid`, list);
    if (hasTwins(all)) return context.reject('bad-messages', 'two messages have one id', list);
    const [lost] = messages.flatMap((message, i) => lostIn(message, all[i] as JsonView) ?? []);
    if (lost !== undefined) return context.reject('bad-messages', lost, list);
    for (const [i, message] of messages.entries()) {
      expectMessage(message, all[i] as JsonView, context.fold, `messages[${i}]`);
      this.#take(message, context);
    }
    return undefined;
  }

  /** Adds a message, or replaces it if it has come before. @returns false if it is not part of the conversation */
  #take(message: GeminiMessage, { fold }: ReadContext): boolean {
    if (message.kind === 'bad') return false;
    if (message.kind === 'results') return this.#takeResults(message, fold);
    const { id, kind } = message;
    const known = this.#spots.get(id);
    const name = known?.name ?? `${this.#stretch} ${id}`;
    if (kind === 'answer' && message.copied !== undefined) {
      if (known?.kind === 'client') return true;
      const before = fold.last;
      if (this.#takeSkill(message.copied, fold)) {
        this.#spots.set(id, { before, place: undefined, name, kind: 'client' });
        return true;
      }
    }
    if (kind === 'client' || kind === 'unknown') {
      if (kind === 'unknown') fold.note(unknownEvent(message.type));
      if (known === undefined) this.#spots.set(id, { before: fold.last, place: undefined, name, kind });
      return false;
    }
    const old = known?.kind === kind ? known.place : undefined;
    const before = known?.before ?? fold.last;
    const isCopied = this.#isCopied(message);
    let place: FoldPlace;
    if (kind === 'answer') place = this.#takeAnswer(message, name, old, fold);
    else if (old === undefined) place = fold.add(message.message, { isTurn: true, isCopied });
    else place = fold.reset(old, message.message);
    if (known?.kind !== kind) this.#spots.set(id, { before, place, name, kind });
    return true;
  }

  /** Whether a message is context only. The client names no model for an answer that it writes. */
  #isCopied(message: Extract<GeminiMessage, { kind: 'user' | 'answer' }>): boolean {
    const isOfClient = message.kind === 'user' || message.meta.get('model') === undefined;
    return this.#replaced.has(message.id) || (this.#isAnew && isOfClient);
  }

  /**
   * @param old the answer as it was logged before: results that were added to it stay, and those that a context has in
   *   other words, because the client shortened them for later answers
   */
  #takeAnswer(answer: GeminiAnswer, name: string, old: FoldPlace | undefined, fold: Fold): FoldPlace {
    const { results, aliases, notes, meta } = answer;
    this.#lastAnswer = answer;
    const blocks = answer.blocks.filter((one) => one.kind !== 'call' || !this.#ofUser.has(one.id ?? ''));
    const earlier = [...(old?.calls ?? [])];
    if (old !== undefined) fold.reset(old);
    const isCopied = this.#isCopied(answer);
    const place = fold.amend(name, blocks, 'add', { notes, meta, isCopied });
    for (const { callId, message } of results) {
      const former = this.#isReplacing ? earlier.find(({ id }) => id === callId)?.result : undefined;
      if (former !== undefined && !isSameBytes(former.bytes, message.bytes)) fold.note(CONTEXT_CUT);
      if (!this.#ofUser.has(callId ?? '')) fold.answer(callId, former ?? message, { isCopied });
      if (callId !== undefined) this.#answered.add(callId);
    }
    for (const alias of aliases) this.#answered.add(alias);
    for (const { id: callId, result } of earlier) {
      const isOpen = place.calls.some((call) => call.id === callId && call.result === undefined);
      if (isOpen && result !== undefined) fold.answer(callId, result, { isCopied });
    }
    return place;
  }

  /**
   * Takes a skill that the user started: the client adds the call to the last answer, then logs a copy of it and its result.
   * The model sees the text of the skill, so it becomes a message of the user.
   */
  #takeSkill(copy: JsonView, fold: Fold): boolean {
    const last = this.#lastAnswer;
    const spot = this.#spots.get(last?.id ?? '');
    if (last === undefined || spot === undefined) return false;
    const call = last.blocks.find((block) => isSameCall(block, copy));
    const result = last.results.find(({ callId }) => callId === call?.id);
    if (call?.kind !== 'call' || call.id === undefined || result === undefined) return false;
    if (!this.#ofUser.has(call.id)) {
      this.#ofUser.add(call.id);
      this.#takeAnswer(last, spot.name, spot.place, fold);
    }
    fold.add(makeMessage('user', [['content', result.content]]), { changes: ['observation-as-user'] });
    return true;
  }

  /** Adds the results that their calls do not contain. @returns false if it adds nothing */
  #takeResults({ id, results, message }: GeminiResults, fold: Fold): boolean {
    const known = this.#spots.get(id);
    const before = known?.before ?? fold.last;
    let isNew = message !== undefined;
    for (const { callId: logged, content, message: result } of results) {
      const callId = logged ?? openCall(fold);
      if (callId === REPEATED || (callId !== undefined && this.#answered.has(callId))) continue;
      fold.answer(callId, logged === callId ? result : toolMessage(callId, content));
      if (callId !== undefined) this.#answered.add(callId);
      isNew = true;
    }
    let place = known?.place;
    if (message !== undefined) place = place === undefined ? fold.add(message) : fold.reset(place, message);
    if (known === undefined)
      this.#spots.set(id, { before, place, name: `${this.#stretch} ${id}`, kind: 'results' });
    return isNew;
  }

  /** Removes a message and everything after it; if there is no such message, removes everything. */
  #rewind(target: string, context: ReadContext): Fate | undefined {
    if (this.#takenAgain.has(target)) return context.drop('copied-line');
    this.#open(context, undefined);
    const { fold } = context;
    const spot = this.#spots.get(target);
    fold.cut(spot?.before ?? fold.root);
    if (spot === undefined) this.#spots.clear();
    else this.#spots.cutFrom(target, this.#takenBack);
    this.#beginStretch();
    return undefined;
  }

  /**
   * Replaces the context: goes back to the last message that both have in common, or starts a new conversation if they
   * have none.
   */
  #replaceAll(list: JsonView, context: ReadContext): Rejection | undefined {
    this.#open(context, undefined);
    const { fold } = context;
    const all = this.#spots.ids;
    const known = all.filter((id) => this.#isComparable(id));
    const shared = this.#sharedWith(list.elements(), known);
    const next = known[shared];
    if (next !== undefined) {
      if (shared > 0) fold.cut((this.#spots.get(next) as Spot).before);
      else if (fold.last.index >= 0) {
        fold.close(true);
        this.#open(context, undefined);
        this.#isAnew = true;
      }
      this.#replaced = new Set(all);
      this.#spots.cutFrom(next);
      this.#beginStretch();
    }
    this.#isReplacing = true;
    const rejection = this.#takeAll(list, context);
    this.#isReplacing = false;
    this.#replaced = new Set();
    this.#isAnew = false;
    return rejection;
  }

  /** Number of known messages with which a context begins, up to the first message that is new in it. */
  #sharedWith(context: readonly JsonView[], known: readonly string[]): number {
    let shared = 0;
    let hasNew = false;
    for (const json of context) {
      const id = json.get('id')?.text() ?? '';
      if (this.#isComparable(id)) {
        if (hasNew || id !== known[shared]) return shared;
        shared++;
      } else if (!this.#spots.has(id)) {
        const message = readGeminiMessage(json);
        hasNew ||= message.kind !== 'results' || message.message !== undefined;
      }
    }
    return shared;
  }

  /**
   * Whether a message is in recordings and in contexts. Results may be in the context only, notes of the client in
   * neither.
   */
  #isComparable(id: string): boolean {
    const kind = this.#spots.get(id)?.kind;
    return kind === 'user' || kind === 'answer';
  }

  #beginStretch(): void {
    this.#stretch++;
    this.#answered.clear();
  }

  #open({ fold, origin }: ReadContext, stamp: JsonView | undefined): void {
    const isNew = fold.open(MAIN, this.#session ?? origin.source, stamp);
    if (isNew) fold.describe(metaOf({ source_id: this.#session, harness: HARNESS }));
  }
}

function expectMessage({ kind }: GeminiMessage, json: JsonView, fold: Fold, place: string): void {
  if (kind !== 'client' && kind !== 'unknown') fold.expect(json, GEMINI_MESSAGE, place);
}

/** Why a message of an unknown type cannot be left out. */
const lostIn = (message: GeminiMessage, json: JsonView): string | undefined =>
  message.kind === 'unknown' ? contentOfUnknown(message.type, json) : undefined;

/** The call that a result without an id answers: the first open one of the last answer with calls. */
function openCall(fold: Fold): string | undefined {
  const calls = fold.findLast(({ calls: { length } }) => length > 0)?.calls;
  if (calls === undefined) return undefined;
  return calls.every(({ result }) => result !== undefined)
    ? REPEATED
    : calls.find(({ result }) => !result)?.id;
}

/** Has a list two messages of one id that are not the same? */
function hasTwins(list: readonly JsonView[]): boolean {
  const byId = new Map<string, JsonView>();
  return list.some((one) => {
    const id = one.textOf('id') ?? '';
    const known = byId.get(id);
    if (known === undefined) byId.set(id, one);
    return known !== undefined && !isSameBytes(known.bytes, one.bytes);
  });
}
