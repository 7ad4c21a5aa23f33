/** Computes keys of messages and paths of conversations in WebAssembly (json/wasm/message.c), in a fifth of the time. */
import { decode } from '../json/utf8.ts';
import { MESSAGE_WASM } from '../json/wasm/message.wasm.ts';
import { compiledModule, exportsOf } from '../json/wasm/module.ts';
import type { Message } from './element.ts';
import { HASH_BYTES, putHash, shortHash } from './hashed-set.ts';

/** The facts about a message that count, without the messages before it. */
export interface MessageKey {
  /** Hash of role, content and calls. */
  readonly digest: string;
  readonly callIds: readonly string[];
  /** Id of the call that it answers; undefined if it is not a result. */
  readonly answered: string | undefined;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  in_at(): number;
  out_at(): number;
  facts_at(): number;
  read(length: number): number;
  links_at(): number;
  hashes_at(): number;
  read_chain(from: number, count: number): number;
  chain(count: number): void;
}

/** As in message.c. */
const MAX_BYTES = 1024 * 1024;
const MAX_OUT_BYTES = MAX_BYTES + 64 * 1024;
const MAX_CALLS = 256;
const MAX_LINKS = 4096;
/** Positions of words among the facts. */
const [KEY, IS_RESULT, ANSWERED, CALLS, IDS] = [0, 2, 3, 5, 6];
/** Words of a link in message-chain.h, and the positions of the message's bytes and of its key in it. */
const [LINK_WORDS, MESSAGE_AT, KEY_AT] = [8, 0, 2];
const NO_CALLS: readonly string[] = [];

export class MessageReader {
  readonly #exports: Exports;
  readonly #in: Uint8Array;
  readonly #out: Uint8Array;
  readonly #facts: Uint32Array;
  readonly #links: Uint32Array;
  readonly #hashes: Buffer;

  /** @throws if WebAssembly or its SIMD is not available */
  constructor() {
    this.#exports = exportsOf<Exports>(compiledModule(MESSAGE_WASM));
    const { buffer } = this.#exports.memory;
    this.#in = new Uint8Array(buffer, this.#exports.in_at(), MAX_BYTES);
    this.#out = new Uint8Array(buffer, this.#exports.out_at(), MAX_OUT_BYTES);
    this.#facts = new Uint32Array(buffer, this.#exports.facts_at(), IDS + MAX_CALLS * 2);
    this.#links = new Uint32Array(buffer, this.#exports.links_at(), MAX_LINKS * LINK_WORDS);
    this.#hashes = Buffer.from(buffer, this.#exports.hashes_at(), MAX_LINKS * HASH_BYTES);
  }

  /** @param message a valid JSON object @returns undefined if it is long, or not plain enough for message.c */
  keyOf(message: Uint8Array): MessageKey | undefined {
    if (message.length > MAX_BYTES) return undefined;
    this.#in.set(message);
    if (this.#exports.read(message.length) === 0) return undefined;
    const facts = this.#facts;
    const digest = shortHash(this.#out.subarray(facts[KEY], facts[KEY + 1]));
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
    for (let i = 0; i < messages.length; ) {
      const next = this.#exports.read_chain(i, messages.length);
      if (next === 0) return undefined;
      for (; i < next; i++) {
        const at = i * LINK_WORDS + KEY_AT;
        putHash(this.#out.subarray(this.#links[at], this.#links[at + 1]), this.#hashes, i * HASH_BYTES);
      }
    }
    this.#exports.chain(messages.length);
    return Buffer.from(this.#hashes.subarray(0, messages.length * HASH_BYTES));
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
    return decode(this.#in.subarray(this.#facts[word], this.#facts[word + 1]));
  }
}
