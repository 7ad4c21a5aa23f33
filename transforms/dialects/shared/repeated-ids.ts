/** Objects of a log that have the id of an earlier one: an object is read once, and another one with its id is rejected. */
import type { JsonView } from '../../json/json-view.ts';
import type { Fate, Rejection } from '../../model/element.ts';
import { HashedSet, hashOf } from '../../model/hashed-set.ts';
import type { ReadContext } from '../dialect-spec.ts';

const OTHER = 'an earlier object has the same id and other content';

export class RepeatedIds {
  readonly #ids = new HashedSet();
  readonly #objects = new HashedSet();

  /** The fate of an object whose id occurred before; undefined if the id is new. */
  fateOf(id: string, json: JsonView, context: ReadContext): Fate | Rejection | undefined {
    const isOther = this.#objects.add(`${id} ${hashOf(json.bytes).toString('latin1')}`);
    if (this.#ids.add(id)) return undefined;
    return isOther ? context.reject('bad-event', OTHER, json) : context.drop('copied-line');
  }
}
