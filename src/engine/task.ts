/** Cuts the sources into units. A worker gets one unit at a time. */
import type { SourceRef } from '../input/sources/source.ts';

/** A source and its index in the listing. */
export interface TaskSource {
  readonly index: number;
  readonly ref: SourceRef;
  /** Hand out all results at the end of this source instead of waiting until a batch is full. */
  readonly flush?: boolean;
  /** Causes of death of the worker threads that read it before. */
  readonly deaths?: readonly string[];
}

/** The sources that are known to come after the one with this index, in their order. */
export type Upcoming = (after: number) => Iterable<SourceRef>;

export const NONE_UPCOMING: Upcoming = () => [];

/** Sizes of a unit of small sources. A large source is a unit of its own. */
const UNIT_BYTES = 4 * 1024 * 1024;
const UNIT_SOURCES = 256;

/** Sources that are neighbours in the listing; the last one has `flush`. */
export type Unit = readonly TaskSource[];

/** Is the source to be read? */
export type IsRead = (ref: SourceRef, index: number) => boolean;

export function unitsOf(sources: readonly SourceRef[], isRead: IsRead): readonly Unit[] {
  const units: TaskSource[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  sources.forEach((ref, index) => {
    if (!isRead(ref, index)) return;
    const unit = units.at(-1);
    if (unit === undefined || bytes + ref.sizeBytes > UNIT_BYTES || unit.length >= UNIT_SOURCES) {
      units.push([{ index, ref }]);
      bytes = ref.sizeBytes;
    } else {
      unit.push({ index, ref });
      bytes += ref.sizeBytes;
    }
  });
  return units.map((unit) => unit.map((source, i) => ({ ...source, flush: i === unit.length - 1 })));
}
