/**
 * Framing of whole JSON documents: every element of a top-level array, and every other top-level value, becomes a
 * `Line` with its own bytes. stream-json's verifier checks the grammar and locates the first error; element-cutter.ts
 * finds the bytes of the elements, which the package's tokens do not keep (docs/contributing/decisions/0005-whole-documents.md).
 */

import { createHash, type Hash } from 'node:crypto';
import { jsonVerifier, type VerifierError } from 'stream-json/core/utils/verifier.js';
import { BACKSLASH, COLON, CR, QUOTE } from '../../../transforms/json/bytes.ts';
import type { Line, Origin, Rejection } from '../../../transforms/model/element.ts';
import { ElementCutter } from './element-cutter.ts';
import type { Framer, FramingCounts } from './framer.ts';
import { createSlab, hasRoom, keepFrom, roomOf, type Slab, shrinkSlab } from './slab.ts';

const BOM = [0xef, 0xbb, 0xbf] as const;
/** Bytes passed to the verifier at a time: it copies them. */
const PIECE_BYTES = 64 * 1024;
/** Upper limit for the bytes at the end that the verifier has not checked: at most 16, of a literal or an escape. */
const UNJUDGED_BYTES = 32;
/** The verifier needs 8 bytes per level. The parse stage allows far fewer levels, but rejects only the element. */
const MAX_DEPTH = 4 * 1024 * 1024;

/** The verifier returns, for each piece, the symbol that also marks the end of its input. */
const END_OF_INPUT = jsonVerifier()('') as unknown as string;

/** Where and why a document is invalid. */
interface Fault {
  readonly reason: 'invalid-json' | 'too-deep';
  readonly detail: string;
  /** Offset in the source; the rejected rest begins here, or at the element that contains it. */
  readonly offset: number;
}

/** The members of documents whose elements are framed one by one, as the dialects define them. */
export interface OpenedLists {
  readonly members: ReadonlySet<string>;
  /** Returns whether the member is such a list. @param head the object up to the list, with the list empty */
  opens(member: string, head: Uint8Array): boolean;
}

const EMPTY_LIST_END = Buffer.from(']}');

/** Words that Python writes in place of numbers. In a string their replacement changes nothing for the verifier. */
const WORDS = /NaN|-?Infinity/g;
const zeroFor = (word: string): string => word.replace(/./g, ' ').replace(/ $/, '0');
const MAX_WORD = '-Infinity'.length;
const LETTERS = new Set([...'-NaInfity'].map((letter) => letter.charCodeAt(0)));

/** The index up to which a piece may reach without ending inside such a word. */
function beforeWord(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && to - at < MAX_WORD && LETTERS.has(bytes[at - 1] as number)) at--;
  return to - at < MAX_WORD ? at : to;
}

/** Returns the key of the list that opens at the end of these bytes; undefined if the key has an escape. */
function keyBefore(text: Uint8Array): string | undefined {
  const isBlank = (p: number): boolean => (text[p] as number) <= 0x20;
  let p = text.length - 2; // before the bracket
  while (isBlank(p)) p--;
  if (text[p] !== COLON) return undefined;
  do p--;
  while (isBlank(p));
  const end = p--;
  while (p >= 0 && text[p] !== QUOTE && text[p] !== BACKSLASH) p--;
  return text[p] === QUOTE ? Buffer.from(text.subarray(p + 1, end)).toString() : undefined;
}

export class DocumentFramer implements Framer {
  readonly #source: string;
  readonly #maxLine: number;
  readonly #slab: Slab;
  readonly #lists: OpenedLists | undefined;
  readonly #cutter: ElementCutter;
  readonly #verify = jsonVerifier({ jsonStreaming: true });
  #started = false;
  /** End of the bytes in the slab. */
  #have = 0;
  /** Index up to which the bytes were passed to the verifier. */
  #fed = 0;
  /** Offset in the source of slab index 0. */
  #offset = 0;
  #bytes = 0;
  #bomBytes = 0;
  #lineBytes = 0;
  #lines = 0;
  /** Number of the top-level array that the last element was in. */
  #list = 1;
  /** Hash of an element that is too long, or of the rest after an error. */
  #hash: Hash | undefined;
  /** Index up to which the bytes are hashed. */
  #hashed = 0;
  #fault: Fault | undefined;
  /** Offset in the source where the rejected rest begins. */
  #restOffset: number | undefined;

  /**
   * @param source name of the source, for the origins; `line` is the element's number in the document, from 1
   * @param slab framing buffer; pass the same one to the framers of all sources
   * @param lists lists whose elements are framed one by one, so that a document of gigabytes is never held as a whole
   */
  constructor(source: string, maxLine: number, slab: Slab = createSlab(), lists?: OpenedLists) {
    shrinkSlab(slab);
    this.#lists = lists;
    this.#cutter = new ElementCutter(MAX_DEPTH, lists !== undefined && lists.members.size > 0);
    this.#source = source;
    this.#maxLine = maxLine;
    this.#slab = slab;
  }

  space(): Uint8Array {
    if (!hasRoom(this.#slab, 0, this.#have)) this.#makeRoom();
    return roomOf(this.#slab, this.#have);
  }

  *filled(count: number): Generator<Line | Rejection> {
    this.#bytes += count;
    this.#have += count;
    if (this.#started || this.#start(false)) yield* this.#advance(false);
  }

  *end(): Generator<Line | Rejection> {
    if (!this.#started) this.#start(true);
    yield* this.#advance(true);
    const [fault, rest] = [this.#fault, this.#restOffset];
    if (fault === undefined || rest === undefined) return;
    yield this.#reject(fault.reason, fault.detail, this.#nextOrigin(rest, this.#bytes - rest));
  }

  counts(): FramingCounts {
    return {
      bytes: this.#bytes,
      bomBytes: this.#bomBytes,
      lineBytes: this.#lineBytes,
      terminatorBytes: this.#cutter.betweenBytes,
      lines: this.#lines,
      crlf: 0,
      noFinalNewline: false,
    };
  }

  #makeRoom(): void {
    const cutter = this.#cutter;
    const from = cutter.inside && this.#hash === undefined ? cutter.begin : cutter.at;
    keepFrom(this.#slab, from, this.#have, this.#maxLine);
    cutter.moved(from);
    this.#offset += from;
    this.#fed -= from;
    this.#hashed -= from;
    this.#have -= from;
  }

  /** Strips the byte order mark; returns false while there are too few bytes to recognise it. */
  #start(last: boolean): boolean {
    const { bytes } = this.#slab;
    const known = Math.min(this.#have, BOM.length);
    const maybe = BOM.every((byte, i) => i >= known || bytes[i] === byte);
    if (maybe && known < BOM.length && !last) return false;
    this.#started = true;
    if (maybe && known === BOM.length) {
      this.#bomBytes = this.#fed = known;
      this.#cutter.moved(-known);
    }
    return true;
  }

  /** Yields the complete elements, and skips the rest after an error. */
  *#advance(last: boolean): Generator<Line | Rejection> {
    while (this.#fault === undefined && this.#feed(last)) yield* this.#cutUpTo(this.#fed - UNJUDGED_BYTES);
    if (last && this.#fault === undefined) {
      this.#judge(END_OF_INPUT);
      yield* this.#cutUpTo(this.#have);
      if (this.#fault === undefined && this.#cutter.inside) yield this.#takeElement(); // a number at the end
    }
    if (this.#fault !== undefined) this.#skipRest(this.#fault);
  }

  /**
   * Passes the next piece to the verifier, as one character per byte: the grammar of JSON is ASCII, so positions are
   * bytes, and text that is not UTF-8 reaches the parse stage. CR LF is not split, or the verifier would count two lines.
   * NaN and Infinity, which Python writes, pass as numbers: the parse stage decides about them.
   * @returns false if there is nothing to pass
   */
  #feed(last: boolean): boolean {
    const { bytes } = this.#slab;
    const [fed, have] = [this.#fed, this.#have];
    let to = Math.min(have, fed + PIECE_BYTES);
    const isEnd = last && to === have;
    if (to > fed && bytes[to - 1] === CR && !isEnd) to--;
    if (!isEnd) to = beforeWord(bytes, fed, to);
    if (to === fed) return false;
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset + fed, to - fed).toString('latin1');
    this.#fed = to;
    this.#judge(piece.includes('NaN') || piece.includes('Infinity') ? piece.replace(WORDS, zeroFor) : piece);
    return true;
  }

  #judge(piece: string): void {
    try {
      this.#verify(piece);
    } catch (error) {
      const { line, pos, offset, message } = error as VerifierError;
      if (typeof offset !== 'number') throw error;
      const at = offset + this.#bomBytes;
      const what = message.replace(/^.*?: Verifier (?:cannot parse input: |has )?/, '');
      const detail = `line ${line}, column ${pos}, byte ${at}: ${what}`;
      this.#fault = { reason: 'invalid-json', detail, offset: at };
    }
  }

  *#cutUpTo(accepted: number): Generator<Line | Rejection> {
    const cutter = this.#cutter;
    const limit = this.#fault === undefined ? accepted : this.#fault.offset - this.#offset;
    for (;;) {
      const cut = cutter.cut(this.#slab.bytes, limit);
      if (cut === 'element') yield this.#takeElement();
      else if (cut === 'list') yield* this.#openList();
      else if (cut === 'limit') break;
      else {
        const offset = this.#offset + cutter.at;
        this.#fault = { reason: 'too-deep', detail: `more than ${MAX_DEPTH} levels`, offset };
        return;
      }
    }
    if (cutter.inside && cutter.at - cutter.begin > this.#maxLine) this.#skip(cutter.begin, cutter.at);
  }

  /** Yields the head of a document whose list is framed element by element. */
  *#openList(): Generator<Line> {
    const { begin, at } = this.#cutter;
    const length = at - begin;
    if (this.#lists === undefined || this.#hash !== undefined || length > this.#maxLine) return;
    const raw = this.#slab.bytes.subarray(begin, at);
    const member = keyBefore(raw);
    if (member === undefined || !this.#lists.members.has(member)) return;
    const bytes = Buffer.concat([raw, EMPTY_LIST_END]);
    if (!this.#lists.opens(member, bytes)) return;
    const origin = this.#nextOrigin(this.#offset + begin, length);
    this.#cutter.enter();
    yield { kind: 'line', origin, bytes, created: { raw } };
  }

  /** Hashes the bytes from `begin` up to `end` without keeping them. */
  #skip(begin: number, end: number): void {
    if (this.#hash === undefined) {
      this.#hash = createHash('sha256');
      this.#hashed = begin;
    }
    this.#hash.update(this.#slab.bytes.subarray(this.#hashed, end));
    this.#hashed = end;
  }

  #skipRest({ offset: at }: Fault): void {
    const begin = this.#cutter.inside ? this.#cutter.begin : at - this.#offset;
    this.#restOffset ??= this.#offset + begin;
    this.#skip(begin, this.#have);
    this.#have = this.#hashed = 0;
  }

  #takeElement(): Line | Rejection {
    const { begin, at } = this.#cutter;
    const length = at - begin;
    const origin = this.#nextOrigin(this.#offset + begin, length);
    if (length <= this.#maxLine) {
      const line: Line = { kind: 'line', origin, bytes: this.#slab.bytes.subarray(begin, at) };
      if (this.#cutter.lists <= this.#list) return line;
      this.#list = this.#cutter.lists;
      return { ...line, beginsList: true };
    }
    this.#skip(begin, at);
    return this.#reject('line-too-long', `${length} bytes, over the limit of ${this.#maxLine}`, origin);
  }

  #nextOrigin(at: number, length: number): Origin {
    this.#lines++;
    this.#lineBytes += length;
    return { source: this.#source, line: this.#lines, offset: at, length };
  }

  #reject(reason: string, detail: string, origin: Origin): Rejection {
    const sha256 = (this.#hash as Hash).digest('hex');
    this.#hash = undefined;
    return { kind: 'rejection', scope: 'line', stage: 'framing', reason, detail, origin, sha256 };
  }
}
