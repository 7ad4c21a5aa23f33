/** Where the answer of a logged call is: the response itself, or the body that it was logged with, under many names. */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import { present, structured } from '../shared/logged-values.ts';

/** An answer as it was logged. */
export interface LoggedAnswer {
  readonly response: JsonView | undefined;
  /** Is it a body from the wire? */
  readonly isRaw?: boolean;
  /** Did the request fail, by its status? The body is then no answer. */
  readonly isFailed?: boolean;
}

/** Members of a logged response that show that it is one of HTTP. */
const STATUS = ['status', 'status_code', 'statusCode'] as const;
const HTTP = [...STATUS, 'headers'] as const;
/** Members of an answer of an API. */
const ANSWERS = [
  'choices',
  'output',
  'role',
  'object',
  'error',
  'message',
  'candidates',
  'stop_reason',
] as const;
/** Members that hold the body, in the words of several loggers. */
const BODIES = [
  ...['body_json', 'json', 'data', 'content', 'text', 'body_text', 'raw_body', 'raw'],
  ...['chunks', 'events', 'stream_events', 'sse_events', 'sse', 'stream'],
] as const;
const ENCODED = /^[A-Za-z0-9+/]{16,}={0,2}$/;

const FIRST_ERROR = 400;

/** The response itself, or the body that it was logged with. */
export function loggedAnswer(response: JsonView | undefined): LoggedAnswer {
  const logged = structured(response);
  if (logged?.type !== 'object') return { response };
  return { ...answerIn(logged), isFailed: hasFailed(logged) };
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
  const streamed = logged.get('streamed_data');
  if (present(streamed)) return { response: streamed, isRaw: streamed.type === 'string' };
  const other = isHttp(logged) ? BODIES.map((key) => logged.get(key)).find(present) : undefined;
  return other === undefined ? { response: logged } : bodyAnswer(other);
}

const isHttp = (logged: JsonView): boolean =>
  HTTP.some((key) => present(logged.get(key))) && !ANSWERS.some((key) => present(logged.get(key)));

/** A recorded body may be an object with its text in it, as in a cassette of VCR. */
function bodyAnswer(body: JsonView): LoggedAnswer {
  const text = body.get('string');
  if (text?.type === 'string') return { response: text, isRaw: true };
  const encoded = body.get('base64_string');
  if (encoded?.type === 'string') return { response: decoded(encoded) ?? encoded, isRaw: true };
  return body.type === 'string' ? { response: body, isRaw: true } : { response: body };
}

/** The text that a string holds in base64; undefined if it is anything else. */
export function decoded(view: JsonView): JsonView | undefined {
  const text =
    view
      .text()
      ?.trim()
      .replaceAll(/[\r\n]/g, '') ?? '';
  if (text.length % 4 !== 0 || !ENCODED.test(text)) return undefined;
  return new JsonView(encode(quote(Buffer.from(text, 'base64').toString())));
}
