/** Where the answer of a logged call is: the response itself, or the body that it was logged with, under many names. */
import type { JsonView } from '../../json/json-view.ts';
import { words } from '../../model/words.ts';
import { decoded, textOfBase64 } from '../shared/base64-text.ts';
import { firstOf, present, structured } from '../shared/logged-values.ts';

export interface LoggedAnswer {
  readonly response: JsonView | undefined;
  /** Is it a body from the wire? */
  readonly isRaw?: boolean;
  /** Did the request fail? If its status says so, the body is not an answer. */
  readonly isFailed?: boolean | 'status';
}

/** Members of a logged response that show that it is one of HTTP. */
const STATUS = ['status', 'status_code', 'statusCode'] as const;
const HTTP = [...STATUS, 'headers'] as const;
/** Members of an answer of an API. */
const ANSWERS = words('choices output role object error message candidates stop_reason promptFeedback');
/** Members that hold the body, in the words of several loggers. */
const BODIES = [
  ...['body_json', 'parsed_body', 'json', 'data', 'content', 'text', 'body_text', 'raw_body', 'raw'],
  ...['events', 'sse', 'stream'],
] as const;
/** Members of a logged response that hold the lines or the events of a stream. */
export const STREAMS = ['streamed_data', 'sse_lines', 'sse_events', 'stream_events', 'chunks'] as const;
/** Members of a logged response besides its body. */
const WITHOUT_BODY: ReadonlySet<string> = new Set([
  ...[...HTTP, ...BODIES, ...STREAMS, 'body', 'body_raw', 'statusText', 'status_text', 'reason', 'ok'],
  ...['httpVersion', 'http_version', 'cookies', 'redirectURL', 'headersSize', 'bodySize', 'size', 'url'],
  ...['timestamp', 'time', 'duration', 'duration_ms', 'elapsed', 'latency', 'trailers', 'type', '_error'],
]);

const FIRST_ERROR = 400;

/** The response itself, or the body that it was logged with. */
export function loggedAnswer(response: JsonView | undefined): LoggedAnswer {
  const logged = structured(response);
  if (logged?.type !== 'object') return { response };
  return { isFailed: hasFailed(logged) && 'status', ...answerIn(logged) };
}

/** Does a logged response have the status of an error? */
export function hasFailed(logged: JsonView | undefined): boolean {
  const status = STATUS.map((key) => logged?.get(key)).find(present);
  const code = status?.type === 'object' ? status.get('code') : status;
  return code?.type === 'number' && Number(code.parsed()) >= FIRST_ERROR;
}

function answerIn(logged: JsonView): LoggedAnswer {
  const body = logged.get('body');
  if (present(body)) return bodyAnswer(body);
  const raw = logged.get('body_raw');
  if (present(raw)) return { response: raw, isRaw: true };
  const isAnswer = ANSWERS.some((key) => present(logged.get(key)));
  const streamed = isAnswer ? logged.get('streamed_data') : firstOf(logged, ...STREAMS);
  if (present(streamed)) return { response: streamed, isRaw: streamed.type === 'string' };
  if (isAnswer || !HTTP.some((key) => present(logged.get(key)))) return { response: logged };
  const other = BODIES.map((key) => logged.get(key)).find(present);
  if (other !== undefined) return bodyAnswer(other);
  return { response: logged.keys().every((key) => WITHOUT_BODY.has(key)) ? undefined : logged };
}

/** A recorded body may be an object with its text in it, or with no text if the recorder left it out. */
function bodyAnswer(body: JsonView): LoggedAnswer {
  const text = bodyText(body);
  if (text !== undefined) return { response: text, isRaw: true };
  return { response: body.type === 'object' && isRecorded(body) ? undefined : body };
}

/**
 * Bodies of HTTP as recorders write them: a text, possibly in base64, or an object with the text and its encoding. VCR
 * has `string` or `base64_string`, HAR `text` with `encoding`, others `data` or `content` with it.
 */
const BASE64 = 'base64';
/** Members that show that an object is a recorder's, not the body. */
const MARKS = ['encoding', 'mimeType'] as const;

/** The text of a body, as a JSON string; undefined if the body is a value, or was not logged. */
export function bodyText(body: JsonView): JsonView | undefined {
  if (body.type !== 'object') return body.type === 'string' ? body : undefined;
  const encoded = firstOf(body, 'base64_string', BASE64);
  if (encoded?.type === 'string') return textOfBase64(encoded.text() ?? '') ?? encoded;
  const plain = firstOf(body, 'string');
  const text = plain ?? (isRecorded(body) ? firstOf(body, 'text', 'data', 'content') : undefined);
  if (text?.type !== 'string') return undefined;
  const isEncoded = body.get('encoding')?.text()?.toLowerCase() === BASE64;
  return isEncoded ? (textOfBase64(text.text() ?? '') ?? text) : text;
}

/** Is it an object of a recorder, which may lack the body? Some write no type: then the text is a body of an API. */
export const isRecorded = (body: JsonView): boolean =>
  MARKS.some((key) => present(body.get(key))) ||
  (body.keys().every((key) => CONTENT.has(key)) &&
    firstOf(structured(body.get('text')), ...ANSWERS, ...REQUESTS) !== undefined);

/** Members of the content of a HAR file. */
const CONTENT: ReadonlySet<string> = new Set(['text', 'size', 'compression', 'params', 'comment']);
/** Members of a request of an API. */
const REQUESTS = ['messages', 'contents', 'input', 'prompt'] as const;

/** The value of a body: what its text holds as JSON, also in base64, or the value itself. */
export function bodyValue(body: JsonView): JsonView | undefined {
  const text = bodyText(body);
  if (text === undefined) return isRecorded(body) ? undefined : body;
  const value = structured(text);
  return value?.type === 'string' ? structured(decoded(text)) : value;
}
