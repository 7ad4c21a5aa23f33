/**
 * Reads a dump of streams: lines of server-sent events, or one chunk per line. Chunks of several streams may be mixed;
 * they are told apart by their ids. Answers are returned in the order in which they began: one is returned when it has
 * ended and another one begins, or at the end of the source even if it is truncated.
 */

import { OPEN_ARRAY, OPEN_OBJECT } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { copyOf } from '../../json/keep.ts';
import { createPlainScanner } from '../../json/plain-scanner.ts';
import { quote } from '../../json/respace.ts';
import { type Scanner, skipBlanks } from '../../json/scanner.ts';
import { decode, encode, invalidUtf8At } from '../../json/utf8.ts';
import { ValueTape } from '../../json/value-tape.ts';
import type { Entry, Lack, Line, Message, Origin } from '../../model/element.ts';
import { createEntryLog } from '../../model/entry-log.ts';
import { OTHER_ROLE } from '../../model/known-roles.ts';
import { rejectLine } from '../../model/rejection.ts';
import { settleReply, withNotes } from '../../model/reply.ts';
import type { DialectReader, LineObjects, ReadElement, ReadingOptions } from '../dialect.ts';
import { MAX_CONVERSATION_BYTES } from '../dialect.ts';
import { type Answer, answerFromStream, isOfOther } from '../pairs/answer.ts';
import { answeredFields, bareAnswer } from '../pairs/answered-fields.ts';
import { asReadMessage } from '../pairs/item-messages.ts';
import { callMeta } from '../pairs/logged-call.ts';
import { makeMessage } from '../shared/build-messages.ts';
import { lineId } from '../shared/line-id.ts';
import { type ObjectWalk, readObjects } from '../shared/line-objects.ts';
import { NO_TOOLS } from '../shared/tool-definitions.ts';
import { faultIn } from '../shared/unreadable.ts';
import { isDone, isTorn, objectIn, StreamAssembler } from './assembler.ts';
import { chunkId } from './chat-chunks.ts';
import { readSseLine } from './sse.ts';

const LACKS: readonly Lack[] = ['tools'];
const UNKNOWN_ANSWER = { reason: 'unknown-content', detail: 'the answer is not of a known API' } as const;
const NOT_OF_MODEL = { reason: 'unknown-speaker', detail: OTHER_ROLE } as const;
/** Streams that may be open at a time; beyond that the oldest one counts as truncated. */
const MAX_OPEN = 64;

/** Field of a server-sent event that holds its data. */
const DATA = encode('data:');

/** A stream in progress. */
class OpenStream {
  /** Id of all its chunks; undefined if its events have none. */
  readonly id: string | undefined;
  readonly assembler: StreamAssembler = new StreamAssembler();
  readonly places: Origin[] = [];
  /** Whether it was refused because it is too long. Its lines are still counted. */
  isRefused = false;

  constructor(id: string | undefined) {
    this.id = id;
  }

  /** Whether it may be returned when another one begins. */
  get isOver(): boolean {
    return this.id === undefined || this.assembler.isOver;
  }
}

/** A line of data that is not an event by itself: part of an event of several lines, or damaged. */
interface LoosePart {
  readonly line: Line;
  readonly data: string;
}

export class DumpReader implements DialectReader, ObjectWalk {
  readonly holds = true;
  readonly makes = true;
  readonly #scanner: Scanner;
  readonly #options: ReadingOptions;
  readonly #userTurn: readonly Message[];
  /** The open streams, in the order in which they began. */
  #streams: OpenStream[] = [];
  /** The stream of the last event. */
  #current: OpenStream | undefined;
  /** Lines (names of events, comments) whose places go to the stream of the next event. */
  #before: Origin[] = [];
  #loose: LoosePart[] = [];
  #lastLine = 0;
  readonly #mostBytes: number;
  /** Indexes the values of the current event. */
  readonly #tape = new ValueTape();
  /** First byte of the current object in its line, and the index after it. */
  #start = 0;
  #end = 0;

  constructor(scanner: Scanner = createPlainScanner(), options: ReadingOptions = {}) {
    this.#scanner = scanner;
    this.#options = options;
    const { userTurn, maxConversation = MAX_CONVERSATION_BYTES } = options;
    this.#mostBytes = maxConversation;
    this.#userTurn = userTurn === undefined ? [] : [makeMessage('user', [['content', quote(userTurn)]])];
  }

  read(line: Line): LineObjects {
    const first = line.bytes[skipBlanks(line.bytes, 0)];
    const isJson = first === OPEN_OBJECT || first === OPEN_ARRAY;
    const isNext = line.origin.line === this.#lastLine + 1;
    this.#lastLine = line.origin.line;
    const ended = isJson || !isNext ? this.#endLoose() : [];
    if (!isJson) {
      const own = this.#readSse(line);
      // most lines give no element: they need no iterator
      return ended.length === 0 && own.length <= 1 ? own : several(1, ended, own);
    }
    const objects = readObjects(line, this.#scanner, this);
    return ended.length === 0 ? objects : several(objects.length, ended, objects);
  }

  walk(bytes: Uint8Array, at: number): number {
    this.#start = at;
    this.#end = this.#scanner.value(bytes, at, 0);
    if (this.#end < 0) this.#current?.assembler.damaged(undefined, true);
    return this.#end;
  }

  entryOf(line: Line, origin: Origin): readonly ReadElement[] | ReadElement {
    const event = objectIn(line.bytes.subarray(this.#start, this.#end), this.#tape);
    if (event === undefined) return rejectLine('parse', line, 'bad-stream', 'the object is not an event');
    const elements = this.#take(event, origin);
    return elements ?? rejectLine('parse', line, 'bad-stream', 'the object is not an event of a stream');
  }

  /** Reads a line of data that is one whole event, without decoding it; undefined for any other line. */
  #readEvent({ bytes, origin }: Line): readonly ReadElement[] | undefined {
    if (this.#loose.length > 0) return undefined;
    for (let i = 0; i < DATA.length; i++) if (bytes[i] !== DATA[i]) return undefined;
    const event = objectIn(bytes.subarray(DATA.length), this.#tape);
    return event && this.#take(event, origin);
  }

  #readSse(line: Line): readonly ReadElement[] {
    const whole = this.#readEvent(line);
    if (whole !== undefined) return whole;
    const invalid = invalidUtf8At(line.bytes);
    if (invalid >= 0) {
      this.#current?.assembler.damaged(undefined, true);
      return [...this.#endLoose(), rejectLine('parse', line, 'invalid-utf8', 'not UTF-8', invalid)];
    }
    const read = readSseLine(decode(line.bytes));
    if (read.kind === 'none')
      return [
        ...this.#endLoose(),
        rejectLine('parse', line, 'bad-stream', 'not a line of server-sent events'),
      ];
    if (read.kind === 'other') {
      const ended = this.#endLoose();
      this.#before.push(line.origin);
      return ended;
    }
    const { data } = read;
    if (isDone(data)) {
      const ended = this.#endLoose();
      this.#done();
      this.#before.push(line.origin);
      this.#settleBefore();
      return ended;
    }
    const event = this.#loose.length === 0 ? objectIn(encode(data), this.#tape) : undefined;
    const elements = event && this.#take(event, line.origin);
    if (elements !== undefined) return elements;
    this.#loose.push({ line: { ...line, bytes: copyOf(line.bytes) }, data });
    return [];
  }

  /**
   * Reads the loose lines: together they may be one event, otherwise each is an event or is rejected.
   */
  #endLoose(): readonly ReadElement[] {
    const loose = this.#loose;
    if (loose.length === 0) return [];
    this.#loose = [];
    const whole = objectIn(encode(loose.map(({ data }) => data).join('\n')), this.#tape);
    const [first, ...others] = loose.map(({ line }) => line.origin);
    const elements = whole && this.#take(whole, first as Origin);
    if (elements !== undefined) {
      for (const place of others) this.#current?.places.push(place);
      return elements;
    }
    return loose.flatMap(({ line, data }) => {
      const event = objectIn(encode(data), this.#tape);
      const taken = event && this.#take(event, line.origin);
      if (taken !== undefined) return taken;
      this.#current?.assembler.damaged(undefined, isTorn(event, data));
      return [rejectLine('parse', line, 'bad-stream', 'the data is not an event')];
    });
  }

  /** Handles the end mark. It ends the current stream, unless only another one is complete. */
  #done(): void {
    const isFinished = (stream: OpenStream | undefined): boolean => stream?.assembler.isOver === true;
    const ended = isFinished(this.#current) ? this.#current : this.#streams.find(isFinished);
    (ended ?? this.#current)?.assembler.done();
  }

  /** Adds an event. @returns the answers that can be returned now; undefined if it is not an event of a stream */
  #take(event: JsonView, origin: Origin): readonly ReadElement[] | undefined {
    const id = chunkId(event);
    const own = id === undefined ? undefined : this.#streams.findLast((stream) => stream.id === id);
    const going = own ?? this.#current;
    const isNew = going === undefined || going.assembler.begins(event);
    const stream = isNew ? new OpenStream(id) : going;
    if (!stream.isRefused && !stream.assembler.put(event)) return undefined;
    stream.isRefused ||= stream.assembler.weight > this.#mostBytes;
    const finished = isNew ? this.#takeFinished() : [];
    if (isNew) this.#streams.push(stream);
    this.#current = stream;
    this.#settleBefore();
    stream.places.push(origin);
    return finished;
  }

  /** Assigns the waiting lines to the current stream. */
  #settleBefore(): void {
    const current = this.#current;
    if (current === undefined) return;
    for (const place of this.#before) current.places.push(place);
    this.#before = [];
  }

  /**
   * Returns the answers of streams that have ended, up to the first that has not; that one too if too many are open.
   */
  #takeFinished(): readonly ReadElement[] {
    const weight = this.#streams.reduce((sum, { assembler }) => sum + assembler.weight, 0);
    const isFull = this.#streams.length >= MAX_OPEN || weight > this.#mostBytes;
    const open = this.#streams.findIndex(({ isOver }, i) => !isOver && !(isFull && i === 0));
    const ended = this.#streams.splice(0, open < 0 ? this.#streams.length : open);
    return ended.map((one) => this.#entryOf(one));
  }

  *end(): Generator<ReadElement> {
    yield* this.#endLoose();
    this.#settleBefore();
    for (const stream of this.#streams) yield this.#entryOf(stream);
    this.#streams = [];
    this.#current = undefined;
    for (const origin of this.#before) yield { kind: 'fate', fate: 'dropped:client-event', origin };
    this.#before = [];
  }

  #entryOf({ assembler, places, isRefused }: OpenStream): Entry {
    const log = createEntryLog();
    for (const place of places.sort((a, b) => a.offset - b.offset)) log.add(place);
    const origin = places[0] as Origin;
    const shared = {
      ...({
        kind: 'entry',
        origin,
        sessionId: lineId(origin, 0),
        alone: true,
        timestamp: undefined,
      } as const),
      ...{ lacks: LACKS, lines: log.take() },
    };
    if (isRefused) {
      const refused = { reason: 'conversation-too-long', detail: 'longer than --max-conversation' } as const;
      return { ...shared, tools: NO_TOOLS, messages: [], reply: undefined, changes: new Map(), refused };
    }
    const { keepSealed = false, keepsMeta = true } = this.#options;
    const streamed = assembler.answer();
    const answer: Answer =
      streamed === undefined ? { messages: [], notes: [] } : answerFromStream(streamed, keepSealed);
    const before = this.#userTurn.map(asReadMessage);
    const { reply, ...fields } = answeredFields(before, NO_TOOLS, bareAnswer(answer, before));
    const { body } = answer;
    const meta = body && callMeta({ request: undefined, response: body }, body, body, !keepsMeta);
    const fault = answer.isUnknown === true ? UNKNOWN_ANSWER : isOfOther(answer) ? NOT_OF_MODEL : undefined;
    const refused = fault ?? faultIn(fields.messages, reply);
    const entry = { ...shared, ...fields, reply, ...(meta && meta.size > 0 && { meta }) };
    const unread = { messages: [], reply: undefined, changes: new Map() };
    const whole = refused === undefined ? entry : { ...entry, ...unread, refused };
    const isNoted = reply !== undefined || fields.messages.length > 0;
    return settleReply(isNoted ? whole : withNotes(whole, answer.notes));
  }

  forget(): void {
    this.#streams = [];
    this.#current = undefined;
    this.#before = [];
    this.#loose = [];
    this.#lastLine = 0;
  }
}

/** The elements of a line of objects, with other elements before them. */
function several(length: number, before: readonly ReadElement[], objects: LineObjects): LineObjects {
  function* each(): Generator<ReadElement> {
    yield* before;
    yield* objects;
  }
  return { length, [Symbol.iterator]: each };
}
