/** Merges objects of a stream member by member: texts and lists are joined, of other values the last one counts. */

import type { JsonView } from '../../json/json-view.ts';
import { elementsOf } from '../../json/members.ts';
import { arrayOf, type Piece } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';
import { GrowingText } from './growing-text.ts';

type Growing = GrowingText | Uint8Array[] | Uint8Array;

export class GrowingMembers {
  readonly #members = new Map<string, Growing>();
  readonly #whole: ReadonlySet<string>;
  weight = 0;

  /** @param whole members that are not joined (ids, types, names): their first non-empty text counts */
  constructor(whole: readonly string[] = []) {
    this.#whole = new Set(whole);
  }

  /** Adds the members of an object; nothing of any other value. */
  add(object: JsonView | undefined, leaveOut: (key: string) => boolean = () => false): void {
    for (const [key, value] of object?.members() ?? [])
      if (present(value) && !leaveOut(key)) this.put(key, value);
  }

  put(key: string, value: JsonView): void {
    const known = this.#members.get(key);
    this.weight += value.length;
    if (this.#whole.has(key)) {
      if (known === undefined && value.text() !== '') this.#members.set(key, value.copy());
    } else if (value.type === 'string') {
      const text = known instanceof GrowingText ? known : new GrowingText();
      this.#members.set(key, text.add(value.bytes));
    } else if (value.type === 'array') {
      const list = Array.isArray(known) ? known : [];
      for (const element of elementsOf(value.copy())) list.push(element);
      this.#members.set(key, list);
    } else this.#members.set(key, value.copy());
  }

  text(key: string): GrowingText | undefined {
    const known = this.#members.get(key);
    return known instanceof GrowingText ? known : undefined;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  pieces(): Piece[] {
    return [...this.#members].map(([key, value]): Piece => [key, jsonOf(value)]);
  }
}

function jsonOf(growing: Growing): Uint8Array {
  if (growing instanceof GrowingText) return growing.json();
  return Array.isArray(growing) ? arrayOf(growing) : growing;
}
