/**
 * Stages of `--only`: keep the listed sessions. Entries of all others get the fate `dropped:not-selected`, so that the
 * ledger accounts for every line.
 */
import { fatesOf } from '../model/entry-log.ts';
import type { Handlers, OptionSpecs, Stage } from '../stage.ts';

export interface SelectOptions {
  /** Ids of the sessions to keep; undefined for all. */
  readonly only: readonly string[] | undefined;
}

export const NOT_SELECTED = 'dropped:not-selected';

const options: OptionSpecs<SelectOptions> = {
  only: { describe: 'Keep only the sessions with these ids', default: undefined },
};

function create({ only }: SelectOptions): Handlers {
  if (only === undefined) return {};
  const kept = new Set(only);
  return {
    entry: (entry) => (kept.has(entry.sessionId) ? [entry] : fatesOf(entry, NOT_SELECTED)),
  };
}

export const selectSessions: Stage<SelectOptions> = {
  name: 'select-sessions',
  summary: 'Keeps the sessions of --only, and drops the entries of all others.',
  options,
  create,
};

/** Drops the finding `no-record` of sessions that are not listed. */
export const selectFindings: Stage<SelectOptions> = {
  name: 'select-findings',
  summary: 'Leaves out findings about sessions that --only does not list.',
  options,
  create({ only }) {
    if (only === undefined) return {};
    const kept = new Set(only);
    return {
      finding: (finding) =>
        finding.rule === 'no-record' && !kept.has(finding.sessionId ?? '') ? [] : [finding],
    };
  },
};
