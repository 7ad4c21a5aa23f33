/** One logged call: its request and answer, which may be bodies of logged HTTP, and its metadata. */

import type { JsonView } from '../../json/json-view.ts';
import type { Meta } from '../../model/meta.ts';
import { words } from '../../model/words.ts';
import type { EntryFields } from '../dialect-spec.ts';
import { metaOf, modelMeta } from '../shared/logged-meta.ts';
import { firstOf, present, structured } from '../shared/logged-values.ts';
import { geminiRequest } from '../shared/other-apis.ts';
import { bodyValue, type LoggedAnswer } from './logged-answer.ts';

/** The request itself, or the body that it was logged with. */
export function bodyOf(request: JsonView): JsonView {
  const keys = isSent(request) ? BODIES : ONLY_BODY;
  const body = keys.map((key) => request.get(key)).find(present);
  const value = body && bodyValue(body);
  return value?.type === 'object' ? value : request;
}

/** Members of a logged request of HTTP that hold its body, in the words of several loggers. */
const BODIES = words('body postData body_json parsed_body json body_text raw_body data content payload');
const ONLY_BODY = ['body'];

/** Whether a request has messages, in the format of any API. */
export function hasMessages(body: JsonView): boolean {
  const isChat = ['messages', 'input', 'prompt'].some((key) => present(body.get(key)));
  return isChat || geminiRequest(body) !== undefined;
}

export interface Call extends LoggedAnswer, Pick<EntryFields, 'sessionId' | 'joins' | 'timestamp'> {
  /** Undefined if only the answer was logged. */
  readonly request: JsonView | undefined;
  /** Definitions of its tools, which `CallReader` looks up. */
  readonly tools?: JsonView | undefined;
  /** Where the bodies are, if the log may name another place for them. */
  readonly elsewhere?: JsonView | undefined;
}

/** Is it a logged HTTP request? One without a body is a poll, or no model call. */
export function isCapture(request: JsonView | undefined): boolean {
  return isSent(request) && (present(request.get('body')) || !hasMessages(request));
}

function isSent(request: JsonView | undefined): request is JsonView {
  return present(request?.get('method')) && addressOf(request) !== undefined;
}

/** Where a logged request of HTTP was sent. */
export const addressOf = (request: JsonView | undefined): JsonView | undefined =>
  firstOf(request, 'url', 'uri', 'path');

/** Paths of APIs that return no completion: embeddings, moderations, ranks, counts, media. */
const NO_COMPLETION =
  /\/(?:embed(?:dings?)?|moderations|re-?rank|score|pooling|classify|tokenize|detokenize|count[_-]tokens|images|audio)(?:[/?#]|$)|:(?:embedContent|batchEmbedContents|countTokens|predict)\b/;
/** Paths under which the APIs are asked for a completion. */
const COMPLETION =
  /\/(?:completions|messages|responses|converse|converse-stream|invoke|invoke-with-response-stream|(?:api|v\d+)\/chat|api\/generate)(?:[?#]|$)|:(?:stream)?(?:generateContent|rawPredict)\b/i;

/** Was a request sent to an API for something other than a completion, or for one? Undefined if its address says neither. */
export function askedFor(request: JsonView | undefined): 'completion' | 'other' | undefined {
  const path = addressOf(request)?.text() ?? '';
  if (COMPLETION.test(path))
    return request?.textOf('method')?.toUpperCase() === 'POST' ? 'completion' : undefined;
  return NO_COMPLETION.test(path) ? 'other' : undefined;
}

const MAX_TEXT_BYTES = 64 * 1024;

/**
 * @param json the logged object, whose values are used if the answer has none
 * @param body the assembled answer, if it was a stream
 * @param isModelOnly whether to return only the model
 */
export function callMeta(
  { request, response }: Pick<Call, 'request' | 'response'>,
  json: JsonView,
  body?: JsonView,
  isModelOnly = false,
): Meta {
  const isShort = response !== undefined && response.bytes.length <= MAX_TEXT_BYTES;
  const answer = body ?? (response?.type === 'object' || isShort ? structured(response) : undefined);
  const first = (...places: readonly (JsonView | undefined)[]): JsonView | undefined => places.find(present);
  const named = first(answer?.get('model'), json.get('model'), request?.get('model'));
  const model =
    named ?? first(json.get('kwargs')?.get('model'), json.get('modelId'), answer?.get('modelVersion'));
  if (isModelOnly) return modelMeta(model);
  const [choice] =
    [answer?.get('choices'), answer?.get('candidates'), json.get('choices')].find(present)?.elements() ?? [];
  return metaOf({
    model,
    usage: first(answer?.get('usage'), answer?.get('usageMetadata'), json.get('usage')),
    cost: first(json.get('response_cost'), json.get('cost')),
    finish: first(
      ...['finish_reason', 'finishReason'].map((key) => choice?.get(key)),
      ...['stop_reason', 'stopReason', 'status'].map((key) => answer?.get(key)),
    ),
    tags: first(json.get('request_tags'), json.get('tags')),
  });
}
