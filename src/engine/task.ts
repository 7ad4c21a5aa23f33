/** Divides the sources into tasks. A worker gets one task at a time. */
import type { SourceRef, Sources } from '../input/sources/source.ts';

/** A source and its index in the listing. */
export interface TaskSource {
  readonly index: number;
  readonly ref: SourceRef;
  /** Whether to deliver all results at the end of this source, even if a delivery is not full. */
  readonly flush?: boolean;
  /** Causes of death of the worker threads that have died while reading it. */
  readonly deaths?: readonly string[];
}

/** Lists the sources after the one with this index, as far as they are known. */
export type Upcoming = (after: number) => Iterable<SourceRef>;

export const NONE_UPCOMING: Upcoming = () => [];

/** Total size of a task of small sources. A large source is a separate task. */
const TASK_BYTES = 4 * 1024 * 1024;
const TASK_SOURCES = 256;

/** Consecutive sources of the listing; the last one has `flush`. */
export type Task = readonly TaskSource[];

export type IsRead = (index: number) => boolean;

/** A task that no worker has yet, as the indexes of its first and last source. */
export interface PlannedTask {
  readonly first: number;
  readonly last: number;
}

export function planTasks(sources: Sources, isRead: IsRead): readonly PlannedTask[] {
  const tasks: { first: number; last: number }[] = [];
  let index = -1;
  let bytes = Number.POSITIVE_INFINITY;
  let count = 0;
  for (const { sizeBytes } of sources) {
    index++;
    if (!isRead(index)) continue;
    const task = tasks.at(-1);
    if (task === undefined || bytes + sizeBytes > TASK_BYTES || count >= TASK_SOURCES) {
      tasks.push({ first: index, last: index });
      bytes = count = 0;
    } else task.last = index;
    bytes += sizeBytes;
    count++;
  }
  return tasks;
}

export function taskOf({ first, last }: PlannedTask, sources: Sources, isRead: IsRead): Task {
  return Array.from(readIn(sources, isRead, first, last), (source) => ({
    ...source,
    flush: source.index === last,
  }));
}

/** Yields the sources to be read among those with the indexes `first` to `last`. */
export function* readIn(
  sources: Sources,
  isRead: IsRead,
  first = 0,
  last: number = sources.length - 1,
): Generator<TaskSource> {
  for (let index = first; index <= last; index++)
    if (isRead(index)) yield { index, ref: sources.at(index) as SourceRef };
}

export function* refsIn(sources: Sources, isRead: IsRead, first = 0): Generator<SourceRef> {
  for (const { ref } of readIn(sources, isRead, first)) yield ref;
}
