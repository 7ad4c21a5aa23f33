/**
 * The native dialect: one request/response pair of an LLM proxy per line (conversion.md §2). The line is walked
 * once: what is read is kept as spans, messages and tools that are known from the line before are only compared.
 */
import type { Entry, Line, Origin, Rejection } from '../element.ts';
import { isKey, walkMembers } from '../json/members.ts';
import { createPlainScanner, type Scanner, skipBlanks } from '../json/scanner.ts';
import { decode, invalidUtf8At, parseString } from '../json/utf8.ts';
import { type LineReason, rejectLine } from '../rejection.ts';
import { parseEpoch, parseStamp } from '../timestamp.ts';
import type { Dialect, DialectReader } from './dialect.ts';
import { createMessageList, isMessage } from './logged-messages.ts';
import { createReplyReader } from './logged-reply.ts';
import { createToolsReader, NO_TOOLS } from './tool-definitions.ts';

const STAGE = 'parse';
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const QUOTE = 0x22;
const LETTER_N = 0x6e;
const NO_CHANGES: ReadonlyMap<string, number> = new Map();

/** A span of the line; start -1 when the member is absent. */
interface Span {
  start: number;
  end: number;
}

function createReader(scanner: Scanner = createPlainScanner()): DialectReader {
  const messages = createMessageList(scanner);
  const tools = createToolsReader(scanner, 2);
  const reply = createReplyReader(scanner);

  const timestamp: Span = { start: -1, end: -1 };
  const sessionId: Span = { start: -1, end: -1 };
  let requestSeen = false;
  let messagesAt = -1;
  let messagesRead = false;
  let toolsAt = -1;
  let responseAt = -1;
  let duplicateAt = -1;

  function take(span: Span, bytes: Uint8Array, keyStart: number, valueStart: number): number {
    if (span.start >= 0) duplicateAt = keyStart;
    span.start = valueStart;
    span.end = scanner.value(bytes, valueStart, 1);
    return span.end;
  }

  /** Walks the object at `at`; returns the index after it, or -1. */
  function walk(bytes: Uint8Array, at: number): number {
    timestamp.start = sessionId.start = responseAt = messagesAt = toolsAt = duplicateAt = -1;
    requestSeen = messagesRead = false;
    return walkMembers(bytes, at, scanner, (start, end, value) => {
      if (isKey(bytes, start, end, 'timestamp')) return take(timestamp, bytes, start, value);
      if (isKey(bytes, start, end, 'session_id')) return take(sessionId, bytes, start, value);
      if (isKey(bytes, start, end, 'response')) {
        if (responseAt >= 0) duplicateAt = start;
        responseAt = value;
        return reply.read(bytes, value);
      }
      if (!isKey(bytes, start, end, 'request')) return scanner.value(bytes, value, 1);
      if (requestSeen) duplicateAt = start;
      requestSeen = true;
      return bytes[value] === OPEN_OBJECT ? walkRequest(bytes, value) : scanner.value(bytes, value, 1);
    });
  }

  function walkRequest(bytes: Uint8Array, at: number): number {
    return walkMembers(bytes, at, scanner, (start, end, value) => {
      if (isKey(bytes, start, end, 'messages')) {
        if (messagesAt >= 0) duplicateAt = start;
        messagesAt = value;
        messagesRead = bytes[value] === OPEN_ARRAY;
        return messagesRead ? messages.read(bytes, value) : scanner.value(bytes, value, 2);
      }
      if (isKey(bytes, start, end, 'tools')) {
        if (toolsAt >= 0) duplicateAt = start;
        toolsAt = value;
        return tools.read(bytes, value);
      }
      return scanner.value(bytes, value, 2);
    });
  }

  /** The entry of the object that `walk` has just gone over, or why it is none. */
  function entryOf(line: Line, origin: Origin): Entry | Rejection {
    const { bytes } = line;
    const bad = (reason: LineReason, detail: string, at: number): Rejection => {
      const start = origin.offset - line.origin.offset;
      return {
        ...rejectLine(STAGE, line, reason, detail, at < 0 ? undefined : at),
        origin,
        bytes: bytes.subarray(start, start + origin.length),
      };
    };
    if (duplicateAt >= 0) return bad('duplicate-key', 'a key that is read stands twice', duplicateAt);
    const time = timestamp.start < 0 ? undefined : timeOf(bytes.subarray(timestamp.start, timestamp.end));
    if (time === undefined)
      return bad('bad-timestamp', describe('timestamp', timestamp.start), timestamp.start);
    const id = sessionId.start < 0 ? undefined : textValue(bytes.subarray(sessionId.start, sessionId.end));
    if (!id) return bad('bad-session-id', describe('session_id', sessionId.start), sessionId.start);
    if (!messagesRead) return bad('bad-messages', describe('request.messages', messagesAt), messagesAt);
    const list = messages.items;
    if (!list.every(isMessage))
      return bad('bad-messages', 'a message is no object with a string role', messagesAt);
    const definitions = toolsAt < 0 ? NO_TOOLS : tools.definitions;
    if (definitions === undefined) return bad('bad-tools', describe('request.tools', toolsAt), toolsAt);
    const answered = responseAt >= 0 && bytes[responseAt] !== LETTER_N;
    if (answered && bytes[responseAt] !== OPEN_OBJECT) {
      return bad('bad-response', describe('response', responseAt), responseAt);
    }
    return {
      kind: 'entry',
      origin,
      sessionId: id,
      timestamp: time,
      messages: list,
      tools: definitions,
      reply: answered ? reply.message(bytes) : undefined,
      changes: NO_CHANGES,
    };
  }

  function read(line: Line): readonly (Entry | Rejection)[] {
    const { bytes, origin } = line;
    const made: (Entry | Rejection)[] = [];
    let p = skipBlanks(bytes, 0);
    while (p < bytes.length) {
      const end = bytes[p] === OPEN_OBJECT ? walk(bytes, p) : -1;
      if (end < 0) return [rejectBytes(line, p, made.length > 0)];
      made.push(entryOf(line, { ...origin, offset: origin.offset + p, length: end - p }));
      p = skipBlanks(bytes, end);
    }
    return made.length === 1 ? made.map((element) => ofLine(element, line)) : made;
  }

  /** Why the line as a whole is not read; `at` is where its last value begins. */
  function rejectBytes(line: Line, at: number, after: boolean): Rejection {
    const { bytes } = line;
    const invalid = invalidUtf8At(bytes);
    if (invalid >= 0) return rejectLine(STAGE, line, 'invalid-utf8', 'not UTF-8', invalid);
    const end = scanner.value(bytes, at, 0);
    if (end < 0) {
      if (scanner.tooDeep) return rejectLine(STAGE, line, 'too-deep', 'nested too deep', scanner.failedAt);
      return rejectLine(STAGE, line, 'invalid-json', 'not JSON', Math.min(scanner.failedAt, bytes.length));
    }
    const next = skipBlanks(bytes, end);
    if (after || next < bytes.length)
      return rejectLine(STAGE, line, 'invalid-json', 'more than one value', after ? at : next);
    return rejectLine(STAGE, line, 'not-an-object', 'JSON, but not an object', at);
  }

  return { read, forget: messages.forget };
}

/** The only object of a line stands for the whole line, the white space around it too. */
function ofLine(element: Entry | Rejection, { origin, bytes }: Line): Entry | Rejection {
  return element.kind === 'entry' ? { ...element, origin } : { ...element, origin, bytes };
}

const describe = (what: string, at: number): string =>
  at < 0 ? `${what} is missing` : `${what} is not valid`;

function textValue(json: Uint8Array): string | undefined {
  return json[0] === QUOTE ? parseString(json, 0, json.length) : undefined;
}

function timeOf(json: Uint8Array): bigint | undefined {
  const text = textValue(json);
  if (text !== undefined) return parseStamp(text);
  return parseEpoch(decode(json));
}

const exchange: Dialect = {
  name: 'exchange',
  summary: 'Request/response pairs of an LLM proxy: {timestamp, session_id, request, response}.',
  detect: (line) => line[skipBlanks(line, 0)] === OPEN_OBJECT,
  create: createReader,
};

export default exchange;
