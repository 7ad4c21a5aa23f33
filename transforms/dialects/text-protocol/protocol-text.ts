/**
 * Finds the markup around calls in an agent's text: tags in any case, fences named `tool`, and the end of an incomplete
 * block. Works on the bytes as lower-case Latin-1, so that an index in the text is an index in the bytes. Searches only
 * move forward, so the work is linear in the text.
 */

export const TAG = '<tool_call>';
export const END_TAG = '</tool_call>';
/** The chat template of some models closes an argument with this tag before it closes the call. */
const END_VALUE = '</arg_value>';
const CLOSERS: readonly string[] = [END_TAG, END_VALUE];
const FENCE = '```';
const WORD_OF_FENCE = 'tool';
/** A line that begins with another character is not part of an unclosed object. */
const BEGINS_JSON = new Set('"{}[],:');
const SPACES = new Set(' \t\r');
const BLANKS = new Set(' \t\r\n');
const WORD_CHARACTER = /[\w.+#-]/;

/** Caches the next match, for callers that search from left to right. */
class ForwardSearch {
  readonly #find: (from: number) => number;
  #found = -1;

  /** @param find returns the first match at or after `from`, or -1 */
  constructor(find: (from: number) => number) {
    this.#find = find;
  }

  /** The first match at or after `at`; Infinity if there is none. */
  from(at: number): number {
    if (this.#found < at) {
      const found = this.#find(at);
      this.#found = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#found;
  }
}

export class ProtocolText {
  /** One character per byte, in lower case. */
  readonly low: string;
  readonly #tags: ForwardSearch;
  readonly #endTags: ForwardSearch;
  readonly #toolFences: ForwardSearch;
  readonly #bareFences: ForwardSearch;

  constructor(latin1: string) {
    this.low = latin1.toLowerCase();
    this.#tags = new ForwardSearch((from) => this.low.indexOf(TAG, from));
    this.#endTags = new ForwardSearch((from) => this.low.indexOf(END_TAG, from));
    this.#toolFences = new ForwardSearch((from) => this.#findFence(from, (at) => this.toolFence(at) >= 0));
    this.#bareFences = new ForwardSearch((from) => this.#findFence(from, (at) => this.isBareFence(at)));
  }

  /** Where the next block opens. */
  nextBlock(from: number): number {
    return Math.min(this.#tags.from(from), this.#toolFences.from(from));
  }

  nextEndTag(from: number): number {
    return this.#endTags.from(from);
  }

  /** The next fence without a language. */
  nextBareFence(from: number): number {
    return this.#bareFences.from(from);
  }

  skip(at: number, characters: ReadonlySet<string>): number {
    let p = at;
    while (characters.has(this.low.charAt(p))) p++;
    return p;
  }

  skipBlanks(at: number): number {
    return this.skip(at, BLANKS);
  }

  /** Whether only blanks follow on the line of `at`. */
  endsLine(at: number): boolean {
    const next = this.low.charAt(this.skip(at, SPACES));
    return next === '' || next === '\n';
  }

  /** Start of the line of `at` if only blanks come before `at`, else -1. */
  lineStart(at: number): number {
    let p = at;
    while (SPACES.has(this.low.charAt(p - 1))) p--;
    return p === 0 || this.low[p - 1] === '\n' ? p : -1;
  }

  /** The index after the run of backticks at `at`. */
  fenceEnd(at: number): number {
    let p = at;
    while (this.low[p] === '`') p++;
    return p;
  }

  /** Whether the fence at `at` has no language. */
  isBareFence(at: number): boolean {
    return this.endsLine(this.fenceEnd(at));
  }

  /**
   * The index after a fence and its word `tool`, possibly with blanks or a line break between; -1 for another fence.
   */
  toolFence(at: number): number {
    const fence = this.fenceEnd(at);
    const word = this.skipBlanks(fence);
    if (!this.low.startsWith(WORD_OF_FENCE, word)) return -1;
    const end = word + WORD_OF_FENCE.length;
    const body = this.skipBlanks(end);
    const opensLine = this.endsLine(end) && this.lineStart(at) >= 0;
    if (this.skip(fence, SPACES) === word) return opensLine || this.low[body] === '{' ? end : -1;
    // on the next line the word may be the first line of code, so an object has to follow
    const member = this.low.charAt(this.skipBlanks(body + 1));
    return this.endsLine(end) && this.low[body] === '{' && member === '"' ? end : -1;
  }

  /** The index after the closing tag at `at`, or -1. */
  closingTag(at: number): number {
    const closer = CLOSERS.find((one) => this.low.startsWith(one, at));
    return closer === undefined ? -1 : at + closer.length;
  }

  /**
   * The index after the closing tags from `at` on, including stray brackets and blanks before them; `at` if there are
   * none.
   */
  afterClosingTags(at: number): number {
    let end = at;
    for (let p = at; ; ) {
      p = this.skipBlanks(p);
      const closed = this.closingTag(p);
      if (closed >= 0) end = p = closed;
      else if ('}]'.includes(this.low.charAt(p) || ' ')) p++;
      else return end;
    }
  }

  /** Whether the tag at `at` is quoted as inline code, as in a text about the protocol. */
  isMention(at: number, end: number): boolean {
    return this.low[at - 1] === '`' && this.low[end] === '`';
  }

  /**
   * End of an object that is not valid JSON: its closing bracket, or the first line that cannot belong to it. Strings
   * may contain raw line breaks, which models write.
   */
  endOfBroken(at: number, bound: number): number {
    const limit = Math.min(bound, this.low.length);
    let depth = 0;
    for (let p = at; p < limit; p++) {
      const c = this.low[p] as string;
      if (c === '"') p = this.#endOfString(p, limit);
      else if (c === '{' || c === '[') depth++;
      else if ((c === '}' || c === ']') && --depth === 0) return p + 1;
      else if (c === '\n') {
        const next = this.skipBlanks(p);
        if (!BEGINS_JSON.has(this.low.charAt(next))) return p;
        p = next - 1;
      }
    }
    return limit;
  }

  /** The index of the closing quote. */
  #endOfString(at: number, limit: number): number {
    let p = at + 1;
    while (p < limit && this.low[p] !== '"') p += this.low[p] === '\\' ? 2 : 1;
    return p;
  }

  #findFence(from: number, accept: (at: number) => boolean): number {
    for (let at = this.low.indexOf(FENCE, from); at >= 0; ) {
      if (accept(at)) return at;
      at = this.low.indexOf(FENCE, this.fenceEnd(at));
    }
    return -1;
  }
}

/** Whether a character can be part of a fence's language. */
export function isWordCharacter(character: string): boolean {
  return WORD_CHARACTER.test(character);
}
