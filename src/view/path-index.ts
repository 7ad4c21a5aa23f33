/**
 * The paths of a dataset's records (docs/copies.md), for the tree of a session: where each path is in `ledger/paths.bin`,
 * and which sessions begin with the same messages. Takes 12 bytes per session, read once, on first use.
 */
import { readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { PATH_HASH_BYTES as HASH_BYTES } from '../ledger/compared-path.ts';
import type { LineIndex } from './line-index.ts';

const LINES_AT_ONCE = 2000;
const COUNT_BYTES = 4;
const CHUNK_BYTES = 64 * 1024;
/** Sessions are relatives if they share this many first messages: a system text and a question, or a question and its answer. */
const RELATED_MESSAGES = 2;
const FATES_WITH_PATH = ['"fate":"written"', '"fate":"contained"'];

export class PathIndex {
  readonly #fd: number;
  /** For each session, the offset of its path, plus 1; 0 if it has none. */
  readonly #offsets: Float64Array;
  /** For each session, the first bytes of the hash of its first messages; 0 if it has no path. */
  readonly #keys: Uint32Array;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #chunkAt = 0;
  #chunkBytes = 0;

  private constructor(fd: number, sessions: number) {
    this.#fd = fd;
    this.#offsets = new Float64Array(sessions);
    this.#keys = new Uint32Array(sessions);
  }

  /** Reads both files in parallel, because they are in the same order. @param fd of `ledger/paths.bin` */
  static async read(fd: number, sessions: LineIndex): Promise<PathIndex> {
    const index = new PathIndex(fd, sessions.lines);
    let offset = 0;
    for (const [at, page] of sessions.pages(LINES_AT_ONCE)) {
      for (const [i, { content }] of page.entries()) {
        if (!FATES_WITH_PATH.some((fate) => content.includes(fate))) continue;
        const messages = index.#wordAt(offset);
        if (messages === undefined) return index; // the file is cut: the other sessions are shown without a path
        index.#offsets[at + i] = offset + 1;
        const hash = offset + COUNT_BYTES + (Math.min(messages, RELATED_MESSAGES) - 1) * HASH_BYTES;
        if (messages > 0) index.#keys[at + i] = index.#wordAt(hash) ?? 0;
        offset += COUNT_BYTES + messages * HASH_BYTES;
      }
      await setImmediate();
    }
    return index;
  }

  /** Returns the number of messages of a session's path; 0 if it has none or is not compared. */
  messagesOf(session: number): number {
    const offset = this.#offsets[session] ?? 0;
    return offset === 0 ? 0 : (this.#wordAt(offset - 1) ?? 0);
  }

  /** Returns how many first messages two sessions share. A hash is that of all messages up to it, so halving finds it. */
  shared(one: number, other: number): number {
    let least = 0;
    let most = Math.min(this.messagesOf(one), this.messagesOf(other));
    while (least < most) {
      const half = Math.ceil((least + most) / 2);
      if (this.#hashOf(one, half).equals(this.#hashOf(other, half))) least = half;
      else most = half - 1;
    }
    return least;
  }

  /** Yields the sessions that begin with the same messages, the nearest ones first. */
  *relativesOf(session: number): Generator<number> {
    const key = this.#keys[session] ?? 0;
    if (key === 0) return;
    for (let by = 1; by < this.#keys.length; by++) {
      if (this.#keys[session - by] === key && this.shared(session, session - by) > 0) yield session - by;
      if (this.#keys[session + by] === key && this.shared(session, session + by) > 0) yield session + by;
    }
  }

  /** Returns the hash of the first `messages` messages. */
  #hashOf(session: number, messages: number): Buffer {
    const hash = Buffer.alloc(HASH_BYTES);
    const offset = (this.#offsets[session] as number) - 1;
    readSync(this.#fd, hash, 0, HASH_BYTES, offset + COUNT_BYTES + (messages - 1) * HASH_BYTES);
    return hash;
  }

  #wordAt(offset: number): number | undefined {
    if (offset < this.#chunkAt || offset + COUNT_BYTES > this.#chunkAt + this.#chunkBytes) {
      this.#chunkAt = offset;
      this.#chunkBytes = readSync(this.#fd, this.#chunk, 0, CHUNK_BYTES, offset);
      if (this.#chunkBytes < COUNT_BYTES) return undefined;
    }
    return this.#chunk.readUInt32LE(offset - this.#chunkAt);
  }
}
