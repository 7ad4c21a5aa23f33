/**
 * Dialect `calls`: one model call per object, in the wrappers of many loggers; also HTTP archives and lists of calls.
 */

import type { JsonView } from '../json/json-view.ts';
import { isRow, JoinedRows } from './calls/joined-rows.ts';
import type { Wrapper } from './calls/wrapper.ts';
import { ANSWERS, capture, isPair, pair, wrapped, wrapperOf } from './calls/wrappers.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ObjectPart, ReadContext } from './dialect-spec.ts';
import { isSample } from './inspect.ts';
import { CallReader } from './pairs/call-reader.ts';
import { present, structured } from './shared/logged-values.ts';

const isKnown = (object: FirstObject): boolean => wrapperOf(object) !== undefined;

/** The call inside the object that LiteLLM passes to callbacks, or in an event of CloudWatch. */
function payloadIn(object: FirstObject): JsonView | undefined {
  const places = [object, object.get('kwargs')].map((one) => one?.get('standard_logging_object'));
  const shipped = ['message', '@message'].map((key) => object.get(key));
  return [...places, ...shipped]
    .map(structured)
    .find((one): one is JsonView => one !== undefined && (isKnown(one) || isPair(one)));
}

/** Members with a list of calls: as an API returns it, and as a cassette of VCR holds what it recorded. */
const LISTS = ['data', 'interactions', 'http_interactions'] as const;

/** Members with a list of events of CloudWatch, as its commands and its subscriptions return them. */
const EVENTS = ['events', 'logEvents'] as const;

/** The calls in such a list; undefined for anything else. */
function listedCalls(object: FirstObject): readonly JsonView[] | undefined {
  const lists = LISTS.map((key) => object.get(key)?.elements() ?? []);
  const list = lists.find(([first]) => first?.type === 'object' && isKnown(first));
  const events = EVENTS.map((key) => object.get(key)?.elements() ?? []);
  return list ?? events.find((one) => one.some((event) => payloadIn(event) !== undefined));
}

/** The requests in an HTTP archive (HAR 1.2), as browsers and proxies save it; undefined for any other object. */
function harEntries(object: FirstObject): readonly JsonView[] | undefined {
  const entries = object.get('log')?.get('entries');
  return entries?.type === 'array' ? entries.elements() : undefined;
}

function readCall(
  json: JsonView,
  context: ReadContext,
  calls: CallReader,
  wrapper: Wrapper = wrapperOf(json) ?? (present(json.get('request')) ? wrapped : pair),
): ObjectPart {
  const call = wrapper.call(json, context);
  return 'kind' in call ? call : calls.read(call, context, json);
}

const readShipped = (json: JsonView, context: ReadContext, calls: CallReader): ObjectPart =>
  readCall(payloadIn(json) ?? json, context, calls);

const calls: Dialect = defineDialect({
  name: 'calls',
  summary:
    'Single calls: {messages, response | completion | output | choices}, LiteLLM, Helicone, OpenPipe, OpenHands LLM logs, Bedrock invocations, logged HTTP (HAR, cassettes).',
  knownBy:
    'messages beside response, completion, output or choices; object chat.completion; request_body and response_body, also as requestBody or RequestBody; input with messages, and output; request with url, method and body; request and response without session_id; schemaType ModelInvocationLog; log.entries; interactions or http_interactions',
  keys: [
    ...[...ANSWERS, 'messages', 'raw_response', 'tools', 'model_parameters', 'kwargs', 'request', 'input'],
    ...[...LISTS, 'standard_logging_object'],
    ...['request_body', 'response_body', 'requestBody', 'responseBody', 'RequestBody', 'ResponseBody'],
    ...['reqPayload', 'respPayload', 'proxy_server_request', 'log'],
    ...['output', 'full_request', 'full_response', 'modelInput', 'modelOutput', 'ai'],
    ...[...EVENTS, 'stream', 'message', '@message', 'event', 'obj', 'out'],
    ...['CorrelationId', 'SequenceNumber', 'RequestMessages', 'ResponseMessages'],
  ],
  gathers: true,
  marks: ['messages', 'response'],
  memory: (options) => {
    const calls = new CallReader(options);
    return { calls, rows: new JoinedRows(calls, options) };
  },
  detect(first) {
    if (isSample(first)) return false;
    if ([harEntries, listedCalls, payloadIn].some((inside) => inside(first) !== undefined)) return true;
    if (wrapperOf(first) === wrapped && first.get('timestamp') !== undefined) return 'unless-next'; // it may be an exchange
    return isKnown(first) || isRow(first);
  },
  read(json, context, { calls: reader, rows }) {
    if (isRow(json)) return rows.read(json, context);
    const entries = harEntries(json);
    if (entries?.length === 0) return context.drop('no-completion');
    if (entries !== undefined) return entries.map((entry) => readCall(entry, context, reader, capture));
    const listed = listedCalls(json);
    if (listed !== undefined) return listed.map((one) => readShipped(one, context, reader));
    return readShipped(json, context, reader);
  },
});

export default calls;
