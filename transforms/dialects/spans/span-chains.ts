/**
 * Restores the conversations of chained responses in traces: a request of the Responses API that continues a response
 * by id (`previous_response_id`) has only new messages, and so has its span.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { Chains } from '../pairs/chains.ts';
import { asReadMessage } from '../pairs/item-messages.ts';
import { type CallChain, History, speaks } from '../shared/history.ts';
import { unpacked } from '../shared/logged-values.ts';
import { NO_QUESTION, noted } from '../shared/reading-notes.ts';
import { type LoggedTurn, LoggedTurns } from './logged-turns.ts';
import type { SpanAttributes } from './span-attributes.ts';

export const CHAIN_MISSING =
  'previous_response_id names a response that is not in the source, or no longer in memory';

/** The ids that link a call to other calls of its chain. */
export interface SpanLink {
  /** Id of the response that the request continues. */
  readonly previous: string | undefined;
  readonly id: string | undefined;
  /** Id of a conversation, which is that of the response before in some tracers. */
  readonly conversation?: string | undefined;
  /** Whether the call is in records of a log, apart from its span. */
  readonly isJoined?: boolean;
  /** Set if its messages may be only those since the turn before: it then has one answer. */
  readonly turn?: LoggedTurn | undefined;
}

/** Attributes of OpenTelemetry with the id of the response that a request continues. */
const PREVIOUS = [
  ...['gen_ai.request.previous_response_id', 'gen_ai.openai.request.previous_response_id'],
  ...['openai.request.previous_response_id', 'llm.request.previous_response_id'],
];
/** Ids of responses as their API makes them. */
const RESPONSE_ID = /^resp_/;

/** The link in the attributes of a span: those of its convention, or what it logs of the request and the response. */
export function linkAt(attributes: SpanAttributes): SpanLink {
  const valueAt = (path: string): JsonView | undefined => attributes.at(path).value;
  const logged = linkIn(['input.value', 'llm.invocation_parameters', 'request_data'].map(valueAt), [
    valueAt('output.value'),
  ]);
  const id = valueAt('gen_ai.response.id')?.text() ?? logged.id;
  const previous = PREVIOUS.map((path) => valueAt(path)?.text()).find(Boolean) ?? logged.previous;
  return linkOf({ previous, id, conversation: valueAt('gen_ai.conversation.id')?.text() });
}

/** A conversation of some tracers is the response before. */
function linkOf({ previous, id, conversation }: SpanLink): SpanLink {
  if (conversation === undefined || conversation === id || previous !== undefined) return { previous, id };
  return RESPONSE_ID.test(conversation) ? { previous: conversation, id } : { previous, id, conversation };
}

/** The link of an observation of Langfuse, whose metadata has the attributes of the span that it was made of. */
export function linkOfObservation(observation: JsonView): SpanLink {
  const metadata = unpacked(observation.get('metadata'));
  const attributes = unpacked(metadata?.get('attributes'));
  const { previous, id } = linkIn(
    [observation.get('input'), observation.get('modelParameters'), metadata],
    [observation.get('output'), metadata],
  );
  return linkOf({
    previous: previous ?? PREVIOUS.map((key) => attributes?.get(key)?.text()).find(Boolean),
    id: attributes?.get('gen_ai.response.id')?.text() ?? id,
    conversation: attributes?.get('gen_ai.conversation.id')?.text(),
  });
}

/** @param requests values that may be the request or its settings @param responses values that may be the response */
export function linkIn(
  requests: readonly (JsonView | undefined)[],
  responses: readonly (JsonView | undefined)[],
): SpanLink {
  return { previous: idAt(requests, 'previous_response_id'), id: idAt(responses, 'id') };
}

function idAt(values: readonly (JsonView | undefined)[], key: string): string | undefined {
  return values.map((value) => unpacked(value)?.get(key)?.text()).find(Boolean);
}

const isSystem = ({ role }: Message): boolean => role === 'system' || role === 'developer';

const answersIn = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === 'assistant').length;

/** Returns the number of answers before the last message of a user or a tool. */
function answersBefore(messages: readonly Message[]): number {
  const question = messages.findLastIndex(({ role }) => role !== 'assistant');
  return answersIn(messages.slice(0, Math.max(question, 0)));
}

/** Remembers the messages of the responses of a source. */
export class SpanChains {
  readonly #chains: Chains;
  /** Ids of responses that themselves continue one that is not known yet. */
  readonly #waiting = new Set<string>();
  readonly #turns = new LoggedTurns();

  constructor(maxBytes: number) {
    this.#chains = new Chains(maxBytes);
  }

  /** Is an id that of a response in the source, so far? */
  isResponse(id: string | undefined): boolean {
    if (id === undefined) return false;
    return RESPONSE_ID.test(id) || this.#waiting.has(id) || this.#chains.find(id) !== undefined;
  }

  /**
   * Finds the conversation so far, which comes between the system text and the new messages, and remembers the call for
   * those that continue it. A request with answers of the model has the whole conversation already.
   * @param messages of the call; gets those of the conversation if the call adds none of a user or a tool
   * @returns undefined if the response that the call continues is unknown
   */
  follow(link: SpanLink, messages: Message[]): CallChain | undefined {
    const { turn, conversation } = link;
    const id = turn?.id ?? link.id;
    const named = link.previous ?? (this.isResponse(conversation) ? conversation : undefined);
    const previous = turn === undefined ? named : this.#turnBefore(turn);
    const first = messages.findIndex((message) => !isSystem(message));
    const begin = messages[first];
    if (turn !== undefined && previous === undefined && begin?.role === 'assistant' && messages.some(speaks))
      messages[first] = noted(begin, [NO_QUESTION]); // only tools speak; an answer without any is noted anyway
    const added = first < 0 ? [] : messages.slice(first);
    const isWhole = (turn === undefined ? answersBefore(added) : answersIn(added) - 1) > 0;
    const parent = previous === undefined || isWhole ? undefined : this.#chains.find(previous);
    if (previous !== undefined && parent === undefined && !isWhole) {
      if (id !== undefined) this.#waiting.add(id);
      return undefined;
    }
    const at = first < 0 ? messages.length : first;
    const own =
      parent === undefined && id === undefined
        ? undefined
        : new History(parent, added.map(asReadMessage), '');
    if (id !== undefined && own !== undefined) this.#chains.add(id, own);
    if (parent === undefined || (added.length > 0 && own?.hasQuestion === true))
      return { at, before: parent, own, sealed: 0 };
    messages.splice(at, 0, ...parent.messages);
    return { at, before: undefined, own: undefined, sealed: 0 };
  }

  /** The turn before; none if that was rejected, or is no longer in memory. */
  #turnBefore(turn: LoggedTurn): string | undefined {
    const before = this.#turns.before(turn);
    const history = before === undefined ? undefined : this.#chains.find(before);
    const previous = history === undefined || history.faulty !== undefined ? undefined : before;
    this.#turns.add(turn, previous);
    return previous;
  }

  /** Ends the conversation of a call that is rejected: the next turn does not continue those before that one. */
  lose({ turn }: SpanLink): void {
    if (turn !== undefined) this.#turns.forget(turn);
  }
}
