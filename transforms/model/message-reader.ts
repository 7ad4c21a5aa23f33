/** Computes keys of messages and paths of conversations in WebAssembly (json/wasm/message.c), in a fifth of the time. */
import { decode } from '../json/utf8.ts';
import { ownInstance } from '../json/wasm-scanner.ts';
import type { Message } from './element.ts';
import { hashedPath, LINK_WORDS, MAX_LINKS, MESSAGE_AT, type PathExports } from './hashed-path.ts';
import { shortHash } from './hashed-set.ts';

/** The facts about a message that count, without the messages before it. */
export interface MessageKey {
  /** Hash of role, content and calls. */
  readonly digest: string;
  readonly callIds: readonly string[];
  /** Id of the call that it answers; undefined if it is not a result. */
  readonly answered: string | undefined;
}

interface Exports extends PathExports {
  in_at(): number;
  facts_at(): number;
  read(length: number): number;
  read_chain(from: number, count: number): number;
}

/** As in message.c. */
const MAX_BYTES = 1024 * 1024;
const MAX_CALLS = 256;
/** Positions of words among the facts. */
const [KEY, IS_RESULT, ANSWERED, CALLS, IDS] = [0, 2, 3, 5, 6];
const NO_CALLS: readonly string[] = [];

export class MessageReader {
  readonly #exports: Exports;
  /** The whole memory. */
  readonly #bytes: Uint8Array;
  readonly #in: Uint8Array;
  readonly #facts: Uint32Array;
  readonly #links: Uint32Array;

  /** @throws if WebAssembly or its SIMD is not available */
  constructor() {
    this.#exports = ownInstance<Exports>();
    const { buffer } = this.#exports.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#in = this.#bytes.subarray(this.#exports.in_at(), this.#exports.in_at() + MAX_BYTES);
    this.#facts = new Uint32Array(buffer, this.#exports.facts_at(), IDS + MAX_CALLS * 2);
    this.#links = new Uint32Array(buffer, this.#exports.links_at(), MAX_LINKS * LINK_WORDS);
  }

  /** @param message a valid JSON object @returns undefined if it is long, or not plain enough for message.c */
  keyOf(message: Uint8Array): MessageKey | undefined {
    if (message.length > MAX_BYTES) return undefined;
    this.#in.set(message);
    if (this.#exports.read(message.length) === 0) return undefined;
    const facts = this.#facts;
    const digest = shortHash(this.#bytes.subarray(facts[KEY], facts[KEY + 1]));
    const answered = facts[IS_RESULT] === 0 ? undefined : this.#textAt(ANSWERED);
    const calls = facts[CALLS] as number;
    if (calls === 0) return { digest, callIds: NO_CALLS, answered };
    return { digest, callIds: Array.from({ length: calls }, (_, i) => this.#textAt(IDS + i * 2)), answered };
  }

  /**
   * Returns the path of a conversation, as path-hashes.ts computes it.
   * @param messages valid JSON objects
   * @returns `HASH_BYTES` for each message; undefined if they are too many or too long, or not plain enough for message.c
   */
  pathOf(messages: readonly Message[]): Uint8Array | undefined {
    if (!this.#enter(messages)) return undefined;
    const { length } = messages;
    return hashedPath(this.#exports, length, (from) => this.#exports.read_chain(from, length));
  }

  /** Copies the messages. Returns false if there is no room for them. */
  #enter(messages: readonly Message[]): boolean {
    if (messages.length > MAX_LINKS) return false;
    let end = 0;
    for (const [i, { bytes }] of messages.entries()) {
      if (end + bytes.length > MAX_BYTES) return false;
      this.#in.set(bytes, end);
      this.#links[i * LINK_WORDS + MESSAGE_AT] = end;
      this.#links[i * LINK_WORDS + MESSAGE_AT + 1] = end += bytes.length;
    }
    return true;
  }

  #textAt(word: number): string {
    return decode(this.#bytes.subarray(this.#facts[word], this.#facts[word + 1]));
  }
}
