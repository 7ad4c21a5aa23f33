/**
 * Calls of the Responses API. Remembers the responses of a source, because a request may hold only new messages and name
 * the response that it continues, an item may name an earlier one, and an answer may arrive later than its request.
 */

import { JsonView } from '../../json/json-view.ts';
import type { Rejection } from '../../model/element.ts';
import { pathHashes } from '../../model/path-hashes.ts';
import type { EntryFields, ReadContext } from '../dialect-spec.ts';
import { type CallChain, History } from '../shared/history.ts';
import { present, structured } from '../shared/logged-values.ts';
import type { Answer } from './answer.ts';
import { type AnsweredFields, answeredFields, bareAnswer, lastingMessages } from './answered-fields.ts';
import { type Asked, Chains, isSame } from './chains.ts';
import { asReadMessage, type ReadMessage } from './item-messages.ts';
import type { ItemTable } from './item-table.ts';
import type { Call } from './logged-call.ts';
import { isProblem, type Problem, type Request, type RequestReader } from './request.ts';

type CallContext = Pick<ReadContext, 'reject'>;

const MISSING = 'previous_response_id names a response that is not in the source';
const SHARED = 'previous_response_id names a response that the source has twice, with other messages';

export class LinkedCalls {
  readonly #requests: RequestReader;
  readonly #items: ItemTable;
  readonly #chains: Chains;

  /** @param items the table that `requests` looks items up in */
  constructor(requests: RequestReader, items: ItemTable, maxBytes: number) {
    this.#requests = requests;
    this.#items = items;
    this.#chains = new Chains(maxBytes);
  }

  /** Reads a request, which may continue an earlier response. */
  read(call: Call, request: JsonView, answer: Answer, context: CallContext): EntryFields | Rejection {
    const read = this.#read(call, request, answer);
    return isProblem(read) ? context.reject(read.reason, read.detail, read.at) : read;
  }

  #read(call: Call, request: JsonView, answer: Answer): EntryFields | Problem {
    const previous = idIn(request.get('previous_response_id'));
    const conversation = idIn(request.get('conversation'));
    const again =
      conversation === undefined ? undefined : this.#readAgain(call, request, answer, conversation);
    if (again !== undefined) return again;
    const before = this.#before(previous, conversation);
    const isMissing = previous !== undefined && before === undefined;
    const sent = this.#requests.read(request, false, call.tools, before?.open);
    this.#items.add(outputOf(call, answer));
    if (isProblem(sent)) {
      return sent.isUnknown === true ? this.#refuse(call, request, answer, sent.detail) : sent;
    }
    if (isMissing && this.#chains.isShared(previous)) return this.#refuse(call, request, answer, SHARED);
    if (isMissing) return this.#refuse(call, request, answer, MISSING, previous);
    return this.#continue(call, sent, answer, { before, conversation });
  }

  /** Reads a call of a conversation again that the log has twice; undefined if it is a new one. */
  #readAgain(call: Call, request: JsonView, answer: Answer, conversation: string): EntryFields | undefined {
    const former = this.#chains.asked(answer.id);
    if (former?.isAnswered !== true || former.conversation !== conversation) return undefined;
    const own = former.link;
    const sent = this.#requests.read(request, false, call.tools, own.before?.open);
    if (isProblem(sent)) return undefined;
    const { system, messages, tools } = sent;
    if (!isSame(own, new History(own.before, [...messages, ...lastingMessages(answer)], own.sessionId)))
      return undefined;
    return {
      ...{ sessionId: own.sessionId, timestamp: call.timestamp, responseId: answer.id },
      ...answeredAfter(system, own.before, messages, { tools, answer, own }),
    };
  }

  #continue(
    call: Call,
    sent: Request,
    answer: Answer,
    known: { readonly before: History | undefined; readonly conversation: string | undefined },
  ): EntryFields {
    // a client may name the response and yet send the whole conversation again
    const isWhole = known.before !== undefined && beginsWithHistory(sent.messages, known.before);
    const { conversation } = known;
    const before = isWhole ? undefined : known.before;
    const named = call.sessionId ?? conversation ?? known.before?.sessionId;
    const sessionId = named ?? answer.id;
    const own = this.#remember({ request: sent, answer, before, conversation, sessionId });
    const { timestamp } = call;
    return {
      sessionId,
      joins: named === undefined,
      timestamp,
      responseId: answer.id,
      ...answeredAfter(sent.system, before, sent.messages, { tools: sent.tools, answer, own }),
    };
  }

  /** Refuses a call that continues something unknown; it is read again at the end of the source. */
  #refuse(call: Call, request: JsonView, answer: Answer, detail: string, awaits?: string): EntryFields {
    const refused = { reason: 'context-missing', detail } as const;
    const { sessionId, timestamp } = call;
    const held = new JsonView(request.copy());
    const tools = present(call.tools) ? new JsonView(call.tools.copy()) : undefined;
    const again: Call = { request: held, response: undefined, tools, sessionId, timestamp };
    const later = (): EntryFields | undefined => {
      const entry = this.#read(again, held, answer);
      return isProblem(entry) || entry.refused !== undefined ? undefined : entry;
    };
    return { messages: [], alone: true, timestamp, refused, later, awaits };
  }

  #before(previous: string | undefined, conversation: string | undefined): History | undefined {
    if (previous !== undefined) return this.#chains.find(previous);
    return conversation === undefined ? undefined : this.#chains.find(conversationKey(conversation));
  }

  /** State that a later request may continue, or a later answer may need. @returns the messages of the call, if it is answered */
  #remember(link: {
    readonly request: Request;
    readonly answer: Answer;
    readonly before: History | undefined;
    readonly conversation: string | undefined;
    readonly sessionId: string | undefined;
  }): History | undefined {
    const { request, answer, before, conversation, sessionId = '' } = link;
    const { system, tools, messages } = request;
    const isPending = answer.isPending === true;
    const own = new History(
      before,
      isPending ? messages : [...messages, ...lastingMessages(answer)],
      sessionId,
    );
    const { length } = messages;
    const asked: Asked = { system, link: own, length, tools, conversation, isAnswered: false };
    if (answer.id !== undefined) this.#chains.ask(answer.id, asked);
    return isPending ? undefined : this.#answered(answer.id, asked, own);
  }

  #answered(id: string | undefined, asked: Asked, answered: History): History {
    const { conversation } = asked;
    const own = id === undefined ? answered : this.#chains.compare(id, answered);
    asked.isAnswered = true;
    asked.link = own;
    if (id !== undefined) this.#chains.add(id, own);
    if (conversation !== undefined) this.#chains.add(conversationKey(conversation), own);
    return own;
  }

  /** Has the source had the answer with this id? */
  hasAnswered(id: string | undefined): boolean {
    return this.#chains.asked(id)?.isAnswered === true;
  }

  /** Reads an answer, or the state of one, that a client fetched by its id; undefined if its request is not known. */
  readLate(answer: Answer, timestamp: bigint | undefined): EntryFields | undefined {
    const asked = this.#chains.asked(answer.id);
    if (asked === undefined) return undefined;
    const { system, link, length, tools, isAnswered } = asked;
    const { before, sessionId } = link;
    const added = link.added.slice(0, length);
    const isLate = answer.isPending !== true && !isAnswered;
    const whole = (): History => new History(before, [...added, ...lastingMessages(answer)], sessionId);
    const own = isLate ? whole() : undefined;
    if (own !== undefined) this.#answered(answer.id, asked, own);
    else if (isAnswered && answer.messages.length > 0) this.#chains.compare(answer.id as string, whole());
    const fields = answeredAfter(system, before, added, { tools, answer, own });
    return { sessionId, timestamp, ...fields };
  }
}

/** The fields of a call after those that it continues. @param added its messages before the answer */
function answeredAfter(
  system: readonly ReadMessage[],
  before: History | undefined,
  added: readonly ReadMessage[],
  {
    tools,
    answer,
    own,
  }: Pick<Request, 'tools'> & { readonly answer: Answer; readonly own: History | undefined },
): AnsweredFields {
  const at = system.filter(({ message }) => message !== undefined).length;
  const chain: CallChain = { at, before, own, sealed: 0 };
  if (before === undefined || added.some(({ message }) => message !== undefined))
    return answeredFields(
      [...system, ...added],
      tools,
      before === undefined ? bareAnswer(answer, added) : answer,
      chain,
    );
  const listed = before.messages.map(asReadMessage); // the findings of the answer belong to one of these messages
  return answeredFields([...system, ...listed, ...added], tools, answer);
}

function beginsWithHistory(messages: readonly ReadMessage[], history: History): boolean {
  const count = messages.filter(({ message }) => message !== undefined).length;
  return count >= history.length && beginsWith(messages, history.messages.map(asReadMessage));
}

/** The items of an answer. */
function outputOf({ response }: Call, { body }: Answer): JsonView | undefined {
  return (body ?? structured(response))?.get('output');
}

/** Do messages begin with all these messages, and do the model's own belong to them? */
export function beginsWith(all: readonly ReadMessage[], some: readonly ReadMessage[]): boolean {
  const [messages, first] = [all, some].map((list) => list.flatMap(({ message }) => message ?? []));
  if (messages === undefined || first === undefined) return false;
  if (first.length === 0 || messages.length < first.length) return false;
  const hash = pathHashes(first).at(-1);
  return pathHashes(messages.slice(0, first.length)).at(-1) === hash;
}

/** Key of a conversation in the table that it shares with responses. */
const conversationKey = (id: string): string => `conversation ${id}`;

/** The id of a response or conversation: a text, or an object with one. */
function idIn(value: JsonView | undefined): string | undefined {
  return (value?.text() ?? value?.get('id')?.text()) || undefined;
}
