/**
 * Notices an object that a log has twice in a row: some writers repeat a line after an error. Only objects with an id or
 * a time are compared, because a person may type the same text twice.
 */
import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import type { Origin } from '../../model/element.ts';

export class LastObject {
  #last: { readonly bytes: Uint8Array; readonly offset: number } | undefined;

  /** @param mark the id or the time of the object */
  isAgain(json: JsonView, mark: string | undefined, { offset }: Origin): boolean {
    const last = this.#last;
    const hasMark = mark !== undefined && mark !== '';
    // a line with NaN is read several times
    if (hasMark && last !== undefined && isSameBytes(last.bytes, json.bytes)) return last.offset !== offset;
    this.#last = hasMark ? { bytes: json.copy(), offset } : undefined;
    return false;
  }
}
