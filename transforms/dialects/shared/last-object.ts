/**
 * Notices an object that a log has twice in a row: some writers repeat a line after an error. Only objects with an id or
 * a time are compared, because a person may type the same text twice.
 */
import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import type { Origin } from '../../model/element.ts';
import { present } from './logged-values.ts';

/** A longer object gets memory that is freed with the next one. */
const MAX_ROOM_BYTES = 1024 * 1024;

export class LastObject {
  /** Holds the last object, and is reused: a copy of each line would be garbage. */
  #room = new Uint8Array(0);
  /** 0 if the last object had neither an id nor a time. */
  #length = 0;
  #offset = 0;

  /** @param mark the id or the time of the object */
  isAgain({ bytes }: JsonView, mark: JsonView | string | undefined, { offset }: Origin): boolean {
    const hasMark = typeof mark === 'string' ? mark !== '' : present(mark);
    const isSame =
      hasMark && bytes.length === this.#length && isSameBytes(this.#room.subarray(0, this.#length), bytes);
    if (isSame) return this.#offset !== offset; // a line with NaN is read several times
    this.#length = hasMark ? bytes.length : 0;
    this.#offset = offset;
    if (this.#room.length < this.#length || this.#room.length > MAX_ROOM_BYTES)
      this.#room = new Uint8Array(this.#length);
    if (hasMark) this.#room.set(bytes);
    return false;
  }
}
