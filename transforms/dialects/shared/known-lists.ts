/**
 * Remembers how lists of messages were read. Most calls of a conversation send the list of the call before and more, so
 * what is known is not read again.
 */
import { CLOSE_ARRAY, COMMA, isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { copyOf } from '../../json/keep.ts';
import type { Changes, Message } from '../../model/element.ts';
import { isSameList } from './history.ts';
import type { OpenCalls } from './open-calls.ts';

/** A conversation after the messages of a list. */
export interface ReadList {
  /** Number of elements of the list. */
  readonly count: number;
  readonly messages: readonly Message[];
  readonly open: OpenCalls;
  readonly changes: Changes;
}

interface KnownList {
  /** Messages before the list. */
  readonly before: readonly Message[];
  /** The list without its last bracket. */
  readonly bytes: Uint8Array;
  readonly read: ReadList;
}

const MAX_LISTS = 8;
const MAX_BYTES = 8 * 1024 * 1024;

export class KnownLists {
  /** The one that was read last is last. */
  readonly #lists: KnownList[] = [];
  #bytes = 0;

  /** How the longest known list with which a list begins was read. @param before the messages before it */
  find(before: readonly Message[], { bytes }: JsonView): ReadList | undefined {
    let longest: KnownList | undefined;
    for (const known of this.#lists) {
      const isLonger = known.bytes.length > (longest?.bytes.length ?? 0);
      if (isLonger && beginsWith(bytes, known.bytes) && isSameList(known.before, before)) longest = known;
    }
    return longest?.read;
  }

  /** @param former the read list that this one continues, which is forgotten */
  add(before: readonly Message[], { bytes }: JsonView, read: ReadList, former: ReadList | undefined): void {
    if (bytes.length > MAX_BYTES) return;
    const at = this.#lists.findIndex((known) => known.read === former);
    if (at >= 0) this.#remove(at);
    while (this.#lists.length === MAX_LISTS || this.#bytes + bytes.length > MAX_BYTES) this.#remove(0);
    const known = copyOf(bytes, 0, bytes.length - 1);
    this.#lists.push({ before, bytes: known, read });
    this.#bytes += known.length;
  }

  #remove(at: number): void {
    const [removed] = this.#lists.splice(at, 1);
    this.#bytes -= removed?.bytes.length ?? 0;
  }
}

/** Has a list the elements of another one first? @param known that one without its last bracket */
function beginsWith(list: Uint8Array, known: Uint8Array): boolean {
  const { length } = known;
  const next = list[length];
  return (next === COMMA || next === CLOSE_ARRAY) && isSameBytes(list.subarray(0, length), known);
}
