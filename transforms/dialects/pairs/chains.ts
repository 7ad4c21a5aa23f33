/** Remembers responses that later requests of a source may continue by id (`previous_response_id`, `conversation`). */
import type { ToolDefinition } from '../../model/element.ts';
import { pathHashes } from '../../model/path-hashes.ts';
import type { History } from '../shared/history.ts';
import type { ReadMessage } from './item-messages.ts';

/** A request, to be found by the id of its response: that may arrive later, and more than once. */
export interface Asked {
  readonly system: readonly ReadMessage[];
  /** Its messages, and those of its answer once it is answered. */
  link: History;
  /** Number of its messages. */
  readonly length: number;
  readonly tools: readonly ToolDefinition[];
  /** Id of the conversation that it is part of. */
  readonly conversation: string | undefined;
  isAnswered: boolean;
}

const MAX_IDS = 10_000;

export class Chains {
  readonly #maxBytes: number;
  readonly #links = new Map<string, History>();
  readonly #asked = new Map<string, Asked>();
  /** Ids that several responses have: no request can continue them. */
  readonly #shared = new Set<string>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The response with an id, for the request that continues it; undefined if none has it, or several have. */
  find(id: string): History | undefined {
    return this.#shared.has(id) ? undefined : this.#links.get(id);
  }

  isShared(id: string): boolean {
    return this.#shared.has(id);
  }

  /**
   * Compares a response with the one that has its id already: a log may repeat one, but not give its id to another.
   * @returns the known one if it is the same, so that those that continue both are the same too
   */
  compare(id: string, link: History): History {
    const known = this.#links.get(id);
    if (known === undefined) return link;
    if (isSame(known, link)) return known;
    if (this.#shared.size < MAX_IDS) this.#shared.add(id);
    return link;
  }

  /** Adds a link, and forgets the oldest ones if there are too many or they are too large. */
  add(id: string, link: History): void {
    this.#drop(id);
    this.#links.set(id, link);
    this.#bytes += weightOf(link);
    while (this.#links.size > MAX_IDS || (this.#bytes > this.#maxBytes && this.#links.size > 1)) {
      const [oldest] = this.#links.keys();
      this.#drop(oldest as string);
    }
  }

  #drop(id: string): void {
    const link = this.#links.get(id);
    if (link === undefined) return;
    this.#links.delete(id);
    this.#bytes -= weightOf(link);
    if (this.#asked.get(id)?.isAnswered === true) this.#asked.delete(id);
  }

  /** Remembers a request; forgets the oldest one if there are too many. */
  ask(id: string, asked: Asked): void {
    this.#asked.delete(id);
    this.#asked.set(id, asked);
    if (this.#asked.size <= MAX_IDS) return;
    const [oldest] = this.#asked.keys();
    this.#asked.delete(oldest as string);
  }

  asked(id: string | undefined): Asked | undefined {
    return id === undefined ? undefined : this.#asked.get(id);
  }
}

/** Have two calls the same messages, and do they continue the same call? */
export const isSame = (one: History, other: History): boolean =>
  one.before === other.before &&
  pathHashes(one.addedMessages).at(-1) === pathHashes(other.addedMessages).at(-1);

function weightOf({ addedMessages }: History): number {
  return addedMessages.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
