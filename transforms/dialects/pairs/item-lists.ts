/**
 * Reads the items of consecutive requests of the Responses API. A request often repeats the whole list of the request
 * before and adds to it: then only the new items are read.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Message, ReadingNote, ToolDefinition } from '../../model/element.ts';
import { ContinuedLists } from '../shared/continued-lists.ts';
import { noted } from '../shared/reading-notes.ts';
import { ItemMessages, type ItemState, type ReadMessage, stateBefore } from './item-messages.ts';
import { ItemTable } from './item-table.ts';

const UNKNOWN_ITEM = 'an item_reference names an item that is not in the source';

export interface ReadList {
  readonly messages: readonly ReadMessage[];
  /** Findings about items, if there is no message to report them with. */
  readonly notes: readonly ReadingNote[];
  /** Tools that the client added between the items. */
  readonly tools: readonly ToolDefinition[];
}

export interface BadItem {
  readonly item: JsonView;
  readonly detail: string;
  /** Does it refer to an item that is not known, or not yet? */
  readonly isUnknown?: true;
}

interface ListState {
  /** Open calls before the list. */
  readonly open: ReadMessage['calls'];
  readonly items: ItemState;
}

export class ItemLists {
  readonly #keepSealed: boolean;
  readonly #table: ItemTable;
  readonly #known = new ContinuedLists<ListState>();

  /** @param table items that a list may refer to */
  constructor(keepSealed: boolean, table: ItemTable = new ItemTable(0)) {
    this.#keepSealed = keepSealed;
    this.#table = table;
  }

  /** Returns the messages; or an item that is not valid, or refers to an unknown one, and why. */
  read(list: JsonView, open: ReadMessage['calls']): ReadList | BadItem {
    const known = this.#known.find(list, (state) => areEqual(open, state.open));
    const messages = new ItemMessages(this.#keepSealed, known?.state.items ?? stateBefore(open));
    const items = list.elements();
    for (let i = known?.count ?? 0; i < items.length; i++) {
      const item = items[i] as JsonView;
      const resolved = this.#table.resolve(item);
      if (resolved === undefined) return { item, detail: UNKNOWN_ITEM, isUnknown: true };
      const detail = messages.put(resolved);
      if (detail !== undefined) return { item, detail };
    }
    const state = messages.state();
    if (state !== undefined)
      this.#known.add(list, { count: items.length, state: { open, items: state } }, known);
    return withLastNotes(messages.end());
  }
}

/** Findings about items after the last message are reported with it. */
function withLastNotes({ messages, notes, tools }: ReadList): ReadList {
  const last = messages.findLastIndex(({ message }) => message !== undefined);
  if (notes.length === 0 || last < 0) return { messages, notes, tools };
  const read = messages[last] as ReadMessage;
  const message = noted(read.message as Message, notes);
  return { messages: messages.with(last, { ...read, message }), notes: [], tools };
}

const areEqual = (a: ReadMessage['calls'], b: ReadMessage['calls']): boolean =>
  a.length === b.length && a.every(({ id, item }, i) => id === b[i]?.id && item === b[i]?.item);
