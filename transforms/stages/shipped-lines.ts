/**
 * Takes the lines of a log out of the objects in which a collector ships them (`{"log": ..., "stream": ...}` of Docker),
 * and joins the lines that Docker cut into pieces.
 */

import type { Dialect } from '../dialects/dialect.ts';
import { dialects } from '../dialects/index.ts';
import { dropped } from '../dialects/shared/carried-content.ts';
import { present } from '../dialects/shared/logged-values.ts';
import { LF, OPEN_OBJECT } from '../json/bytes.ts';
import { JsonView } from '../json/json-view.ts';
import { copyOf } from '../json/keep.ts';
import { createPlainScanner } from '../json/plain-scanner.ts';
import { type Scanner, skipBlanks } from '../json/scanner.ts';
import { unquote } from '../json/unquote.ts';
import type { Line, Origin, SessionEnd, StreamElement } from '../model/element.ts';
import { rejectLine } from '../model/rejection.ts';
import { isOfDialect, mayBeOfDialect } from './choose-dialect.ts';

const STAGE = 'parse';
/** Members in which collectors ship a line of a program, each with one that tells the collector. */
const ENVELOPES: Readonly<Record<string, string>> = {
  log: 'stream', // Docker, Fluent Bit
  MESSAGE: '__REALTIME_TIMESTAMP', // journald
  jsonPayload: 'insertId', // Google Cloud
  textPayload: 'insertId',
  _source: '_index', // Elasticsearch, OpenSearch
  line: 'labels', // Loki
  event: 'sourcetype', // Splunk
  data: 'specversion', // CloudEvents
  detail: 'detail-type', // EventBridge
  value: 'topic', // Kafka
  Body: 'MessageId', // SQS
  Message: 'TopicArn', // SNS
};

const SIGNS: ReadonlySet<string> = new Set(Object.values(ENVELOPES));
/** Objects that may come before the first one with a line of a log: a program prints texts when it starts. */
const MAX_HELD_OBJECTS = 64;
/** Bytes of UTF-8 in each piece but the last one. */
const PIECE_BYTES = 16 * 1024;
/** The character that the logger writes for the bytes of a character that it cut in two. */
const REPLACEMENT = Buffer.from('\ufffd');

/** A line of which only pieces were seen. */
interface OpenLine {
  readonly pieces: Uint8Array[];
  readonly origins: Origin[];
  /** The object with the last piece. */
  last: Line;
}

interface Shipped {
  readonly line: Line;
  /** The whole text that the object ships; undefined if it ships none, or only a piece. */
  readonly text?: Uint8Array;
  readonly isPiece?: true;
  /** The pieces before this one. */
  readonly open?: OpenLine | undefined;
  /** Lines whose end is missing. */
  readonly lost: readonly OpenLine[];
}

interface Options {
  readonly dialect: string;
  readonly maxDepth: number;
  readonly maxElements: number;
  readonly maxConversation: number;
  readonly dialects?: readonly Dialect[];
  /** Set if the shortcut has read the beginning of the sources: their lines are not shipped. */
  readonly begun?: object | undefined;
}

/** Reads the lines of the log. */
interface LineReader {
  line(line: Line): Iterable<StreamElement>;
  sessionEnd(end: SessionEnd): Iterable<StreamElement>;
}

export class ShippedLines {
  readonly #reader: LineReader;
  readonly #scanner: Scanner;
  /** Bytes of pieces that may be held. */
  readonly #maxBytes: number;
  readonly #isKnown: (object: Uint8Array) => boolean;
  readonly #mayShip: boolean;

  // state of the current source
  /** Whether its lines are shipped; undefined until one of a log was seen. */
  #isShipped: boolean | undefined;
  /** The objects until then. */
  #held: Shipped[] = [];
  /** By stream. */
  readonly #open = new Map<string, OpenLine>();
  #openBytes = 0;
  /** Number of the last line: one that does not come here, or is not an object, may have been a piece. */
  #number = 0;

  constructor(
    { dialect, maxDepth, maxElements, maxConversation, dialects: more = [], begun }: Options,
    reader: LineReader,
  ) {
    const fixed = [...more, ...dialects].find(({ name }) => name === dialect);
    const scanner = createPlainScanner(maxDepth, maxElements);
    this.#reader = reader;
    this.#scanner = scanner;
    this.#maxBytes = maxConversation;
    this.#isKnown = (object) =>
      fixed === undefined ? mayBeOfDialect(object, scanner, more) : isOfDialect(object, scanner, fixed);
    this.#mayShip = begun === undefined;
    this.#isShipped = this.#mayShip ? undefined : false;
  }

  line(line: Line): Iterable<StreamElement> {
    if (this.#isShipped === false) return this.#reader.line(line);
    if (skipBlanks(line.bytes, 0) >= line.bytes.length) return this.#blank(line);
    const shipped = this.#shippedIn(line);
    if (this.#isShipped === true) return this.#readShipped(shipped);
    this.#isShipped = this.#decide(shipped);
    if (this.#isShipped === false && this.#held.length === 0) return this.#reader.line(line);
    this.#held.push({ ...shipped, line: { ...line, bytes: copyOf(line.bytes) } });
    return this.#isShipped === undefined ? [] : this.#readHeld();
  }

  #blank(line: Line): Iterable<StreamElement> {
    this.#number = line.origin.line;
    return this.#reader.line(line);
  }

  sessionEnd(end: SessionEnd): Iterable<StreamElement> {
    if (!end.last) return this.#reader.sessionEnd(end);
    if (this.#held.length > 0 || this.#open.size > 0) return this.#endWithRest(end);
    this.#forget();
    return this.#reader.sessionEnd(end);
  }

  /** Ends the source: reads what is held, and rejects lines whose end is missing. */
  *#endWithRest(end: SessionEnd): Generator<StreamElement> {
    yield* this.#readHeld();
    if (this.#isShipped === true) yield* lostLines(this.#takeOpen());
    this.#forget();
    yield* this.#reader.sessionEnd(end);
  }

  #forget(): void {
    this.#takeOpen();
    this.#isShipped = this.#mayShip ? undefined : false;
    this.#number = 0;
  }

  *#readHeld(): Generator<StreamElement> {
    const held = this.#held;
    this.#held = [];
    for (const one of held)
      yield* this.#isShipped === true ? this.#readShipped(one) : this.#reader.line(one.line);
  }

  #takeOpen(): readonly OpenLine[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    this.#openBytes = 0;
    return open;
  }

  /** Whether the lines are shipped, as the next object tells; undefined if it does not tell. */
  #decide({ line, text, isPiece, open }: Shipped): boolean | undefined {
    if (isPiece === true) return undefined;
    if (text === undefined || (open === undefined && this.#isKnown(line.bytes))) return false;
    if (this.#isKnown(text)) return true;
    return this.#held.length < MAX_HELD_OBJECTS ? undefined : false;
  }

  #shippedIn(line: Line): Shipped {
    const { bytes, origin } = line;
    const object = this.#objectIn(line);
    const lost = object === undefined || origin.line > this.#number + 1 ? this.#takeOpen() : [];
    this.#number = origin.line;
    const view = object && contentOf(object);
    if (view?.type === 'object') return { line, text: view.copy(), lost };
    if (object === undefined || view?.type !== 'string') return { line, lost };
    const text = copyOf(unquote(view.bytes));
    const stream = object.textOf('stream') ?? '';
    const open = this.#open.get(stream);
    if (goesOn(text) && this.#openBytes + text.length <= this.#maxBytes) {
      const { pieces = [], origins = [] }: Partial<OpenLine> = open ?? {};
      pieces.push(text);
      origins.push(origin);
      this.#openBytes += text.length;
      this.#open.set(stream, { pieces, origins, last: { ...line, bytes: copyOf(bytes) } });
      return { line, isPiece: true, lost };
    }
    this.#open.delete(stream);
    const before = open?.pieces ?? [];
    for (const { length } of before) this.#openBytes -= length;
    return { line, text: Buffer.concat([...before, text]), open, lost };
  }

  /** The object that is the whole line. */
  #objectIn({ bytes, created }: Line): JsonView | undefined {
    const start = skipBlanks(bytes, 0);
    if (bytes[start] !== OPEN_OBJECT || created !== undefined) return undefined;
    const end = this.#scanner.value(bytes, start, 0);
    return end < 0 || skipBlanks(bytes, end) < bytes.length ? undefined : new JsonView(bytes, start, end);
  }

  *#readShipped({ line, text, isPiece, open, lost }: Shipped): Generator<StreamElement> {
    yield* lostLines(lost);
    if (isPiece === true) return;
    for (const origin of open?.origins ?? []) yield dropped('joined-row', origin, undefined);
    if (text === undefined) yield* this.#reader.line(line);
    else if (!text.includes(OPEN_OBJECT)) yield dropped('client-event', line.origin, undefined);
    else yield* this.#readText(line, text, open?.pieces ?? []);
  }

  *#readText(line: Line, text: Uint8Array, pieces: readonly Uint8Array[]): Generator<StreamElement> {
    const start = skipBlanks(text, 0);
    const end = text[start] === OPEN_OBJECT ? this.#scanner.value(text, start, 0) : -1;
    if (isCutInside(text, pieces))
      yield rejectLine(STAGE, line, 'unknown-content', 'a character was cut in two at the end of a piece');
    else if (end >= 0 && skipBlanks(text, end) < text.length)
      yield rejectLine(STAGE, line, 'invalid-json', 'the line that is shipped has more than one value');
    else {
      const bytes = text.subarray(start, end < 0 ? text.length : end);
      const { isOpen: _open, ...whole } = line;
      yield* this.#reader.line({ ...whole, bytes, created: { raw: copyOf(line.bytes) } });
    }
  }
}

/** Returns what a collector ships in an object; undefined if no collector made the object. */
function contentOf(object: JsonView): JsonView | undefined {
  if (!object.keys().some((key) => SIGNS.has(key))) return undefined;
  return Object.entries(ENVELOPES)
    .map(([key, sign]) => object.get(sign) && object.get(key))
    .find(present);
}

const goesOn = (text: Uint8Array): boolean => text.length >= PIECE_BYTES && text.at(-1) !== LF;

/** Whether the logger replaced the end of a piece, or the beginning of the next one. */
function isCutInside(text: Uint8Array, pieces: readonly Uint8Array[]): boolean {
  const { length } = REPLACEMENT;
  let end = 0;
  return pieces.some((piece) => {
    end += piece.length;
    return [text.subarray(end - length, end), text.subarray(end, end + length)].some((one) =>
      REPLACEMENT.equals(one),
    );
  });
}

function* lostLines(lost: readonly OpenLine[]): Generator<StreamElement> {
  for (const { origins, last } of lost) {
    for (const origin of origins.slice(0, -1)) yield dropped('joined-row', origin, undefined);
    yield rejectLine(
      STAGE,
      last,
      'bad-event',
      'the end of this line, which was logged in pieces, is missing',
    );
  }
}
