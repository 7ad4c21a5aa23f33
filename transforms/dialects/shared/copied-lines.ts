/**
 * Notices a log that a file has twice: one that was appended to itself, or a later state of it to an earlier one. After
 * its first line comes again, the lines that follow are copies as long as they are the same as before.
 */
import { crc32 } from 'node:zlib';
import type { JsonView } from '../../json/json-view.ts';
import { decode } from '../../json/utf8.ts';
import type { Origin } from '../../model/element.ts';
import { NumberColumn } from '../../model/number-column.ts';

export class CopiedLines {
  /** Checksum and length of each line that was read. A cryptographic hash would take a quarter of the time of a build. */
  readonly #sums = new NumberColumn();
  readonly #lengths = new NumberColumn();
  #lines = 0;
  #session: string | undefined;
  /** Number of the first line of the session. */
  #first = 0;
  /** Number of the line that the next one repeats, if the one before was a copy. */
  #next: number | undefined;
  #offset = -1;
  #isCopied = false;
  /** Time of the last line that has one. */
  #time: string | undefined;

  /**
   * Called for each line of a log without headers before it is read. The first line comes again only after a line of
   * another time: all messages may have one time, and a person may say the same twice.
   */
  isTimedCopy(json: JsonView, origin: Origin, time: JsonView | string | undefined): boolean {
    const own = typeof time === 'object' ? decode(time.bytes) : time;
    const isOther = own !== undefined && this.#time !== undefined && own !== this.#time;
    if (origin.offset !== this.#offset) this.#time = own ?? this.#time;
    return this.isCopy(json, origin, isOther);
  }

  /**
   * Called for each line before it is read.
   * @param mayBegin whether it can be the first line again
   * @param session id of the session that the line before belongs to, if a file may have several one after another
   */
  isCopy({ bytes }: JsonView, { offset }: Origin, mayBegin: boolean, session?: string): boolean {
    if (offset === this.#offset) return this.#isCopied; // a line with NaN is read several times
    this.#offset = offset;
    if (session !== this.#session) this.#first = Math.max(this.#lines - 1, 0);
    this.#session = session;
    const sum = crc32(bytes);
    const first = mayBegin ? this.#first : undefined;
    const isNext = this.#isLine(this.#next, sum, bytes.length);
    this.#isCopied = isNext || this.#isLine(first, sum, bytes.length);
    if (this.#isCopied) this.#next = ((isNext ? this.#next : first) as number) + 1;
    else this.#add(sum, bytes.length);
    return this.#isCopied;
  }

  #isLine(line: number | undefined, sum: number, length: number): boolean {
    if (line === undefined || line >= this.#lines) return false;
    return this.#sums.at(line) === sum && this.#lengths.at(line) === length;
  }

  #add(sum: number, length: number): void {
    this.#next = undefined;
    this.#sums.set(this.#lines, sum);
    this.#lengths.set(this.#lines, length);
    this.#lines++;
  }
}
