/** Turns one call, a request and its answer of any API, into an entry. */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { addMember } from '../../json/splice.ts';
import type { Fate, Lack, Message, ReadingNote, Rejection } from '../../model/element.ts';
import { OTHER_ROLE } from '../../model/known-roles.ts';
import type { Meta } from '../../model/meta.ts';
import type { ReadingOptions } from '../dialect.ts';
import { MAX_CONVERSATION_BYTES } from '../dialect.ts';
import type { EntryFields, LateFields, ReadContext } from '../dialect-spec.ts';
import { joinPrefill } from '../shared/anthropic-message.ts';
import { makeMessage, systemMessage } from '../shared/build-messages.ts';
import { ContinuedLists } from '../shared/continued-lists.ts';
import { ERRORS, errorsIn, isErrorText, type LoggedErrors } from '../shared/failed-answer.ts';
import { notesOfRequest, toolPlaces, toolsIn } from '../shared/logged-bodies.ts';
import { firstOf, present, structured } from '../shared/logged-values.ts';
import {
  addOtherAnswer,
  addOtherRequest,
  geminiRequest,
  hasNamelessCall,
  isOllama,
  isOtherRequest,
} from '../shared/other-apis.ts';
import {
  CALL_FAILED,
  notedFirst,
  OTHER_ANSWER,
  RESPONSE_ERROR,
  SERVER_TOOLS,
} from '../shared/reading-notes.ts';
import { mayBeSaid, STRAY, strayMember } from '../shared/stray-members.ts';
import { NO_TOOLS } from '../shared/tool-definitions.ts';
import { type ListState, Transcript } from '../shared/transcript.ts';
import { holdsWords, says } from '../shared/unread-text.ts';
import { type Answer, isOfOther, readAnswer } from './answer.ts';
import { answeredFields, bareAnswer } from './answered-fields.ts';
import { asReadMessage, type ReadMessage } from './item-messages.ts';
import { ItemTable } from './item-table.ts';
import { beginsWith, LinkedCalls } from './linked-calls.ts';
import { bodyOf, type Call, callMeta } from './logged-call.ts';
import { hasOtherAnswer } from './other-answers.ts';
import { isProblem, isResponsesRequest, RequestReader } from './request.ts';
import { hasKeyTwice, otherList, systemBeside } from './second-places.ts';

type CallContext = Pick<ReadContext, 'reject' | 'drop' | 'userTurn'>;

const NO_REQUEST: readonly Lack[] = ['tools'];
const ELSEWHERE = 'the answer of this call is not in the log, which names another place for it';
const UNKNOWN_ANSWER = 'the answer is not of a known API';
const QUOTA = '"quota"';
/** Items are remembered beside the conversations that hold them too, so they get a part of that memory. */
const ITEMS_SHARE = 4;
const FAILED: readonly ReadingNote[] = [RESPONSE_ERROR];

export class CallReader {
  readonly #keepSealed: boolean;
  readonly #keepsMeta: boolean;
  readonly #requests: RequestReader;
  readonly #linked: LinkedCalls;
  readonly #lists = new ContinuedLists<ListState>();

  constructor(options: ReadingOptions) {
    const { keepSealed = false, keepsMeta = true, maxConversation = MAX_CONVERSATION_BYTES } = options;
    this.#keepSealed = keepSealed;
    this.#keepsMeta = keepsMeta;
    const items = new ItemTable(maxConversation / ITEMS_SHARE);
    this.#requests = new RequestReader(keepSealed, items);
    this.#linked = new LinkedCalls(this.#requests, items, maxConversation);
  }

  /** Reads a call. @param json the logged object, which may have metadata beside the call */
  read(logged: Call, context: CallContext, json: JsonView): EntryFields | Rejection | Fate {
    const call = withRepeated({ ...logged, tools: toolsOf(logged, json) });
    const { request, response, isRaw } = call;
    const twice = [structured(json.get('request')), request, response].find(hasKeyTwice);
    if (twice !== undefined) return context.reject('duplicate-key', 'duplicate key', twice);
    const read = readAnswer(response, this.#keepSealed, isRaw);
    const answer = isError(call, read, json)
      ? { ...read, messages: [], notes: FAILED }
      : withOther(withFailure(call, read, json), response, json);
    if (request !== undefined && isNoCompletion(request, response, answer))
      return context.drop('no-completion');
    if (read.messages.length === 0 && present(call.elsewhere))
      return context.reject('body-elsewhere', ELSEWHERE, call.elsewhere);
    if (answer.isUnknown === true && !answer.notes.includes(RESPONSE_ERROR))
      return context.reject('unknown-content', UNKNOWN_ANSWER, response);
    if (isOfOther(answer)) return context.reject('unknown-speaker', OTHER_ROLE, response);
    const second = request && otherList(request, saidIn(answer), json);
    if (second !== undefined) return context.reject('unknown-content', second.detail, second.at);
    const stray = strayHalf(call, answer, json);
    if (stray !== undefined) return context.reject('unknown-content', STRAY, stray);
    const isAgain = request === undefined && this.#linked.hasAnswered(answer.id);
    const entry = this.#read(call, answer, context);
    if ('kind' in entry) return entry;
    if (isAgain) return entry; // the first answer with this id has its metadata
    const meta = callMeta(call, json, answer.body, !this.#keepsMeta);
    const { later, messages } = entry;
    if (later !== undefined) return { ...entry, meta, later: () => withMeta(later(), meta) };
    const other = 'kind' in messages ? undefined : systemBeside(request, json, messages);
    return other === undefined
      ? { ...entry, meta }
      : context.reject('unknown-content', other.detail, other.at);
  }

  #read(call: Call, answer: Answer, context: CallContext): EntryFields | Rejection | Fate {
    const { request } = call;
    if (request === undefined) return this.#answerAlone(call, answer, context);
    if (isOtherRequest(request) || isOllamaCall(request, answer))
      return this.#readOther(call, request, answer, context);
    return isResponsesRequest(request)
      ? this.#linked.read(call, request, answer, context)
      : this.#readWhole(call, request, answer, context);
  }

  /** Reads a call whose request has the whole conversation. */
  #readWhole(call: Call, request: JsonView, answer: Answer, context: CallContext): EntryFields | Rejection {
    const sent = this.#requests.read(request, answer.isMessage === true, call.tools);
    if (isProblem(sent)) return context.reject(sent.reason, sent.detail, sent.at);
    const { sessionId, joins, timestamp } = call;
    const before = [...sent.system, ...sent.messages];
    const own = bareAnswer(withoutRepeated(answer, before), sent.messages);
    const fields = answeredFields(before, sent.tools, own);
    const joined = answer.isMessage === true ? joinPrefill(fields) : fields;
    return {
      ...joined,
      messages: notedFirst(joined.messages, notesOfRequest(request)),
      sessionId,
      joins,
      timestamp,
    };
  }

  /** Reads a call of Gemini, Converse or Ollama. Its answer may be that of another API, if a gateway converts it. */
  #readOther(call: Call, request: JsonView, answer: Answer, context: CallContext): EntryFields | Rejection {
    const transcript = new Transcript(this.#keepSealed, this.#lists);
    const bad = addOtherRequest(transcript, request);
    if (bad !== undefined) return context.reject('bad-messages', bad.detail, bad.at);
    const logged = toolsIn(call.tools);
    const tools = logged.filter(({ name }) => name !== undefined);
    if (tools.length < logged.length) transcript.noteFirst(SERVER_TOOLS);
    const sent = transcript.messages.length;
    if (answer.other !== undefined) addOtherAnswer(transcript, answer.other);
    else if (isOllamaCall(request, answer)) {
      transcript.endTurn();
      for (const { bytes } of saidIn(answer)) transcript.addAnswer(new JsonView(bytes));
    }
    const { refusal } = transcript;
    if (refusal !== undefined) return context.reject(refusal.reason, refusal.detail, request);
    const messages = transcript.messages.map(asReadMessage);
    const isAdded = messages.length > sent || answer.other !== undefined;
    const own = isAdded ? { ...answer, messages: messages.slice(sent) } : answer;
    const { sessionId, joins, timestamp } = call;
    return { ...answeredFields(messages.slice(0, sent), tools, own), sessionId, joins, timestamp };
  }

  /** Reads an answer without a request: the late answer to an earlier request, or a bare response. */
  #answerAlone(call: Call, answer: Answer, context: CallContext): EntryFields | Rejection | Fate {
    const { timestamp } = call;
    const late = this.#linked.readLate(answer, timestamp);
    if (late !== undefined) return late;
    if (answer.isPending === true) return context.drop('no-completion');
    const { response } = call;
    const isBare = present(response?.get('output')) || response?.get('choices')?.type === 'array';
    if (!present(response) || !isBare)
      return context.reject('bad-messages', 'the request has no messages', call.request);
    const { userTurn } = context;
    const instructions = response.get('instructions');
    const system = instructions?.type === 'string' ? systemMessage(instructions.copy()) : [];
    const question = userTurn === undefined ? [] : [makeMessage('user', [['content', quote(userTurn)]])];
    const messages = [...system, ...question].map(asReadMessage);
    const tools = present(call.tools) ? this.#requests.definitions(call.tools) : undefined;
    const fields = answeredFields(messages, tools ?? NO_TOOLS, bareAnswer(answer, question));
    return { ...fields, alone: true, ...(tools === undefined && { lacks: NO_REQUEST }), timestamp };
  }
}

/** The tools of a call: those of its request, or else those that its log has among the parameters or beside the request. */
function toolsOf({ request }: Call, json: JsonView): JsonView | undefined {
  const own = (request ?? json).get('tools');
  if (says(own)) return own;
  const body = geminiRequest(request) ?? request;
  return [...toolPlaces(body), ...toolPlaces(json)].find((place) => toolsIn(place).length > 0) ?? own;
}

/** The call, with the system text and the tools that a response of the Responses API repeats, if its request was logged without them. */
function withRepeated(call: Call): Call {
  const response = structured(call.response);
  const { request, tools } = call;
  if (request === undefined || response?.textOf('object') !== 'response' || !isResponsesRequest(request))
    return call;
  const instructions = request.get('instructions') === undefined ? response.get('instructions') : undefined;
  const isText = instructions?.type === 'string' && !instructions.isEmptyText;
  const whole = isText ? addMember(request.copy(), 'instructions', instructions.copy()) : undefined;
  return {
    ...call,
    request: whole === undefined ? request : new JsonView(whole),
    tools: says(tools) ? tools : (response.get('tools') ?? tools),
  };
}

/** Is it a call of Ollama, whose calls of tools have no ids, in the request or in the answer? */
const isOllamaCall = (request: JsonView, answer: Answer): boolean =>
  !isResponsesRequest(request) &&
  (isOllama(request) || saidIn(answer).some(({ bytes }) => hasNamelessCall(new JsonView(bytes))));

const saidIn = ({ messages }: Answer): readonly Message[] => messages.flatMap(({ message }) => message ?? []);

/** The answer, with a finding if the log has another one under a second name. */
const withOther = (answer: Answer, response: JsonView | undefined, json: JsonView): Answer =>
  hasOtherAnswer(saidIn(answer), response, json)
    ? { ...answer, notes: [...answer.notes, OTHER_ANSWER] }
    : answer;

/** Members that say why, but only of a call that failed. */
const STATUS = ['status', 'statusMessage', 'status_message'] as const;

/** Did a call fail, so that it has no answer, or its error in place of one? A body of an API may be a part of the answer. */
function isError(call: Call, { messages, isUnknown }: Answer, json: JsonView): boolean {
  const { isFailed = false, response } = call;
  if (messages.length === 0 || isFailed === 'status') return isFailed !== false;
  if (isUnknown === true || messages.length > 1 || (!isFailed && response?.type !== 'string')) return false;
  const [answer] = messages.flatMap(({ message }) => message ?? []);
  const errors = errorsOf(call, json);
  return answer !== undefined && errors !== undefined && isErrorText(answer, errors);
}

/** The texts that say why a call failed; undefined if its log does not say that it failed. */
function errorsOf({ isFailed = false }: Call, json: JsonView): LoggedErrors | undefined {
  const inMetadata = json.get('metadata')?.get('error_information');
  const errors = errorsIn(...ERRORS.map((key) => json.get(key)), inMetadata);
  return isFailed === false ? errors : [...(errors ?? []), ...STATUS.map((key) => json.get(key))];
}

/** The answer, with a finding if the call failed although it has one. */
function withFailure(call: Call, answer: Answer, json: JsonView): Answer {
  const { messages, notes } = answer;
  if (messages.length === 0 || notes.includes(RESPONSE_ERROR) || errorsOf(call, json) === undefined)
    return answer;
  return { ...answer, notes: [...notes, CALL_FAILED] };
}

/** Members of logged calls of all wrappers that are read. */
const CALL: ReadonlySet<string> = new Set([
  ...['request', 'messages', 'tools', 'prompt', 'kwargs', 'request_body', 'reqPayload', 'full_request'],
  ...['requestBody', 'RequestBody'],
  ...['modelInput', 'proxy_server_request', 'log', 'obj', 'llm_schema', 'properties', 'raw_request'],
]);

/**
 * The object that may be the request or the answer of a call without one. An answer alone, and one that failed, lack nothing.
 * @param json the logged object
 */
function strayHalf(call: Call, answer: Answer, json: JsonView): JsonView | undefined {
  const { request, response } = call;
  const isWhole = answer.messages.length > 0 || answer.notes.length > 0 || answer.isPending === true;
  if (!isWhole && !present(response))
    return strayMember(json, CALL) ?? ANSWERS.map((key) => json.get(key)).find(hasWords);
  if (request !== undefined || response === json) return undefined;
  const sent = structured(json.get('request'));
  if (sent?.type === 'array' || sent?.type === 'string') return isSaid(sent) ? sent : undefined;
  return strayMember(json, ANSWER) ?? (sent?.type === 'object' ? strayMember(bodyOf(sent)) : undefined);
}

const ANSWERS = ['response', 'output', 'completion'] as const;
const ANSWER: ReadonlySet<string> = new Set(['request', ...ANSWERS, 'tools']);
const isSaid = (value: JsonView | undefined): boolean => present(value) && mayBeSaid(value);
const hasWords = (value: JsonView | undefined): boolean => present(value) && holdsWords(value);

const withMeta = (read: LateFields, meta: Meta): LateFields =>
  read === undefined || 'kind' in read ? read : { ...read, meta };

/** The answer without the request's messages, which some clients log again in front of it. */
function withoutRepeated(answer: Answer, before: readonly ReadMessage[]): Answer {
  const { messages } = answer;
  const isRepeated = messages.length > 1 && beginsWith(messages, before);
  return isRepeated ? { ...answer, messages: messages.slice(before.length) } : answer;
}

/** Whether a request was for something other than a completion (a count of tokens, embeddings), or only tested a key. */
function isNoCompletion(request: JsonView, response: JsonView | undefined, answer: Answer): boolean {
  const isOther = answer.messages.length === 0 && response !== undefined && isNoAnswer(response);
  if (isOther || request.get('max_tokens')?.parsed() !== 1) return isOther;
  const messages = request.get('messages')?.elements() ?? [];
  const content = messages.length === 1 ? messages[0]?.get('content') : undefined;
  return content !== undefined && Buffer.from(content.bytes).toString() === QUOTA;
}

/** Members of responses that only other endpoints return: vectors, verdicts, ranks. */
const OTHER_RESULTS = ['flagged', 'category_scores', 'categories', 'relevance_score', 'relevanceScore'];

/** Whether a response is a count of tokens, a list of embeddings or of ranks, or a moderation. */
function isNoAnswer(logged: JsonView): boolean {
  const response = structured(logged) as JsonView;
  const [first] = response.get('data')?.elements() ?? [];
  const [result] = response.get('results')?.elements() ?? [];
  return (
    ['input_tokens', 'totalTokens', 'total_tokens'].some((key) => response.get(key)?.type === 'number') ||
    (response.textOf('object') === 'list' && response.get('data')?.type === 'array') ||
    first?.get('embedding') !== undefined ||
    firstOf(response, 'embedding', 'embeddings', 'embeddingsByType') !== undefined ||
    firstOf(result, ...OTHER_RESULTS) !== undefined
  );
}
