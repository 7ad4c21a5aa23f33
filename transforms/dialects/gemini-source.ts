/** Folds the recordings of Gemini CLI into conversations, with a new one after each compression of the context. */

import type { JsonView } from '../json/json-view.ts';
import type { Fate, Rejection } from '../model/element.ts';
import type { ReadContext } from './dialect-spec.ts';
import type { Fold, FoldPlace } from './fold/fold.ts';
import { type GeminiMessage, readGeminiMessage } from './gemini-message.ts';
import { metaOf } from './logged-meta.ts';
import { unknownEvent } from './reading-notes.ts';

const MAIN = 'main';
const HARNESS = 'gemini-cli';

type GeminiResults = Extract<GeminiMessage, { kind: 'results' }>;

/** A message of the current conversation. */
interface Spot {
  /** The position after which it comes. */
  readonly before: FoldPlace;
  /** Undefined if it is not part of the conversation. */
  readonly place: FoldPlace | undefined;
  /** Name of an answer in the fold. */
  readonly name: string;
  readonly kind: GeminiMessage['kind'];
}

export class GeminiSource {
  #session: string | undefined;
  /** By id, in order. */
  readonly #spots = new Map<string, Spot>();
  /** Calls of the current conversation whose answer contains their result. */
  readonly #answered = new Set<string>();
  /** Number of conversations so far: a message that returns in another one is a different message. */
  #stretch = 0;

  read(json: JsonView, context: ReadContext): Fate | Rejection | undefined {
    if (json.get('sessionId')?.type === 'string') return this.#begin(json, context);
    const target = json.get('$rewindTo')?.text();
    if (target !== undefined) return this.#rewind(target, context);
    const messages = json.get('$set')?.get('messages');
    if (messages?.type === 'array') return this.#replaceAll(messages, context);
    if (json.get('type') === undefined) return context.drop('client-event');
    return this.#readMessage(json, context);
  }

  /** A head; a document holds all messages too. */
  #begin(head: JsonView, context: ReadContext): Rejection | undefined {
    const id = head.get('sessionId')?.text();
    if (id !== this.#session) {
      context.fold.closeAll();
      this.#spots.clear();
      this.#answered.clear();
      this.#session = id;
    }
    this.#open(context, head.get('startTime'));
    return this.#takeAll(head.get('messages'), context);
  }

  #readMessage(json: JsonView, context: ReadContext): Fate | Rejection | undefined {
    const message = readGeminiMessage(json);
    if (message.kind === 'bad') return context.reject('bad-event', message.detail, json);
    this.#open(context, json.get('timestamp'));
    const isTaken = this.#take(message, context);
    return isTaken ? undefined : context.drop('client-event');
  }

  /** @returns why one of them is invalid; all others have been taken */
  #takeAll(list: JsonView | undefined, context: ReadContext): Rejection | undefined {
    const messages = (list?.elements() ?? []).map((json) => readGeminiMessage(json));
    const bad = messages.findIndex(({ kind }) => kind === 'bad');
    if (bad >= 0) return context.reject('bad-messages', `messages[${bad}] is not valid`, list);
    for (const message of messages) this.#take(message, context);
    return undefined;
  }

  /** Adds a message to the conversation, at its existing position if it has one. @returns whether it is part of it */
  #take(message: GeminiMessage, { fold }: ReadContext): boolean {
    if (message.kind === 'bad') return false;
    if (message.kind === 'results') return this.#takeResults(message, fold);
    const { id, kind } = message;
    const known = this.#spots.get(id);
    const name = known?.name ?? `${this.#stretch} ${id}`;
    if (kind === 'client' || kind === 'unknown') {
      if (kind === 'unknown') fold.note(unknownEvent(message.type));
      if (known === undefined) this.#spots.set(id, { before: fold.last, place: undefined, name, kind });
      return false;
    }
    const old = known?.kind === kind ? known.place : undefined;
    const before = known?.before ?? fold.last;
    if (kind === 'user') {
      const logged = message.message;
      const place = old === undefined ? fold.add(logged, { isTurn: true }) : fold.reset(old, logged);
      if (known === undefined) this.#spots.set(id, { before, place, name, kind });
      return true;
    }
    if (old !== undefined) fold.reset(old);
    const { blocks, results, notes, meta } = message;
    const place = fold.amend(name, blocks, 'add', { notes, meta });
    for (const { callId, message: result } of results) {
      fold.answer(callId, result);
      this.#answered.add(callId);
    }
    if (known === undefined) this.#spots.set(id, { before, place, name, kind });
    return true;
  }

  /** Adds the results that their calls do not contain. @returns whether the message adds anything */
  #takeResults({ id, results, message }: GeminiResults, fold: Fold): boolean {
    if (this.#spots.has(id)) return false;
    const before = fold.last;
    let place: FoldPlace | undefined;
    for (const { callId, message: result } of results)
      if (!this.#answered.has(callId)) place = fold.answer(callId, result);
    if (message !== undefined) place = fold.add(message);
    this.#spots.set(id, { before, place, name: `${this.#stretch} ${id}`, kind: 'results' });
    return place !== undefined;
  }

  /** Removes a message and everything after it; if there is no such message, removes everything. */
  #rewind(target: string, context: ReadContext): undefined {
    this.#open(context, undefined);
    const { fold } = context;
    const spot = this.#spots.get(target);
    fold.cut(spot?.before ?? fold.root);
    let isGone = spot === undefined;
    for (const id of this.#spots.keys()) {
      isGone ||= id === target;
      if (isGone) this.#spots.delete(id);
    }
    this.#beginStretch();
    return undefined;
  }

  /** Replaces the context: continues from the common start of both, or starts over if they have none. */
  #replaceAll(list: JsonView, context: ReadContext): Rejection | undefined {
    this.#open(context, undefined);
    const { fold } = context;
    const ids = list.elements().map((message) => message.get('id')?.text());
    const known = [...this.#spots.keys()];
    const shared = known.findIndex((id, i) => id !== ids[i]);
    const count = shared < 0 ? known.length : shared;
    const next = known[count];
    if (next !== undefined) {
      if (count > 0) fold.cut((this.#spots.get(next) as Spot).before);
      else if (fold.last.index >= 0) {
        fold.close(true);
        this.#open(context, undefined);
      }
      for (const id of known.slice(count)) this.#spots.delete(id);
      this.#beginStretch();
    }
    return this.#takeAll(list, context);
  }

  #beginStretch(): void {
    this.#stretch++;
    this.#answered.clear();
  }

  #open({ fold, origin, time }: ReadContext, stamp: JsonView | undefined): void {
    const isNew = !fold.has(MAIN);
    fold.open(MAIN, this.#session ?? origin.source, time(stamp));
    if (isNew) fold.describe(metaOf({ source_id: this.#session, harness: HARNESS }));
  }
}
