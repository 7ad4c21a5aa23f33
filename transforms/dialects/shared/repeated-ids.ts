/** Objects of a log that have the id of an earlier one: an object is read once, and another one with its id is rejected. */
import type { JsonView } from '../../json/json-view.ts';
import type { LineFate, Origin } from '../../model/element.ts';
import { HashedSet, hashOf } from '../../model/hashed-set.ts';
import type { ReadContext } from '../dialect-spec.ts';

const OTHER = 'an earlier object has the same id and other content';

export class RepeatedIds {
  readonly #ids = new HashedSet();
  readonly #objects = new HashedSet();
  /** The line of the last new id, and the new ids of that line: a line with NaN is read several times. */
  #line: number | undefined;
  #onLine = new Set<string>();

  /** The fate of an object whose id occurred before; undefined if the id is new. */
  fateOf(id: string, json: JsonView, context: ReadContext): LineFate {
    const isOther = this.#objects.add(`${id} ${hashOf(json.bytes).toString('latin1')}`);
    if (this.#isNew(id, json, context.origin)) return undefined;
    return isOther ? context.reject('bad-event', OTHER, json) : context.drop('copied-line');
  }

  #isNew(id: string, { at }: JsonView, { line }: Origin): boolean {
    if (line !== this.#line && this.#onLine.size > 0) this.#onLine = new Set();
    this.#line = line;
    const place = `${at} ${id}`;
    if (this.#ids.add(id)) this.#onLine.add(place);
    return this.#onLine.has(place);
  }
}
