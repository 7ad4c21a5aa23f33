/**
 * Finds the texts that `load_dataset` would rewrite. It reads a shard in blocks, and takes a column in which all texts of a
 * block look like times for times, whatever type the card gives it.
 */

/** The loader's `chunksize`: a block is this long, and ends with the line that it ends in. */
const BLOCK_BYTES = 10 * 2 ** 20;

/** The times that Arrow reads. */
const TIME = /^\d{4}-\d\d-\d\d(?:[ T]\d\d(?::\d\d(?::\d\d)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/;

export const looksLikeTime = (text: string): boolean => TIME.test(text);

interface Block {
  bytes: number;
  /** Whether all texts so far look like times, by their place in the record. */
  readonly texts: Map<string, boolean>;
}

const emptyBlock = (): Block => ({ bytes: 0, texts: new Map() });

export class TimeBlocks {
  readonly #open = new Map<string, Block>();
  readonly #timed = new Set<string>();
  #current: Block = emptyBlock();

  /** Begins a record. @param bytes its length, with the line feed */
  begin(shard: string, bytes: number): void {
    const open = this.#open.get(shard);
    if (open !== undefined && open.bytes <= BLOCK_BYTES) this.#current = open;
    else {
      if (open !== undefined) this.#end(open);
      this.#current = emptyBlock();
      this.#open.set(shard, this.#current);
    }
    this.#current.bytes += bytes;
  }

  /** Begins a record of several lines, which may be in several blocks: it counts as one. */
  beginAlone(): void {
    this.#end(this.#current);
    this.#current = emptyBlock();
  }

  /** Whether the block of the record has a text at this place that does not look like a time. */
  isSafe(place: string): boolean {
    return this.#current.texts.get(place) === false;
  }

  see(text: string, place: string): void {
    const { texts } = this.#current;
    const isTimed = texts.get(place);
    if (isTimed !== false) texts.set(place, looksLikeTime(text));
  }

  /** Returns the places whose texts the loader would rewrite in a block. */
  timed(): ReadonlySet<string> {
    for (const block of [...this.#open.values(), this.#current]) this.#end(block);
    return this.#timed;
  }

  #end({ texts }: Block): void {
    for (const [place, isTimed] of texts) if (isTimed) this.#timed.add(place);
  }
}
