/**
 * Dialect `calls`: one model call per object, in the wrappers of many loggers; also HTTP archives and lists of calls.
 */

import { JsonView } from '../json/json-view.ts';
import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import { isConverse, readConverse } from './calls/bedrock-call.ts';
import {
  ANSWERS,
  bedrock,
  GEMINI,
  isOfGemini,
  isPolled,
  pair,
  wrapped,
  wrapperOf,
} from './calls/wrappers.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ObjectPart, ReadContext } from './dialect-spec.ts';
import { isSample } from './inspect.ts';
import { CallReader } from './pairs/call-reader.ts';
import { hasFailed } from './pairs/logged-answer.ts';
import { type Call, hasMessages } from './pairs/logged-call.ts';
import { jsonIn, present, structured } from './shared/logged-values.ts';

const isKnown = (object: FirstObject): boolean => wrapperOf(object) !== undefined;

/** The call that LiteLLM logs inside the object that it passes to callbacks. */
function payloadIn(object: FirstObject): JsonView | undefined {
  const places = [object, object.get('kwargs')].map((one) => one?.get('standard_logging_object'));
  return places.map(structured).find((one): one is JsonView => one !== undefined && isKnown(one));
}

/** Members with a list of calls: as an API returns it, and as a cassette of VCR holds what it recorded. */
const LISTS = ['data', 'interactions', 'http_interactions'] as const;

/** The calls in such a list; undefined for anything else. */
function listedCalls(object: FirstObject): readonly JsonView[] | undefined {
  const lists = LISTS.map((key) => object.get(key)?.elements() ?? []);
  return lists.find(([first]) => first?.type === 'object' && isKnown(first));
}

/** The requests in an HTTP archive (HAR 1.2), as browsers and proxies save it; undefined for any other object. */
function harEntries(object: FirstObject): readonly JsonView[] | undefined {
  const entries = object.get('log')?.get('entries');
  return entries?.type === 'array' ? entries.elements() : undefined;
}

/** The model call of one request in an archive; undefined if the request was something else, such as an image. */
function harCall(entry: JsonView, { origin, time }: ReadContext): Call | 'gemini' | undefined {
  const sent = entry.get('request')?.get('postData')?.get('text')?.text();
  const request = sent === undefined ? undefined : jsonIn(sent);
  const response = loadedBody(entry.get('response')?.get('content'));
  const isCall = request?.type === 'object' && hasMessages(request);
  if (!isCall && isOfGemini(request)) return 'gemini';
  if (!isCall && !isPolled(response)) return undefined;
  return {
    request: isCall ? request : undefined,
    response,
    isRaw: true,
    isFailed: hasFailed(entry.get('response')),
    sessionId: origin.source,
    timestamp: time(entry.get('startedDateTime')),
  };
}

/** The body of a response, decoded if the browser saved it in base64. */
function loadedBody(content: JsonView | undefined): JsonView | undefined {
  const body = content?.get('text');
  const text = body?.text();
  if (text === undefined || content?.get('encoding')?.text() !== 'base64') return body;
  return new JsonView(encode(quote(Buffer.from(text, 'base64').toString())));
}

function readLoaded(entry: JsonView, context: ReadContext, { calls }: Memory): ObjectPart {
  const call = harCall(entry, context);
  if (call === 'gemini') return context.reject('bad-messages', GEMINI, entry.get('request'));
  return call === undefined ? context.drop('no-completion') : calls.read(call, context, entry);
}

interface Memory {
  readonly calls: CallReader;
  readonly keepSealed: boolean;
}

function readCall(json: JsonView, context: ReadContext, { calls, keepSealed }: Memory): ObjectPart {
  const wrapper = wrapperOf(json) ?? (present(json.get('request')) ? wrapped : pair);
  if (wrapper === bedrock && isConverse(json)) return readConverse(json, context, keepSealed);
  const call = wrapper.call(json, context);
  return 'kind' in call ? call : calls.read(call, context, json);
}

const calls: Dialect = defineDialect({
  name: 'calls',
  summary:
    'Single calls: {messages, response | completion | output | choices}, LiteLLM, Helicone, OpenPipe, OpenHands LLM logs, Bedrock invocations, logged HTTP (HAR, cassettes).',
  knownBy:
    'messages beside response, completion, output or choices; object chat.completion; request_body and response_body; input.messages and output; request with url, method and body; request and response without session_id and timestamp; schemaType ModelInvocationLog; log.entries; interactions or http_interactions',
  keys: [
    ...[...ANSWERS, 'messages', 'raw_response', 'tools', 'model_parameters', 'kwargs', 'request', 'input'],
    ...[...LISTS, 'standard_logging_object'],
    ...[
      'request_body',
      'response_body',
      'reqPayload',
      'respPayload',
      'proxy_server_request',
      'log',
      'output',
    ],
  ],
  gathers: true,
  marks: ['messages', 'response'],
  memory: (options) => ({ calls: new CallReader(options), keepSealed: options.keepSealed ?? false }),
  detect: (first) =>
    !isSample(first) &&
    ([harEntries, listedCalls, payloadIn].some((inside) => inside(first) !== undefined) || isKnown(first)),
  read(json, context, memory) {
    const entries = harEntries(json);
    if (entries?.length === 0) return context.drop('no-completion');
    if (entries !== undefined) return entries.map((entry) => readLoaded(entry, context, memory));
    const listed = listedCalls(json);
    if (listed !== undefined) return listed.map((one) => readCall(one, context, memory));
    return readCall(payloadIn(json) ?? json, context, memory);
  },
});

export default calls;
