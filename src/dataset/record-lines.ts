/** Joins the lines of a shard into records: in a TOML deck and in session traces, a record has several lines. */

const LINE_FEED = Buffer.from('\n');

/** Returns whether a line begins a record (`recordStart`). */
export type BeginsRecord = (line: Uint8Array) => boolean;

export interface JoinedRecord {
  /** Length of the whole record, without its last line end. */
  readonly bytes: number;
  /** A copy of its first bytes, cut at the limit of `RecordLines`. */
  readonly content: Buffer;
}

export class RecordLines {
  readonly #begins: BeginsRecord;
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #kept = 0;
  /** Length of the open record; undefined before the first line. */
  #bytes: number | undefined;

  /** @param most number of bytes of a record to keep */
  constructor(begins: BeginsRecord, most: number = Number.POSITIVE_INFINITY) {
    this.#begins = begins;
    this.#most = most;
  }

  /**
   * Adds a line without its line end. The first line always begins a record.
   * @param bytes length of the line, if `line` is only its beginning
   * @returns the record before this line, if this line begins another one
   */
  add(line: Uint8Array, bytes: number = line.length): JoinedRecord | undefined {
    const done = this.#begins(line) ? this.end() : undefined;
    if (this.#bytes !== undefined) this.#keep(LINE_FEED);
    this.#keep(line);
    this.#bytes = this.#bytes === undefined ? bytes : this.#bytes + LINE_FEED.length + bytes;
    return done;
  }

  /** Returns the last record; undefined if there was no line. */
  end(): JoinedRecord | undefined {
    const bytes = this.#bytes;
    if (bytes === undefined) return undefined;
    const content = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#kept = 0;
    this.#bytes = undefined;
    return { bytes, content };
  }

  #keep(piece: Uint8Array): void {
    const kept = piece.subarray(0, this.#most - this.#kept);
    if (kept.length > 0) this.#pieces.push(Buffer.from(kept));
    this.#kept += kept.length;
  }
}
