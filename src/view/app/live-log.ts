/** Receives the entries of a growing log from the server. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { get, stream } from './api.ts';
import type { FollowedEntry } from './types.ts';

const GATHER_MS = 50;
const EARLIER = 100;

export interface Log {
  readonly entries: readonly FollowedEntry[];
  /** Number of the first entry that is shown, from 0; for an event log, of the first message. */
  readonly first: number;
  /** Number of earlier entries that were requested. */
  readonly earlier: number;
  /** How often the server has started to send the log. */
  readonly beginnings: number;
  /** How often that was because the log was cut or replaced. */
  readonly restarts: number;
  /** Whether its lines are events that form conversations. */
  readonly isEvents: boolean;
}

const NO_LOG: Log = { entries: [], first: 0, earlier: 0, beginnings: 0, restarts: 0, isEvents: false };

interface Begin {
  readonly first?: number;
  readonly events?: boolean;
  readonly restarted?: true;
}

/** @returns the log so far, and a function that requests earlier entries */
export function useLog(): readonly [Log, () => void] {
  const [log, setLog] = useState(NO_LOG);
  useEffect(() => follow(setLog), []);
  const earlier = useCallback(() => {
    const from = Math.max(0, log.first - EARLIER);
    void get<readonly FollowedEntry[]>(`entries?from=${from}&count=${log.first - from}`).then((received) =>
      setLog((was) => {
        const entries = [...received, ...was.entries];
        const added = countOf({ ...was, entries }) - countOf(was);
        return { ...was, entries, first: from, earlier: was.earlier + added };
      }),
    );
  }, [log.first]);
  return [log, earlier];
}

/** Receives the entries, in batches of those that arrive together. @returns a function that stops it */
function follow(setLog: (change: (was: Log) => Log) => void): () => void {
  const control = new AbortController();
  let waiting: FollowedEntry[] = [];
  let timer = 0;
  const flush = (): void => {
    timer = 0;
    const batch = waiting;
    waiting = [];
    setLog((was) => ({ ...was, entries: batch.reduce(withEntry, was.entries) }));
  };
  const each = (line: unknown): void => {
    const { first, events, restarted } = line as Begin;
    if (first !== undefined) {
      waiting = [];
      setLog((was) => ({
        ...{ entries: [], first, earlier: 0, isEvents: events === true, beginnings: was.beginnings + 1 },
        restarts: was.restarts + (restarted ? 1 : 0),
      }));
    } else {
      waiting.push(line as FollowedEntry);
      if (timer === 0) timer = window.setTimeout(flush, GATHER_MS);
    }
  };
  stream('tail', each, control.signal).catch(() => undefined);
  return () => control.abort();
}

/** Adds an entry to the list. In an event log, changed messages replace those of their conversation. */
function withEntry(entries: readonly FollowedEntry[], entry: FollowedEntry): readonly FollowedEntry[] {
  const { conversation, shared, fresh } = entry;
  const kept =
    conversation === undefined ? entries : entries.flatMap((known) => before(known, conversation, shared));
  return conversation !== undefined && fresh.length === 0 ? kept : [...kept, entry];
}

/** Returns an entry of the conversation without its messages from number `end` on; any other entry unchanged. */
function before(entry: FollowedEntry, conversation: string, end: number): readonly FollowedEntry[] {
  const count = end - entry.shared;
  if (entry.conversation !== conversation || count >= entry.fresh.length) return [entry];
  if (count <= 0) return [];
  return [{ ...entry, fresh: entry.fresh.slice(0, count), shown: entry.shown.slice(0, count) }];
}

/** Returns the number of entries of a log, or of messages of an event log. */
export function countOf({ entries, isEvents }: Log): number {
  return isEvents ? entries.reduce((sum, { fresh }) => sum + fresh.length, 0) : entries.length;
}
