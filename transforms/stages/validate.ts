/**
 * Stage: checks identity and order. A session has one id and, if it has timestamps, strictly increasing ones; a
 * violation rejects the whole session. Also records where the session's entries are, so that every line gets its fate.
 */

import type { Entry, EntryLog, Rejection, SessionEnd } from '../model/element.ts';
import { createEntryLog } from '../model/entry-log.ts';
import { HashedSet } from '../model/hashed-set.ts';
import { rejectSession } from '../model/rejection.ts';
import type { Handlers, Stage } from '../stage.ts';

interface ValidateOptions {
  /** Ids of the sessions of the source that have ended; shared with the fold, which reads sessions of it too. */
  readonly ended?: HashedSet | undefined;
}

const STAGE = 'validate';

function create({ ended = new HashedSet() }: ValidateOptions): Handlers {
  const log = createEntryLog();
  let sessionId: string | undefined;
  let droppedId: string | undefined;
  let latest: bigint | undefined; // timestamp of the session so far
  let rejected = false;
  let alone = false; // its id cannot occur again
  let folded: EntryLog | undefined; // the lines of an entry that was folded from several

  function violation(entry: Entry): Rejection | undefined {
    const { sessionId: id, timestamp, origin, refused } = entry;
    if (sessionId === undefined) {
      sessionId = id;
      alone = entry.alone === true;
      if (refused !== undefined) return rejectSession(STAGE, origin, id, refused.reason, refused.detail);
      if (!ended.has(id)) return undefined;
      return rejectSession(
        STAGE,
        origin,
        id,
        'session-reopened',
        'the session with this id had already ended',
      );
    }
    if (id !== sessionId) {
      return rejectSession(
        STAGE,
        origin,
        sessionId,
        'session-id-mismatch',
        'the source has a second session id',
      );
    }
    if (timestamp === undefined || latest === undefined || timestamp > latest) return undefined;
    return rejectSession(STAGE, origin, id, 'timestamp-not-increasing', 'not later than the entry before it');
  }

  function close(end: SessionEnd): SessionEnd {
    const id = sessionId ?? droppedId;
    const { kind, origin, last, dialect } = end;
    const entries = folded ?? log.take();
    folded = undefined;
    const closed: SessionEnd = alone
      ? { kind, origin, last, alone, dialect, sessionId: id, entries }
      : { kind, origin, last, dialect, sessionId: id, entries };
    if (end.last) ended.clear();
    else if (id !== undefined && !alone) ended.add(id);
    sessionId = droppedId = latest = undefined;
    rejected = alone = false;
    return closed;
  }

  return {
    entry(entry) {
      if (entry.lines === undefined) log.add(entry.origin);
      else folded = entry.lines;
      if (rejected) return [];
      const found = violation(entry);
      latest = entry.timestamp ?? latest;
      if (found === undefined) return [entry];
      rejected = true;
      return [found];
    },
    fate(fate) {
      droppedId ??= fate.sessionId;
      return [fate];
    },
    'session-end': (end) => [close(end)],
  };
}

export const validate: Stage<ValidateOptions> = {
  name: 'validate',
  summary: 'Checks that a session has one id and strictly increasing timestamps; else rejects it.',
  options: { ended: { describe: 'Ids of sessions that have ended', default: undefined } },
  create,
};
