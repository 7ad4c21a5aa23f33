/**
 * Dialect `anthropic`: requests and responses of the Messages API (docs/reference/dialects-of-calls.md). A pair `{request,
 * response}`, either directly or as `body` of a logged HTTP exchange; or a bare response, which is its own session.
 *
 * It walks the bytes itself because `defineDialect` took 1.2 times the CPU for the same records (100 MB of sessions
 * whose history repeats, without HTTP bodies): its views walk the request a second time to find `system`, and its paths
 * cannot name two places for one value.
 */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { JsonView } from '../json/json-view.ts';
import { isKey, type MemberVisitor, walkMembers } from '../json/members.ts';
import { createPlainScanner } from '../json/plain-scanner.ts';
import { quote } from '../json/respace.ts';
import type { Scanner } from '../json/scanner.ts';
import type {
  Entry,
  Lack,
  Line,
  Message,
  Origin,
  ReadingNote,
  Rejection,
  ToolDefinition,
} from '../model/element.ts';
import { OTHER_ROLE } from '../model/known-roles.ts';
import { textOfValue } from '../model/message.ts';
import type { Meta } from '../model/meta.ts';
import type { LineReason } from '../model/reasons.ts';
import { settleReply, withNotes, withoutRepeat } from '../model/reply.ts';
import { timeOf, unreadableTime } from '../model/timestamp.ts';
import { createHistory, type History } from './anthropic/history.ts';
import {
  detect,
  hasSecondAnswer,
  isOfModel,
  modelOf,
  replyOf,
  SPEAKERS,
  systemText,
} from './anthropic/pair.ts';
import type { Dialect, DialectReader, ReadingOptions } from './dialect.ts';
import { loggedAnswer } from './pairs/logged-answer.ts';
import { bodyOf, callMeta } from './pairs/logged-call.ts';
import { hasOtherAnswer } from './pairs/other-answers.ts';
import { INSTRUCTIONS, isSecondPlace, otherList, systemBeside } from './pairs/second-places.ts';
import { joinPrefill, readReply } from './shared/anthropic-message.ts';
import { makeMessage, systemMessage } from './shared/build-messages.ts';
import { withFailure } from './shared/failed-answer.ts';
import { unreadSystem } from './shared/known-bodies.ts';
import { lineId } from './shared/line-id.ts';
import {
  missingOrBad,
  NO_CHANGES,
  type ObjectWalk,
  readObjects,
  rejectObject,
  type Span,
} from './shared/line-objects.ts';
import { toolPlaces, toolsIn } from './shared/logged-bodies.ts';
import { modelMeta } from './shared/logged-meta.ts';
import { messageNotes, NO_QUESTION, noted, notedFirst, OTHER_ANSWER } from './shared/reading-notes.ts';
import { withSealed } from './shared/sealed-messages.ts';
import { createToolsReader, defineTool, NO_TOOLS, type ToolsReader } from './shared/tool-definitions.ts';
import { faultIn } from './shared/unreadable.ts';

/** Keys to read from an object, and the names under which this file keeps them (`request.` for keys of the request). */
type Names = readonly (readonly [key: string, name: string])[];
const IN_ENTRY = names(
  '',
  'session_id',
  'timestamp',
  'logged_at',
  'request',
  'response',
  'role',
  'content',
  'stop_reason',
  'model',
  'type',
  ...SPEAKERS,
);
const IN_REQUEST = names('request.', 'system', 'messages', 'tools', 'timestamp', 'body', 'model');
const STAMPS = ['timestamp', 'logged_at', 'request.timestamp'];
/** Nesting depth of a value in the line's object, in the request, and in the body of a logged HTTP request. */
const ENTRY_DEPTH = 1;
const REQUEST_DEPTH = 2;
const BODY_DEPTH = 3;
const NOT_OF_MODEL =
  'an object without a request does not say that it is an answer: type or role is missing, or names another speaker';
const NOT_ANSWERED = { reason: 'unknown-speaker', detail: OTHER_ROLE } as const;
/** A bare response has no tools, because they are in the request. */
const NO_REQUEST: readonly Lack[] = ['tools'];

function names(prefix: '' | 'request.', ...keys: readonly string[]): Names {
  return keys.map((key) => [key, `${prefix}${key}`]);
}

/** Reads one object after the other: `walk` notes where its members are, `entryOf` builds the entry. */
class PairWalk implements ObjectWalk {
  readonly makes = true;
  readonly #scanner: Scanner;
  readonly #keepSealed: boolean;
  readonly #keepsMeta: boolean;
  readonly #history: History;
  readonly #tools: ToolsReader;
  /** `--user-turn`, placed before a bare response. */
  readonly #userTurn: readonly Message[];
  /** The system message of the previous request. */
  #system: Message | undefined;

  // about the object walked last
  readonly #spans = new Map<string, Span>();
  #objectAt = -1;
  #objectEnd = -1;
  #duplicateAt = -1;
  /** Has it messages or an answer in a second place? */
  #hasSecond = false;
  #line!: Line;
  #origin!: Origin;

  constructor(scanner: Scanner, { userTurn, keepSealed = false, keepsMeta = true }: ReadingOptions) {
    this.#scanner = scanner;
    this.#keepSealed = keepSealed;
    this.#keepsMeta = keepsMeta;
    this.#history = createHistory(scanner, keepSealed);
    this.#tools = createToolsReader(scanner, BODY_DEPTH, defineTool);
    this.#userTurn = userTurn === undefined ? [] : [makeMessage('user', [['content', quote(userTurn)]])];
  }

  /** Walks the object at `at`. Returns the index after it, or -1 if it is not valid. */
  walk(bytes: Uint8Array, at: number): number {
    this.#spans.clear();
    this.#duplicateAt = -1;
    this.#hasSecond = false;
    this.#objectAt = at;
    this.#objectEnd = walkMembers(bytes, at, this.#scanner, this.#inEntry);
    return this.#objectEnd;
  }

  /** The entry of the object walked last, or the reason why it is rejected. */
  entryOf(line: Line, origin: Origin, number: number): Entry | Rejection {
    this.#line = line;
    this.#origin = origin;
    if (this.#duplicateAt >= 0)
      return rejectObject(line, origin, 'duplicate-key', 'duplicate key', this.#duplicateAt);
    const timestamp = this.#timestamp();
    if (typeof timestamp === 'object') return timestamp;
    const id = this.#present('session_id');
    const sessionId = textOfValue(id);
    if (id !== undefined && !sessionId) return this.#bad('bad-session-id', 'session_id');
    const isBare = !this.#spans.has('request') && this.#spans.has('content');
    return isBare
      ? this.#bareResponse(sessionId ?? lineId(origin, number), timestamp)
      : this.#pair(sessionId ?? origin.source, timestamp);
  }

  forget(): void {
    this.#system = undefined;
    this.#history.forget();
  }

  // created once: V8 does not compile a function that is new for each object
  readonly #inEntry: MemberVisitor = (start, end, value, bytes) =>
    this.#readMember(IN_ENTRY, ENTRY_DEPTH, bytes, start, end, value);

  readonly #inRequest: MemberVisitor = (start, end, value, bytes) =>
    this.#readMember(IN_REQUEST, REQUEST_DEPTH, bytes, start, end, value);

  readonly #inBody: MemberVisitor = (start, end, value, bytes) =>
    this.#readMember(IN_REQUEST, BODY_DEPTH, bytes, start, end, value);

  /** Remembers where a member is, if its key is one of `read`. */
  #readMember(
    read: Names,
    depth: number,
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    start: number,
  ): number {
    const name = read.find(([key]) => isKey(bytes, keyStart, keyEnd, key))?.[1];
    if (name === undefined) {
      this.#hasSecond ||= isSecondPlace(bytes, keyStart, keyEnd, start);
      return this.#scanner.value(bytes, start, depth);
    }
    if (this.#spans.has(name)) this.#duplicateAt = keyStart;
    const end = this.#readValue(name, bytes, start, depth);
    this.#spans.set(name, { start, end });
    return end;
  }

  #readValue(name: string, bytes: Uint8Array, at: number, depth: number): number {
    const first = bytes[at];
    if (name === 'request' && first === OPEN_OBJECT)
      return walkMembers(bytes, at, this.#scanner, this.#inRequest);
    // a body in a body is not opened: a log could nest them deeper than the stack
    if (name === 'request.body' && first === OPEN_OBJECT && depth === REQUEST_DEPTH)
      return walkMembers(bytes, at, this.#scanner, this.#inBody);
    if (name === 'request.messages' && first === OPEN_ARRAY) return this.#history.read(bytes, at, depth);
    if (name === 'request.tools') return this.#tools.read(bytes, at);
    return this.#scanner.value(bytes, at, depth);
  }

  #startOf(name: string): number {
    return this.#spans.get(name)?.start ?? -1;
  }

  /** The JSON text of a value that is present and not null. */
  #present(name: string): Uint8Array | undefined {
    const { bytes } = this.#line;
    const span = this.#spans.get(name);
    if (span === undefined || bytes[span.start] === LETTER_N) return undefined;
    return bytes.subarray(span.start, span.end);
  }

  #bad(reason: LineReason, name: string): Rejection {
    const at = this.#startOf(name);
    return rejectObject(this.#line, this.#origin, reason, missingOrBad(name, at), at);
  }

  #timestamp(): bigint | undefined | Rejection {
    const name = STAMPS.find((one) => this.#present(one) !== undefined);
    if (name === undefined) return undefined;
    const stamp = this.#present(name) as Uint8Array;
    const time = timeOf(stamp);
    if (time !== undefined) return time;
    const detail = unreadableTime(name, stamp);
    return rejectObject(this.#line, this.#origin, 'bad-timestamp', detail, this.#startOf(name));
  }

  #bareResponse(sessionId: string, timestamp: bigint | undefined): Entry | Rejection {
    const content = this.#present('content');
    if (content?.[0] !== OPEN_ARRAY) return this.#bad('bad-response', 'content');
    if (!isOfModel((key) => this.#present(key)))
      return rejectObject(this.#line, this.#origin, 'unknown-speaker', NOT_OF_MODEL, -1);
    const stop = textOfValue(this.#present('stop_reason'));
    const read = readReply(content, stop, this.#keepSealed);
    const isOther = this.#hasSecond && hasOtherAnswer([read], this.#json, this.#json);
    const notes = [
      ...messageNotes(this.#json),
      ...(this.#userTurn.length === 0 ? [NO_QUESTION] : []),
      ...(isOther ? [OTHER_ANSWER] : []),
    ];
    return this.#settled({
      kind: 'entry',
      origin: this.#origin,
      sessionId,
      timestamp,
      alone: true,
      messages: this.#userTurn,
      tools: NO_TOOLS,
      reply: noted(read, notes),
      meta: this.#metaOf(undefined),
      changes: NO_CHANGES,
      lacks: NO_REQUEST,
    });
  }

  #pair(sessionId: string, timestamp: bigint | undefined): Entry | Rejection {
    const isList = this.#line.bytes[this.#startOf('request.messages')] === OPEN_ARRAY;
    const logged = isList ? this.#history.messages() : undefined;
    if (logged === undefined) return this.#bad('bad-messages', 'request.messages');
    const instructions = this.#present('request.system');
    const text = instructions && systemText(instructions);
    if (instructions !== undefined && text === undefined) return this.#bad('bad-messages', 'request.system');
    const tools = this.#definitions();
    if (tools === undefined) return this.#bad('bad-tools', 'request.tools');
    const response = this.#present('response');
    if (response !== undefined && response[0] !== OPEN_OBJECT) return this.#bad('bad-response', 'response');
    const unread = text === undefined ? this.#unreadSystem() : [];
    const reply = response && replyOf(response, this.#keepSealed);
    const entry: Entry = {
      kind: 'entry',
      origin: this.#origin,
      sessionId,
      timestamp,
      messages: notedFirst([...this.#systemOf(text), ...logged], unread),
      tools,
      reply,
      meta: this.#metaOf(response),
      changes: NO_CHANGES,
    };
    return reply === undefined && response !== undefined
      ? this.#settled(entry)
      : this.#checked(entry, response);
  }

  /** The definitions, which may be in a second place; undefined if `tools` is not valid. */
  #definitions(): readonly ToolDefinition[] | undefined {
    const tools = this.#spans.has('request.tools') ? this.#tools.definitions : NO_TOOLS;
    if (tools?.length !== 0 || !this.#hasSecond) return tools;
    const json = this.#json;
    return toolsIn(...toolPlaces(bodyOf(json.get('request') as JsonView)), ...toolPlaces(json));
  }

  /** The entry; rejected, or with a finding, if its messages or its answer have others in a second place. */
  #checked(entry: Entry, response: Uint8Array | undefined): Entry | Rejection {
    if (!this.#hasSecond && !(response !== undefined && hasSecondAnswer(response)))
      return this.#settled(entry);
    const json = this.#json;
    const answer = entry.reply === undefined ? [] : [entry.reply];
    const body = bodyOf(json.get('request') as JsonView);
    const second =
      otherList(body, answer, json, body.get('messages')) ??
      systemBeside(body, json, entry.messages, INSTRUCTIONS);
    if (second !== undefined)
      return rejectObject(this.#line, this.#origin, 'unknown-content', second.detail, second.at.at);
    const isOther = hasOtherAnswer(answer, loggedAnswer(json.get('response')).response, json);
    return this.#settled(withFailure(isOther ? withNotes(entry, [OTHER_ANSWER]) : entry, json));
  }

  #metaOf(response: Uint8Array | undefined): Meta {
    if (this.#keepsMeta) {
      const json = this.#json;
      const request = json.get('request');
      const answer = request === undefined ? json : loggedAnswer(json.get('response')).response;
      return callMeta({ request: request && bodyOf(request), response: answer }, json);
    }
    const model = (response && modelOf(response)) ?? this.#present('model') ?? this.#present('request.model');
    return modelMeta(model && new JsonView(model));
  }

  /** The object walked last. */
  get #json(): JsonView {
    return new JsonView(this.#line.bytes, this.#objectAt, this.#objectEnd, 0);
  }

  #settled(entry: Entry): Entry | Rejection {
    const isOther = (entry.reply?.role ?? 'assistant') !== 'assistant';
    const fault = isOther ? NOT_ANSWERED : faultIn(entry.messages, entry.reply);
    if (fault === undefined) return settleReply(joinPrefill(withoutRepeat(withSealed(entry))));
    return rejectObject(this.#line, this.#origin, fault.reason, fault.detail, -1);
  }

  /** The finding about a member of the request that may be its system text. */
  #unreadSystem(): readonly ReadingNote[] {
    const body = this.#present('request.body');
    const request = body?.[0] === OPEN_OBJECT ? body : this.#present('request');
    const note = request && unreadSystem(new JsonView(request));
    return note === undefined ? [] : [note];
  }

  /** The system message; the same object as long as the text has the same bytes. */
  #systemOf(text: Uint8Array | undefined): readonly Message[] {
    const [message] = text === undefined ? [] : systemMessage(text);
    if (message === undefined) return [];
    if (this.#system === undefined || Buffer.compare(this.#system.bytes, message.bytes) !== 0)
      this.#system = message;
    return [this.#system];
  }
}

function createReader(scanner: Scanner = createPlainScanner(), options: ReadingOptions = {}): DialectReader {
  const walk = new PairWalk(scanner, options);
  return { read: (line) => readObjects(line, scanner, walk), forget: () => walk.forget() };
}

const anthropic: Dialect = {
  name: 'anthropic',
  summary: 'Pairs of the Anthropic Messages API, plain or as bodies of logged HTTP, and bare responses.',
  knownBy:
    'a pair whose request or response has content blocks of the Messages API; or a bare response of that API',
  detect,
  create: createReader,
};

export default anthropic;
