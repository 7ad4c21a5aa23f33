/**
 * Restores the conversations of chained responses in traces: a request of the Responses API that continues a response
 * by id (`previous_response_id`) has only new messages, and so has its span.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { Chains, messagesUpTo } from '../pairs/chains.ts';
import { asReadMessage } from '../pairs/item-messages.ts';
import { unpacked } from '../shared/logged-values.ts';

export const CHAIN_MISSING = 'previous_response_id names a response that is not in the source';

/** The ids that link a call to other calls of its chain. */
export interface SpanLink {
  /** Id of the response that the request continues. */
  readonly previous: string | undefined;
  /** Id of the response. */
  readonly id: string | undefined;
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

/** Remembers the messages of the responses of a source. */
export class SpanChains {
  readonly #chains: Chains;

  constructor(maxBytes: number) {
    this.#chains = new Chains(maxBytes);
  }

  /**
   * Inserts the conversation so far between the system text and the new messages, and remembers all of it for calls
   * that continue this one. A request with answers of the model has the whole conversation already.
   * @param messages of the call, changed in place
   * @returns false if the response that the call continues is unknown
   */
  follow({ previous, id }: SpanLink, messages: Message[]): boolean {
    const first = messages.findIndex((message) => !isSystem(message));
    const added = first < 0 ? [] : messages.slice(first);
    const question = added.findLastIndex(({ role }) => role !== 'assistant');
    const isWhole = added.slice(0, Math.max(question, 0)).some(({ role }) => role === 'assistant');
    const parent = previous === undefined || isWhole ? undefined : this.#chains.find(previous);
    if (previous !== undefined && parent === undefined && !isWhole) return false;
    const history = messagesUpTo(parent).flatMap(({ message }) => message ?? []);
    messages.splice(first < 0 ? messages.length : first, 0, ...history);
    if (id !== undefined) this.#chains.add(id, { parent, messages: added.map(asReadMessage), sessionId: '' });
    return true;
  }
}
