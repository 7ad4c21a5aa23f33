/**
 * Finds the sources that an update has to read again, although they are unchanged, because the dataset does not have a
 * record of theirs as it was read: a session lies inside a record of another source that is not reused, or a record has
 * answers that are marked as context.
 */
import { LINE_FILES } from '../dataset/layout.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { Sources } from '../input/sources/source.ts';
import { keyOf, SourceFinder } from './ledger-files.ts';
import type { PreviousRun } from './previous-run.ts';

type Fingerprints = readonly (string | undefined)[];

/** @returns the fingerprints without those of sources that have to be read again */
export function withContainers(
  run: PreviousRun,
  fingerprints: Fingerprints,
  sources: Sources,
): (string | undefined)[] {
  const kept = [...fingerprints];
  for (const { source, line } of sessionsOf(run, sources))
    if (line.context !== undefined && source !== GONE) kept[source] = undefined;
  const dependents = dependentsOf(run, sources);
  const gone = [...dependents.keys()].filter((source) => kept[source] === undefined);
  for (let source = gone.pop(); source !== undefined; source = gone.pop()) {
    for (const dependent of dependents.get(source) ?? []) {
      if (kept[dependent] === undefined) continue;
      kept[dependent] = undefined;
      gone.push(dependent);
    }
  }
  return kept;
}

/** Stands for a source that the listing no longer has. */
const GONE = -1;

/** Returns for each source those with sessions inside its records. */
function dependentsOf(run: PreviousRun, sources: Sources): ReadonlyMap<number, ReadonlySet<number>> {
  const named = new Map<string, Set<number>>();
  for (const { source, line } of sessionsOf(run, sources))
    if (line.in !== undefined) addTo(named, placeKey(line.in), source);
  const dependents = new Map<number, Set<number>>();
  if (named.size === 0) return dependents;
  for (const { source, line } of sessionsOf(run, sources)) {
    for (const place of line.records ?? [line])
      for (const dependent of named.get(placeKey(place)) ?? [])
        if (dependent !== source) addTo(dependents, source, dependent);
  }
  return dependents;
}

const placeKey = ({ shard, line }: Pick<SessionLine, 'shard' | 'line'>): string => `${shard}\n${line}`;

function addTo<Key>(sets: Map<Key, Set<number>>, key: Key, value: number): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

/** Yields the sessions of the dataset with the indexes of their sources in the listing. */
function* sessionsOf(
  run: PreviousRun,
  sources: Sources,
): Generator<{ readonly source: number; readonly line: SessionLine }> {
  const listed = new SourceFinder(sources);
  for (const line of run.lines(LINE_FILES.sessions))
    yield { source: listed.indexOf(keyOf(line)) ?? GONE, line };
}
