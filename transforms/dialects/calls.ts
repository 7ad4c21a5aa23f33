/**
 * Dialect `calls`: one model call per object, in the wrappers of many loggers. A table describes each wrapper: how to
 * recognise it, and where request, answer, session and time are.
 */

import { JsonView } from '../json/json-view.ts';
import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import { hashOf } from '../model/hashed-set.ts';
import { detect as isAnthropic } from './anthropic-pair.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { FirstObject, ObjectPart, ReadContext } from './dialect-spec.ts';
import { isSample } from './inspect.ts';
import { jsonIn, present, structured } from './logged-values.ts';
import { CallReader } from './pairs/call-reader.ts';
import { bodyOf, type Call, callMeta, hasMessages, isCapture, loggedAnswer } from './pairs/logged-call.ts';

/** Members that may hold the answer. */
const ANSWERS = ['response', 'completion', 'output', 'choices'] as const;

const PSEUDONYM_DIGITS = 16;

interface Wrapper {
  knows(object: FirstObject): boolean;
  call(json: JsonView, context: ReadContext): Call;
}

const isObject = (view: JsonView | undefined): view is JsonView => view?.type === 'object';

/** The value at a path of keys. */
function at(view: JsonView | undefined, path: string): JsonView | undefined {
  return path.split('.').reduce<JsonView | undefined>((inner, key) => structured(inner)?.get(key), view);
}

/** The first non-empty text at these paths. */
function textAt(json: JsonView, paths: readonly string[]): string | undefined {
  return paths.map((path) => at(json, path)?.text()).find(Boolean);
}

/**
 * A logged HTTP exchange. Its file is the session, because clients request titles and the like between the turns of a
 * conversation.
 */
const capture: Wrapper = {
  knows: (object) => isCapture(structured(object.get('request'))),
  call(json, { origin, time }) {
    const request = structured(json.get('request'));
    const stamp = [request?.get('timestamp'), json.get('logged_at'), json.get('timestamp')].find(present);
    return {
      request: structured(request?.get('body')),
      ...loggedAnswer(json.get('response')),
      sessionId: origin.source,
      timestamp: time(stamp),
    };
  },
};

const helicone: Wrapper = {
  knows: (object) =>
    isObject(structured(object.get('request_body'))) && object.get('response_body') !== undefined,
  call: (json, { time }) => ({
    request: structured(json.get('request_body')),
    response: json.get('response_body'),
    sessionId: textAt(json, [
      'properties.Helicone-Session-Id',
      'request_properties.Helicone-Session-Id',
      'Helicone-Session-Id',
    ]),
    timestamp: time(json.get('request_created_at')),
  }),
};

const openPipe: Wrapper = {
  knows: (object) =>
    at(object.get('input'), 'messages')?.type === 'array' && object.get('output') !== undefined,
  call: (json) => ({ request: structured(json.get('input')), response: json.get('output') }),
};

/** Request logs of OpenPipe as returned by its API. */
const openPipeLog: Wrapper = {
  knows: (object) =>
    isObject(structured(object.get('reqPayload'))) && object.get('respPayload') !== undefined,
  call: (json, { time }) => ({
    request: structured(json.get('reqPayload')),
    response: json.get('respPayload'),
    timestamp: time(json.get('requestedAt')),
  }),
};

/** A request beside its response, as gateways such as Cloudflare's log them. With a session or a time it is `exchange`. */
const wrapped: Wrapper = {
  knows(object) {
    const request = structured(object.get('request'));
    const isNative = ['session_id', 'timestamp'].some((key) => object.get(key) !== undefined);
    const messages = isObject(request) ? bodyOf(request).get('messages') : undefined;
    if (isNative || messages?.type !== 'array' || !present(object.get('response'))) return false;
    const pair = ['request', 'response'].map((key) => [key, (object.get(key) as JsonView).bytes] as const);
    return !isAnthropic(new Map(pair));
  },
  call(json, { time }) {
    const request = structured(json.get('request'));
    return {
      request: request && bodyOf(request),
      ...loggedAnswer(json.get('response')),
      timestamp: time(json.get('created_at')),
    };
  },
};

/**
 * A model invocation log of Amazon Bedrock. Requests of its operation Converse are in an API that nothing here reads.
 */
const bedrock: Wrapper = {
  knows: (object) =>
    object.get('schemaType')?.text() === 'ModelInvocationLog' &&
    object.get('operation')?.text()?.startsWith('InvokeModel') === true &&
    at(object.get('input'), 'inputBodyJson.messages')?.type === 'array',
  call: (json, { time }) => ({
    request: at(json, 'input.inputBodyJson'),
    response: at(json, 'output.outputBodyJson'),
    timestamp: time(json.get('timestamp')),
  }),
};

/** The standard logging payload of LiteLLM. */
const liteLlm: Wrapper = {
  knows: (object) =>
    present(object.get('call_type')) &&
    present(object.get('startTime')) &&
    (hasAnswer(object) || sentTo(object) !== undefined),
  call(json, { time }) {
    const named = textAt(json, ['metadata.requester_metadata.session_id', 'session_id']);
    return {
      request: sentTo(json) ?? json,
      tools: [json.get('tools'), at(json, 'model_parameters.tools')].find(present),
      response: json.get('response'),
      sessionId: named ?? textAt(json, ['trace_id']) ?? pseudonymOf(textAt(json, ['end_user'])),
      joins: named === undefined, // a trace may hold a single call
      timestamp: time(json.get('startTime')),
    };
  },
};

/** Returns a session id for the calls of a user. It is a hash, because records and reports show it. */
function pseudonymOf(user: string | undefined): string | undefined {
  if (user === undefined) return undefined;
  return `user-${hashOf(user).toString('hex').slice(0, PSEUDONYM_DIGITS)}`;
}

/** The request as the client sent it to the proxy: rows of LiteLLM's database may hold the messages only there. */
function sentTo(object: FirstObject): JsonView | undefined {
  const sent = structured(object.get('proxy_server_request'));
  const isOnly = structured(object.get('messages'))?.type !== 'array';
  return isOnly && structured(sent?.get('messages'))?.type === 'array' ? sent : undefined;
}

/** LLM logs of OpenHands: `raw_response` is the model's own text if it got no tools and wrote its calls as text. */
const openHands: Wrapper = {
  knows: (object) => present(object.get('kwargs')) && hasAnswer(object),
  call(json, { time }) {
    const tools = at(json, 'kwargs.tools');
    const raw = json.get('raw_response');
    const isText = !present(tools) && present(raw);
    return {
      request: json,
      tools: present(tools) ? tools : json.get('tools'),
      response: isText ? raw : answerIn(json),
      timestamp: time(json.get('timestamp')),
    };
  },
};

const pair: Wrapper = {
  knows: (object) => hasAnswer(object),
  call: (json, { time }) => ({
    request: json,
    response: answerIn(json),
    timestamp: time(json.get('timestamp')),
  }),
};

/** Tried in this order; the last one accepts everything that the others do not. */
const WRAPPERS: readonly Wrapper[] = [
  ...[capture, wrapped, helicone, openPipe, openPipeLog, bedrock, liteLlm, openHands, pair],
];

/** Does it have messages and an answer, and is it not a pair of a chosen and a rejected one? */
function hasAnswer(object: FirstObject): boolean {
  const hasMessages = structured(object.get('messages'))?.type === 'array';
  if (!hasMessages || present(object.get('request'))) return false;
  const isPreference = present(object.get('chosen')) || present(object.get('rejected'));
  return !isPreference && ANSWERS.some((key) => object.get(key) !== undefined);
}

const answerIn = (json: JsonView): JsonView | undefined => ANSWERS.map((key) => json.get(key)).find(present);

/** The entries of an HTTP archive (HAR 1.2), as browsers and proxies save them; undefined for any other object. */
function harEntries(object: FirstObject): readonly JsonView[] | undefined {
  const entries = object.get('log')?.get('entries');
  return entries?.type === 'array' ? entries.elements() : undefined;
}

/** The call of a model that an entry of an archive is; undefined for anything else that was loaded. */
function harCall(entry: JsonView, { origin, time }: ReadContext): Call | undefined {
  const sent = entry.get('request')?.get('postData')?.get('text')?.text();
  const request = sent === undefined ? undefined : jsonIn(sent);
  if (request?.type !== 'object' || !hasMessages(request)) return undefined;
  return {
    request,
    response: loadedBody(entry.get('response')?.get('content')),
    isRaw: true,
    sessionId: origin.source,
    timestamp: time(entry.get('startedDateTime')),
  };
}

/** The body of a response as text; browsers write some of them in base64. */
function loadedBody(content: JsonView | undefined): JsonView | undefined {
  const body = content?.get('text');
  const text = body?.text();
  if (text === undefined || content?.get('encoding')?.text() !== 'base64') return body;
  return new JsonView(encode(quote(Buffer.from(text, 'base64').toString())));
}

/** Reads an entry of an archive. */
function readLoaded(entry: JsonView, context: ReadContext, reader: CallReader): ObjectPart {
  const call = harCall(entry, context);
  if (call === undefined) return context.drop('no-completion');
  const read = reader.read(call, context);
  return 'kind' in read ? read : { ...read, meta: callMeta(call, entry) };
}

const calls: Dialect = defineDialect({
  name: 'calls',
  summary:
    'Single calls: {messages, response | completion | output | choices}, LiteLLM, Helicone, OpenPipe, OpenHands LLM logs, Bedrock invocations, logged HTTP (HAR).',
  knownBy:
    'messages beside response, completion, output or choices; request_body and response_body; input.messages and output; request with url, method and body; request and response without session_id and timestamp; schemaType ModelInvocationLog; log.entries',
  keys: [
    ...[...ANSWERS, 'messages', 'raw_response', 'tools', 'model_parameters', 'kwargs', 'request', 'input'],
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
  memory: (options) => new CallReader(options),
  detect: (first) =>
    !isSample(first) && (harEntries(first) !== undefined || WRAPPERS.some(({ knows }) => knows(first))),
  read(json, context, reader) {
    const entries = harEntries(json);
    if (entries?.length === 0) return context.drop('no-completion');
    if (entries !== undefined) return entries.map((entry) => readLoaded(entry, context, reader));
    const wrapper = WRAPPERS.find(({ knows }) => knows(json)) ?? pair;
    const call = wrapper.call(json, context);
    const entry = reader.read(call, context);
    return 'kind' in entry ? entry : { ...entry, meta: callMeta(call, json) };
  },
});

export default calls;
