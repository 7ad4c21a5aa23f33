/**
 * Finds the blocks in which an agent wrote calls into its text: `<tool_call>{...}</tool_call>` in any case, fences
 * named
 * `tool`, a name before the object, unclosed tags, and objects without tags that have a `retrigger`. A block with
 * complete JSON becomes calls; any other is cut and counted (docs/reference/dialects-of-conversations.md). Linear in the text.
 */
import { textScanner } from '../../json/plain-scanner.ts';
import { concat } from '../../json/splice.ts';
import { decode, encode, latin1, parseJson } from '../../json/utf8.ts';
import { isRetriggered, type ProtocolCall, readCalls, type WrittenCall } from './call-object.ts';
import { isWordCharacter, ProtocolText, TAG } from './protocol-text.ts';

/** The calls of a text in order, and the rest of the text. */
export interface TextWithoutBlocks {
  readonly calls: readonly WrittenCall[];
  readonly text: string;
  /** Number of blocks without a readable call. */
  readonly stripped: number;
}

/** A block: its calls (none if they cannot be read), and the index after it. */
interface Block {
  readonly calls: readonly WrittenCall[];
  readonly end: number;
}

/** An open fence. It is cut too if it contains only blocks. */
interface OpenFence {
  readonly start: number;
  readonly length: number;
  /** Up to this index it contains only blanks and blocks; undefined if it contains anything else. */
  empty: number | undefined;
  hasBlock: boolean;
}

/** The text after a tag. */
interface Body {
  /** A name before the object. */
  readonly word: string | undefined;
  readonly body: number;
  /** End of a name that directly follows the tag, else end of the tag. */
  readonly wordEnd: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** The calls of a block; undefined for a fence around blocks. */
  readonly calls?: readonly WrittenCall[];
}

const MAY_HOLD_BLOCK = /tool_call>|<\/arg_value>|```|retrigger/i;
const OPENER = /<\/?tool_call>|<\/arg_value>|`{3,}/g;
const OPENER_OR_OBJECT = /<\/?tool_call>|<\/arg_value>|`{3,}|\{/g;
const RETRIGGER = '"retrigger"';
const OPEN_OBJECT = '{';
const OPEN_ARRAY = '[';
const NAME = /[a-z_][\w.:-]{0,63}/iy;
/** Cutting one block can join the halves of another. Only a crafted text needs more rounds. */
const MAX_ROUNDS = 8;

/** Walks a text once and collects the blocks to cut. */
class BlockCutter {
  readonly calls: WrittenCall[] = [];
  stripped = 0;
  readonly #bytes: Uint8Array;
  readonly #text: ProtocolText;
  readonly #cuts: Span[] = [];
  #fence: OpenFence | undefined;
  /** Whether the opening of a `tool` fence was cut, so that the next block is its body. */
  #isInToolFence = false;
  /** Braces before this index are inside an object that was scanned already, so they are not scanned again. */
  #seenUntil = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#text = new ProtocolText(latin1(bytes));
  }

  /** Cuts the blocks. Returns the rest of the text; undefined if there is nothing to cut. */
  cut(): Uint8Array | undefined {
    const { low } = this.#text;
    const openers = low.includes(RETRIGGER) ? OPENER_OR_OBJECT : OPENER;
    openers.lastIndex = 0;
    for (let found = openers.exec(low); found !== null; found = openers.exec(low)) {
      const at = found.index;
      const block = this.#blockAt(at, found[0]);
      if (typeof block === 'number') openers.lastIndex = block;
      else {
        this.#take(at, block);
        openers.lastIndex = block.end;
      }
    }
    return this.#cuts.length === 0 ? undefined : this.#rest();
  }

  /** The block that opens at `at`, or the index from which to search on if there is none. */
  #blockAt(at: number, opener: string): Block | number {
    const end = at + opener.length;
    if (opener === OPEN_OBJECT) return this.#bareObject(at);
    if (opener.startsWith('`')) return this.#fenceBlock(at) ?? end;
    if (this.#text.isMention(at, end)) return end;
    if (opener !== TAG) return { calls: [], end: this.#text.afterClosingTags(at) };
    return this.#tagBlock(at, end);
  }

  /** @param start the index after the tag at `at` */
  #tagBlock(at: number, start: number): Block | number {
    const text = this.#text;
    const bound = text.nextBlock(start);
    const { word, body, wordEnd } = this.#bodyAt(start);
    const whole = this.#wholeCalls(body, word);
    if (whole !== undefined) return { ...whole, end: this.#afterTagged(whole.end) };
    const close = text.nextEndTag(start);
    if (close < bound) {
      const end = this.#afterTagged(close);
      return text.isMention(at, end) ? end : { calls: [], end };
    }
    if (this.#opensJson(body)) return { calls: [], end: this.#afterTagged(text.endOfBroken(body, bound)) };
    const alone = [wordEnd, start].find((end) => text.endsLine(end) || text.skipBlanks(end) === bound);
    return alone === undefined ? start : { calls: [], end: alone };
  }

  /** The block in a fence named `tool`. Notes where any other fence opens or closes. */
  #fenceBlock(at: number): Block | undefined {
    const text = this.#text;
    const start = text.toolFence(at);
    const isSplit = start >= 0 && text.low.slice(text.fenceEnd(at), start).includes('\n');
    if (start < 0 || (isSplit && this.#fence !== undefined)) {
      this.#noteFence(at);
      return undefined;
    }
    const body = text.skipBlanks(start);
    const bound = text.nextBlock(start);
    const whole = this.#wholeCalls(body, undefined);
    if (whole !== undefined) return { ...whole, end: this.#afterFenced(whole.end) };
    if (this.#opensJson(body)) return { calls: [], end: this.#afterFenced(text.endOfBroken(body, bound)) };
    const close = text.nextBareFence(start);
    this.#isInToolFence = close > bound;
    return { calls: [], end: close < bound ? text.fenceEnd(close) : start };
  }

  /**
   * The block of an object without tags. One that is not JSON counts if it begins with a name and has a `retrigger`.
   */
  #bareObject(at: number): Block | number {
    const text = this.#text;
    if (at < this.#seenUntil) return at + 1;
    const end = textScanner.value(this.#bytes, at, 0);
    if (end >= 0) {
      const object = this.#bytes.subarray(at, end);
      const calls = isRetriggered(object) ? readCalls(object, undefined) : [];
      if (calls.length > 0) return { calls, end: text.afterClosingTags(end) };
      this.#seenUntil = end;
      return at + 1;
    }
    this.#seenUntil = textScanner.failedAt;
    if (!text.low.startsWith('"name"', text.skipBlanks(at + 1))) return at + 1;
    const broken = text.endOfBroken(at, text.nextBlock(at));
    this.#seenUntil = Math.max(this.#seenUntil, broken);
    const isCall = text.low.slice(at, broken).includes(RETRIGGER);
    return isCall ? { calls: [], end: text.afterClosingTags(broken) } : at + 1;
  }

  /** The calls in the JSON at `at`; undefined if it is incomplete or has none. */
  #wholeCalls(at: number, word: string | undefined): Block | undefined {
    if (!this.#opensJson(at)) return undefined;
    const end = textScanner.value(this.#bytes, at, 0);
    const calls = end < 0 ? [] : readCalls(this.#bytes.subarray(at, end), word);
    return calls.length === 0 ? undefined : { calls, end };
  }

  #opensJson(at: number): boolean {
    const character = this.#text.low[at];
    return character === OPEN_OBJECT || character === OPEN_ARRAY;
  }

  /** Reads the name after a tag, on the same line or the next, and the body. */
  #bodyAt(start: number): Body {
    const text = this.#text;
    const body = text.skipBlanks(start);
    const isApart = body > start && !text.low.slice(start, body).includes('\n');
    NAME.lastIndex = body;
    const [name] = NAME.exec(text.low) ?? [];
    if (name === undefined || (isApart && name !== 'tool')) return { word: undefined, body, wordEnd: start };
    const end = body + name.length;
    const word = decode(this.#bytes.subarray(body, end));
    return { word, body: text.skipBlanks(end), wordEnd: body === start ? end : start };
  }

  /** The index after the closing tags, or after the fence that some agents write instead. */
  #afterTagged(end: number): number {
    const closed = this.#text.afterClosingTags(end);
    const mayBeFenced = this.#isInToolFence || (closed === end && this.#fence === undefined);
    this.#isInToolFence = false;
    const fence = this.#text.skipBlanks(closed);
    const isFence = mayBeFenced && this.#text.low.startsWith('```', fence) && this.#text.isBareFence(fence);
    return isFence ? this.#text.fenceEnd(fence) : closed;
  }

  /**
   * The index after the fence that closes a block, which may come later if no empty line is between.
   */
  #afterFenced(end: number): number {
    const text = this.#text;
    const closed = text.afterClosingTags(end);
    const next = text.skipBlanks(closed);
    if (text.low.startsWith('```', next)) {
      const fenceEnd = text.fenceEnd(next);
      return isWordCharacter(text.low.charAt(fenceEnd)) ? closed : fenceEnd;
    }
    const close = text.nextBareFence(closed);
    const isNear = close < text.nextBlock(closed) && !text.low.slice(closed, close).includes('\n\n');
    return isNear ? text.fenceEnd(close) : closed;
  }

  #take(start: number, { calls, end }: Block): void {
    for (const call of calls) this.calls.push(call);
    if (calls.length === 0) this.stripped++;
    this.#cuts.push(
      this.#text.isMention(start, end) ? { start: start - 1, end: end + 1, calls } : { start, end, calls },
    );
    const fence = this.#fence;
    if (fence === undefined) return;
    fence.hasBlock = true;
    fence.empty = this.#isBlank(fence.empty, start) ? end : undefined;
  }

  /** Notes a fence at the start of a line, which opens or closes a block of code. */
  #noteFence(at: number): void {
    const text = this.#text;
    const start = text.lineStart(at);
    if (start < 0) return;
    const end = text.fenceEnd(at);
    const open = this.#fence;
    if (open === undefined) {
      const line = text.low.indexOf('\n', end);
      this.#fence = { start, length: end - at, empty: line < 0 ? undefined : line, hasBlock: false };
    } else if (end - at >= open.length && text.endsLine(end)) {
      if (open.hasBlock && this.#isBlank(open.empty, at)) this.#cuts.push({ start: open.start, end });
      this.#fence = undefined;
    }
  }

  #isBlank(from: number | undefined, to: number): boolean {
    return from !== undefined && this.#text.skipBlanks(from) >= to;
  }

  /** After `cut`: the text and the calls of its blocks, in order. */
  pieces(): readonly (string | readonly WrittenCall[])[] {
    const pieces: (string | readonly WrittenCall[])[] = [];
    const cuts = this.#cuts.toSorted((a, b) => a.start - b.start);
    let from = 0;
    for (const { start, end, calls } of cuts) {
      if (start > from) pieces.push(decode(this.#bytes.subarray(from, start)));
      if (calls !== undefined) pieces.push(calls);
      from = Math.max(from, end);
    }
    pieces.push(decode(this.#bytes.subarray(from)));
    return pieces.filter((piece) => piece !== '');
  }

  #rest(): Uint8Array {
    const cuts = this.#cuts.toSorted((a, b) => a.start - b.start);
    const kept: Uint8Array[] = [];
    let from = 0;
    for (const { start, end } of cuts) {
      if (start > from) kept.push(this.#bytes.subarray(from, start));
      from = Math.max(from, end);
    }
    return concat([...kept, this.#bytes.subarray(from)]);
  }
}

export function cutToolBlocks(text: string): TextWithoutBlocks {
  const calls: WrittenCall[] = [];
  let stripped = 0;
  let rest = text;
  for (let round = 0; round < MAX_ROUNDS && MAY_HOLD_BLOCK.test(rest); round++) {
    const cutter = new BlockCutter(encode(rest.toWellFormed())); // a lone surrogate has no UTF-8
    const bytes = cutter.cut();
    if (bytes === undefined) break;
    for (const call of cutter.calls) calls.push(call);
    stripped += cutter.stripped;
    rest = decode(bytes);
  }
  return { calls, text: rest, stripped };
}

/** Splits a text at its blocks: texts, and the calls of each block (an empty list if they cannot be read), in order. */
export function splitToolBlocks(text: string): readonly (string | readonly WrittenCall[])[] {
  if (!MAY_HOLD_BLOCK.test(text)) return text === '' ? [] : [text];
  const cutter = new BlockCutter(encode(text.toWellFormed()));
  return cutter.cut() === undefined ? [text] : cutter.pieces();
}

/** The call in a text: the last one, if there are several; undefined if there is none. */
export function extractToolCall(text: string): ProtocolCall | undefined {
  const call = cutToolBlocks(text).calls.at(-1);
  return call && { name: call.name, arguments: parseJson(call.arguments) };
}

/** Removes blocks, trims the text, and leaves at most one empty line in a row. */
export function stripToolBlocks(text: string): string {
  return tidy(cutToolBlocks(text).text);
}

/** Trims a text, and reduces runs of three or more newlines to two. */
export function tidy(text: string): string {
  return text.trim().replace(/\n{3,}/g, '\n\n');
}
