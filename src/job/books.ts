/** Counts and writes the results of a run: the ledger, the figures of the reports, and the writer of results. */
import type { UsageByGroup } from '../../transforms/model/tool-usage.ts';
import type { Listing } from '../input/sources/source.ts';
import { ProfileCounter } from '../ledger/dataset-profile.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { FindingResult } from '../ledger/result.ts';
import type { Destination } from '../record/output.ts';
import { Recorder, type RecorderOptions } from '../record/result-writer.ts';
import type { Settings } from '../settings/settings.ts';

export interface Books extends Pick<RecorderOptions, 'destination' | 'ledger' | 'usage'> {
  /** Counts the figures of the report, if one may be written. */
  readonly counter: ProfileCounter | undefined;
  readonly recorder: Recorder;
  /** Groups of sessions that an update put into another split. */
  readonly splitMoved?: number;
}

/** @param findings about all sources together */
export function openBooks(
  settings: Settings,
  listing: Listing,
  destination: Destination,
  findings?: readonly FindingResult[],
): Books {
  const ledger = new Ledger(listing, settings.format, settings.copies === 'mark');
  const usage: UsageByGroup = new Map();
  const counter = destination.streams ? undefined : new ProfileCounter(settings.groupBy);
  const recorder = new Recorder({
    settings,
    listing,
    destination,
    ledger,
    usage,
    profile: counter,
    findings,
  });
  return { destination, ledger, usage, counter, recorder };
}
