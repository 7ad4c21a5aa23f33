/**
 * Reports sessions with entries in several sources: each source becomes a separate record, and none is the whole
 * conversation.
 */
import type { Listing, SourceRef } from '../input/sources/source.ts';
import type { FindingResult, SessionReport } from '../ledger/result.ts';
import { FirstSources } from './first-sources.ts';

export const SESSION_IN_PARTS = 'session-in-parts';
/** Number of findings of a source that are reported one by one. The others are counted in one further finding. */
const MOST_FINDINGS = 1000;

export class SessionParts {
  readonly #listing: Listing;
  readonly #first = new FirstSources();
  #findings: FindingResult[] = [];
  /** Number of findings that are not reported one by one, and the line of the first. */
  #unlisted = 0;
  #unlistedLine = 0;

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  /** Takes a session of a source, in the order of the listing. */
  see(source: number, { sessionId, snapshot, rejection }: SessionReport): void {
    const line = snapshot?.line ?? rejection?.line;
    const ref = this.#listing.sources.at(source) as SourceRef;
    if (sessionId === undefined || line === undefined || isDerived(sessionId, ref)) return;
    const first = this.#first.of(sessionId, source);
    if (first === source) return;
    if (this.#findings.length >= MOST_FINDINGS) {
      this.#unlisted++;
      this.#unlistedLine ||= line;
      return;
    }
    const { name } = this.#listing.sources.at(first) as SourceRef;
    const message = `the session has entries in an earlier source too: ${name}`;
    this.#findings.push({
      kind: 'finding',
      severity: 'WARNING',
      rule: SESSION_IN_PARTS,
      sessionId,
      line,
      message,
    });
  }

  /** Returns the findings of the source that ends. */
  take(): readonly FindingResult[] {
    const findings = this.#findings;
    if (this.#unlisted > 0) {
      const message = `${this.#unlisted} more sessions of the source have entries in earlier sources too`;
      const about = { severity: 'WARNING', rule: SESSION_IN_PARTS, sessionId: undefined } as const;
      findings.push({ kind: 'finding', ...about, line: this.#unlistedLine, message });
    }
    this.#findings = [];
    this.#unlisted = this.#unlistedLine = 0;
    return findings;
  }
}

/** Returns whether a dialect derived the id from the name of the source, because the log has none. */
function isDerived(id: string, { name }: SourceRef): boolean {
  return id === name || id.startsWith(`${name}:`);
}
