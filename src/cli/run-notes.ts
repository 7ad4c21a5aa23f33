/** What the summary says of a run beyond its sums: the first rejections, as arguments for `turnmill explain`, and the severities. */

import type { Listing } from '../input/sources/source.ts';
import type { Outcome, SessionReport } from '../ledger/result.ts';

/** A rejection that a person can look at. */
export interface Example {
  /** FILE:LINE, or FILE for a whole source. */
  readonly where: string;
  readonly reason: string;
  readonly detail: string;
}

export interface RunNotes {
  see(outcome: Outcome, listing: Listing): void;
  readonly examples: readonly Example[];
  /** Findings by rule, those that are errors. */
  readonly errors: ReadonlyMap<string, number>;
}

const MOST_EXAMPLES = 3;

export function createNotes(): RunNotes {
  const examples: Example[] = [];
  const errors = new Map<string, number>();
  let source = -1;
  let examplesBefore = 0; // of earlier sources: those of a source that is read again are told again
  const pending = new Map<string, number>(); // rules of the errors of a source that may yet be rejected as a whole

  function note(listing: Listing, line: number | undefined, reason: string, detail: string): void {
    if (examples.length >= MOST_EXAMPLES) return;
    const ref = listing.sources[source];
    if (ref === undefined) return;
    const path = ref.path === undefined ? '-' : Buffer.from(ref.path, 'latin1').toString('utf8');
    examples.push({ where: line === undefined ? path : `${path}:${line}`, reason, detail });
  }

  function settle(counts: boolean): void {
    if (counts) for (const [rule, n] of pending) errors.set(rule, (errors.get(rule) ?? 0) + n);
    pending.clear();
  }

  function noteRefusals({ snapshot, refusals = [] }: SessionReport, listing: Listing): void {
    for (const { reason, detail } of refusals) note(listing, snapshot?.line, reason, detail);
  }

  return {
    see(outcome, listing) {
      if (outcome.kind === 'source-begin') {
        if (source !== outcome.source) examplesBefore = examples.length;
        else if (outcome.again === true) examples.length = examplesBefore;
        source = outcome.source;
        settle(false);
      }
      if (outcome.kind === 'rejected-line') note(listing, outcome.line, outcome.reason, outcome.detail);
      else if (outcome.kind === 'finding' && outcome.severity === 'ERROR') {
        const { rule, count = 1 } = outcome;
        pending.set(rule, (pending.get(rule) ?? 0) + count);
      } else if (
        (outcome.kind === 'session' || outcome.kind === 'source') &&
        outcome.rejection !== undefined
      ) {
        const { reason, detail } = outcome.rejection;
        note(listing, 'line' in outcome.rejection ? outcome.rejection.line : undefined, reason, detail);
      }
      if (outcome.kind === 'session') noteRefusals(outcome, listing);
      if (outcome.kind === 'source') settle(outcome.rejection === undefined);
    },
    examples,
    errors,
  };
}
