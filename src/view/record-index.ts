/** Random access to the records of a shard. A record is one line or, in a deck or a shard of traces, several. */
import { recordStart } from '../dataset/shard-name.ts';
import { LineIndex, MOST_LINE_BYTES } from './line-index.ts';

/** Keeps the first line of every eighth record; the others are found from there. */
const EVERY = 8;
const LINES_AT_ONCE = 64;
const LINES_OF_SCAN = 1024;
/** This many bytes tell whether a line begins a record. */
const START_BYTES = 64;
const LINE_FEED = Buffer.from('\n');

export interface IndexedRecord {
  /** Length of the whole record, without its final newline. */
  readonly bytes: number;
  /** Its bytes, as far as requested. */
  readonly content: Buffer;
}

export class RecordIndex {
  readonly #lines: LineIndex;
  readonly #begins: ((line: Uint8Array) => boolean) | undefined;
  /** Number of the first line of every eighth record. */
  readonly #marks: number[] = [];
  #records = 0;

  /**
   * @param path the file, unpacked
   * @param shard its path in the dataset, which tells the kind of its records
   */
  constructor(path: string, shard: string) {
    this.#lines = new LineIndex(path);
    this.#begins = recordStart(shard);
    if (this.#begins === undefined) this.#records = this.#lines.lines;
    else this.#scan(this.#begins);
  }

  get records(): number {
    return this.#records;
  }

  /** Returns at most `count` records from `from` on, each with at most `most` bytes. */
  page(from: number, count: number, most: number = MOST_LINE_BYTES): readonly IndexedRecord[] {
    if (this.#begins === undefined) return this.#lines.page(from, count, most);
    if (from < 0 || from >= this.#records || count <= 0) return [];
    return this.#gather(this.#begins, from, Math.min(count, this.#records - from), most);
  }

  close(): void {
    this.#lines.close();
  }

  #scan(begins: (line: Uint8Array) => boolean): void {
    for (let at = 0; at < this.#lines.lines; at += LINES_OF_SCAN) {
      for (const [i, { content }] of this.#lines.page(at, LINES_OF_SCAN, START_BYTES).entries()) {
        if (at + i > 0 && !begins(content)) continue; // the first line begins a record, whatever its text
        if (this.#records % EVERY === 0) this.#marks.push(at + i);
        this.#records += 1;
      }
    }
  }

  #gather(
    begins: (line: Uint8Array) => boolean,
    from: number,
    count: number,
    most: number,
  ): readonly IndexedRecord[] {
    const found: RecordLines[] = [];
    const first = this.#marks[Math.floor(from / EVERY)] as number;
    const mostOfLine = Math.max(most, START_BYTES);
    let before = from % EVERY;
    for (let at = first; at < this.#lines.lines; at += LINES_AT_ONCE) {
      for (const [i, { bytes, content }] of this.#lines.page(at, LINES_AT_ONCE, mostOfLine).entries()) {
        const isStart = at + i === first || begins(content);
        if (isStart && before > 0) before -= 1;
        else if (isStart && found.length < count) found.push(new RecordLines(most));
        else if (isStart) return found.map((record) => record.take());
        found.at(-1)?.add(bytes, content);
      }
    }
    return found.map((record) => record.take());
  }
}

/** The lines of a record, up to the requested number of bytes. */
class RecordLines {
  readonly #most: number;
  readonly #pieces: Buffer[] = [];
  #kept = 0;
  #bytes = -LINE_FEED.length;

  constructor(most: number) {
    this.#most = most;
  }

  add(bytes: number, content: Buffer): void {
    if (this.#bytes >= 0) this.#keep(LINE_FEED);
    this.#keep(content);
    this.#bytes += LINE_FEED.length + bytes;
  }

  #keep(piece: Buffer): void {
    const kept = piece.subarray(0, this.#most - this.#kept);
    if (kept.length > 0) this.#pieces.push(kept);
    this.#kept += kept.length;
  }

  take(): IndexedRecord {
    return { bytes: this.#bytes, content: Buffer.concat(this.#pieces) };
  }
}
