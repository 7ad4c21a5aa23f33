/** Finds requests and responses, which may be bodies of logged HTTP. */

import type { JsonView } from '../../json/json-view.ts';
import { present, structured } from '../logged-values.ts';

/** The request itself, or the body that it was logged with. */
export function bodyOf(request: JsonView): JsonView {
  const body = structured(request.get('body'));
  return body?.type === 'object' ? body : request;
}

/** Does an object hold messages, in the format of any API? */
export function hasMessages(body: JsonView): boolean {
  return ['messages', 'input', 'prompt'].some((key) => present(body.get(key)));
}

/** An answer as it was logged. */
export interface LoggedAnswer {
  readonly response: JsonView | undefined;
  /** Is it a body from the wire? */
  readonly isRaw?: boolean;
}

/** The response itself, or the body that it was logged with. */
export function loggedAnswer(response: JsonView | undefined): LoggedAnswer {
  const logged = structured(response);
  if (logged?.type !== 'object') return { response };
  const body = logged.get('body');
  if (present(body)) return { response: body };
  const raw = logged.get('body_raw');
  return present(raw) ? { response: raw, isRaw: true } : { response: logged };
}

/** Is it a logged HTTP request? */
export function isCapture(request: JsonView | undefined): boolean {
  return ['url', 'method', 'body'].every((key) => present(request?.get(key)));
}
