/** Folds the events of one Codex rollout into conversations, with a new one after each compaction. */

import type { JsonView } from '../json/json-view.ts';
import type { Fate, Message, Rejection, ToolDefinition } from '../model/element.ts';
import type { ReadContext } from './dialect-spec.ts';
import { metaOf } from './logged-meta.ts';
import { makeMessage, systemMessage } from './made-messages.ts';
import { COPIED_HISTORY, INTERRUPT, SEALED_CONTEXT, TWO_IDS, unknownEvent } from './reading-notes.ts';
import { type ResponseItem, readItem } from './responses-items.ts';
import { defineTool } from './tool-definitions.ts';

const MAIN = 'main';
const HARNESS = 'codex';
/** Beginnings of user items that were not typed: the client inserts them. */
const CONTEXT =
  /^\s*(?:# AGENTS\.md instructions|<environment_context>|<permissions instructions>|<collaboration_mode>|<user_instructions>)/;
const ABORTED = /^\s*<turn_aborted>/;

export class CodexSource {
  readonly #splits: boolean;
  #session: string | undefined;
  /** Ids of the sessions that this one was forked from. */
  readonly #parents = new Set<string>();
  /** The system text, repeated at the start of each conversation after a compaction. */
  #system: readonly Message[] = [];
  #tools: readonly ToolDefinition[] | undefined;
  /** Model of the latest turn. */
  #model: string | undefined;
  /** Name of the growing assistant message. */
  #growing: string | undefined;
  #messages = 0;
  /** Does the current conversation have anything besides the system text? */
  #hasBegun = false;

  /** @param splits whether another session id begins a new session */
  constructor(splits: boolean) {
    this.#splits = splits;
  }

  read(
    type: string,
    payload: JsonView,
    context: ReadContext,
    time: bigint | undefined,
  ): Fate | Rejection | undefined {
    if (type === 'session_meta') return this.#begin(payload, context, time);
    if (type === 'compacted') return this.#compact(payload, context, time);
    if (type === 'response_item') return this.#readItem(payload, context, time);
    if (type === 'event_msg' && payload.textOf('type') === 'turn_aborted') {
      this.#open(context, time);
      this.#interrupt(context);
    } else if (type === 'turn_context') this.#model = payload.textOf('model') ?? this.#model;
    else if (type !== 'event_msg') this.#noteUnknown(type, context, time);
    else if (payload.textOf('type') === 'token_count') this.#countTokens(payload, context);
    return context.drop('client-event');
  }

  #begin(payload: JsonView, context: ReadContext, time: bigint | undefined): undefined {
    const { fold, origin } = context;
    const id = payload.textOf('id') || origin.source;
    if (this.#session === undefined) this.#enter(id, payload);
    else if (id !== this.#session && !this.#parents.has(id) && this.#splits) {
      fold.closeAll();
      this.#enter(id, payload);
      this.#hasBegun = false;
      this.#growing = undefined;
    }
    this.#open(context, time);
    if (this.#parents.has(id)) fold.note(COPIED_HISTORY);
    else if (id !== this.#session) fold.note(TWO_IDS);
    return undefined;
  }

  /** Adds the tokens of the last answer; the event may repeat with the same numbers. */
  #countTokens(payload: JsonView, { fold }: ReadContext): void {
    const usage = payload.get('info')?.get('last_token_usage');
    if (usage === undefined || !fold.keepsMeta || !fold.has(MAIN)) return;
    fold.open(MAIN, '');
    fold.describeAnswer(metaOf({ usage }));
  }

  #enter(id: string, payload: JsonView): void {
    this.#session = id;
    const spawn = payload.get('source')?.get('subagent')?.get('thread_spawn');
    for (const parent of [payload.get('forked_from_id'), spawn?.get('parent_thread_id')]) {
      const name = parent?.text();
      if (name !== undefined) this.#parents.add(name);
    }
    const text = payload.get('base_instructions')?.get('text');
    this.#system = text === undefined ? [] : systemMessage(text.copy());
    this.#tools = payload
      .get('dynamic_tools')
      ?.elements()
      .map((tool) => defineTool(tool.copy()));
  }

  /** Makes the conversation the current one; a new one begins with the system text. */
  #open({ fold, origin }: ReadContext, time: bigint | undefined): void {
    const isNew = !fold.has(MAIN);
    fold.open(MAIN, this.#session ?? origin.source, time);
    if (!isNew) return;
    for (const message of this.#system) fold.add(message);
    if (this.#tools !== undefined) fold.tools(this.#tools);
    if (!fold.keepsMeta) return;
    const [parent] = this.#parents;
    fold.describe(metaOf({ source_id: this.#session, harness: HARNESS, parent }));
  }

  #readItem(item: JsonView, context: ReadContext, time: bigint | undefined): Fate | Rejection | undefined {
    const read = readItem(item);
    if (read.kind === 'bad') return context.reject('bad-event', read.detail, item);
    if (read.kind === 'unknown') return this.#leaveOut(read.type, context, time);
    if (read.kind === 'message' && read.text !== undefined && ABORTED.test(read.text)) {
      this.#open(context, time);
      this.#interrupt(context);
      return context.drop('interrupt-mark');
    }
    this.#open(context, time);
    this.#take(read, context);
    return undefined;
  }

  #take(item: ResponseItem, { fold }: ReadContext): void {
    this.#hasBegun = true;
    if (item.kind === 'sealed-context') fold.note(SEALED_CONTEXT);
    else if (item.kind === 'blocks') {
      this.#growing ??= `${this.#messages++}`;
      const { blocks, notes } = item;
      const facts = fold.keepsMeta ? { notes, meta: metaOf({ model: this.#model }) } : { notes };
      fold.amend(this.#growing, blocks, 'add', facts);
    } else if (item.kind === 'result') {
      const { callId, message, changes, notes } = item;
      const place = fold.answer(callId, message, { changes, notes });
      if (place.calls.length > 0) this.#growing = undefined; // a result that waits for its call ends nothing
    } else if (item.kind === 'message') {
      this.#growing = undefined;
      const { message, text } = item;
      fold.add(message, { isTurn: message.role === 'user' && (text === undefined || !CONTEXT.test(text)) });
    }
  }

  /** Ends the conversation; the next one begins with the client's replacement for it. */
  #compact(payload: JsonView, context: ReadContext, time: bigint | undefined): undefined {
    const { fold } = context;
    this.#open(context, time);
    if (this.#hasBegun) {
      fold.close(true);
      this.#open(context, time);
    }
    this.#growing = undefined;
    const history = payload.get('replacement_history');
    const summary = payload.get('message');
    if (history?.type === 'array') for (const item of history.elements()) this.#take(readItem(item), context);
    else if (summary?.type === 'string') fold.add(makeMessage('user', [['content', summary.copy()]]));
    this.#growing = undefined;
    return undefined;
  }

  #interrupt({ fold }: ReadContext): void {
    this.#growing = undefined;
    if (fold.last.notes?.includes(INTERRUPT) !== true) fold.noteLast(INTERRUPT);
  }

  #leaveOut(type: string, context: ReadContext, time: bigint | undefined): Fate {
    if (type !== 'ghost_snapshot') this.#noteUnknown(type, context, time);
    return context.drop('client-event');
  }

  #noteUnknown(type: string, context: ReadContext, time: bigint | undefined): void {
    this.#open(context, time);
    context.fold.note(unknownEvent(type));
  }
}
