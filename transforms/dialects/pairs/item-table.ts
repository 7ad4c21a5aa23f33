/** Items that the responses of a source had, for requests that name them by id (`item_reference`) instead of repeating them. */
import { JsonView } from '../../json/json-view.ts';
import { createKeeper } from '../../json/keep.ts';

const MAX_ITEMS = 50_000;

/** Most items are small: a buffer for each would take three times the room. */
const keep = createKeeper();

export class ItemTable {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #items = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Remembers the items of a list; forgets the oldest ones if there are too many. */
  add(list: JsonView | undefined): void {
    for (const item of list?.elements() ?? []) {
      const id = item.textOf('id');
      if (id === undefined) continue;
      this.#drop(id);
      this.#items.set(id, keep(item.copy(), 0, item.length));
      this.#bytes += item.length;
    }
    for (const id of this.#items.keys()) {
      if (this.#items.size <= MAX_ITEMS && this.#bytes <= this.#maxBytes) break;
      this.#drop(id);
    }
  }

  #drop(id: string): void {
    this.#bytes -= this.#items.get(id)?.length ?? 0;
    this.#items.delete(id);
  }

  /** The item itself, or the one that it refers to; undefined if that is not known. */
  resolve(item: JsonView): JsonView | undefined {
    if (!isReference(item)) return item;
    const known = this.#items.get(item.textOf('id') ?? '');
    return known && new JsonView(known);
  }
}

const isReference = (item: JsonView): boolean => {
  const type = item.textOf('type');
  const isBare = type === undefined && item.textOf('role') === undefined && item.textOf('id') !== undefined;
  return type === 'item_reference' || isBare;
};
