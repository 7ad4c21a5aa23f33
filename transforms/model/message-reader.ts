/** Computes keys of messages in WebAssembly (json/wasm/message.c), in a fifth of the time. */
import { decode } from '../json/utf8.ts';
import { MESSAGE_WASM } from '../json/wasm/message.wasm.ts';
import { compiledModule, exportsOf } from '../json/wasm/module.ts';
import { shortHash } from './hashed-set.ts';

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
}

/** As in message.c. */
const MAX_BYTES = 1024 * 1024;
const MAX_OUT_BYTES = MAX_BYTES + 64 * 1024;
const MAX_CALLS = 256;
/** Positions of words among the facts. */
const [KEY, IS_RESULT, ANSWERED, CALLS, IDS] = [0, 2, 3, 5, 6];
const NO_CALLS: readonly string[] = [];

export class MessageReader {
  readonly #exports: Exports;
  readonly #in: Uint8Array;
  readonly #out: Uint8Array;
  readonly #facts: Uint32Array;

  /** @throws if WebAssembly or its SIMD is not available */
  constructor() {
    this.#exports = exportsOf<Exports>(compiledModule(MESSAGE_WASM));
    const { buffer } = this.#exports.memory;
    this.#in = new Uint8Array(buffer, this.#exports.in_at(), MAX_BYTES);
    this.#out = new Uint8Array(buffer, this.#exports.out_at(), MAX_OUT_BYTES);
    this.#facts = new Uint32Array(buffer, this.#exports.facts_at(), IDS + MAX_CALLS * 2);
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

  #textAt(word: number): string {
    return decode(this.#in.subarray(this.#facts[word], this.#facts[word + 1]));
  }
}
