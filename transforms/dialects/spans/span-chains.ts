/**
 * Chains of responses inside traces: a request of the Responses API that names the response before it
 * (`previous_response_id`) holds only what is new, and so does its span.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { Chains, messagesUpTo } from '../pairs/chains.ts';
import { plainly } from '../pairs/item-messages.ts';
import { unpacked } from '../shared/logged-values.ts';

export const CHAIN_MISSING = 'previous_response_id names a response that is not in the source';

/** The ids by which the calls of a chain find each other. */
export interface SpanLink {
  /** Id of the response that the request continues. */
  readonly previous: string | undefined;
  /** Id of the response. */
  readonly id: string | undefined;
}

/** @param requests values that may be the request or have its settings; `responses` likewise, for the response */
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

/** The messages of each response of a source. */
export class SpanChains {
  readonly #chains: Chains;

  constructor(maxBytes: number) {
    this.#chains = new Chains(maxBytes);
  }

  /**
   * Puts the conversation so far before the new messages, after the system text, and remembers both for the calls that
   * go on from this one. A client that sent the answers of the model again has sent the whole conversation.
   * @param messages of one call, changed in place
   * @returns false if the response that the call continues is not known
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
    if (id !== undefined) this.#chains.add(id, { parent, messages: added.map(plainly), sessionId: '' });
    return true;
  }
}
