/** The closed lists of reasons to reject lines and sessions. Their texts are in docs/reference/rejections.md. */

export const LINE_REASONS = {
  'invalid-json': 'The line is not JSON, or has NaN or Infinity in a value that turnmill reads.',
  'invalid-utf8': 'The line has bytes that are not UTF-8.',
  'not-an-object': 'The line is JSON, but not an object.',
  'duplicate-key':
    'A key that turnmill reads appears twice: timestamp, session_id, request, messages, tools, response or another key of the dialect.',
  'too-deep': 'The line nests objects and arrays deeper than --max-depth.',
  'line-too-long': 'The line is longer than --max-line.',
  'too-many-messages': 'The entry has more messages than --max-messages, including its reply.',
  'too-many-elements':
    'An array or object in the line has more elements than --max-elements, the line has more objects than that, or an entry has ten times as many elements in total.',
  'bad-timestamp':
    'timestamp is missing or cannot be read. turnmill reads RFC 3339 (also with a comma before the fraction, a zone without a colon or minutes or written as UTC, or only a date) and epoch seconds, milliseconds, microseconds or nanoseconds, as a number or a string.',
  'bad-session-id':
    'session_id is missing, or not a non-empty string. Read calls that belong to no session with --dialect calls.',
  'bad-messages':
    'The messages are not an array of objects with a string role each (or the equivalent in the dialect).',
  'unknown-content':
    'A content, a result or an answer has a form that is not known to be text: nothing of it is guessed.',
  'body-elsewhere':
    'A body of the call, or the conversation that it continues, is not in the log, but elsewhere, as it says.',
  'bad-tools': 'The tools are neither absent, null nor an array of objects.',
  'bad-sample':
    'A grader sample has no messages, or a message without a role or text; or a deck has no samples.',
  'invalid-toml': 'The document is not TOML.',
  'bad-event':
    'An event of an agent log lacks something that its dialect needs, or no dialect recognises the source.',
  'unknown-part':
    'A content has a part {type, value} of an unknown type: only text, reasoning and tool_call are read.',
  'unknown-speaker':
    'The log names a speaker (role, type, sender, ...) that is not one of the known roles: system, developer, user, assistant, tool and function, or their names in the dialect; or the members of a message name different speakers.',
  'bad-response': 'response is neither absent, null nor an object.',
  'bad-stream': 'A line of a stream is not an event, or its data is not JSON.',
} as const;

export const SESSION_REASONS = {
  'session-id-mismatch':
    'The source has a second session id. The message says how many sessions it seems to hold; --session-by id reads them.',
  'session-reopened':
    'The session id occurs again after its session had ended (without --select leaves). All parts of the session are rejected, as long as its record can still be withdrawn. With --session-by id they are gathered instead.',
  'body-placeholder':
    'A logger cut, masked or left out all answers of the conversation (a mark such as litellm_truncated or [REDACTED], an empty output such as {}).',
  'conversation-too-long':
    'The events of a conversation, or the conversations of a session, hold more than --max-conversation, or give more messages than --max-messages.',
  'too-many-branches':
    'The session has more branches than --max-branches, and these lines are only in branches beyond them.',
  'context-missing':
    'The request continues a response that is not in the source, so the earlier messages are unknown.',
  'timestamp-not-increasing':
    'An entry is earlier than the entry before it in the session. With --strict-time, an entry of the same time is rejected too.',
  'control-token-in-content':
    'A text contains a control token of the format (chat-inline writes it unless --on-finding control-token-in-content=reject).',
  'non-text-part':
    'A text to be inlined has parts that are not text (with --on-finding non-text-part=reject).',
  'arguments-not-json':
    'The arguments of a call are a string that is not JSON (with --on-finding arguments-not-json=reject).',
  'arguments-not-object':
    'The arguments of a call are not a JSON object, but the format needs one (by default; =keep writes them unchanged).',
  'empty-arguments': 'A call has no arguments (with --on-finding empty-arguments=reject).',
  'malformed-call':
    'An entry of tool_calls is not a call of a named function (by default; =keep leaves it out).',
  'members-dropped':
    'A message has members that would be left out (with --on-finding members-dropped=reject).',
  'reasoning-inlined':
    'The reasoning of a message would become text (with --on-finding reasoning-inlined=reject).',
  'results-reordered':
    'Results would be put into the order of their calls (with --on-finding results-reordered=reject).',
  'tool-not-function':
    'A tool definition does not define a named function (with --on-finding tool-not-function=reject).',
  'unanswered-end':
    'The conversation ends in messages without an answer (with --on-finding unanswered-end=reject).',
  'key-not-bare':
    'A function name or key contains a character that ends it, because the format writes keys without quotes.',
  'number-out-of-range': 'A number must be written without its exponent, which is over 1000.',
  'call-unreadable': 'A call has no function name, and the format cannot write a call without one.',
  'result-without-call':
    'A tool result does not answer an open call, so the name of its function is unknown.',
  'result-order-lost':
    'A tool result would be read as the result of an earlier call of the same function, because the format has no ids.',
  'unknown-role':
    'A message has a role that the format cannot express (by default; =keep writes it unchanged where the format copies messages).',
  'result-as-text':
    'A tool result is an object that the format can only write as text (with --on-finding result-as-text=reject).',
  'member-left-out':
    'A message has members that the format cannot hold (with --on-finding member-left-out=reject).',
  'definition-left-out':
    'A tool definition has parts that the format cannot declare (with --on-finding definition-left-out=reject).',
  'no-final-call': 'The last assistant message, the one to be learned, has no call.',
  'several-final-calls': 'The last assistant message, the one to be learned, has more than one call.',
  'no-user-turn': 'No user message comes before the turn to be learned.',
  'record-not-json': 'A format of a plug-in returned a record that is not one JSON object on one line.',
  'content-not-text':
    'A content is a number, an object or a boolean. In formats of text by default (=keep writes its JSON text), in formats of messages with --on-finding content-not-text=reject. In samples: a message has no text (by default; =keep writes it unchanged).',
  'no-answer':
    'The conversation has no answer of the model to learn from: no text, call, refusal or audio. In the formats that need one by default (docs/reference/formats.md; =keep writes the record, except in sharegpt, whose turns must end with an answer); in other formats with --on-finding no-answer=reject.',
  'no-messages': 'The conversation has no messages, but the format needs one (by default).',
  'parts-joined': 'A content of several parts would become one text (with --on-finding parts-joined=reject).',
  'messages-left-out':
    'The conversation has messages besides those that are taught (with --on-finding messages-left-out=reject).',
  'unread-text':
    'An object of the log has a member that turnmill does not know and that holds words, or a known member of another form (an object in place of a text, a text in place of a list), or a message has a content of an unknown form, or an empty one beside a member with words, so the record would lack them (by default, in every format; --on-finding unread-text=keep writes it without them).',
} as const;

export type LineReason = keyof typeof LINE_REASONS;
export type SessionReason = keyof typeof SESSION_REASONS;
