/**
 * Notices a rollout that a log has twice: a file that was appended to itself, or a later state of it to an earlier one.
 * After the header of the session comes again, the lines that follow are copies as long as they are the same as before.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Origin } from '../../model/element.ts';
import { hashOf } from '../../model/hashed-set.ts';
import { NumberColumn } from '../../model/number-column.ts';

/** 32-bit words of its hash that are kept of each line. */
const WORDS = 2;
const WORD_BYTES = 4;

export class CopiedRollout {
  readonly #words = new NumberColumn();
  #lines = 0;
  #session: string | undefined;
  /** Number of the line with its header. */
  #header = 0;
  /** Number of the line that the next one repeats, if the one before was a copy. */
  #next: number | undefined;
  #offset = -1;
  #isCopied = false;

  /**
   * Called for each line before it is read.
   * @param header id in a header
   * @param session id of the session that the lines before belong to
   */
  isCopy(
    { bytes }: JsonView,
    header: string | undefined,
    session: string | undefined,
    { offset }: Origin,
  ): boolean {
    if (session === undefined && header === undefined) return false;
    if (offset === this.#offset) return this.#isCopied; // a line with NaN is read several times
    this.#offset = offset;
    if (session !== this.#session) this.#header = Math.max(this.#lines - 1, 0);
    this.#session = session;
    const hash = hashOf(bytes);
    const first = header !== undefined && header === session ? this.#header : undefined;
    const at = [this.#next, first].find((line) => line !== undefined && this.#isLine(line, hash));
    this.#isCopied = at !== undefined;
    this.#next = at === undefined ? undefined : at + 1;
    if (at === undefined) this.#add(hash);
    return this.#isCopied;
  }

  #isLine(line: number, hash: Buffer): boolean {
    if (line >= this.#lines) return false;
    for (let i = 0; i < WORDS; i++)
      if (this.#words.at(line * WORDS + i) !== hash.readUInt32LE(i * WORD_BYTES)) return false;
    return true;
  }

  #add(hash: Buffer): void {
    for (let i = 0; i < WORDS; i++)
      this.#words.set(this.#lines * WORDS + i, hash.readUInt32LE(i * WORD_BYTES));
    this.#lines++;
  }
}
