/**
 * Dialect `exchange`: one request/response pair of an LLM proxy per line, the format that turnmill was written for.
 * Walks each line once: values are kept as spans, and messages and tools that repeat those of the previous line are
 * compared, not read again.
 */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { JsonView } from '../json/json-view.ts';
import { isKey, type MemberVisitor, textAt, valuesOf, walkMembers } from '../json/members.ts';
import { createPlainScanner } from '../json/plain-scanner.ts';
import type { Scanner } from '../json/scanner.ts';
import type { Entry, Line, Origin, Rejection, ToolDefinition } from '../model/element.ts';
import { isRole, OTHER_ROLE } from '../model/known-roles.ts';
import type { Meta } from '../model/meta.ts';
import type { LineReason } from '../model/reasons.ts';
import { settleReply, withNotes } from '../model/reply.ts';
import { timeIn, unreadableTime } from '../model/timestamp.ts';
import { detect as isAnthropic, isCapture } from './anthropic/pair.ts';
import type { Dialect, DialectReader, ObjectMembers } from './dialect.ts';
import { hasOtherAnswer } from './pairs/other-answers.ts';
import { INSTRUCTIONS, isSecondPlace, otherList, systemBeside } from './pairs/second-places.ts';
import { withFailure } from './shared/failed-answer.ts';
import {
  missingOrBad,
  NO_CHANGES,
  type ObjectWalk,
  readObjects,
  rejectObject,
} from './shared/line-objects.ts';
import { toolPlaces, toolsIn } from './shared/logged-bodies.ts';
import {
  createMessageList,
  createReplyReader,
  isMessage,
  type ReplyReader,
} from './shared/logged-messages.ts';
import { modelMeta } from './shared/logged-meta.ts';
import { structured } from './shared/logged-values.ts';
import { OTHER_ANSWER, unreadText } from './shared/reading-notes.ts';
import { SYSTEM_NAMES } from './shared/said-texts.ts';
import { createToolsReader, NO_TOOLS } from './shared/tool-definitions.ts';

/** Nesting depth of a message: the line's object, the request and the list are around it. */
const MESSAGE_DEPTH = 3;

/** Roles of an answer; one of another API is the finding `unknown-speaker`. */
const OF_MODEL: ReadonlySet<string> = new Set(['assistant', '']);
const NOT_OF_MODEL = unreadText(OTHER_ROLE);

/** First and last byte of a value in the line; start is -1 if the member is absent. */
interface Span {
  start: number;
  end: number;
}

const NOWHERE: Readonly<Span> = { start: -1, end: -1 };

/** Reads one object after the other: `walk` notes where its members are, `entryOf` builds the entry. */
class PairWalk implements ObjectWalk {
  readonly #scanner: Scanner;
  readonly #messages: ReturnType<typeof createMessageList>;
  readonly #tools: ReturnType<typeof createToolsReader>;
  /** Definitions in the old form. */
  readonly #functions: ReturnType<typeof createToolsReader>;
  readonly #reply: ReplyReader;

  // about the object walked last
  readonly #object: Span = { ...NOWHERE };
  readonly #timestamp: Span = { ...NOWHERE };
  readonly #sessionId: Span = { ...NOWHERE };
  /** Names of the model beside the request, and in it. */
  readonly #model: Span = { ...NOWHERE };
  readonly #requestedModel: Span = { ...NOWHERE };
  #requestSeen = false;
  #messagesAt = -1;
  #messagesRead = false;
  #toolsAt = -1;
  #functionsAt = -1;
  #responseAt = -1;
  #duplicateAt = -1;
  /** Has it messages or an answer in a second place? */
  #hasSecond = false;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
    this.#messages = createMessageList(scanner, MESSAGE_DEPTH);
    this.#tools = createToolsReader(scanner, 2);
    this.#functions = createToolsReader(scanner, 2);
    this.#reply = createReplyReader(scanner, isSecondPlace);
  }

  /** Walks the object at `at`. Returns the index after it, or -1 if it is not valid. */
  walk(bytes: Uint8Array, at: number): number {
    this.#timestamp.start = this.#sessionId.start = this.#model.start = this.#requestedModel.start = -1;
    this.#responseAt = this.#messagesAt = this.#toolsAt = this.#functionsAt = this.#duplicateAt = -1;
    this.#requestSeen = this.#messagesRead = this.#hasSecond = false;
    this.#object.start = at;
    this.#object.end = walkMembers(bytes, at, this.#scanner, this.#inEntry);
    return this.#object.end;
  }

  /** The entry of the object walked last, or the reason why it is rejected. */
  entryOf(line: Line, origin: Origin): Entry | Rejection {
    const { bytes } = line;
    const bad = (reason: LineReason, detail: string, at: number): Rejection =>
      rejectObject(line, origin, reason, detail, at);
    const { start, end } = this.#timestamp;
    if (this.#duplicateAt >= 0) return bad('duplicate-key', 'duplicate key', this.#duplicateAt);
    if (start < 0) return bad('bad-timestamp', 'timestamp is missing', -1);
    const timestamp = timeIn(bytes, start, end);
    if (timestamp === undefined)
      return bad('bad-timestamp', unreadableTime('timestamp', bytes.subarray(start, end)), start);
    const idAt = this.#sessionId.start;
    const sessionId = idAt < 0 ? undefined : textAt(bytes, idAt, this.#sessionId.end);
    if (!sessionId) return bad('bad-session-id', missingOrBad('session_id', idAt), idAt);
    const at = this.#messagesAt;
    if (!this.#messagesRead) return bad('bad-messages', missingOrBad('request.messages', at), at);
    const messages = this.#messages.items;
    if (!messages.every(isMessage))
      return bad('bad-messages', 'a message is not an object with a string role', at);
    const tools = this.#definitions(line);
    if (tools === undefined)
      return bad('bad-tools', missingOrBad('request.tools', this.#toolsAt), this.#toolsAt);
    const isAnswered = this.#responseAt >= 0 && bytes[this.#responseAt] !== LETTER_N;
    if (isAnswered && bytes[this.#responseAt] !== OPEN_OBJECT)
      return bad('bad-response', missingOrBad('response', this.#responseAt), this.#responseAt);
    const reply = isAnswered ? this.#reply.message(bytes) : undefined;
    if (reply !== undefined && reply.role !== '') this.#messages.expect(reply);
    const changes = NO_CHANGES;
    const meta = this.#metaOf(bytes, isAnswered);
    const entry: Entry = {
      kind: 'entry',
      origin,
      sessionId,
      timestamp,
      messages,
      tools,
      reply,
      meta,
      changes,
    };
    if (!isAnswered) return this.#checked(entry, line);
    const isOther = reply !== undefined && !OF_MODEL.has(reply.role) && isRole(reply.role);
    const notes = [...this.#reply.notes(), ...(isOther ? [NOT_OF_MODEL] : [])];
    return reply === undefined
      ? settleReply(withNotes(entry, notes))
      : this.#checked(withNotes(entry, notes), line);
  }

  /** The definitions, which may be in the old form or in a second place; undefined if `tools` is not valid. */
  #definitions({ bytes }: Line): readonly ToolDefinition[] | undefined {
    const tools = this.#toolsAt < 0 ? NO_TOOLS : this.#tools.definitions;
    if (tools === undefined || tools.length > 0) return tools;
    const old = this.#functionsAt < 0 ? undefined : this.#functions.definitions;
    if (old !== undefined && old.length > 0) return old;
    if (!this.#hasSecond) return NO_TOOLS;
    const json = viewOf(bytes, this.#object);
    return toolsIn(...toolPlaces(json?.get('request')), ...toolPlaces(json));
  }

  #metaOf(bytes: Uint8Array, isAnswered: boolean): Meta {
    const answering = isAnswered ? this.#reply.model(bytes) : undefined;
    return modelMeta(answering, viewOf(bytes, this.#model), viewOf(bytes, this.#requestedModel));
  }

  /** The entry; rejected, or with a finding, if its messages or its answer have others in a second place. */
  #checked(entry: Entry, line: Line): Entry | Rejection {
    const isSaidTwice = this.#responseAt >= 0 && this.#reply.hasSecond();
    if (!this.#hasSecond && !isSaidTwice) return settleReply(entry);
    const { start, end } = this.#object;
    const json = new JsonView(line.bytes, start, end, 0);
    const answer = entry.reply === undefined ? [] : [entry.reply];
    const request = json.get('request') as JsonView;
    const second =
      otherList(request, answer, json, request.get('messages')) ??
      systemBeside(request, json, entry.messages, entry.reply === undefined ? INSTRUCTIONS : SYSTEM_NAMES);
    if (second !== undefined)
      return rejectObject(line, entry.origin, 'unknown-content', second.detail, second.at.at);
    const isOther = hasOtherAnswer(answer, json.get('response'), json);
    return settleReply(withFailure(isOther ? withNotes(entry, [OTHER_ANSWER]) : entry, json));
  }

  forget(): void {
    this.#messages.forget();
  }

  // created once: V8 does not compile a function that is new for each object
  readonly #inEntry: MemberVisitor = (start, end, value, bytes) => {
    if (isKey(bytes, start, end, 'timestamp')) return this.#take(this.#timestamp, bytes, start, value);
    if (isKey(bytes, start, end, 'session_id')) return this.#take(this.#sessionId, bytes, start, value);
    if (isKey(bytes, start, end, 'response')) {
      if (this.#responseAt >= 0) this.#duplicateAt = start;
      this.#responseAt = value;
      return this.#reply.read(bytes, value);
    }
    if (isKey(bytes, start, end, 'model')) return this.#takeModel(this.#model, bytes, value, 1);
    if (!isKey(bytes, start, end, 'request')) {
      this.#hasSecond ||= isSecondPlace(bytes, start, end, value);
      return this.#scanner.value(bytes, value, 1);
    }
    if (this.#requestSeen) this.#duplicateAt = start;
    this.#requestSeen = true;
    if (bytes[value] !== OPEN_OBJECT) return this.#scanner.value(bytes, value, 1);
    return walkMembers(bytes, value, this.#scanner, this.#inRequest);
  };

  readonly #inRequest: MemberVisitor = (start, end, value, bytes) => {
    if (isKey(bytes, start, end, 'messages')) {
      if (this.#messagesAt >= 0) this.#duplicateAt = start;
      this.#messagesAt = value;
      this.#messagesRead = bytes[value] === OPEN_ARRAY;
      return this.#messagesRead ? this.#messages.read(bytes, value) : this.#scanner.value(bytes, value, 2);
    }
    if (isKey(bytes, start, end, 'tools')) {
      if (this.#toolsAt >= 0) this.#duplicateAt = start;
      this.#toolsAt = value;
      return this.#tools.read(bytes, value);
    }
    if (isKey(bytes, start, end, 'functions')) {
      this.#functionsAt = value;
      return this.#functions.read(bytes, value);
    }
    if (isKey(bytes, start, end, 'model')) return this.#takeModel(this.#requestedModel, bytes, value, 2);
    this.#hasSecond ||= isSecondPlace(bytes, start, end, value);
    return this.#scanner.value(bytes, value, 2);
  };

  #takeModel(span: Span, bytes: Uint8Array, valueStart: number, depth: number): number {
    span.start = valueStart;
    span.end = this.#scanner.value(bytes, valueStart, depth);
    return span.end;
  }

  #take(span: Span, bytes: Uint8Array, keyStart: number, valueStart: number): number {
    if (span.start >= 0) this.#duplicateAt = keyStart;
    span.start = valueStart;
    span.end = this.#scanner.value(bytes, valueStart, 1);
    return span.end;
  }
}

/** A value that was walked; undefined if the member is absent. */
const viewOf = (bytes: Uint8Array, { start, end }: Span): JsonView | undefined =>
  start < 0 ? undefined : new JsonView(bytes, start, end);

function createReader(scanner: Scanner = createPlainScanner()): DialectReader {
  const walk = new PairWalk(scanner);
  return { read: (line) => readObjects(line, scanner, walk), forget: () => walk.forget() };
}

/**
 * True for a pair that no other dialect reads. A request without messages does not count: only pairs beside it show
 * that it is a broken one.
 */
function detect(first: ObjectMembers): boolean {
  const request = first.get('request');
  if (request === undefined || !hasMessages(request)) return false;
  // a gateway without sessions writes such requests too, which `calls` reads
  if (!first.has('session_id') && (request[0] === QUOTE || first.has('timestamp'))) return false;
  return !isCapture(request) && !isAnthropic(first);
}

/** True for a pair without other members whose answer has choices: only this API has them. */
function isCertain(first: ObjectMembers): boolean {
  if (first.size !== MARKS.length || !MARKS.every((key) => first.has(key))) return false;
  const response = first.get('response') as Uint8Array;
  return (
    response[0] === OPEN_OBJECT && valuesOf(response, ['choices'])[0]?.[0] === OPEN_ARRAY && detect(first)
  );
}

/** A request that is JSON in a string is read by `PairReader`. */
function hasMessages(request: Uint8Array): boolean {
  const body = request[0] === QUOTE ? structured(new JsonView(request))?.bytes : request;
  return body?.[0] === OPEN_OBJECT && valuesOf(body, ['messages'])[0] !== undefined;
}

const MARKS = ['timestamp', 'session_id', 'request', 'response'];

const exchange: Dialect = {
  name: 'exchange',
  summary: 'Request/response pairs of an LLM proxy: {timestamp, session_id, request, response}.',
  knownBy: 'request with messages',
  marks: MARKS,
  detect,
  isCertain,
  create: createReader,
};

export default exchange;
