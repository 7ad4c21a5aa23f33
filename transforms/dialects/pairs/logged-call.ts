/** One logged call: its request and answer, which may be bodies of logged HTTP, and its metadata. */

import type { JsonView } from '../../json/json-view.ts';
import type { Meta } from '../../model/meta.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { present, structured } from '../shared/logged-values.ts';
import type { LoggedAnswer } from './logged-answer.ts';

/** The request itself, or the body that it was logged with, possibly as an object with its text in it. */
export function bodyOf(request: JsonView): JsonView {
  const body = structured(request.get('body'));
  const text = body?.get('string');
  const recorded = text?.type === 'string' ? structured(text) : body;
  return recorded?.type === 'object' ? recorded : request;
}

/** Whether a request has messages, in the format of any API. */
export function hasMessages(body: JsonView): boolean {
  return ['messages', 'input', 'prompt'].some((key) => present(body.get(key)));
}

export interface Call extends LoggedAnswer {
  /** Undefined if only the answer was logged. */
  readonly request: JsonView | undefined;
  /** Tools, if they were logged outside the request. */
  readonly tools?: JsonView | undefined;
  readonly sessionId?: string | undefined;
  /** May the answer be a value of any shape, because the logger takes what the program calls its answer? */
  readonly isValue?: boolean;
  /** Whether the session id may be that of this call only. */
  readonly joins?: boolean | undefined;
  readonly timestamp?: bigint | undefined;
}

/** Is it a logged HTTP request? One without a body is a poll, or no model call. */
export function isCapture(request: JsonView | undefined): boolean {
  const isSent = ['url', 'uri'].some((key) => present(request?.get(key))) && present(request?.get('method'));
  return isSent && request !== undefined && (present(request.get('body')) || !hasMessages(request));
}

const MOST_TEXT_BYTES = 64 * 1024;

/**
 * @param json the logged object, whose values are used if the answer has none
 * @param body the assembled answer, if it was a stream
 */
export function callMeta({ request, response }: Call, json: JsonView, body?: JsonView): Meta {
  const isShort = response !== undefined && response.bytes.length <= MOST_TEXT_BYTES;
  const answer = body ?? (response?.type === 'object' || isShort ? structured(response) : undefined);
  const [choice] = (answer?.get('choices') ?? json.get('choices'))?.elements() ?? [];
  const first = (...places: readonly (JsonView | undefined)[]): JsonView | undefined => places.find(present);
  const model = first(answer?.get('model'), json.get('model'), request?.get('model'));
  return metaOf({
    model: first(model, json.get('kwargs')?.get('model')),
    usage: first(answer?.get('usage'), json.get('usage')),
    cost: first(json.get('response_cost'), json.get('cost')),
    finish: first(choice?.get('finish_reason'), answer?.get('stop_reason'), answer?.get('status')),
    tags: first(json.get('request_tags'), json.get('tags')),
  });
}
