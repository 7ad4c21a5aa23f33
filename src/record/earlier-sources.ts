/**
 * Reports what an earlier source has too: entries of a session (each source becomes a separate record, and none is the
 * whole conversation), or the first message of a conversation, which one log copied from the other. It depends on the
 * order of the sources, so it is decided where their results are combined.
 */
import type { ReadingRule } from '../../transforms/model/reading-rule.ts';
import type { Listing, SourceRef } from '../input/sources/source.ts';
import type { FindingResult, SessionReport } from '../ledger/result.ts';
import { FirstSources } from './first-sources.ts';

/** Number of findings of a source and rule that are reported one by one. The others are counted in one further finding. */
const MAX_FINDINGS = 1000;
/** Number of roots that are remembered, in less than 40 MiB. A copy of a later one is not reported. */
const MAX_ROOTS = 1_000_000;

/** A rule, and its messages. */
interface Repeated {
  readonly rule: string;
  /** The text of a finding, before the name of the earlier source. */
  readonly message: string;
  /** The text of the finding that counts the rest, after their number. */
  readonly rest: string;
  /** Set if the rule has findings within a source too. */
  readonly acrossSources?: true;
}

const SESSION: Repeated = {
  rule: 'session-in-parts',
  message: 'the session has entries in an earlier source too',
  rest: 'more sessions of the source have entries in earlier sources too',
};
const ROOT: Repeated = {
  rule: 'copied-history' satisfies ReadingRule,
  message: 'the first message of the conversation is in an earlier source too',
  rest: 'more conversations of the source have their first message in earlier sources too',
  acrossSources: true,
};

/** The members of a session that are compared. */
export interface SeenSession {
  readonly id: string;
  readonly line: number;
  readonly root?: string | undefined;
  /** Set if a dialect derived the id from the name of the source, because the log has none. */
  readonly isDerived?: boolean;
}

/** Returns what is compared of a session of a source; undefined if nothing is. */
export function seenSession(
  { sessionId: id, root, snapshot, rejection }: SessionReport,
  ref: SourceRef,
): SeenSession | undefined {
  const line = snapshot?.line ?? rejection?.line;
  if (id === undefined || line === undefined) return undefined;
  return { id, line, ...(root !== undefined && { root }), ...(isDerived(id, ref) && { isDerived: true }) };
}

export class EarlierSources {
  readonly #sessions: RepeatedIds;
  readonly #roots: RepeatedIds;

  constructor(listing: Listing) {
    this.#sessions = new RepeatedIds(SESSION, listing, new FirstSources());
    this.#roots = new RepeatedIds(ROOT, listing, new FirstSources(MAX_ROOTS));
  }

  /** Takes a session of a source, in the order of the listing. */
  see(source: number, { id, line, root, isDerived: isOwn = false }: SeenSession): void {
    if (!isOwn) this.#sessions.see(id, source, id, line);
    if (root !== undefined) this.#roots.see(root, source, id, line);
  }

  /** Returns the findings of the source that ends. */
  take(): readonly FindingResult[] {
    return [...this.#sessions.take(), ...this.#roots.take()];
  }

  /** Returns whether a reused finding may no longer be true, because other sources may precede its source now. */
  static decides({ rule, acrossSources }: FindingResult): boolean {
    return rule === SESSION.rule || acrossSources === true;
  }
}

/** The findings about the ids of one kind. */
class RepeatedIds {
  readonly #repeated: Repeated;
  readonly #listing: Listing;
  readonly #first: FirstSources;
  #findings: FindingResult[] = [];
  /** Number of findings that are not reported one by one, and the line of the first. */
  #unlisted = 0;
  #unlistedLine = 0;

  constructor(repeated: Repeated, listing: Listing, first: FirstSources) {
    this.#repeated = repeated;
    this.#listing = listing;
    this.#first = first;
  }

  see(id: string, source: number, sessionId: string, line: number): void {
    const first = this.#first.of(id, source, source === this.#listing.sources.length - 1);
    if (first === source) return;
    if (this.#findings.length >= MAX_FINDINGS) {
      this.#unlisted++;
      this.#unlistedLine ||= line;
      return;
    }
    const { name } = this.#listing.sources.at(first) as SourceRef;
    this.#findings.push(this.#finding(`${this.#repeated.message}: ${name}`, sessionId, line));
  }

  take(): readonly FindingResult[] {
    const findings = this.#findings;
    if (this.#unlisted > 0) {
      const message = `${this.#unlisted} ${this.#repeated.rest}`;
      findings.push(this.#finding(message, undefined, this.#unlistedLine));
    }
    this.#findings = [];
    this.#unlisted = this.#unlistedLine = 0;
    return findings;
  }

  #finding(message: string, sessionId: string | undefined, line: number): FindingResult {
    const { rule, acrossSources } = this.#repeated;
    const finding = { kind: 'finding', severity: 'WARNING', rule, sessionId, line, message } as const;
    return acrossSources === undefined ? finding : { ...finding, acrossSources };
  }
}

function isDerived(id: string, { name }: SourceRef): boolean {
  return id === name || id.startsWith(`${name}:`);
}
