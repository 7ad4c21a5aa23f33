/**
 * Reports members of a log's objects that are not read, so that nothing is lost silently: each name once per source.
 */

import type { JsonView } from '../json/json-view.ts';
import type { ReadingNote } from '../model/element.ts';
import { warning } from './reading-notes.ts';

const PLAIN_KEY = /^[\w.-]{1,40}$/;
const MOST_NAMES = 32;

export class IgnoredMembers {
  readonly #read: ReadonlySet<string>;
  readonly #named = new Set<string>();

  /** @param read members that are read or carry no information */
  constructor(read: ReadonlySet<string>) {
    this.#read = read;
  }

  /** The note on this object; undefined if it has no new member. */
  in(json: JsonView): ReadingNote | undefined {
    const names: string[] = [];
    for (const [key, value] of json.members()) {
      if (this.#read.has(key) || value.type === 'null') continue;
      const name = PLAIN_KEY.test(key) ? key : 'a key that is no word';
      if (this.#named.has(name) || this.#named.size >= MOST_NAMES) continue;
      this.#named.add(name);
      names.push(name);
    }
    if (names.length === 0) return undefined;
    return warning('members-ignored', `members beside the messages are not read: ${names.join(', ')}`);
  }
}
