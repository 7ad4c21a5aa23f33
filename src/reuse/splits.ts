/**
 * Decides the split of each conversation (docs/publish.md). Conversations of one session, or with the same messages up to
 * the first answer, are one group; a group is in one split, so that no answer is in two after the same messages. The
 * split depends on the group alone: neither the order of the logs nor other groups matter.
 */
import { createHash } from 'node:crypto';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import { answersIn, PATH_HASH_BYTES } from '../ledger/compared-path.ts';
import { SessionNames } from '../ledger/session-names.ts';
import { EndTable, HASH_WORDS, NONE, type Pass, passesOver, wordsOf } from '../record/end-table.ts';
import type { SplitShares } from '../settings/split-shares.ts';
import type { PathedSession } from './ledger-files.ts';

export interface SplitsOptions {
  readonly count: number;
  /** Reads the written and contained sessions with their paths, in the order of the paths; called several times. */
  readonly read: () => Iterable<PathedSession>;
  /** Reads all sessions, also rejected ones; those of `read` if undefined. */
  readonly readAll?: () => Iterable<SessionLine>;
  readonly shares: SplitShares;
  readonly seed: string;
  readonly maxTableBytes?: number;
}

/** Most hashes of a session that are joined. */
const HASHES = 3;

export class Splits {
  readonly #options: SplitsOptions;
  readonly #names: readonly string[];
  /** For each conversation another one of its group; the first of a group names itself. */
  readonly #parents: Uint32Array;
  /** The smallest hash of a session in each group, at the first of the group. */
  readonly #keys: BigUint64Array;
  readonly #passes: readonly Pass[];
  readonly #sessionNames: SessionNames;

  constructor(options: SplitsOptions) {
    const { count, read, readAll = read, shares, maxTableBytes } = options;
    this.#options = options;
    this.#names = Object.keys(shares);
    this.#parents = Uint32Array.from({ length: count }, (_, index) => index);
    this.#keys = new BigUint64Array(count).fill(2n ** 64n - 1n);
    this.#passes = passesOver(HASHES * count, maxTableBytes);
    this.#sessionNames = new SessionNames(readAll);
    for (const pass of this.#passes) this.#join(pass);
    let index = 0;
    for (const session of read()) {
      const group = this.#groupOf(index++);
      const key = this.#sessionHash(session).readBigUInt64LE();
      if (key < (this.#keys[group] as bigint)) this.#keys[group] = key;
    }
  }

  /** Returns the name of a conversation's split. */
  of(index: number): string {
    const key = this.#keys[this.#groupOf(index)] as bigint;
    // a smallest hash is small: it is hashed again, so that large groups are not all at one end
    const digest = createHash('sha256').update(`${this.#options.seed}\n${key}`).digest();
    const at = digest.readUIntBE(0, 6) / 2 ** 48;
    let end = 0;
    for (const name of this.#names) {
      end += this.#options.shares[name] as number;
      if (at < end) return name;
    }
    return this.#names.at(-1) as string;
  }

  get groups(): number {
    let groups = 0;
    for (const [index, parent] of this.#parents.entries()) if (parent === index) groups++;
    return groups;
  }

  /** Returns the names of the splits without a conversation. */
  empty(): readonly string[] {
    const used = new Set<string>();
    for (let index = 0; index < this.#options.count && used.size < this.#names.length; index++)
      used.add(this.of(index));
    return this.#names.filter((name) => !used.has(name));
  }

  /** Returns the number of groups with a session that was written to another split before. */
  movedFrom(previous: () => Iterable<SessionLine>): number {
    const moved = new Set<number>();
    for (const pass of this.#passes) {
      const sessions = new EndTable(pass.expected / HASHES);
      let index = 0;
      for (const session of this.#options.read()) {
        const words = wordsOf(this.#sessionHash(session));
        if (pass.has(words[0] as number)) sessions.add(words, 0, index);
        index++;
      }
      for (const session of previous()) {
        const before = splitIn(session);
        const words = wordsOf(this.#sessionHash(session));
        if (!this.#names.includes(before) || !pass.has(words[0] as number)) continue;
        const now = sessions.containerOf(words, NONE);
        if (now !== NONE && this.of(now) !== before) moved.add(this.#groupOf(now));
      }
    }
    return moved.size;
  }

  /** Returns the hash of a session's name (session-names.ts); without an id, of its source. */
  #sessionHash(session: SessionLine): Buffer {
    const { id } = session;
    return hashOfName(id === null ? sourceOf(session) : this.#sessionNames.nameOf(id));
  }

  /** Returns the hash that a branch shares with those of its source, if the session with their id is not in the dataset. */
  #siblingHash(session: SessionLine): Buffer | undefined {
    const base = session.id === null ? undefined : this.#sessionNames.missingBaseOf(session.id);
    return base === undefined ? undefined : hashOfName(`${sourceOf(session)}\0${base}`);
  }

  /** Joins the conversations that have a hash of this pass in common. */
  #join(pass: Pass): void {
    const first = new EndTable(pass.expected);
    let index = 0;
    for (const session of this.#options.read()) {
      const hashes = [this.#sessionHash(session), beginningOf(session.path), this.#siblingHash(session)];
      for (const hash of hashes) {
        if (hash === undefined) continue;
        const words = wordsOf(hash);
        if (!pass.has(words[0] as number)) continue;
        first.add(words, 0, index);
        const earlier = first.containerOf(words, index);
        if (earlier !== NONE) this.#parents[this.#groupOf(index)] = this.#groupOf(earlier);
      }
      index++;
    }
  }

  #groupOf(index: number): number {
    const parents = this.#parents;
    let at = index;
    for (let up = parents[at] as number; up !== at; up = parents[at] as number) {
      parents[at] = parents[up] as number;
      at = parents[at] as number;
    }
    return at;
  }
}

/** Returns the hash of the messages up to the first answer; undefined without an answer or a path. */
function beginningOf(path: Uint8Array = new Uint8Array(0)): Uint8Array | undefined {
  for (let at = 0; at < path.length; at += PATH_HASH_BYTES) {
    const hash = path.subarray(at, at + PATH_HASH_BYTES);
    if (answersIn(hash) > 0) return hash;
  }
  return undefined;
}

const sourceOf = ({ source, source_b64, input = 0 }: SessionLine): string =>
  `${input}\0${source_b64 ?? source}`;

const hashOfName = (name: string): Buffer =>
  createHash('sha256')
    .update(name)
    .digest()
    .subarray(0, 4 * HASH_WORDS);

/** Returns the folder that a session's record is in, which is its split; empty if it has no record. */
function splitIn({ shard = '', records }: SessionLine): string {
  const path = records?.[0]?.shard ?? shard;
  return path.split('/').at(-2) ?? '';
}
