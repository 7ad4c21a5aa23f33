/** The data of a report, and the limits of its lists. */
import { fateWords } from '../charts/words.ts';
import type { Manifest, RunFacts } from '../dataset/schema/manifest.ts';
import type { DatasetProfile } from '../dataset/schema/reports.ts';
import type { Drift } from './drift.ts';

export interface ReportData {
  readonly manifest: Omit<Manifest, 'schema' | 'files'>;
  readonly profile: DatasetProfile;
  /** The dataset as the user named it; absent from the report that a build writes. */
  readonly dataset?: string | undefined;
  /** Facts that differ from run to run; absent from the report that a build writes. */
  readonly run?: RunFacts | undefined;
  readonly drift?: Drift | undefined;
}

export const MAX_SHARDS = 40;
export const MAX_SHOWN_TOOLS = 20;

/** Meanings of the fates without their details, in display order. */
const MEANINGS: Readonly<Record<string, string>> = {
  snapshot: 'the last complete state of a conversation: the record is made from it',
  folded: 'an event that is part of the record of another line',
  superseded: 'an earlier state, which a later line repeats',
  truncated: 'a later state with fewer messages: the history was cut or compacted',
  dropped: 'no part of a conversation, or taken out by a cleanup rule',
  blank: 'nothing but white space',
  rejected: 'in quarantine, with place and reason',
};

/** The fates in display order, with titles and meanings. */
export const FATES: readonly (readonly [fate: string, title: string, meaning: string])[] = Object.entries(
  MEANINGS,
).map(([fate, meaning]) => {
  const [first = '', ...others] = fateWords(fate);
  return [fate, `${first.toUpperCase()}${others.join('')}`, meaning];
});
