/** The path of a conversation whose keys message.c writes: the host hashes the keys, which are long, and message.c chains their hashes. */
import { HASH_BYTES, putHash } from './hashed-set.ts';

export interface PathExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  links_at(): number;
  hashes_at(): number;
  chain(count: number): void;
}

/** As in message.h. */
export const MAX_LINKS = 4096;
/** Words of a link in message-chain.h, and the positions of the message's bytes and of its key in it. */
export const LINK_WORDS = 8;
export const MESSAGE_AT = 0;
const KEY_AT = 2;

/**
 * @param count number of messages
 * @param write writes the keys of the messages from `from` on, and returns the number of the next one; 0 if one is odd
 * @returns `HASH_BYTES` for each message, as path-hashes.ts computes them; undefined if a message is odd
 */
export function hashedPath(
  exports: PathExports,
  count: number,
  write: (from: number) => number,
): Uint8Array | undefined {
  const { buffer } = exports.memory;
  const bytes = new Uint8Array(buffer);
  const links = new Uint32Array(buffer, exports.links_at(), count * LINK_WORDS);
  const hashes = Buffer.from(buffer, exports.hashes_at(), count * HASH_BYTES);
  for (let i = 0; i < count; ) {
    const next = write(i);
    if (next === 0) return undefined;
    for (; i < next; i++) {
      const at = i * LINK_WORDS + KEY_AT;
      putHash(bytes.subarray(links[at], links[at + 1]), hashes, i * HASH_BYTES);
    }
  }
  exports.chain(count);
  return Buffer.from(hashes);
}
