/**
 * Stages of `--only`: keep the listed sessions. Entries of all others get the fate `dropped:not-selected`, so that the
 * ledger accounts for every line.
 */
import type { FoldSelect } from '../dialects/dialect.ts';
import type { Entry } from '../model/element.ts';
import { fatesOf } from '../model/entry-log.ts';
import type { Handlers, OptionSpecs, Stage } from '../stage.ts';

export interface OnlyOptions {
  /** Ids of the sessions to keep; undefined for all. */
  readonly only: readonly string[] | undefined;
  /** With `leaves`, snapshot-select gives the conversations of a session their own ids, and keeps those that are listed. */
  readonly select?: FoldSelect | undefined;
}

export const NOT_SELECTED = 'dropped:not-selected';

const options: OptionSpecs<OnlyOptions> = {
  only: { describe: 'Keep only the sessions with these ids', default: undefined },
  select: { describe: 'Which conversations of a session are written', default: undefined },
};

function create({ only, select }: OnlyOptions): Handlers {
  if (only === undefined) return {};
  const kept = new Set(only);
  const parted = new Set(select === 'leaves' ? only.map(sessionOf) : []);
  const isKept = ({ sessionId, alone }: Entry): boolean =>
    kept.has(sessionId) || (alone !== true && parted.has(sessionId));
  return {
    entry: (entry) => (isKept(entry) ? [entry] : fatesOf(entry, NOT_SELECTED)),
  };
}

/** The id of the session that has a conversation with the id `SESSION#2`. */
const sessionOf = (id: string): string => id.slice(0, Math.max(id.lastIndexOf('#'), 0));

export const selectSessions: Stage<OnlyOptions> = {
  name: 'select-sessions',
  summary: 'Keeps the sessions of --only, and drops the entries of all others.',
  options,
  create,
};

/** Drops the finding `no-record` of sessions that are not listed. */
export const selectFindings: Stage<OnlyOptions> = {
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
