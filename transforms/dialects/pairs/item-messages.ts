/**
 * Builds messages from items of the Responses API: consecutive items of the model form one message, up to the next
 * result or user item.
 */

import type { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { replaceValue } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { Message, ReadingNote, ToolDefinition } from '../../model/element.ts';
import { AssistantDraft } from '../fold/assistant-draft.ts';
import { RESPONSE_ITEM } from '../shared/known-bodies.ts';
import { ITEM_ID } from '../shared/open-calls.ts';
import { noted, SEALED_CONTEXT } from '../shared/reading-notes.ts';
import type { ResponseResult } from '../shared/response-results.ts';
import { MORE_TOOLS, type ResponseItem, readItem } from '../shared/responses-items.ts';
import { definitionsOf, flattenAny, NO_TOOLS, withTools } from '../shared/tool-definitions.ts';
import { unreadIn } from '../shared/unread-text.ts';

/** A call of a message. */
export interface CallIds {
  readonly id: string | undefined;
  /** The id of its item, if that is another one: some clients log the result under it. */
  readonly item: string | undefined;
}

/** A message with facts that its entry counts. */
export interface ReadMessage {
  /** Undefined if the message is empty. */
  readonly message: Message | undefined;
  /** Its calls, in order. */
  readonly calls: readonly CallIds[];
  /** Whether it has encrypted reasoning. */
  readonly isSealed: boolean;
  /** Rules that rewrote the message. */
  readonly changes: readonly string[];
}

// most messages of a chain have these lists, and are held
const NO_CALLS: ReadMessage['calls'] = [];
const NO_RULES: readonly string[] = [];
const SEALED = ['sealed-reasoning'] as const;

/** A message with nothing to count but encrypted reasoning. */
export const asReadMessage = (message: Message): ReadMessage => ({
  message,
  calls: NO_CALLS,
  isSealed: message.sealed !== undefined,
  changes: message.sealed === 'dropped' ? SEALED : NO_RULES,
});

/** The state between two items, from which reading can continue. */
export interface ItemState {
  readonly messages: readonly ReadMessage[];
  readonly notes: readonly ReadingNote[];
  /** The calls that results may answer, in order. */
  readonly open: readonly CallIds[];
  /** Results since the last message, not yet in the order of their calls. */
  readonly results: readonly ResponseResult[];
  /** Tools that the client has added so far. */
  readonly tools: readonly ToolDefinition[];
}

/** @param open the calls of the previous message */
export const stateBefore = (open: readonly CallIds[] = []): ItemState => ({
  ...{ messages: [], notes: [], open, results: [], tools: NO_TOOLS },
});

const idsOf = (id: string | undefined, view: JsonView): CallIds => {
  const item = view.textOf('id');
  return { id, item: item === id ? undefined : item };
};

/** The results with the ids of their calls, where one names the item of the call, or the call has only the item's id. */
function joinedByItems(results: readonly ResponseResult[], open: readonly CallIds[]): ResponseResult[] {
  const named = new Set(results.map(({ callId }) => callId));
  const nameless = open.filter(({ id }) => id !== undefined && ITEM_ID.test(id) && !named.has(id));
  return results.map((result) => {
    const { callId, message } = result;
    if (callId === undefined || open.some(({ id }) => id === callId)) return result;
    const byItem = open.find(({ item }) => item === callId);
    const { id } = byItem ?? (ITEM_ID.test(callId) ? undefined : nameless.shift()) ?? {};
    const bytes =
      id === undefined ? undefined : replaceValue(message.bytes, 'tool_call_id', encode(quote(id)));
    return bytes === undefined ? result : { ...result, callId: id, message: { ...message, bytes } };
  });
}

export class ItemMessages {
  readonly #keepSealed: boolean;
  readonly #messages: ReadMessage[];
  /** Findings to report with the next message. */
  #notes: ReadingNote[];
  #draft: AssistantDraft | undefined;
  #calls: CallIds[] = [];
  /** The calls that results may answer, in order. */
  #open: readonly CallIds[];
  #results: ResponseResult[];
  #tools: readonly ToolDefinition[];

  constructor(keepSealed: boolean, { messages, notes, open, results, tools }: ItemState = stateBefore()) {
    this.#keepSealed = keepSealed;
    this.#messages = [...messages];
    this.#notes = [...notes];
    this.#open = open;
    this.#results = [...results];
    this.#tools = tools;
  }

  /** The state after the last item; undefined if a message of the model is not finished. */
  state(): ItemState | undefined {
    if (this.#draft !== undefined) return undefined;
    return {
      messages: [...this.#messages],
      notes: [...this.#notes],
      open: this.#open,
      results: [...this.#results],
      tools: this.#tools,
    };
  }

  /** Adds an item. @returns what is wrong with it, if it is not valid */
  put(view: JsonView): string | undefined {
    if (view.textOf('type') === MORE_TOOLS) return this.#addTools(view.get('tools'));
    const item = readItem(view);
    if (item.kind === 'bad') return item.detail;
    const unread = unreadIn(view, RESPONSE_ITEM, 'an item');
    if (unread !== undefined) this.#notes.push(unread);
    if (item.kind === 'result') this.#result(item);
    else this.#addOther(item, view);
    return undefined;
  }

  #addTools(list: JsonView | undefined): string | undefined {
    const tools = list && definitionsOf(list.copy(), flattenAny);
    if (tools === undefined) return 'additional tools are not a list of definitions';
    this.#endResults();
    this.#endDraft();
    this.#tools = withTools(this.#tools, tools);
    return undefined;
  }

  #addOther(item: Exclude<ResponseItem, { readonly kind: 'result' | 'bad' }>, view: JsonView): void {
    this.#endResults();
    if (item.kind === 'message') {
      this.#endDraft();
      this.#add({ ...asReadMessage(item.message), changes: item.changes ?? NO_RULES });
      return;
    }
    if (item.kind === 'sealed-context') {
      this.#endDraft();
      this.#notes.push(SEALED_CONTEXT);
      return;
    }
    this.#draft ??= new AssistantDraft();
    if (item.kind === 'unknown') {
      this.#draft.put({ kind: 'part', object: view.copy(), kept: item.type }, 'add');
      return;
    }
    this.#notes.push(...item.notes);
    for (const block of item.blocks) {
      this.#draft.put(block, 'add');
      if (block.kind === 'call') this.#calls.push(idsOf(block.id, view));
    }
  }

  #result(item: ResponseResult): void {
    this.#endDraft();
    this.#results.push(item);
  }

  /** Adds the collected results in the order of their calls. */
  #endResults(): void {
    if (this.#results.length === 0) return;
    const open = this.#open;
    const place = ({ callId }: ResponseResult): number => {
      const at = callId === undefined ? -1 : open.findIndex(({ id }) => id === callId);
      return at < 0 ? open.length : at;
    };
    const joined = this.#results.every((result) => place(result) < open.length)
      ? this.#results
      : joinedByItems(this.#results, open);
    const results = joined.toSorted((a, b) => place(a) - place(b));
    this.#results = [];
    this.#open = [];
    for (const { message, changes, notes } of results)
      this.#add({ message: noted(message, notes), calls: NO_CALLS, isSealed: false, changes });
  }

  #endDraft(): void {
    const draft = this.#draft;
    if (draft === undefined) return;
    const isEmpty = draft.isEmpty(this.#keepSealed);
    const isSealed = draft.isSealed;
    const changes = isSealed && !this.#keepSealed ? SEALED : isEmpty ? ['empty-assistant'] : NO_RULES;
    const message = isEmpty ? undefined : draft.message(this.#keepSealed);
    this.#draft = undefined;
    this.#open = this.#calls.length === 0 ? NO_CALLS : this.#calls;
    this.#calls = [];
    this.#add({ message, calls: this.#open, isSealed, changes });
  }

  #add(entry: ReadMessage): void {
    const notes = this.#notes;
    if (entry.message !== undefined) this.#notes = [];
    this.#messages.push(
      entry.message === undefined ? entry : { ...entry, message: noted(entry.message, notes) },
    );
  }

  /** Returns all messages, the notes that belong to no message, and the tools that were added. */
  end(): Pick<ItemState, 'messages' | 'notes' | 'tools'> {
    this.#endResults();
    this.#endDraft();
    return { messages: this.#messages, notes: this.#notes, tools: this.#tools };
  }
}
