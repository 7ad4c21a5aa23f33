/** Collects the results of a task until there are enough for a delivery. */

import type { Redactor } from '../ledger/redactor.ts';
import { type Result, weightOf } from '../ledger/result.ts';
import type { ProfileFigures } from '../profile.ts';

/** Results that are handed out together. */
export interface Delivery<Item = Result> {
  readonly results: readonly Item[];
  /** Bytes read from the sources since the last delivery. */
  readonly readBytes: number;
  /** Whether it ends with the report of a source that has `flush`. */
  readonly flushed: boolean;
  /** Figures since the last delivery, if the thread is profiled. */
  readonly profile?: ProfileFigures;
}

export class DeliveryBuilder {
  readonly #redactor: Redactor | undefined;
  #results: Result[] = [];
  #weight = 0;
  #readBytes = 0;

  /** @param redactor replaces secrets in the messages of rejections and findings, which name roles and members of the log */
  constructor(redactor?: Redactor) {
    this.#redactor = redactor;
  }

  /** Approximate memory of the results so far, in bytes. */
  get weight(): number {
    return this.#weight;
  }

  add(result: Result): void {
    const added = this.#redactor === undefined ? result : withRedactedMessages(result, this.#redactor);
    this.#results.push(added);
    this.#weight += weightOf(added);
  }

  countRead(bytes: number): void {
    this.#readBytes += bytes;
  }

  /** Returns the collected results and starts the next delivery. */
  take(flushed = false): Delivery {
    const delivery = { results: this.#results, readBytes: this.#readBytes, flushed };
    this.#results = [];
    this.#weight = this.#readBytes = 0;
    return delivery;
  }
}

function withRedactedMessages(result: Result, redactor: Redactor): Result {
  const plain = <T extends { readonly detail: string }>(why: T): T => ({
    ...why,
    detail: redactor.redactText(why.detail),
  });
  switch (result.kind) {
    case 'finding':
      return { ...result, message: redactor.redactText(result.message) };
    case 'rejected-line':
      return plain(result);
    case 'source':
      return { ...result, rejection: result.rejection && plain(result.rejection) };
    case 'session': {
      const { rejection, recordRejections } = result;
      if (rejection === undefined && recordRejections === undefined) return result;
      const plainRejections = recordRejections?.map(plain);
      return { ...result, rejection: rejection && plain(rejection), recordRejections: plainRejections };
    }
    default:
      return result;
  }
}
