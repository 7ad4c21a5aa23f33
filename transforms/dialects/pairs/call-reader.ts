/**
 * Turns one call, a request and its answer in any API, into an entry. Remembers the responses of the source: a request
 * of the Responses API may have only its new messages and the id of the response that it continues.
 */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import type { Fate, Lack, Rejection } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { MAX_CONVERSATION_BYTES } from '../define-dialect.ts';
import type { ReadingOptions } from '../dialect.ts';
import type { EntryFields, ReadContext } from '../dialect-spec.ts';
import { makeMessage, systemMessage } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';
import { NO_TOOLS } from '../shared/tool-definitions.ts';
import { type Answer, answeredFields, readAnswer } from './answer.ts';
import { Chains, type Link, messagesUpTo } from './chains.ts';
import { asReadMessage } from './item-messages.ts';
import { type Call, callMeta } from './logged-call.ts';
import { isProblem, isResponsesRequest, type Request, RequestReader } from './request.ts';

type CallContext = Pick<ReadContext, 'reject' | 'drop' | 'userTurn'>;

const NO_REQUEST: readonly Lack[] = ['tools'];
const QUOTA = '"quota"';

export class CallReader {
  readonly #keepSealed: boolean;
  readonly #requests: RequestReader;
  readonly #chains: Chains;

  constructor({ keepSealed = false, maxConversation = MAX_CONVERSATION_BYTES }: ReadingOptions) {
    this.#keepSealed = keepSealed;
    this.#requests = new RequestReader(keepSealed);
    this.#chains = new Chains(maxConversation);
  }

  /** Reads a call. @param json the logged object, which may have metadata beside the call */
  read(call: Call, context: CallContext, json: JsonView): EntryFields | Rejection | Fate {
    const { request, response, isRaw } = call;
    const answer = readAnswer(response, this.#keepSealed, isRaw);
    if (request !== undefined && isNoCompletion(request, response, answer))
      return context.drop('no-completion');
    const entry = this.#read(call, answer, context);
    if ('kind' in entry) return entry;
    const meta = callMeta(call, json, answer.body);
    const { later } = entry;
    return later === undefined
      ? { ...entry, meta }
      : { ...entry, meta, later: () => withMeta(later(), meta) };
  }

  #read(call: Call, answer: Answer, context: CallContext): EntryFields | Rejection {
    const { request } = call;
    if (request === undefined) return this.#answerAlone(call, answer, context);
    return isResponsesRequest(request)
      ? this.#readLink(call, request, answer, context)
      : this.#readWhole(call, request, answer, context);
  }

  /** Reads a call whose request has the whole conversation. */
  #readWhole(call: Call, request: JsonView, answer: Answer, context: CallContext): EntryFields | Rejection {
    const sent = this.#requests.read(request, answer.isMessage === true, call.tools);
    if (isProblem(sent)) return context.reject(sent.reason, sent.detail, sent.at);
    const { sessionId, joins, timestamp } = call;
    return {
      ...answeredFields([...sent.system, ...sent.messages], sent.tools, answer),
      sessionId,
      joins,
      timestamp,
    };
  }

  /** Reads a call of the Responses API, which may continue an earlier response. */
  #readLink(call: Call, request: JsonView, answer: Answer, context: CallContext): EntryFields | Rejection {
    const previous = idIn(request.get('previous_response_id'));
    const conversation = idIn(request.get('conversation'));
    const before = this.#before(previous, conversation);
    if (previous !== undefined && before === undefined) {
      const read = this.#requests.read(request, false, call.tools);
      if (isProblem(read)) return context.reject(read.reason, read.detail, read.at);
      return this.#refuse(call, request, answer, context, previous);
    }
    const history = messagesUpTo(before);
    const open = history.findLast(({ calls }) => calls.length > 0)?.calls;
    const sent = this.#requests.read(request, false, call.tools, open);
    if (isProblem(sent)) return context.reject(sent.reason, sent.detail, sent.at);
    const known = call.sessionId ?? conversation ?? before?.sessionId;
    const sessionId = known ?? answer.id;
    this.#remember({ request: sent, answer, before, conversation, sessionId });
    const messages = [...sent.system, ...history, ...sent.messages];
    const { timestamp } = call;
    const joins = known === undefined;
    return { ...answeredFields(messages, sent.tools, answer), sessionId, joins, timestamp };
  }

  /** Refuses a call that continues an unknown response; it is read again at the end of the source. */
  #refuse(
    call: Call,
    request: JsonView,
    answer: Answer,
    context: CallContext,
    previous: string,
  ): EntryFields {
    const detail = 'previous_response_id names a response that is not in the source';
    const refused = { reason: 'context-missing', detail } as const;
    const { sessionId, timestamp } = call;
    const held = new JsonView(request.copy());
    const tools = present(call.tools) ? new JsonView(call.tools.copy()) : undefined;
    const again: Call = { request: held, response: undefined, tools, sessionId, timestamp };
    const later = (): EntryFields | undefined => {
      if (this.#chains.find(previous) === undefined) return undefined;
      const entry = this.#readLink(again, held, answer, context);
      return 'kind' in entry ? undefined : entry;
    };
    return { messages: [], alone: true, timestamp, refused, later };
  }

  #before(previous: string | undefined, conversation: string | undefined): Link | undefined {
    if (previous !== undefined) return this.#chains.find(previous);
    return conversation === undefined ? undefined : this.#chains.find(conversationKey(conversation));
  }

  /** Keeps what a later request may continue, or what an answer that comes later needs. */
  #remember(link: {
    readonly request: Request;
    readonly answer: Answer;
    readonly before: Link | undefined;
    readonly conversation: string | undefined;
    readonly sessionId: string | undefined;
  }): void {
    const { request, answer, before, conversation, sessionId = '' } = link;
    const { id, isPending, messages } = answer;
    if (id !== undefined && isPending === true) {
      const { system, tools } = request;
      const pending: Link = { parent: before, messages: request.messages, sessionId };
      this.#chains.wait(id, { context: system, link: pending, tools, sessionId });
      return;
    }
    const added: Link = { parent: before, messages: [...request.messages, ...messages], sessionId };
    if (id !== undefined) this.#chains.add(id, added);
    if (conversation !== undefined) this.#chains.add(conversationKey(conversation), added);
  }

  /** Reads an answer without a request: the late answer to an earlier request, or a bare response. */
  #answerAlone(call: Call, answer: Answer, context: CallContext): EntryFields | Rejection {
    const { timestamp } = call;
    const pending = answer.id === undefined ? undefined : this.#chains.takePending(answer.id);
    if (pending !== undefined) {
      const { context: system, link, tools, sessionId } = pending;
      const before = [...system, ...messagesUpTo(link)];
      this.#chains.add(answer.id as string, { parent: link, messages: answer.messages, sessionId });
      return { ...answeredFields(before, tools, answer), sessionId, timestamp };
    }
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
    const fields = answeredFields(messages, tools ?? NO_TOOLS, answer);
    return { ...fields, alone: true, ...(tools === undefined && { lacks: NO_REQUEST }), timestamp };
  }
}

const withMeta = (entry: EntryFields | undefined, meta: Meta): EntryFields | undefined =>
  entry && { ...entry, meta };

const conversationKey = (id: string): string => `conversation ${id}`;

/** The id of a response or conversation: a string, or the `id` of an object. */
function idIn(value: JsonView | undefined): string | undefined {
  return (value?.text() ?? value?.get('id')?.text()) || undefined;
}

/** Whether a request was for something other than a completion (a count of tokens, embeddings), or only tested a key. */
function isNoCompletion(request: JsonView, response: JsonView | undefined, answer: Answer): boolean {
  const isOther = answer.messages.length === 0 && response !== undefined && isNoAnswer(response);
  if (isOther || request.get('max_tokens')?.parsed() !== 1) return isOther;
  const messages = request.get('messages')?.elements() ?? [];
  const content = messages.length === 1 ? messages[0]?.get('content') : undefined;
  return content !== undefined && Buffer.from(content.bytes).toString() === QUOTA;
}

/** Whether a response is a count of tokens, a list of embeddings or a moderation. */
function isNoAnswer(response: JsonView): boolean {
  const [first] = response.get('data')?.elements() ?? [];
  return (
    response.get('input_tokens')?.type === 'number' ||
    first?.get('embedding') !== undefined ||
    (response.get('results')?.type === 'array' && !present(response.get('output')))
  );
}
