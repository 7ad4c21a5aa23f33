/**
 * Measures how much of the text in a source reached an entry or a named drop. The texts of the lines and those of
 * the entries are compared by hashes of eight characters at every position, so that texts that were joined, cut or
 * escaped in another way still match. A sample of a large source is compared: the hashes that are a multiple of a
 * power of two, so that the memory is bounded.
 */
import type { Entry, Line, Origin, ReadText } from '../../transforms/model/element.ts';
import { HashTable } from './hash-table.ts';
import { MemberPaths, ROOT } from './member-paths.ts';
import { visitStrings } from './strings-in.ts';

const GRAM = 8;
const BASE = 0x01000193;
const LEAVING = Array.from({ length: GRAM }).reduce<number>((power) => Math.imul(power, BASE), 1);
const MAX_SAMPLES = 128 * 1024;
const MAX_LISTED = 5;
/** Names, ids, times and codes have neither. */
const IS_TEXT = /[\s\u0080-\uffff]/;
/** Keeps hashes to 30 bits: V8 may store larger numbers as objects on the heap. */
const HASH_MASK = 0x3fffffff;

interface LineState {
  drops: number;
  /** Number of fates that the objects of the line have. */
  parts: number;
}

/** A text of a line: its hashes follow those of the text before it. */
interface Sample {
  readonly path: number;
  readonly line: number;
  readonly count: number;
}

export class ReadShare {
  /** A hash is compared if it has none of these bits. */
  #mask = 0;
  #samples: Sample[] = [];
  #hashes: number[] = [];
  readonly #read = new HashTable();
  /** Lines with samples. */
  #lines = new Map<number, LineState>();
  readonly #paths = new MemberPaths();
  /** Bytes of text by path. */
  #bytes: number[] = [];
  /** The last characters of the streamed texts, by path. */
  readonly #tails = new Map<number, string>();
  /** Messages and definitions that were added: entries share them. */
  #known = new WeakSet<object>();
  /** The line whose texts are added, and whether it has samples. */
  #line = 0;
  #isSampled = false;

  readonly #inLine = {
    child: (path: number, key: string): number => this.#paths.child(path, key),
    string: (path: number, text: string, isPiece: boolean): void => this.#addText(path, text, isPiece),
  };
  readonly #inEntry = {
    child: (): number => ROOT,
    string: (_path: number, text: string): void => {
      if (!isText(text)) return;
      eachGram(text, this.#mask, this.#addRead);
      if (this.#read.size > MAX_SAMPLES) this.#thin();
    },
  };
  readonly #addHash = (hash: number): void => {
    this.#hashes.push(hash);
  };
  readonly #addRead = (hash: number): void => this.#read.add(hash);

  /** Adds the texts of a line. */
  addLine({ bytes, origin }: Line): void {
    this.#line = origin.line;
    this.#isSampled = false;
    visitStrings(bytes, this.#inLine);
    if (this.#isSampled) this.#lines.set(origin.line, { drops: 0, parts: 1 });
  }

  #addText(path: number, own: string, isPiece: boolean): void {
    const text = isPiece ? this.#continued(path, own) : own;
    if (!isText(text)) return;
    this.#bytes[path] = (this.#bytes[path] ?? 0) + Buffer.byteLength(own);
    const before = this.#hashes.length;
    eachGram(text, this.#mask, this.#addHash);
    const count = this.#hashes.length - before;
    if (count === 0) return;
    this.#isSampled = true;
    this.#samples.push({ path, line: this.#line, count });
    if (this.#hashes.length > MAX_SAMPLES) this.#thin();
  }

  /** A piece of a streamed text, after the end of the piece before it. */
  #continued(path: number, text: string): string {
    const all = (this.#tails.get(path) ?? '') + text;
    this.#tails.set(path, all.slice(1 - GRAM));
    return all;
  }

  /** Adds the texts of an entry. */
  addEntry({ messages, reply, tools, sample }: Entry): void {
    for (const message of messages) this.#addOnce(message);
    for (const tool of tools) this.#addOnce(tool);
    if (reply !== undefined) this.#addOnce(reply);
    for (const value of sample?.values() ?? []) visitStrings(value, this.#inEntry);
  }

  #addOnce(part: { readonly bytes: Uint8Array }): void {
    if (this.#known.has(part)) return;
    this.#known.add(part);
    visitStrings(part.bytes, this.#inEntry);
  }

  /** Counts further objects of a line. */
  split({ line }: Origin, count: number): void {
    const state = this.#lines.get(line);
    if (state !== undefined) state.parts += count;
  }

  /** Counts a drop. @param isWhole whether it is about all objects of the line */
  drop({ line }: Origin, isWhole: boolean): void {
    const state = this.#lines.get(line);
    if (state !== undefined) state.drops += isWhole ? state.parts : 1;
  }

  /** Returns the result, and starts over. */
  take(): ReadText {
    const { names } = this.#paths;
    const compared: number[] = names.map(() => 0);
    const found: number[] = names.map(() => 0);
    let from = 0;
    for (const { path, line, count } of this.#samples) {
      const to = from + count;
      const read = this.#isDropped(line) ? count : this.#readIn(from, to);
      compared[path] = (compared[path] as number) + count;
      found[path] = (found[path] as number) + read;
      from = to;
    }
    const unread = names.map((name, path): [string, number] => {
      const all = compared[path] as number;
      const missing = all === 0 ? 0 : 1 - (found[path] as number) / all;
      return [name, Math.round((this.#bytes[path] ?? 0) * missing)];
    });
    const bytes = this.#bytes.reduce((sum, count) => sum + count, 0);
    const read = bytes - unread.reduce((sum, [, count]) => sum + count, 0);
    const listed = unread.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
    this.#forget();
    return { bytes, read, unread: read * 2 < bytes ? listed.slice(0, MAX_LISTED) : [] };
  }

  /** Number of the hashes from one index to another that were read. */
  #readIn(from: number, to: number): number {
    let read = 0;
    for (let i = from; i < to; i++) if (this.#read.has(this.#hashes[i] as number)) read++;
    return read;
  }

  #isDropped(line: number): boolean {
    const { drops, parts } = this.#lines.get(line) ?? { drops: 0, parts: 1 };
    return drops >= parts;
  }

  /** Halves the share of the hashes that are compared. */
  #thin(): void {
    this.#mask = this.#mask * 2 + 1;
    const stays = (hash: number): boolean => (hash & this.#mask) === 0;
    let from = 0;
    const samples = this.#samples.map(({ path, line, count }) => {
      const to = from + count;
      const kept = this.#hashes.slice(from, to).filter(stays).length;
      from = to;
      return { path, line, count: kept };
    });
    this.#samples = samples.filter(({ count }) => count > 0);
    this.#hashes = this.#hashes.filter(stays);
    this.#read.keep(stays);
    const sampled = new Set(this.#samples.map(({ line }) => line));
    this.#lines = new Map([...this.#lines].filter(([line]) => sampled.has(line)));
  }

  #forget(): void {
    this.#mask = 0;
    this.#samples = [];
    this.#hashes = [];
    this.#bytes = [];
    this.#read.clear();
    this.#lines.clear();
    this.#paths.clear();
    this.#tails.clear();
    this.#known = new WeakSet();
  }
}

/** Calls `take` with the hash of each eight characters that the mask admits. */
function eachGram(text: string, mask: number, take: (hash: number) => void): void {
  let rolling = 0;
  for (let i = 0; i < text.length; i++) {
    rolling = (Math.imul(rolling, BASE) + text.charCodeAt(i)) | 0;
    if (i >= GRAM) rolling = (rolling - Math.imul(text.charCodeAt(i - GRAM), LEAVING)) | 0;
    if (i < GRAM - 1) continue;
    let hash = Math.imul(rolling ^ (rolling >>> 15), 0x2c1b3c6d);
    hash = (hash ^ (hash >>> 13)) & HASH_MASK;
    if ((hash & mask) === 0) take(hash);
  }
}

/** Whether a string is a text: it has white space, or characters outside ASCII. */
const isText = (text: string): boolean => text.length >= GRAM && IS_TEXT.test(text);
