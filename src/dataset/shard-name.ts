/**
 * Names the shards of a group. A group comes from a log (a scenario, an id), so it may be any text: a plain name is kept,
 * any other becomes a slug and a hash. Different groups get different names, and no name leads out of data/.
 */
import { createHash } from 'node:crypto';
import type { BeginsRecord } from './record-lines.ts';

/** Lower case only: some file systems take `A` and `a` for one file. */
const PLAIN = /^[a-z0-9][a-z0-9._-]{0,99}$/;
/** Names that Windows reserves, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;
/** Looks like a name with a hash; a plain group must not collide with one. */
const HASHED = /-[a-z2-7]{16}$/i;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const SLUG_CHARS = 40;
const HASH_CHARS = 16;

/** Returns the group itself if it is a safe name, else `slug-hash`. */
export function shardStem(group: string): string {
  const plain = PLAIN.test(group) && !group.endsWith('.') && !DEVICE.test(group) && !HASHED.test(group);
  return plain ? group : `${slug(group)}-${base32(hash(group))}`;
}

/** Lines of JSON, a deck of TOML, or session traces. A record of the last two has several lines. */
export type ShardKind = 'jsonl' | 'toml' | 'sts.jsonl';

/** Extension, with or without compression. */
export type ShardSuffix = `.${ShardKind}${'' | '.gz' | '.zst'}`;

const PACKED = /\.(?:gz|zst)$/;
const DECK_HEADER = Buffer.from('[[samples]]');
const TRACE_HEADER = Buffer.from('{"type":"session",');

/**
 * Returns a predicate that tells whether a line begins a record, chosen by the shard's path; undefined if every line
 * does. The header of a deck has a line to itself, and in a trace only its header begins with that text.
 */
export function recordStart(path: string): BeginsRecord | undefined {
  const name = path.replace(PACKED, '');
  if (name.endsWith('.toml')) return (line) => DECK_HEADER.equals(line);
  if (name.endsWith('.sts.jsonl'))
    return (line) => TRACE_HEADER.equals(line.subarray(0, TRACE_HEADER.length));
  return undefined;
}

/** Returns `<folder>/<stem>-00000.jsonl`, with `/` on every platform. */
export function shardPath(folder: string, stem: string, number: number, suffix: ShardSuffix): string {
  return `${folder}/${stem}-${String(number).padStart(5, '0')}${suffix}`;
}

function slug(group: string): string {
  const safe = group.slice(0, 4 * SLUG_CHARS).replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return (
    safe
      .replace(/^[._-]+/, '')
      .slice(0, SLUG_CHARS)
      .replace(/[._-]+$/, '') || 'group'
  );
}

/** A lone surrogate cannot be encoded in UTF-8: such a name is hashed as UTF-16, after a byte that UTF-8 never contains. */
function hash(group: string): Uint8Array {
  const utf8 = Buffer.from(group, 'utf8');
  const digest = createHash('sha256');
  if (utf8.toString('utf8') === group) digest.update(utf8);
  else digest.update(Uint8Array.of(0xff)).update(Buffer.from(group, 'utf16le'));
  return digest.digest();
}

function base32(bytes: Uint8Array): string {
  let bits = 0n;
  for (const byte of bytes.subarray(0, (HASH_CHARS * 5) / 8)) bits = (bits << 8n) | BigInt(byte);
  let text = '';
  for (let i = HASH_CHARS - 1; i >= 0; i -= 1) text += BASE32[Number((bits >> BigInt(5 * i)) & 31n)];
  return text;
}
