/** Folds the events of one Codex rollout into conversations; each compaction starts a new one. */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import type { Fate, LineFate, Message, ReadingNote, Rejection, ToolDefinition } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { FoldBlock } from '../fold/assistant-draft.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { makeMessage, systemMessage } from '../shared/build-messages.ts';
import { leaveUnknown } from '../shared/carried-content.ts';
import { RESPONSES_ITEM } from '../shared/known-members.ts';
import { LastObject } from '../shared/last-object.ts';
import { firstRejection } from '../shared/line-objects.ts';
import { metaOf, modelMeta } from '../shared/logged-meta.ts';
import {
  COPIED_HISTORY,
  INTERRUPT,
  SEALED_CONTEXT,
  TWO_IDS,
  unknownEvent,
  unreadText,
} from '../shared/reading-notes.ts';
import { MORE_TOOLS, type ResponseItem, readItem } from '../shared/responses-items.ts';
import { defineTool, definitionsOf, NO_TOOLS, withTools } from '../shared/tool-definitions.ts';
import { says } from '../shared/unread-text.ts';
import { isAborted, isInserted, isSaid, isTurn, ReviewAnswers } from './client-texts.ts';
import { type CodexSaid, IMAGES_LOST, readCodexEvent } from './events.ts';
import { CLIENT, COMPACTED, HEADER } from './known-members.ts';
import { questionOf } from './questions.ts';
import { SessionIds } from './session-ids.ts';
import { hasAnswer, isApart, TurnAnswers, UNSURE } from './turn-answers.ts';

const MAIN = 'main';
/** The conversation that the events make. */
const EVENTS = 'events';
const HARNESS = 'codex';
const BASE_ELSEWHERE = unreadText(
  'the session continues another one (history_base), whose messages are only in the log of that one',
);

export class CodexSource {
  readonly #splits: boolean;
  readonly ids: SessionIds = new SessionIds();
  /** The system text, repeated at the start of each conversation after a compaction. */
  #system: readonly Message[] = [];
  #tools: readonly ToolDefinition[] | undefined;
  /** Model of the latest turn. */
  #model: string | undefined;
  /** Name of the assistant message that the next blocks belong to. */
  #growing: string | undefined;
  /** Ids of results without a call: they end the answer, unless their calls come next. */
  readonly #early = new Set<string | undefined>();
  #messages = 0;
  /** Whether token counts belong to the last answer: false after a rollback, until the next answer. */
  #isCounting = true;
  /** The last token counts. */
  #counted: Uint8Array | undefined;
  /** Whether the items being read replace an earlier conversation, so that they are only context. */
  #isCopying = false;
  /** Whether an item has said something, so that the events repeat the items. */
  #hasItems = false;
  /** Whether the current conversation has anything besides the system text. */
  #hasBegun = false;
  #answers = new TurnAnswers();
  readonly #last = new LastObject();
  readonly #reviews = new ReviewAnswers();
  /** The last text of an event before any item. */
  #said: { readonly text: string | undefined; readonly isItem: boolean | undefined } | undefined;

  /** @param splits whether another session id begins a new session */
  constructor(splits: boolean) {
    this.#splits = splits;
  }

  read(type: string, payload: JsonView, context: ReadContext, stamp: JsonView | undefined): LineFate {
    const read = this.#readLine(type, payload, context, stamp);
    if (read?.kind === 'rejection') this.cut();
    return read;
  }

  #readLine(type: string, payload: JsonView, context: ReadContext, stamp: JsonView | undefined): LineFate {
    if (type === 'session_meta') return this.#begin(payload, context, stamp);
    if (type === 'compacted') return this.#compact(payload, context, stamp);
    if (type === 'response_item') return this.#readItem(payload, context, stamp);
    if (type === 'event_msg') return this.#readEvent(payload, context, stamp);
    if (type === 'inter_agent_communication') return this.#addAgentMessage(payload, context, stamp);
    if (type === 'turn_context') {
      this.#model = payload.textOf('model') ?? this.#model;
      return context.drop('client-event');
    }
    return this.#leaveOut(type, payload, context, stamp);
  }

  /** Called at the end of the source. */
  end(fold: Fold): void {
    if (fold.has(EVENTS) && fold.has(MAIN)) {
      fold.open(MAIN, '');
      fold.discard();
    } else this.#endTurn(fold);
  }

  #endTurn(fold: Fold): void {
    this.#addWaiting(fold);
    this.#answers.end();
  }

  /** Adds what only the events so far have. */
  #addWaiting(fold: Fold): void {
    const alone = this.#answers.addItem([]);
    if (!this.#hasItems || alone.length === 0 || !fold.has(MAIN)) return;
    fold.open(MAIN, '');
    this.#addAlone(alone, fold);
  }

  /** A line was rejected: the answer before it does not go on. */
  cut(): void {
    this.#answers.cut();
  }

  #addAlone(texts: ReturnType<TurnAnswers['addItem']>, fold: Fold): void {
    if (this.#answers.isUnsure && texts.some(({ text }) => text !== undefined)) fold.note(UNSURE);
    for (const { text, asked } of texts) {
      if (text === undefined) this.#growing = undefined;
      else if (asked === undefined) this.#addBlocks([{ kind: 'text', text }], [], fold);
      else {
        const question = questionOf(text, asked);
        if (isTurn(question)) this.#take(question, { fold });
      }
    }
  }

  /** Events repeat what items say, except for rollbacks, interruptions and token counts. */
  #readEvent(event: JsonView, context: ReadContext, stamp: JsonView | undefined): LineFate {
    const type = event.textOf('type');
    const thread = context.fold.has(EVENTS) ? EVENTS : MAIN;
    const read = readCodexEvent(event, !this.#hasItems);
    if (read.kind === 'bad') return context.reject('bad-event', read.detail, event);
    if (read.kind === 'unknown') return this.#leaveOut(type ?? '', event, context, stamp);
    if (read.kind !== 'client') return this.#addSaid(read, context, stamp);
    if (type === 'thread_rolled_back' || type === 'turn_aborted') {
      if (this.#hasItems) this.#addWaiting(context.fold);
      this.#open(context, stamp, thread);
    }
    if (type === 'thread_rolled_back') {
      const turns = event.get('num_turns');
      if (turns?.type === 'number' && this.#goBack(turns.parsed() as number, context)) return undefined;
    } else if (type === 'turn_aborted') this.#interrupt(context);
    else if (type === 'entered_review_mode' || type === 'exited_review_mode')
      this.#answers.review(type === 'entered_review_mode');
    else if (type === 'token_count') this.#countTokens(event, thread, context);
    return context.drop('client-event');
  }

  /** Adds the text of an event to a separate conversation, which counts only if the rollout has no items. */
  #addSaid(
    { kind, text, isItem, hasImages = false }: CodexSaid,
    context: ReadContext,
    stamp: JsonView | undefined,
  ): Fate | undefined {
    if (this.#hasItems) {
      if (kind === 'answer') this.#answers.addEvent(text, isItem);
      else if (kind === 'user') this.#answers.addQuestion(text, isItem);
      return context.drop('client-event');
    }
    const { fold } = context;
    const last = this.#said;
    this.#said = { text: text.text(), isItem };
    if (last?.text === this.#said.text && last?.isItem !== isItem) return context.drop('client-event');
    this.#open(context, stamp, EVENTS);
    if (kind !== 'user') this.#answers.clear();
    else if (!hasAnswer(fold.items)) this.#answers.addQuestion(text, isItem);
    if (hasImages) fold.note(IMAGES_LOST);
    if (kind === 'user') {
      this.#growing = undefined;
      fold.add(makeMessage('user', [['content', text.copy()]]), { isTurn: true });
      return undefined;
    }
    this.#growing ??= `${this.#messages++}`;
    fold.amend(this.#growing, [{ kind: kind === 'thought' ? 'thought' : 'text', text: text.copy() }]);
    if (kind === 'answer') this.#growing = undefined;
    return undefined;
  }

  /** Removes the last turns of the user, with the messages that the client inserted before them. */
  #goBack(turns: number, { fold }: ReadContext): boolean {
    let at: FoldPlace | undefined;
    for (let left = turns, turn = fold.last.turn; left > 0 && turn !== undefined; left--) {
      at = turn;
      turn = turn.before.turn;
    }
    if (at === undefined) return false;
    while (at.before.turn !== undefined && isInserted(at.before)) at = at.before;
    fold.cut(at.before);
    this.#growing = undefined;
    this.#isCounting = false;
    return true;
  }

  #addAgentMessage(payload: JsonView, context: ReadContext, stamp: JsonView | undefined): LineFate {
    const content = payload.get('content');
    if (content?.type !== 'string') return context.reject('bad-event', 'content is not a text', content);
    this.#open(context, stamp);
    const isSealed = content.isEmptyText && payload.get('encrypted_content')?.type === 'string';
    const message = makeMessage('user', [['content', content.copy()]]);
    this.#take(
      isSealed ? { kind: 'sealed-context' } : { kind: 'message', message, text: undefined },
      context,
    );
    return undefined;
  }

  #begin(payload: JsonView, context: ReadContext, stamp: JsonView | undefined): undefined {
    const { fold, origin } = context;
    fold.expect(payload, HEADER, 'payload');
    const id = payload.textOf('id') || origin.source;
    const isInside = this.#hasBegun || fold.has(EVENTS);
    const kind = this.ids.read(id, payload, this.#splits || isInside);
    if (kind === 'new') this.#enter(payload, fold);
    this.#open(context, stamp);
    if (payload.get('history_base')?.type === 'object') fold.note(BASE_ELSEWHERE);
    if (kind === 'parent') fold.note(COPIED_HISTORY);
    else if (kind === 'other') fold.note(TWO_IDS);
    return undefined;
  }

  /**
   * Sets the tokens of the last answer. An event may come twice with the same numbers; new ones end an answer whose
   * calls have no results yet, so that one whose result is lost does not go on with the next answer.
   */
  #countTokens(payload: JsonView, thread: string, { fold }: ReadContext): void {
    const info = payload.get('info');
    const usage = info?.get('last_token_usage');
    if (info === undefined || usage === undefined || !fold.has(thread)) return;
    fold.open(thread, '');
    const isNew = this.#counted === undefined || !isSameBytes(this.#counted, info.bytes);
    if (isNew && fold.last.calls.some(({ result }) => result === undefined)) this.#growing = undefined;
    if (isNew) this.#counted = info.copy();
    if (fold.keepsMeta && this.#isCounting) fold.describeAnswer(metaOf({ usage }));
  }

  /** Begins a session, which ends the one before. */
  #enter(payload: JsonView, fold: Fold): void {
    this.end(fold);
    fold.closeAll();
    this.#hasBegun = this.#hasItems = false;
    this.#answers = new TurnAnswers();
    this.#growing = this.#said = undefined;
    const text = payload.get('base_instructions')?.get('text');
    this.#system = text === undefined ? [] : systemMessage(text.copy());
    this.#tools = toolsIn(payload.get('dynamic_tools'));
  }

  /** Adds tools that were offered in the middle of the conversation. */
  #addTools(tools: readonly ToolDefinition[], { fold }: ReadContext): void {
    this.#tools = withTools(this.#tools ?? NO_TOOLS, tools);
    fold.tools(this.#tools);
  }

  /** Makes the conversation the current one; a new one begins with the system text. */
  #open({ fold, origin }: ReadContext, stamp: JsonView | undefined, thread: string = MAIN): void {
    if (!fold.open(thread, this.ids.own ?? origin.source, stamp)) return;
    for (const message of this.#system) fold.add(message, { isCopied: this.#isCopying });
    if (this.#tools !== undefined) fold.tools(this.#tools);
    if (!fold.keepsMeta) return;
    const { own, parent } = this.ids;
    fold.describe(metaOf({ source_id: own, harness: HARNESS, parent }));
  }

  #readItem(item: JsonView, context: ReadContext, stamp: JsonView | undefined): LineFate {
    const tools = item.textOf('type') === MORE_TOOLS ? toolsIn(item.get('tools')) : undefined;
    if (tools !== undefined) {
      this.#open(context, stamp);
      this.#addTools(tools, context);
      return undefined;
    }
    const mark = item.textOf('id') || item.textOf('call_id');
    if (!this.#isCopying && this.#last.isAgain(item, mark, context.origin))
      return context.drop('copied-line');
    const read = readItem(item);
    if (read.kind === 'bad') return context.reject('bad-event', read.detail, item);
    if (read.kind === 'unknown') return this.#leaveOut(read.type, item, context, stamp);
    if (read.kind === 'message' && read.text !== undefined && isAborted(read.text)) {
      this.#open(context, stamp);
      this.#interrupt(context);
      return context.drop('interrupt-mark');
    }
    if (!this.#hasItems && isSaid(read)) this.#leaveEvents(context, read);
    this.#open(context, stamp);
    context.fold.expect(item, RESPONSES_ITEM, 'payload');
    if (this.#settleEvents(read, context)) return context.drop('copied-line');
    if (this.#reviews.isOfClient(read)) return context.drop('synthetic-message');
    this.#take(read, context);
    return undefined;
  }

  /** Adds the answers that the events before an item have alone. @returns whether the item repeats such an answer */
  #settleEvents(item: ResponseItem, { fold }: ReadContext): boolean {
    if (this.#isCopying) return false;
    const texts: Uint8Array[] = [];
    if (item.kind === 'blocks') for (const one of item.blocks) if (one.kind === 'text') texts.push(one.text);
    if (this.#answers.isRepeat(texts)) return true;
    const alone =
      item.kind === 'message' && isTurn(item)
        ? this.#answers.addMessage(item)
        : this.#answers.addItem(texts, item.kind !== 'blocks');
    if (alone === undefined) return true;
    this.#addAlone(alone, fold);
    if (item.kind === 'message') this.#answers.end();
    return false;
  }

  /** From here on events repeat the items. Those so far repeat the ones that follow, if the first item says so. */
  #leaveEvents({ fold }: ReadContext, item?: ResponseItem): void {
    this.#hasItems = true;
    if (!fold.has(EVENTS)) return;
    this.#growing = undefined;
    fold.open(EVENTS, '');
    if (item !== undefined && isApart(fold.items, item)) fold.close();
    else fold.discard();
  }

  #take(item: ResponseItem, { fold }: Pick<ReadContext, 'fold'>): void {
    this.#hasBegun = true;
    const isCopied = this.#isCopying;
    if (item.kind === 'sealed-context') fold.note(SEALED_CONTEXT);
    else if (item.kind === 'blocks') this.#addBlocks(item.blocks, item.notes, fold);
    else if (item.kind === 'result') {
      const { callId, message, changes, notes } = item;
      const place = fold.answer(callId, message, { changes, notes, isCopied });
      if (place.calls.length > 0) this.#growing = undefined;
      else this.#early.add(callId);
    } else if (item.kind === 'message') {
      this.#growing = undefined;
      const { message, changes = [] } = item;
      fold.add(message, { isTurn: isTurn(item), isCopied, changes });
    }
  }

  #addBlocks(blocks: readonly FoldBlock[], notes: readonly ReadingNote[], fold: Fold): void {
    const isCopied = this.#isCopying;
    const isCalled = blocks.some((block) => block.kind === 'call' && this.#early.delete(block.id));
    if (this.#early.size > 0 && !isCalled) {
      this.#growing = undefined;
      this.#early.clear();
    }
    this.#growing ??= `${this.#messages++}`;
    this.#isCounting = true;
    const meta = isCopied ? {} : { meta: modelMeta(this.#model) };
    fold.amend(this.#growing, blocks, 'add', { notes, isCopied, ...meta });
  }

  /** Ends the conversation. The next one begins with the client's summary, or with the history that replaces it. */
  #compact(payload: JsonView, context: ReadContext, stamp: JsonView | undefined): Rejection | undefined {
    const { fold } = context;
    if (!this.#hasItems) this.#leaveEvents(context);
    this.#open(context, stamp);
    this.#endTurn(fold);
    this.#isCopying = true;
    if (this.#hasBegun) {
      fold.close(true);
      this.#open(context, stamp);
    }
    fold.expect(payload, COMPACTED, 'payload');
    this.#growing = undefined;
    const history = payload.get('replacement_history');
    const summary = payload.get('message');
    const items = history?.type === 'array' ? history.elements() : [];
    const lost = firstRejection(items, (item) => this.#readItem(item, context, stamp));
    if (history?.type !== 'array' && summary?.type === 'string' && says(summary))
      fold.add(makeMessage('user', [['content', summary.copy()]]), { isCopied: true });
    this.#growing = undefined;
    this.#isCopying = false;
    return lost;
  }

  #interrupt({ fold }: ReadContext): void {
    this.#growing = undefined;
    if (fold.last.notes?.includes(INTERRUPT) !== true) fold.noteLast(INTERRUPT);
  }

  #leaveOut(
    type: string,
    json: JsonView,
    context: ReadContext,
    stamp: JsonView | undefined,
  ): Fate | Rejection {
    if (CLIENT.has(type)) return context.drop('client-event');
    this.#open(context, stamp);
    context.fold.note(unknownEvent(type));
    const left = leaveUnknown(type, json, context);
    if (left.kind === 'fate') this.#answers.isUnsure = true;
    return left;
  }
}

const toolsIn = (list: JsonView | undefined): readonly ToolDefinition[] | undefined =>
  list === undefined ? undefined : definitionsOf(list.copy(), defineTool);
