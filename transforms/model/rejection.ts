/** The closed list of reasons why a line or a session is kept out. */
import type { Conversation, Line, Origin, Rejection } from './element.ts';

export const LINE_REASONS = {
  'invalid-json': 'The line is not JSON, or has NaN or Infinity in a value that is read.',
  'invalid-utf8': 'The line holds bytes that are not UTF-8.',
  'not-an-object': 'The line is JSON, but not an object.',
  'duplicate-key':
    'A key that is read stands twice: timestamp, session_id, request, messages, tools, response or another one of the dialect.',
  'too-deep': 'The line nests objects and arrays deeper than --max-depth.',
  'line-too-long': 'The line is longer than --max-line.',
  'too-many-messages': 'The entry has more messages than --max-messages, its reply among them.',
  'too-many-elements':
    'An array or object of the line has more elements than --max-elements, the line holds more objects, or an entry holds ten times as many in all.',
  'bad-timestamp':
    'timestamp is missing or cannot be read: RFC 3339 (also with a comma before the fraction, a zone without a colon, a date alone), epoch seconds or milliseconds, also as text.',
  'bad-session-id': 'session_id is missing, or not a non-empty string.',
  'bad-messages':
    'The messages are not an array of objects that each have a string role (or what the dialect has in their place).',
  'bad-tools': 'The tools are neither absent, null nor an array of objects.',
  'bad-sample':
    'The sample of a grader has no messages, or one without a role or a text; or a deck has no samples.',
  'invalid-toml': 'The document is not TOML.',
  'bad-response': 'response is neither absent, null nor an object.',
} as const;

export const SESSION_REASONS = {
  'session-id-mismatch': 'The source holds a second session id.',
  'session-reopened':
    'The session id came back after its session had ended: all parts of the session, where its record can still be taken back.',
  'timestamp-not-increasing': "An entry is not later than the session's entry before it.",
  'control-token-in-content':
    'A text holds a token of the format itself (chat-inline writes it: --on-finding control-token-in-content=reject).',
  'non-text-part':
    'A text that is to be inlined has parts that are no text (--on-finding non-text-part=reject).',
  'arguments-not-json':
    'The arguments of a call are a string that is no JSON (--on-finding arguments-not-json=reject).',
  'arguments-not-object':
    'The arguments of a call are no JSON object, and the format needs one (by itself; =keep writes them as they are).',
  'empty-arguments': 'A call has no arguments (--on-finding empty-arguments=reject).',
  'malformed-call':
    'An entry of tool_calls is no call of a function with a name (by itself; =keep leaves it out).',
  'members-dropped': 'A message has members that are left out (--on-finding members-dropped=reject).',
  'messages-merged': 'Messages would be merged into one turn (--on-finding messages-merged=reject).',
  'not-alternating':
    'The turns cannot alternate between the two sides (by itself; =keep writes them as they are).',
  'reasoning-inlined':
    'The reasoning of a message would become text (--on-finding reasoning-inlined=reject).',
  'results-reordered':
    'Results would be put into the order of their calls (--on-finding results-reordered=reject).',
  'tool-not-function':
    'A tool definition defines no function with a name (--on-finding tool-not-function=reject).',
  'unanswered-end':
    'The conversation ends in messages without an answer (--on-finding unanswered-end=reject).',
  'key-not-bare': 'A function name or a key holds a character that ends it where keys have no quotes.',
  'number-out-of-range': 'A number has to be written without its exponent, and that is over 1000.',
  'call-unreadable': 'A call has no function name, and the format writes no calls without one.',
  'result-without-call': 'A tool result answers no open call, so the name of its function is not known.',
  'result-order-lost':
    'A tool result would be read as that of an earlier call of the same function: the format has no ids.',
  'unknown-role': 'A message has a role that the format has no turn for.',
  'result-as-text':
    'A tool result is an object that the format can only write as text (--on-finding result-as-text=reject).',
  'member-left-out':
    'A message has members that the format has no place for (--on-finding member-left-out=reject).',
  'definition-left-out':
    'A tool definition says more than the format can declare (--on-finding definition-left-out=reject).',
  'no-final-call': 'The last assistant message, which is to be learned, has no call.',
  'several-final-calls': 'The last assistant message, which is to be learned, has more than one call.',
  'no-user-turn': 'There is no user message before the turn that is to be learned.',
  'nested-arguments': 'The arguments of the call hold an object.',
  'nested-arrays': 'The arguments of the call hold an array inside an array.',
  'comment-end-in-reasoning': 'The reasoning, which is to be a comment, holds the end of one.',
  'calls-inlined':
    'A message without a text has calls or a result that would become one (--on-finding calls-inlined=reject).',
  'content-not-text':
    'A content is a number, an object or a boolean (--on-finding content-not-text=reject); samples: a message has no text (by itself; =keep writes it as it is).',
  'no-messages': 'The conversation has no messages, and the format needs one (by itself).',
  'not-toml':
    'A value that TOML cannot say: null, a key that stands twice, a whole number beyond 64 bits, half a character.',
  'parts-joined': 'A content of several parts would become one text (--on-finding parts-joined=reject).',
  'messages-left-out':
    'There are messages beside those that are taught (--on-finding messages-left-out=reject).',
} as const;

export type LineReason = keyof typeof LINE_REASONS;
export type SessionReason = keyof typeof SESSION_REASONS;

/** A line that is kept out. `at` is the index in the line where it went wrong, when that is known. */
export function rejectLine(
  stage: string,
  line: Line,
  reason: LineReason,
  detail: string,
  at?: number,
): Rejection {
  const where =
    at === undefined ? '' : ` at byte ${at} of the line (${line.origin.offset + at} of the source)`;
  return {
    kind: 'rejection',
    scope: 'line',
    stage,
    reason,
    detail: `${detail}${where}`,
    origin: line.origin,
    bytes: line.made?.raw ?? line.bytes,
  };
}

/** A session that one of several formats does not write. */
export function refuseRecord(
  stage: string,
  { origin, sessionId }: Conversation,
  format: string,
  { rule: reason, message: detail }: { readonly rule: string; readonly message: string },
): Rejection {
  return { kind: 'rejection', scope: 'record', stage, reason, detail, origin, sessionId, format };
}

/** A session that is kept out as a whole, because of the entry at `origin`. */
export function rejectSession(
  stage: string,
  origin: Origin,
  sessionId: string,
  reason: SessionReason,
  detail: string,
): Rejection {
  return { kind: 'rejection', scope: 'session', stage, reason, detail, origin, sessionId };
}
