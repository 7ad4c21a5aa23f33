/** Random access to the records of a shard. A record is one line or, in a deck or session traces, several. */
import { type BeginsRecord, type JoinedRecord, RecordLines } from '../dataset/record-lines.ts';
import { recordStart } from '../dataset/shard-name.ts';
import { LineIndex, MAX_LINE_BYTES, START_BYTES } from './line-index.ts';

/** Keeps the first line of every eighth record; the others are found from there. */
const EVERY = 8;
const LINES_AT_ONCE = 64;
export class RecordIndex {
  readonly #lines: LineIndex;
  readonly #begins: BeginsRecord | undefined;
  /** Number of the first line of every eighth record. */
  readonly #marks: number[] = [];
  #records = 0;

  /**
   * @param path the file, unpacked
   * @param shard its path in the dataset, which determines the kind of its records
   */
  constructor(path: string, shard: string) {
    const begins = recordStart(shard);
    this.#begins = begins;
    if (begins === undefined) {
      this.#lines = new LineIndex(path);
      this.#records = this.#lines.lines;
      return;
    }
    let line = 0;
    this.#lines = new LineIndex(path, (start) => {
      // the first line begins a record, whatever its text
      if (line === 0 || begins(start)) {
        if (this.#records % EVERY === 0) this.#marks.push(line);
        this.#records += 1;
      }
      line += 1;
    });
  }

  get records(): number {
    return this.#records;
  }

  /** Returns at most `count` records from `from` on, each with at most `most` bytes. */
  page(from: number, count: number, most: number = MAX_LINE_BYTES): readonly JoinedRecord[] {
    if (this.#begins === undefined) return this.#lines.page(from, count, most);
    if (from < 0 || from >= this.#records || count <= 0) return [];
    return this.#gather(this.#begins, from, Math.min(count, this.#records - from), most);
  }

  close(): void {
    this.#lines.close();
  }

  #gather(begins: BeginsRecord, from: number, count: number, most: number): readonly JoinedRecord[] {
    const gathered: JoinedRecord[] = [];
    const records = new RecordLines(begins, most);
    const mostOfLine = Math.max(most, START_BYTES);
    let before = from % EVERY;
    const take = (record: JoinedRecord | undefined): void => {
      if (record === undefined) return;
      if (before > 0) before -= 1;
      else gathered.push(record);
    };
    const first = this.#marks[Math.floor(from / EVERY)] as number;
    for (let at = first; at < this.#lines.lines; at += LINES_AT_ONCE) {
      for (const { bytes, content } of this.#lines.page(at, LINES_AT_ONCE, mostOfLine)) {
        take(records.add(content, bytes));
        if (gathered.length === count) return gathered;
      }
    }
    take(records.end());
    return gathered;
  }
}
