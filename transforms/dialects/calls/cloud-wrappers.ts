/** The wrappers of services, gateways and servers: Amazon Bedrock and its batches, Vertex AI, Kong, SGLang. */

import { isSameBytes } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import type { FirstObject } from '../dialect-spec.ts';
import { bodyText, bodyValue, type LoggedAnswer, loggedAnswer } from '../pairs/logged-answer.ts';
import { hasMessages } from '../pairs/logged-call.ts';
import { arrayOf, makeMessage, objectOf } from '../shared/build-messages.ts';
import { firstOf, present, structured } from '../shared/logged-values.ts';
import { strayMember } from '../shared/stray-members.ts';
import { holdsWords } from '../shared/unread-text.ts';
import { at, isObject, type Wrapper } from './wrapper.ts';

/** A body, or the text of one. */
function answerOf(body: JsonView | undefined): LoggedAnswer {
  const text = body && bodyText(body);
  return text === undefined ? { response: body } : { response: text, isRaw: true };
}

const isInvocation = (object: FirstObject): boolean =>
  object.get('schemaType')?.text() === 'ModelInvocationLog' &&
  /^(?:InvokeModel|Converse)/.test(object.get('operation')?.text() ?? '');

const inputOf = (log: FirstObject): JsonView | undefined => {
  const body = log.get('input')?.get('inputBodyJson');
  return body && bodyValue(body);
};

/** Members of requests to models of Bedrock that make embeddings. */
const EMBEDDED = ['embeddingTypes', 'texts', 'input_type', 'embeddingConfig'] as const;

function isEmbedding(log: FirstObject): boolean {
  const answer = structured(log.get('output')?.get('outputBodyJson'));
  const input = inputOf(log);
  const isAsked = firstOf(input, ...EMBEDDED) !== undefined && !present(input?.get('messages'));
  return isAsked || firstOf(answer, 'embedding', 'embeddings', 'embeddingsByType') !== undefined;
}

/** Bodies over 100 kB lie in an object beside the log, `data/ID_input.json.gz` or `data/ID_output.json.gz`. */
const elsewhere = (log: JsonView): JsonView | undefined => {
  const [input, output] = [log.get('input'), log.get('output')];
  const isWithout = (side: JsonView | undefined, key: string): boolean => !present(side?.get(key));
  if (isWithout(input, 'inputBodyJson') && present(input?.get('inputBodyS3Path')))
    return input?.get('inputBodyS3Path');
  const isMissing = isWithout(output, 'outputBodyJson') && present(output?.get('outputBodyS3Path'));
  return isMissing ? output?.get('outputBodyS3Path') : undefined;
};

const ELSEWHERE =
  'a body of this call is too long for the log: it lies in the file that inputBodyS3Path or outputBodyS3Path names; write it into inputBodyJson or outputBodyJson';

/** A log of Amazon Bedrock, whose bodies have the format of the model's own API or of Converse. */
export const bedrock: Wrapper = {
  matches: (object) =>
    isInvocation(object) &&
    (inputOf(object)?.get('messages')?.type === 'array' ||
      present(object.get('input')?.get('inputBodyS3Path')) ||
      isEmbedding(object)),
  call(json, { time, drop, reject }) {
    if (isEmbedding(json)) return drop('no-completion');
    const path = elsewhere(json);
    if (path !== undefined) return reject('body-elsewhere', ELSEWHERE, path);
    return {
      request: inputOf(json),
      ...answerOf(at(json, 'output.outputBodyJson')),
      isFailed: present(json.get('errorCode')),
      timestamp: time(json.get('timestamp')),
    };
  },
};

/** A line of the output of a batch of Amazon Bedrock: a request with its answer, or with an error. */
export const bedrockBatch: Wrapper = {
  matches: (object) =>
    isObject(structured(object.get('modelInput'))) &&
    ['recordId', 'modelOutput', 'error'].some((key) => present(object.get(key))),
  call: (json) => ({
    request: structured(json.get('modelInput')),
    ...answerOf(json.get('modelOutput') ?? json.get('error')),
    isFailed: present(json.get('error')),
  }),
};

/** A row of the table in which Vertex AI logs requests and responses. */
export const vertex: Wrapper = {
  matches: (object) =>
    isObject(structured(object.get('full_request'))) &&
    ['api_method', 'logging_time', 'full_response'].some((key) => present(object.get(key))),
  call: (json, { time }) => ({
    request: structured(json.get('full_request')),
    ...answerOf(json.get('full_response')),
    timestamp: time(json.get('logging_time')),
  }),
};

/** The payloads of calls in the log of a Kong gateway: `ai.payload`, by plugin `ai.PLUGIN.payload`, or one level deeper. */
function kongPayloads(object: FirstObject): readonly JsonView[] {
  const inside = (place: JsonView): readonly JsonView[] =>
    place.members().map(([, value]) => structured(value) ?? value);
  const ai = structured(object.get('ai'));
  const plugins = ai === undefined ? [] : inside(ai);
  const places = ai === undefined ? [] : [ai, ...plugins, ...plugins.flatMap(inside)];
  const payloads = places.map((place) => structured(place.get('payload')));
  return payloads.filter((payload) => present(payload?.get('request'))) as JsonView[];
}

/** Does a log have words for `ai`, but not in a payload? Without its texts it has only numbers and names. */
function hidesPayload(object: FirstObject): boolean {
  const ai = object.get('ai');
  return present(ai) && present(object.get('request')) && holdsWords(ai);
}

export const kong: Wrapper = {
  matches: (object) => kongPayloads(object).length > 0 || hidesPayload(object),
  call(json, { time, drop, reject }) {
    const [payload, ...others] = kongPayloads(json);
    if (payload === undefined)
      return reject('unknown-content', 'ai has no payload with a request', json.get('ai'));
    if (others.some(({ bytes }) => !isSameBytes(bytes, payload.bytes)))
      return reject('unknown-content', 'ai has the payloads of several calls', json.get('ai'));
    const request = structured(payload.get('request'));
    if (!isObject(request))
      return reject('bad-messages', 'the payload of the request is not an object', payload.get('request'));
    if (!hasMessages(request))
      return strayMember(request) === undefined
        ? drop('no-completion')
        : reject('bad-messages', 'the request has no messages', request);
    return {
      request,
      ...answerOf(payload.get('response')),
      isFailed: loggedAnswer(json.get('response')).isFailed ?? false,
      timestamp: time(json.get('started_at')),
    };
  },
};

/** Tokens of chat templates, or the turn of the model at the end: such a prompt holds all messages, not one of the user. */
const RENDERED =
  /<[|｜][^<>|｜\s]{1,40}[|｜]>|<(?:start|end)_of_turn>|\[INST\]|\[\|\w+\|\]|\b(?:assistant|ai|bot|model|response):\s*$/i;
/** A longer text is logged as its first and its last 1,024 characters, unless the level of the log is 3. */
const HALF = 1024;
const CUT = '...';
/** Logged in place of a text whose field is abbreviated. */
const ABBREVIATED = /^<\w+: \d+ chars, blake2b=[\da-f]+>$/;

function isShortened(text: string): boolean {
  if (ABBREVIATED.test(text)) return true;
  const length = 2 * HALF + CUT.length;
  if (text.length < length || text.length > 2 * length) return false;
  const characters = [...text];
  return characters.length === length && characters.slice(HALF, HALF + CUT.length).join('') === CUT;
}

/** With --incremental-streaming-output, the answer that is logged is only the last piece of the stream. */
function isLastPiece(out: JsonView | undefined): boolean {
  const tokens = Number(at(out, 'meta_info.completion_tokens')?.parsed() ?? 0);
  const ids = out?.get('output_ids');
  return ids?.type === 'array' && ids.elements().length < tokens;
}

/**
 * A line of SGLang's request logger, as JSON (sgl-project/sglang, python/sglang/srt/utils/request_logger.py). The
 * request is logged again with its answer. A chat is logged as its tokens and their text; its messages are only in a
 * line without the id of the request (`request.received.openai`).
 */
export const sglang: Wrapper = {
  matches: (object) =>
    /^request\.(?:received(?:\.openai)?|finished)$/.test(object.get('event')?.text() ?? '') &&
    isObject(object.get('obj')),
  call(json, { time, drop, reject }) {
    if (json.get('event')?.text() !== 'request.finished') return drop('no-completion');
    const request = json.get('obj') as JsonView;
    const out = json.get('out');
    const [prompt, text] = [request.get('text'), out?.get('text')];
    if (prompt?.type !== 'string') return reject('bad-messages', PROMPT_ONLY, request);
    if (present(request.get('input_ids')) || RENDERED.test(prompt.text() ?? ''))
      return reject(
        'bad-messages',
        `the prompt is a conversation in a chat template: ${PROMPT_ONLY}`,
        prompt,
      );
    if (text?.type !== 'string') return reject('unknown-content', 'the answer is not one text', text ?? json);
    if ([prompt, text].some((one) => isShortened(one.text() ?? '')))
      return reject('unknown-content', 'SGLang cut a text (log it with --log-requests-level 3)', json);
    if (isLastPiece(out))
      return reject('unknown-content', 'SGLang logged only the last piece of the streamed answer', json);
    const finish = at(out, 'meta_info.finish_reason.type');
    const { bytes: message } = makeMessage('assistant', [['content', text.copy()]]);
    const choice = objectOf([
      ['message', message],
      ...(finish ? [['finish_reason', finish.copy()] as const] : []),
    ]);
    return {
      request: new JsonView(objectOf([['prompt', prompt.copy()]])),
      response: new JsonView(objectOf([['choices', arrayOf([choice])]])),
      timestamp: time(json.get('timestamp')),
    };
  },
};

const PROMPT_ONLY =
  'turnmill reads only prompts that are one text from a log of SGLang: log chats in the client that sends them, as pairs of request and response';
