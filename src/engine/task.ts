/** Cuts the sources into tasks. A worker gets one task at a time. */
import type { SourceRef } from '../input/sources/source.ts';

/** A source and its index in the listing. */
export interface TaskSource {
  readonly index: number;
  readonly ref: SourceRef;
  /** Deliver all results at the end of this source, even if a delivery is not full. */
  readonly flush?: boolean;
  /** Why each worker thread died that read it before. */
  readonly deaths?: readonly string[];
}

/** Lists the sources that come after the one with this index, as far as they are known. */
export type Upcoming = (after: number) => Iterable<SourceRef>;

export const NONE_UPCOMING: Upcoming = () => [];

/** Total size of a task of small sources. A large source is a separate task. */
const TASK_BYTES = 4 * 1024 * 1024;
const TASK_SOURCES = 256;

/** Neighbouring sources of the listing; the last one has `flush`. */
export type Task = readonly TaskSource[];

/** Does the source have to be read? */
export type IsRead = (ref: SourceRef, index: number) => boolean;

export function tasksOf(sources: readonly SourceRef[], isRead: IsRead): readonly Task[] {
  const tasks: TaskSource[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  sources.forEach((ref, index) => {
    if (!isRead(ref, index)) return;
    const task = tasks.at(-1);
    if (task === undefined || bytes + ref.sizeBytes > TASK_BYTES || task.length >= TASK_SOURCES) {
      tasks.push([{ index, ref }]);
      bytes = ref.sizeBytes;
    } else {
      task.push({ index, ref });
      bytes += ref.sizeBytes;
    }
  });
  return tasks.map((task) => task.map((source, i) => ({ ...source, flush: i === task.length - 1 })));
}
