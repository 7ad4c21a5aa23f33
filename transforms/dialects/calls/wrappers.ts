/**
 * The wrappers in which loggers put one model call: how to recognise each, and where its request, answer, session and
 * time are.
 */

import { JsonView } from '../../json/json-view.ts';
import { addMember, dropMembers } from '../../json/splice.ts';
import { LITELLM_REDACTED } from '../../model/cut-texts.ts';
import { hashOf } from '../../model/hashed-set.ts';
import { detect as isAnthropic } from '../anthropic/pair.ts';
import type { FirstObject } from '../dialect-spec.ts';
import { type LoggedAnswer, loggedAnswer } from '../pairs/logged-answer.ts';
import { askedFor, bodyOf, hasMessages, isCapture } from '../pairs/logged-call.ts';
import { objectOf, type Piece } from '../shared/build-messages.ts';
import { carriesContent } from '../shared/carried-content.ts';
import { errorsIn } from '../shared/failed-answer.ts';
import { present, structured } from '../shared/logged-values.ts';
import { geminiRequest } from '../shared/other-apis.ts';
import { strayMember } from '../shared/stray-members.ts';
import { holdsWords } from '../shared/unread-text.ts';
import { isTrace } from '../spans/detect-spans.ts';
import { bedrock, bedrockBatch, kong, sglang, vertex } from './cloud-wrappers.ts';
import { at, isObject, textAt, type Wrapper } from './wrapper.ts';

/** Keys under which loggers put the answer. */
export const ANSWERS = ['response', 'completion', 'output', 'choices'] as const;

const PSEUDONYM_DIGITS = 16;

/**
 * A logged HTTP request and its response. All those of a file form one session: the calls of a conversation have no
 * common id, and clients send others (for a title) between them.
 */
export const capture: Wrapper = {
  matches: (object) => isCapture(structured(object.get('request'))),
  call(json, { origin, time, drop, reject }) {
    const request = structured(json.get('request'));
    if (request?.type !== 'object' || (!present(request.get('method')) && carriesContent(request)))
      return reject('bad-messages', 'the request is missing, or not one of HTTP', request ?? json);
    const asked = askedFor(request);
    if (asked === 'other') return drop('no-completion');
    const body = request && bodyOf(request);
    const isCall = body !== undefined && hasMessages(body);
    const answer = loggedAnswer(json.get('response'));
    if (!isCall && !isPolled(answer.response))
      return asked === 'completion' && (!isEmpty(answer.response) || holdsWords(body ?? request))
        ? reject('bad-messages', 'the body of the request has no messages', request)
        : drop('no-completion', wasSent(request) || isElsewhere(json) ? json : undefined);
    const stamps = [request?.get('timestamp'), json.get('logged_at'), json.get('timestamp')];
    const stamp = [...stamps, json.get('startedDateTime')].find(present);
    return {
      request: isCall ? body : undefined,
      ...answer,
      sessionId: origin.source,
      timestamp: time(stamp),
    };
  },
};

/** Whether a request has a body: under a name of one, or of a recorder that is not known. */
const wasSent = (request: JsonView | undefined): boolean =>
  ['body', 'postData'].some((key) => present(request?.get(key))) ||
  (request !== undefined && carriesContent(request));

/** Whether there is content beside the request and the response. */
const isElsewhere = (json: JsonView): boolean =>
  json.members().some(([key, value]) => !HTTP.has(key) && value.type !== 'string' && carriesContent(value));
const HTTP: ReadonlySet<string> = new Set(['request', 'response']);

function isEmpty(response: JsonView | undefined): boolean {
  const value = structured(response);
  return !present(value) || value.isEmptyText || (value.type === 'object' && value.keys().length === 0);
}

const isResponse = (object: FirstObject | undefined): boolean => object?.get('object')?.text() === 'response';

/** Is it a response of the Responses API, which a client may ask for again? */
export const isPolled = (response: JsonView | undefined): boolean => isResponse(structured(response));

/** A response that its log always has as the body of HTTP: as JSON, or as the text of it or of a stream. */
function bodyOfResponse(logged: JsonView | undefined): LoggedAnswer {
  const answer = loggedAnswer(logged);
  return answer.response?.type === 'string' ? { ...answer, isRaw: true } : answer;
}

/** Names of the bodies of a call: those of Helicone, of programs in JavaScript, and of Cloudflare's Logpush. */
const BODIES = [
  ['request_body', 'response_body'],
  ['requestBody', 'responseBody'],
  ['RequestBody', 'ResponseBody'],
] as const;
const OF_HELICONE = BODIES[0][0];

interface Bodies {
  readonly request: JsonView;
  readonly response: JsonView | undefined;
}

/** The bodies of a call; undefined if the object has none, or those of another program than a client of a model. */
function bodiesIn(object: FirstObject): Bodies | undefined {
  for (const [sent, received] of BODIES) {
    const request = structured(object.get(sent));
    const response = object.get(received);
    if (!isObject(request) || response === undefined) continue;
    if (sent === OF_HELICONE || hasMessages(request) || isEncrypted(request)) return { request, response };
  }
  return undefined;
}

/** Is it a body that Cloudflare encrypted for the owner of the gateway? */
const isEncrypted = (body: JsonView): boolean =>
  body.textOf('type') === 'encrypted' && present(body.get('data'));

const ENCRYPTED = 'the bodies are encrypted: decrypt the log of the gateway first';

/** The bodies of a call in two members, as Helicone logs them. */
const twoBodies: Wrapper = {
  matches: (object) => bodiesIn(object) !== undefined,
  call(json, { time, reject }) {
    const { request, response } = bodiesIn(json) as Bodies;
    if (isEncrypted(request)) return reject('body-elsewhere', ENCRYPTED, request);
    return {
      request,
      ...bodyOfResponse(response),
      elsewhere: json.get('signed_body_url'),
      isFailed: Number(json.get('response_status')?.parsed()) < 0, // cancelled, or no answer in time
      sessionId: textAt(json, [
        'properties.Helicone-Session-Id',
        'request_properties.Helicone-Session-Id',
        'Helicone-Session-Id',
      ]),
      timestamp: time(
        ['request_created_at', 'timestamp', 'Timestamp'].map((key) => json.get(key)).find(present),
      ),
    };
  },
};

/** Data of OpenPipe, pairs of other programs whose `input` is the list of messages, and responses beside their input. */
const openPipe: Wrapper = {
  matches: (object) => inputOf(object) !== undefined && present(object.get('output')),
  call: (json) => ({
    request: isResponse(json) ? json : inputOf(json),
    response: isResponse(json) ? json : json.get('output'),
  }),
};

function inputOf(object: FirstObject): JsonView | undefined {
  const input = structured(object.get('input'));
  if (input?.get('messages')?.type === 'array') return input;
  const list = input?.elements() ?? [];
  if (input === undefined || list[0]?.typeOf('role') !== 'string' || isTrace(object)) return undefined;
  const areItems = list.some((one) => one.get('role') === undefined) || isPolled(object.get('output'));
  return new JsonView(objectOf([[areItems ? 'input' : 'messages', input.copy()]]));
}

/** Request logs of OpenPipe as returned by its API. */
const openPipeLog: Wrapper = {
  matches: (object) =>
    isObject(structured(object.get('reqPayload'))) && object.get('respPayload') !== undefined,
  call: (json, { time }) => ({
    request: structured(json.get('reqPayload')),
    ...bodyOfResponse(json.get('respPayload')),
    timestamp: time(json.get('requestedAt')),
  }),
};

/** Whether an object has a request to any API and its response. */
export function isPair(object: FirstObject): boolean {
  const body = requestIn(object);
  return body !== undefined && hasMessages(body) && present(object.get('response'));
}

function requestIn(object: FirstObject): JsonView | undefined {
  const request = structured(object.get('request'));
  return isObject(request) ? bodyOf(request) : undefined;
}

/** Whether an object is a pair of the chat completions API or of Gemini. */
function isChatPair(object: FirstObject): boolean {
  const body = requestIn(object);
  const isCall = body?.get('messages')?.type === 'array' || geminiRequest(body) !== undefined;
  if (!isCall || !present(object.get('response'))) return false;
  const pair = ['request', 'response'].map((key) => [key, (object.get(key) as JsonView).bytes] as const);
  return !isAnthropic(new Map(pair));
}

/** `{request, response}`, as gateways such as Cloudflare's log it. With a session id it is an `exchange`. */
export const wrapped: Wrapper = {
  matches: (object) => object.get('session_id') === undefined && isChatPair(object),
  call(json, { time }) {
    const request = structured(json.get('request'));
    return {
      request: request && bodyOf(request),
      ...loggedAnswer(json.get('response')),
      ...(hasBatchError(json) && { isFailed: true }),
      sessionId: textAt(json, ['session_id']),
      timestamp: time([json.get('timestamp'), json.get('created_at')].find(present)),
    };
  },
};

/** Did a request of a batch of Vertex AI fail? Its status is then the error. */
const hasBatchError = (json: JsonView): boolean =>
  present(json.get('processed_time')) && Boolean(json.get('status')?.text());

/** Types of LiteLLM's calls that return no text. */
const NO_CHAT = /embedding|moderation|rerank|image|video|speech|transcription|ocr|search|mcp/;

/** Whether LiteLLM left the texts out. A mark in one message leaves the others. */
function isRedacted(json: JsonView): boolean {
  const messages = structured(json.get('messages'));
  const contents = [messages, ...(messages?.elements() ?? []).map((one) => one.get('content'))];
  return contents.some((content) => LITELLM_REDACTED.test(content?.text() ?? ''));
}

/** The standard logging payload of LiteLLM. */
const liteLlm: Wrapper = {
  matches: (object) =>
    present(object.get('call_type')) &&
    present(object.get('startTime')) &&
    (sentTo(object) !== undefined || ['messages', 'response'].every((key) => object.get(key) !== undefined)),
  call(json, { time, reject, drop }) {
    if (NO_CHAT.test(json.get('call_type')?.text() ?? '')) return drop('no-completion');
    if (isRedacted(json))
      return reject(
        'bad-messages',
        'LiteLLM left the messages out (redacted-by-litellm)',
        json.get('messages'),
      );
    const named = textAt(json, ['metadata.requester_metadata.session_id', 'session_id']);
    return {
      request: sentTo(json) ?? itemsSent(json) ?? contentsSent(json) ?? withSystem(json),
      response: json.get('response'),
      elsewhere: at(json, 'metadata.cold_storage_object_key'),
      isFailed: json.get('status')?.text() === 'failure',
      sessionId: named ?? textAt(json, ['trace_id']) ?? pseudonymOf(textAt(json, ['end_user'])),
      joins: named === undefined, // a trace may hold a single call
      timestamp: time(json.get('startTime')),
    };
  },
};

/** A session id for the calls of a user. It is a hash, because records and reports show it. */
function pseudonymOf(user: string | undefined): string | undefined {
  if (user === undefined) return undefined;
  return `user-${hashOf(user).toString('hex').slice(0, PSEUDONYM_DIGITS)}`;
}

/** The request as the client sent it to the proxy, if only that has the messages (as in rows of LiteLLM's database). */
function sentTo(object: FirstObject): JsonView | undefined {
  const sent = structured(object.get('proxy_server_request'));
  const isOnly = (structured(object.get('messages'))?.elements() ?? []).length === 0;
  const isSent = sent !== undefined && hasMessages(sent);
  return isOnly && isSent ? sent : undefined;
}

/** A member of the request that LiteLLM logs among the parameters, or only in the request as the client sent it. */
const beside = (json: JsonView, key: string): JsonView | undefined =>
  SENT.map((place) => at(json, `${place}.${key}`)).find(present);
const SENT = ['model_parameters', 'optional_params', 'proxy_server_request'] as const;

/** A request of the Messages API, whose system text LiteLLM logs beside its messages; the same object for any other. */
function withSystem(json: JsonView): JsonView {
  const system = beside(json, 'system');
  const messages = structured(json.get('messages'))?.elements() ?? [];
  const isThere = present(json.get('system')) || messages.some((one) => one.textOf('role') === 'system');
  if (system === undefined || isThere) return json;
  const others = dropMembers(json.copy(), ({ key }) => key === 'system');
  return new JsonView(addMember(others, 'system', system.copy()));
}

/** Members of a request of the Responses API that LiteLLM logs among the parameters. */
const PARAMETERS = ['instructions', 'previous_response_id', 'conversation'] as const;

/** A request of the Responses API, whose items LiteLLM logs as its messages; undefined for any other. */
function itemsSent(json: JsonView): JsonView | undefined {
  const messages = structured(json.get('messages'));
  const input = messages?.type === 'object' ? messages.get('input') : messages;
  const isOfApi =
    present(at(json, 'response.output')) || /responses/.test(json.get('call_type')?.text() ?? '');
  const isChat = input
    ?.elements()
    .some((one) => present(one.get('tool_calls')) || one.textOf('role') === 'tool');
  if (!isOfApi || !present(input) || isChat === true) return undefined;
  const pieces: Piece[] = [['input', input.copy()]];
  for (const key of PARAMETERS) {
    const value = beside(json, key);
    if (value !== undefined) pieces.push([key, value.copy()]);
  }
  return new JsonView(objectOf(pieces));
}

/** A request of Gemini, whose contents LiteLLM logs as its messages; undefined for any other. */
function contentsSent(json: JsonView): JsonView | undefined {
  const messages = structured(json.get('messages'));
  const [first] = messages?.elements() ?? [];
  if (messages === undefined || first?.get('parts')?.type !== 'array') return undefined;
  const pieces: Piece[] = [['contents', messages.copy()]];
  for (const key of ['systemInstruction', 'system_instruction', 'tools', 'config']) {
    const value = [json.get(key), beside(json, key)].find(present);
    if (value !== undefined) pieces.push([key, value.copy()]);
  }
  return new JsonView(objectOf(pieces));
}

/** LLM logs of OpenHands. A model without tools writes its calls as text, which only `raw_response` has unchanged. */
const openHands: Wrapper = {
  matches: (object) => present(object.get('kwargs')) && hasAnswer(object),
  call(json, { time, reject }) {
    const tools = at(json, 'kwargs.tools');
    const raw = json.get('raw_response');
    const isText = !present(tools) && present(raw);
    const stray = present(tools) || isText ? undefined : strayMember(json, OPENHANDS);
    if (stray !== undefined) return reject('unknown-content', RAW_MISSING, stray);
    return {
      request: json,
      response: isText ? raw : answerIn(json),
      timestamp: time(json.get('timestamp')),
    };
  },
};

const OPENHANDS: ReadonlySet<string> = new Set(['messages', 'kwargs', 'args', 'response', 'tools']);
const RAW_MISSING =
  'raw_response is missing, which has the calls as the model wrote them; a member that turnmill does not know may hold it';

/** LLM logs of OpenHands for the Responses API. */
const openHandsItems: Wrapper = {
  matches: (object) =>
    present(object.get('kwargs')) &&
    present(object.get('input')) &&
    at(object.get('response'), 'output')?.type === 'array',
  call: (json, { time }) => ({
    request: json,
    response: json.get('response'),
    timestamp: time(json.get('timestamp')),
  }),
};

/** A chat completion without its request, as the API returns it. Those stored at OpenAI come with their tools. */
const completion: Wrapper = {
  matches: (object) =>
    object.get('object')?.text() === 'chat.completion' &&
    object.get('choices')?.type === 'array' &&
    !present(object.get('messages')) &&
    !present(object.get('request')),
  call: (json, { time }) => ({
    request: undefined,
    response: json,
    timestamp: time(json.get('created')),
  }),
};

export const pair: Wrapper = {
  matches: (object) => hasAnswer(object),
  call: (json, { time }) => ({
    request: json,
    response: answerIn(json),
    isFailed: errorsIn(json.get('error')) !== undefined,
    timestamp: time(json.get('timestamp')),
  }),
};

/** Tried in this order: `pair` matches the most, so it is last. */
const WRAPPERS: readonly Wrapper[] = [
  ...[kong, capture, wrapped, twoBodies, openPipe, openPipeLog, bedrock, bedrockBatch, vertex, sglang],
  ...[liteLlm, openHands, openHandsItems],
  ...[completion, pair],
];

/**
 * Whether the object has messages and an answer. Preference data has a chosen and a rejected answer, so it is not a
 * call.
 */
function hasAnswer(object: FirstObject): boolean {
  const hasMessages = structured(object.get('messages'))?.type === 'array';
  if (!hasMessages || present(object.get('request'))) return false;
  const isPreference = present(object.get('chosen')) || present(object.get('rejected'));
  return !isPreference && ANSWERS.some((key) => object.get(key) !== undefined);
}

const answerIn = (json: JsonView): JsonView | undefined => ANSWERS.map((key) => json.get(key)).find(present);

export const wrapperOf = (object: FirstObject): Wrapper | undefined =>
  WRAPPERS.find(({ matches }) => matches(object));
