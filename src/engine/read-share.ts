/**
 * Measures how much of the text in a source reached an entry or a named drop. The texts of the lines and those of
 * the entries are compared by hashes of eight characters at every position, so that texts that were joined, cut or
 * escaped in another way still match. A sample of a large source is compared: the hashes that are a multiple of a
 * power of two, so that the memory is bounded.
 */
import { createPlainScanner } from '../../transforms/json/plain-scanner.ts';
import { skipBlanks } from '../../transforms/json/scanner.ts';
import type { Entry, Line, Origin, ReadText } from '../../transforms/model/element.ts';

const GRAM = 8;
const BASE = 0x01000193;
const LEAVING = Array.from({ length: GRAM }).reduce<number>((power) => Math.imul(power, BASE), 1);
const MAX_SAMPLES = 128 * 1024;
const MAX_PATHS = 500;
const MAX_LISTED = 5;
const OTHER_MEMBERS = 'other members';
const NOT_JSON = 'lines that are not JSON';
const PLAIN_KEY = /^[A-Za-z_$@][\w.$@-]{0,63}$/;
/** Names, ids, times and codes have neither. */
const IS_TEXT = /[\s\u0080-\uffff]/;
const IS_JSON = /^\s*[[{]/;

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
  #read = new Set<number>();
  /** Lines with samples. */
  #lines = new Map<number, LineState>();
  readonly #paths = new Map<string, number>();
  /** Bytes of text by path. */
  #bytes: number[] = [];
  /** The last characters of the streamed texts, by path. */
  readonly #tails = new Map<string, string>();
  /** Messages and definitions that were added: entries share them. */
  #known = new WeakSet<object>();

  /** Adds the texts of a line. */
  addLine({ bytes, origin }: Line): void {
    let isSampled = false;
    for (const { path: name, text: own, isPiece } of stringsIn(bytes)) {
      const text = isPiece ? this.#continued(name, own) : own;
      if (!isText(text)) continue;
      const path = this.#pathOf(name);
      this.#bytes[path] = (this.#bytes[path] ?? 0) + Buffer.byteLength(own);
      const before = this.#hashes.length;
      eachGram(text, this.#mask, (hash) => this.#hashes.push(hash));
      const count = this.#hashes.length - before;
      if (count === 0) continue;
      isSampled = true;
      this.#samples.push({ path, line: origin.line, count });
      if (this.#hashes.length > MAX_SAMPLES) this.#thin();
    }
    if (isSampled) this.#lines.set(origin.line, { drops: 0, parts: 1 });
  }

  /** A piece of a streamed text, after the end of the piece before it. */
  #continued(path: string, text: string): string {
    const all = (this.#tails.get(path) ?? '') + text;
    if (this.#tails.size < MAX_PATHS) this.#tails.set(path, all.slice(1 - GRAM));
    return all;
  }

  /** Adds the texts of an entry. */
  addEntry({ messages, reply, tools, sample }: Entry): void {
    for (const message of messages) this.#addOnce(message);
    for (const tool of tools) this.#addOnce(tool);
    if (reply !== undefined) this.#addOnce(reply);
    for (const value of sample?.values() ?? []) this.#addRead(value);
  }

  #addOnce(part: { readonly bytes: Uint8Array }): void {
    if (this.#known.has(part)) return;
    this.#known.add(part);
    this.#addRead(part.bytes);
  }

  #addRead(bytes: Uint8Array): void {
    for (const { text } of stringsIn(bytes)) {
      if (!isText(text)) continue;
      eachGram(text, this.#mask, (hash) => this.#read.add(hash));
      if (this.#read.size > MAX_SAMPLES) this.#thin();
    }
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
    const compared: number[] = this.#bytes.map(() => 0);
    const found: number[] = this.#bytes.map(() => 0);
    let from = 0;
    for (const { path, line, count } of this.#samples) {
      const to = from + count;
      const read = this.#isDropped(line) ? count : this.#readIn(from, to);
      compared[path] = (compared[path] as number) + count;
      found[path] = (found[path] as number) + read;
      from = to;
    }
    const unread = [...this.#paths].map(([name, path]): [string, number] => {
      const all = compared[path] as number;
      const missing = all === 0 ? 0 : 1 - (found[path] as number) / all;
      return [name, Math.round((this.#bytes[path] as number) * missing)];
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

  #pathOf(name: string): number {
    const known = this.#paths.get(name);
    if (known !== undefined) return known;
    if (this.#paths.size >= MAX_PATHS && name !== OTHER_MEMBERS) return this.#pathOf(OTHER_MEMBERS);
    const path = this.#paths.size;
    this.#paths.set(name, path);
    return path;
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
    this.#read = new Set([...this.#read].filter(stays));
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
    hash = (hash ^ (hash >>> 13)) >>> 0;
    if ((hash & mask) === 0) take(hash);
  }
}

/** A string in a line, with the path of its member, without the indices of lists. */
interface Found {
  readonly path: string;
  readonly text: string;
  /** Whether it is from an event of a stream, so that it may continue the one before it at its path. */
  readonly isPiece: boolean;
}

/** Yields the strings in a line. Strings of JSON, or of a stream, are searched too. */
function* stringsIn(bytes: Uint8Array): Generator<Found> {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = line.toString('utf8', 0, FIELD_BYTES);
  if (STREAM.test(text)) yield* ofStream('', line.toString());
  else yield* valuesIn(line, '', false);
}

const scanner = createPlainScanner();
const FIELD_BYTES = 16;
/** A field of a server-sent event. */
const STREAM = /^(?:data|event|id|retry)?:(?!\/\/)/;
const DATA = /^data:\s*(?=\S)/;

/** The strings in the data of server-sent events. */
function* ofStream(path: string, text: string): Generator<Found> {
  for (const field of text.split(/\r?\n/)) {
    const data = field.replace(DATA, '');
    if (data.length < field.length && data !== '[DONE]') yield* valuesIn(Buffer.from(data), path, true);
  }
}

/** The strings in values of JSON, and what follows these. */
function* valuesIn(line: Buffer, path: string, isPiece: boolean): Generator<Found> {
  for (let at = skipBlanks(line, 0); at < line.length; at = skipBlanks(line, at)) {
    const end = scanner.value(line, at, 0);
    if (end < 0) return yield { path: NOT_JSON, text: line.toString('utf8', at), isPiece: false };
    yield* stringsOf(JSON.parse(line.toString('utf8', at, end)), path, isPiece);
    at = end;
  }
}

function* stringsOf(parsed: unknown, within: string, isPiece: boolean): Generator<Found> {
  const waiting: [path: string, value: unknown][] = [[within, parsed]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, value] = next;
    if (typeof value === 'string') {
      const inner = IS_JSON.test(value) ? jsonIn(value) : undefined;
      if (inner !== undefined) waiting.push([path, inner]);
      else if (STREAM.test(value) && value.includes('data:')) yield* ofStream(path, value);
      else yield { path, text: value, isPiece };
    } else if (Array.isArray(value)) {
      for (const one of value.toReversed()) waiting.push([`${path}[]`, one]);
    } else if (typeof value === 'object' && value !== null)
      for (const member of membersOf(path, value)) waiting.push(member);
  }
}

/** Whether a string is a text: it has white space, or characters outside ASCII. */
const isText = (text: string): boolean => text.length >= GRAM && IS_TEXT.test(text);

function* membersOf(path: string, object: object): Generator<[path: string, value: unknown]> {
  const { key, value } = object as { readonly key?: unknown; readonly value?: unknown };
  const isPair = typeof key === 'string' && typeof value === 'object';
  for (const [name, member] of Object.entries(object)) {
    if (isPair && name === 'key') continue;
    yield [joined(path, isPair && name === 'value' ? key : name), member];
  }
}

function joined(path: string, key: string): string {
  const name = PLAIN_KEY.test(key) ? key : '*';
  return path === '' ? name : `${path}.${name}`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
