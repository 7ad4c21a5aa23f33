/** The data of a report, and the limits of its lists. */
import type { Manifest, RunFacts } from '../dataset/schema/manifest.ts';
import type { DatasetProfile } from '../dataset/schema/reports.ts';
import type { Drift } from './drift.ts';

export interface ReportData {
  readonly manifest: Omit<Manifest, 'schema' | 'files'>;
  readonly profile: DatasetProfile;
  /** Facts that differ from run to run; absent from the report that a build writes. */
  readonly run?: RunFacts | undefined;
  readonly drift?: Drift | undefined;
}

export const MAX_SHARDS = 40;
export const MAX_SHOWN_TOOLS = 20;

/** The fates without their details, in display order, with titles and meanings. */
export const FATES: readonly (readonly [fate: string, title: string, meaning: string])[] = [
  ['snapshot', 'Snapshots', 'the last complete state of a session: the record is made from it'],
  ['superseded', 'Superseded', 'an earlier state, contained in the snapshot'],
  ['truncated', 'Truncated', 'a state after the snapshot, with fewer messages'],
  ['dropped', 'Dropped', 'a cleanup rule dropped the whole entry'],
  ['blank', 'Blank', 'nothing but white space'],
  ['rejected', 'Rejected', 'in quarantine, with place and reason'],
];
