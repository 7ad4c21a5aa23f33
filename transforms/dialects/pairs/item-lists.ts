/**
 * Reads the items of consecutive requests of the Responses API. A request often repeats the whole list of the request
 * before and adds to it: then only the new items are read.
 */
import { CLOSE_ARRAY, COMMA } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { copyOf } from '../../json/keep.ts';
import { equalsAt } from '../../json/known-list.ts';
import { skipBlanks } from '../../json/scanner.ts';
import { ItemMessages, type ItemState, type ReadMessage, stateBefore } from './item-messages.ts';
import { ItemTable } from './item-table.ts';

/** Longer lists are read in full each time: remembering them would take more memory than a line. */
const KNOWN_MAX_BYTES = 1024 * 1024;

const UNKNOWN_ITEM = 'an item_reference names an item that is not in the source';

export interface BadItem {
  readonly item: JsonView;
  readonly detail: string;
  /** Does it refer to an item that is not known, or not yet? */
  readonly isUnknown?: true;
}

interface KnownList {
  /** The list without its closing bracket. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Open calls before the list. */
  readonly open: ReadMessage['calls'];
  readonly state: ItemState;
}

export class ItemLists {
  readonly #keepSealed: boolean;
  readonly #table: ItemTable;
  #known: KnownList | undefined;

  /** @param table items that a list may refer to */
  constructor(keepSealed: boolean, table: ItemTable = new ItemTable(0)) {
    this.#keepSealed = keepSealed;
    this.#table = table;
  }

  /** Returns the messages; or an item that is not valid, or refers to an unknown one, and why. */
  read(list: JsonView, open: ReadMessage['calls']): readonly ReadMessage[] | BadItem {
    const known = this.#knownIn(list.bytes, open);
    const messages = new ItemMessages(this.#keepSealed, known?.state ?? stateBefore(open));
    const items = list.elements();
    for (let i = known?.count ?? 0; i < items.length; i++) {
      const item = items[i] as JsonView;
      const resolved = this.#table.resolve(item);
      if (resolved === undefined) return { item, detail: UNKNOWN_ITEM, isUnknown: true };
      const detail = messages.put(resolved);
      if (detail !== undefined) return { item, detail };
    }
    this.#remember(list.bytes, items.length, open, messages.state());
    return messages.end().messages;
  }

  #knownIn(bytes: Uint8Array, open: ReadMessage['calls']): KnownList | undefined {
    const known = this.#known;
    if (known === undefined || !equalsAt(bytes, 0, known.bytes) || !areEqual(open, known.open))
      return undefined;
    const next = bytes[skipBlanks(bytes, known.bytes.length)];
    return next === CLOSE_ARRAY || (next === COMMA && known.count > 0) ? known : undefined;
  }

  #remember(
    bytes: Uint8Array,
    count: number,
    open: ReadMessage['calls'],
    state: ItemState | undefined,
  ): void {
    const isShort = bytes.length <= KNOWN_MAX_BYTES;
    this.#known =
      state !== undefined && isShort
        ? { bytes: copyOf(bytes, 0, bytes.length - 1), count, open, state }
        : undefined;
  }
}

const areEqual = (a: ReadMessage['calls'], b: ReadMessage['calls']): boolean =>
  a.length === b.length && a.every(({ id, item }, i) => id === b[i]?.id && item === b[i]?.item);
