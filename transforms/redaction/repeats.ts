/** Finds all places of values in a text. Its time does not grow with their number: a list of addresses may have thousands. */

/** A shorter value may be a word. */
export const MIN_REPEATED_BYTES = 8;
/** Fewer values are looked for one after the other, which is faster. */
const MIN_VALUES_OF_TABLE = 8;

/** @param found gets each value, and where it begins; of two that begin at the same place, the longer one */
export function eachRepeat(
  bytes: Buffer,
  values: readonly string[],
  found: (value: string, at: number) => void,
): void {
  if (values.length >= MIN_VALUES_OF_TABLE) {
    new ValueTable(values).each(bytes, found);
    return;
  }
  for (const value of values)
    for (let at = bytes.indexOf(value, 0, 'latin1'); at >= 0; at = bytes.indexOf(value, at + 1, 'latin1'))
      found(value, at);
}

class ValueTable {
  readonly #sorted: readonly string[];
  /** For each value, the longest one that it begins with; -1 if there is none. */
  readonly #prefixes: Int32Array;
  /** Hashes of their first bytes. */
  readonly #hashes: Uint8Array;

  constructor(values: readonly string[]) {
    this.#sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
    this.#prefixes = new Int32Array(values.length).fill(-1);
    this.#hashes = new Uint8Array(2 ** Math.ceil(Math.log2(16 * values.length)));
    for (const [index, value] of this.#sorted.entries()) {
      let prefix = index - 1;
      while (prefix >= 0 && !value.startsWith(this.#sorted[prefix] as string))
        prefix = this.#prefixes[prefix] as number;
      this.#prefixes[index] = prefix;
      const start = Buffer.from(value, 'latin1');
      this.#hashes[this.#hashOf(start.readInt32LE(0), start.readInt32LE(4))] = 1;
    }
  }

  each(bytes: Buffer, found: (value: string, at: number) => void): void {
    const hashes = this.#hashes;
    const last = bytes.length - MIN_REPEATED_BYTES;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at <= last; at++) {
      if (hashes[this.#hashOf(view.getInt32(at, true), view.getInt32(at + 4, true))] === 0) continue;
      const value = this.#valueAt(bytes, at);
      if (value !== undefined) found(value, at);
    }
  }

  #hashOf(low: number, high: number): number {
    const mixed = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b);
    return (mixed ^ (mixed >>> 15)) & (this.#hashes.length - 1);
  }

  /** Returns the longest value that is here. */
  #valueAt(bytes: Buffer, at: number): string | undefined {
    let low = 0; // the last value that is not after the text is before or at `high`
    let high = this.#sorted.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (isAfter(this.#sorted[middle] as string, bytes, at)) high = middle - 1;
      else low = middle + 1;
    }
    if (high < 0) return undefined;
    const same = sameLength(this.#sorted[high] as string, bytes, at);
    while (high >= 0 && (this.#sorted[high] as string).length > same) high = this.#prefixes[high] as number;
    return this.#sorted[high];
  }
}

/** Number of characters that the value and the text have in common. */
function sameLength(value: string, bytes: Buffer, at: number): number {
  let same = 0;
  while (same < value.length && value.charCodeAt(same) === bytes[at + same]) same++;
  return same;
}

/** Whether the value comes after the text in the order of bytes. */
function isAfter(value: string, bytes: Buffer, at: number): boolean {
  const same = sameLength(value, bytes, at);
  return same < value.length && value.charCodeAt(same) > (bytes[at + same] ?? -1);
}
