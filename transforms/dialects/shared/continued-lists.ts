/**
 * Remembers the state after lists of messages. Most calls of a conversation send the list of the call before and more: then
 * only what is new is read.
 */
import { CLOSE_ARRAY, COMMA } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { copyOf } from '../../json/keep.ts';
import { equalsAt } from '../../json/known-list.ts';
import { skipBlanks } from '../../json/scanner.ts';

export interface ReadList<State> {
  /** Number of its elements. */
  readonly count: number;
  /** The state after them. */
  readonly state: State;
}

interface KnownList<State> {
  /** The list without its closing bracket. */
  readonly bytes: Uint8Array;
  readonly read: ReadList<State>;
}

const MAX_LISTS = 8;
/** All lists together have at most these: a longer one is read in full each time. */
const MAX_BYTES = 8 * 1024 * 1024;

export class ContinuedLists<State> {
  readonly #lists: KnownList<State>[] = [];
  #bytes = 0;

  /** The longest known list with which a list begins. @param fits whether a state is one that reading may go on from */
  find({ bytes }: JsonView, fits: (state: State) => boolean): ReadList<State> | undefined {
    let longest: KnownList<State> | undefined;
    for (const known of this.#lists) {
      const isLonger = known.bytes.length > (longest?.bytes.length ?? 0);
      if (isLonger && beginsWith(bytes, known) && fits(known.read.state)) longest = known;
    }
    return longest?.read;
  }

  /** @param former the list that this one continues: it is forgotten */
  add({ bytes }: JsonView, read: ReadList<State>, former: ReadList<State> | undefined): void {
    if (bytes.length > MAX_BYTES) return;
    const at = this.#lists.findIndex((known) => known.read === former);
    if (at >= 0) this.#remove(at);
    while (this.#lists.length === MAX_LISTS || this.#bytes + bytes.length > MAX_BYTES) this.#remove(0);
    this.#lists.push({ bytes: copyOf(bytes, 0, bytes.length - 1), read });
    this.#bytes += bytes.length - 1;
  }

  #remove(at: number): void {
    const [removed] = this.#lists.splice(at, 1);
    this.#bytes -= removed?.bytes.length ?? 0;
  }
}

function beginsWith(list: Uint8Array, { bytes, read }: KnownList<unknown>): boolean {
  if (!equalsAt(list, 0, bytes)) return false;
  const next = list[skipBlanks(list, bytes.length)];
  return next === CLOSE_ARRAY || (next === COMMA && read.count > 0);
}
