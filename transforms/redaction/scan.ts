/**
 * Finds values that look like secrets in the bytes of a record: one pass for all anchors, then the pattern of the anchor
 * in a window around it. A span never begins or ends inside an escape of JSON, at any depth of JSON in JSON.
 */
import { AnchorScan } from './anchors.ts';
import { privateKeyAt } from './private-key.ts';
import type { Form, Rule, ValueCheck } from './rule.ts';
import { afterEscape, fitted, isDigit, isInWord, isWordByte, type Span } from './span.ts';
import { isSecret } from './values.ts';

const MAX_MATCH_BYTES = 400;
/** Enough for most matches. */
const FIRST_LOOK_BYTES = 160;
/** Bytes before a window that a pattern may look back at. */
const LOOK_BACK = 32;
const MIN_NUMBER_BYTES = 13;
const MAX_NUMBER_BYTES = 120;
const MAX_NAME_BYTES = 40;
/** Between a name and its value: `:`, `=`, `,`, `>`, `|` or `?`. */
const SIGNS: ReadonlySet<number> = new Set([0x3a, 0x3d, 0x2c, 0x3e, 0x7c, 0x3f]);
const MIN_CARD_DIGITS = 13;
const AT = 0x40;
const POINT = 0x2e;
const HYPHEN = 0x2d;

const EMAIL = /^[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}$/;

/** The user or the password of a URL follows. */
const IN_URL = /:\/\/[^\s"'\\/]*$/;

/** A form that was prepared for scanning. */
interface Prepared {
  readonly form: Form;
  readonly rule: number;
  readonly pattern: RegExp;
  readonly head: RegExp | undefined;
  /** Where the last match ended: inside it, nothing is tried again. */
  end: number;
}

interface Judged {
  readonly value: string;
  readonly check: ValueCheck | undefined;
  readonly isSecret: boolean;
}

/** Turns parts of a record into text: more at once where one part follows another soon, because each call costs. */
class Window {
  static readonly #MAX_BYTES = 32_768;
  /** Text before a part: forms of one anchor begin at different bytes before it. */
  static readonly #BEFORE_BYTES = 96;
  #from = 0;
  #text = '';

  /** Forgets the text. Call it before another record. */
  clear(): void {
    this.#text = '';
    this.#from = 0;
  }

  /** Returns these bytes, one character for each. */
  text(bytes: Buffer, from: number, end: number): string {
    const { length } = this.#text;
    const to = Math.min(end, bytes.length);
    if (from < this.#from || to > this.#from + length) {
      const ahead =
        from > this.#from && from < this.#from + 2 * length ? Math.min(2 * length, Window.#MAX_BYTES) : 0;
      this.#from = Math.max(0, from - Window.#BEFORE_BYTES);
      this.#text = bytes.toString('latin1', this.#from, Math.max(to, from + ahead));
    }
    return this.#text.slice(from - this.#from, to - this.#from);
  }
}

export class SecretScan {
  readonly #anchors = new AnchorScan<Prepared>();
  readonly #prepared: Prepared[] = [];
  readonly #email: number;
  /** Forms without anchors: numbers of cards and accounts. */
  readonly #numbers: Prepared[] = [];
  readonly #window = new Window();
  /** The value judged last: one may fill a text. */
  #judged: Judged | undefined;
  /** Bytes without the signs between a name and its value. */
  #unassigned = { from: 0, to: 0 };

  constructor(rules: readonly Rule[]) {
    const indexOf = (wanted: string): number => rules.findIndex(({ name }) => name === wanted);
    this.#email = indexOf('email');
    for (const [rule, { forms }] of rules.entries()) for (const form of forms) this.#prepare(form, rule);
  }

  /** Returns the spans, which may overlap, in no order. */
  find(bytes: Uint8Array): Span[] {
    const spans: Span[] = [];
    for (const prepared of this.#prepared) prepared.end = 0;
    this.#window.clear();
    this.#unassigned = { from: 0, to: 0 };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#anchors.scan(
      buffer,
      (at, prepared) => {
        if (at < prepared.end) return;
        const span =
          prepared.form.pattern === ''
            ? privateKeyAt(buffer, at, prepared.rule)
            : this.#match(buffer, at, prepared);
        if (span === undefined) return;
        prepared.end = span.end;
        spans.push(span);
      },
      (at) => this.#findNumbers(buffer, at, spans),
    );
    if (this.#email >= 0) this.#findEmails(buffer, spans);
    return spans;
  }

  #prepare(form: Form, rule: number): void {
    const isNumber = form.anchors.length === 0;
    const flags = `${isNumber || (form.back ?? 0) > 0 ? 'g' : 'y'}${form.group === undefined ? '' : 'd'}`;
    const head = form.head === undefined ? undefined : new RegExp(`^(?:${form.head})`);
    const prepared = { form, rule, pattern: new RegExp(form.pattern, flags), head, end: 0 };
    (isNumber ? this.#numbers : this.#prepared).push(prepared);
    if (isNumber) this.#anchors.addDigits();
    for (const anchor of form.anchors) this.#anchors.add(anchor, prepared);
  }

  #match(bytes: Buffer, at: number, prepared: Prepared): Span | undefined {
    const { form, rule, pattern, head } = prepared;
    const { back, group = 0, reach = MAX_MATCH_BYTES, check } = form;
    if (back === undefined && group === 0 && isInWord(bytes, at)) return undefined;
    if (form.isName === true && !this.#isAssigned(bytes, at)) return undefined;
    const from = Math.max(0, at - (back ?? 0) - LOOK_BACK);
    const near = at + Math.min(reach, FIRST_LOOK_BYTES);
    let text = this.#window.text(bytes, from, near);
    let match = matchAt(pattern, text, at - from, back);
    const isCut = match !== undefined && match.index + match[0].length === text.length;
    if (near < at + reach && (isCut || head?.test(text.slice(at - from)) === true)) {
      text = this.#window.text(bytes, from, at + reach);
      match = matchAt(pattern, text, at - from, back);
    }
    if (match === undefined) {
      // an anchor later in the same word ends at the same byte, and fails too; a name may have several, as in TOKEN_SECRET
      if (head !== undefined && form.isName !== true) prepared.end = wordEnd(bytes, at);
      return undefined;
    }
    const last = match.index + match[0].length;
    const [start, end] = match.indices?.[group] ?? [match.index, last];
    const span = fitted(bytes, { start: from + start, end: from + end, rule }, group === 0);
    prepared.end = from + last;
    if (span === undefined || !this.#isSecret(bytes.toString('latin1', span.start, span.end), check))
      return undefined;
    return span;
  }

  #isSecret(value: string, check: ValueCheck | undefined): boolean {
    const judged = this.#judged;
    if (judged?.value === value && judged.check === check) return judged.isSecret;
    this.#judged = { value, check, isSecret: isSecret(value, check) };
    return this.#judged.isSecret;
  }

  /** Whether one of the signs follows a name. */
  #isAssigned(bytes: Buffer, at: number): boolean {
    const end = at + MAX_NAME_BYTES;
    let sign = at >= this.#unassigned.from && at <= this.#unassigned.to ? this.#unassigned.to : at;
    while (sign < end && !SIGNS.has(bytes[sign] as number)) sign++;
    this.#unassigned = { from: at, to: sign };
    return sign < end;
  }

  #findEmails(bytes: Buffer, spans: Span[]): void {
    let done = 0;
    for (let at = bytes.indexOf(AT); at >= 0; at = bytes.indexOf(AT, at + 1)) {
      const start = Math.max(done, localStart(bytes, at));
      const end = domainEnd(bytes, at + 1);
      if (start >= at || end <= at + 3 || bytes[end - 2] === POINT) continue;
      const from = afterEscape(bytes, start);
      const value = this.#window.text(bytes, from, end);
      if (from >= at || !EMAIL.test(value) || !isSecret(value, 'email')) continue;
      if (IN_URL.test(bytes.toString('latin1', Math.max(0, from - 64), from))) continue;
      spans.push({ start: from, end, rule: this.#email });
      done = end;
    }
  }

  /** Looks for cards and account numbers around two digits. Returns the end of the text that may be a number. */
  #findNumbers(bytes: Buffer, at: number, spans: Span[]): number {
    let start = at;
    let end = at + 1;
    while (isOfNumber(bytes, start - 1, start)) start--;
    while (isOfNumber(bytes, end, end - 1)) end++;
    if (end - start < MIN_NUMBER_BYTES || end - start > MAX_NUMBER_BYTES) return end;
    let digits = 0;
    for (let i = start; i < end; i++) if (isDigit(bytes[i])) digits++;
    const capitals = end - start - digits;
    if (digits >= MIN_CARD_DIGITS || capitals >= 2) this.#numbersIn(bytes, start, end, spans);
    return end;
  }

  #numbersIn(bytes: Buffer, start: number, end: number, spans: Span[]): void {
    const from = Math.max(0, start - 1);
    const text = bytes.toString('latin1', from, end + 2);
    for (const { pattern, rule, form } of this.#numbers) {
      pattern.lastIndex = 0;
      for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
        const { 0: value, index } = match;
        const at = from + index;
        if (isSecret(value, form.check) && !isInWord(bytes, at) && afterEscape(bytes, at) === at)
          spans.push({ start: at, end: at + value.length, rule });
        else pattern.lastIndex = index + 1;
      }
    }
  }
}

/** Returns the first match that contains the anchor. @param back undefined if it begins there */
function matchAt(pattern: RegExp, text: string, anchor: number, back = 0): RegExpExecArray | undefined {
  pattern.lastIndex = Math.max(0, anchor - back);
  for (;;) {
    const match = pattern.exec(text);
    if (match === null || match.index > anchor) return undefined;
    if (match.index + match[0].length > anchor) return match;
    pattern.lastIndex = match.index + 1;
  }
}

const MAX_LOCAL_BYTES = 64;
const MAX_DOMAIN_BYTES = 255;

/** Returns where the part of an address before its `@` begins. */
function localStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > at - MAX_LOCAL_BYTES && isOfLocal(bytes[start - 1])) start--;
  return start;
}

/** Returns where a domain ends, without a point or hyphen after it. */
function domainEnd(bytes: Uint8Array, from: number): number {
  let end = from;
  while (end < from + MAX_DOMAIN_BYTES && isOfDomain(bytes[end])) end++;
  while (end > from && (bytes[end - 1] === POINT || bytes[end - 1] === HYPHEN)) end--;
  return end;
}

/** Returns the end of the letters, digits, hyphens and `_` here. */
function wordEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (isWordByte(bytes[end]) || bytes[end] === HYPHEN) end++;
  return end;
}

const isOfDomain = (byte = 0): boolean =>
  (isWordByte(byte) && byte !== 0x5f) || byte === POINT || byte === HYPHEN;

/** Letters, digits and `. _ % + -`. */
const isOfLocal = (byte = 0): boolean =>
  isWordByte(byte) || byte === POINT || byte === HYPHEN || byte === 0x25 || byte === 0x2b;

/** Whether the byte is a digit, a capital, or a single space or hyphen. @param next where the number goes on */
function isOfNumber(bytes: Uint8Array, at: number, next: number): boolean {
  const byte = bytes[at];
  if (isDigit(byte) || (byte !== undefined && byte >= 0x41 && byte <= 0x5a)) return true;
  return isSeparator(byte) && !isSeparator(bytes[next]);
}

const isSeparator = (byte: number | undefined): boolean => byte === 0x20 || byte === HYPHEN;
