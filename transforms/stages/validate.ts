/**
 * Stage: checks ids and order. A session must have one id, and its timestamps, if any, must strictly increase;
 * otherwise rejects the whole session. Also collects the places of the session's entries, so that every line gets its
 * fate.
 */

import type { Entry, EntryLog, Fate, Rejection, SessionEnd } from '../model/element.ts';
import { createEntryLog, placesOf } from '../model/entry-log.ts';
import { rejectSession } from '../model/rejection.ts';
import { SessionIds } from '../model/session-ids.ts';
import type { Handlers, Stage } from '../stage.ts';

export interface ValidateOptions {
  /** Ids of sessions of the source that have ended. Shared with the shortcut, which reads some of them. */
  readonly ended?: SessionIds | undefined;
}

const STAGE = 'validate';

class Validator {
  readonly #ended: SessionIds;
  readonly #log = createEntryLog();
  #sessionId: string | undefined;
  #droppedId: string | undefined;
  /** Latest timestamp of the session so far. */
  #latest: bigint | undefined;
  #isRejected = false;
  /** Whether the session is a single entry with `alone`. */
  #isAlone = false;
  /** Places of the lines of an entry with several. */
  #lines: EntryLog | undefined;
  /** Whether it was folded from events. */
  #isFolded = false;

  constructor(ended: SessionIds) {
    this.#ended = ended;
  }

  entry(entry: Entry): readonly (Entry | Rejection)[] {
    if (entry.lines === undefined) this.#log.add(entry.origin);
    else if (entry.alone === true) this.#lines = entry.lines;
    else for (const place of placesOf(entry.lines)) this.#log.add(place);
    this.#isFolded = entry.lines !== undefined && entry.isGathered !== true;
    if (this.#isRejected) return [];
    const found = this.#violation(entry);
    this.#latest = entry.timestamp ?? this.#latest;
    if (found === undefined) return [entry];
    this.#isRejected = true;
    return [found];
  }

  fate(fate: Fate): readonly Fate[] {
    this.#droppedId ??= fate.sessionId;
    return [fate];
  }

  end({ kind, origin, last, dialect }: SessionEnd): readonly SessionEnd[] {
    const sessionId = this.#sessionId ?? this.#droppedId;
    const alone = this.#isAlone;
    const entries = this.#lines ?? this.#log.take();
    const isFolded = this.#isFolded ? true : undefined;
    this.#lines = undefined;
    this.#isFolded = false;
    if (last) this.#ended.clear();
    else if (sessionId !== undefined && !alone) this.#ended.add(sessionId);
    this.#sessionId = this.#droppedId = this.#latest = undefined;
    this.#isRejected = this.#isAlone = false;
    return alone
      ? [{ kind, origin, last, alone, isFolded, dialect, sessionId, entries }]
      : [{ kind, origin, last, dialect, sessionId, entries }];
  }

  #violation(entry: Entry): Rejection | undefined {
    const { sessionId: id, timestamp, origin } = entry;
    if (this.#sessionId === undefined) return this.#begin(entry);
    if (id !== this.#sessionId)
      return rejectSession(
        STAGE,
        origin,
        this.#sessionId,
        'session-id-mismatch',
        'the source has a second session id',
      );
    const latest = this.#latest;
    if (timestamp === undefined || latest === undefined || timestamp > latest) return undefined;
    return rejectSession(STAGE, origin, id, 'timestamp-not-increasing', 'not later than the entry before it');
  }

  /** Checks the first entry of a session. */
  #begin({ sessionId: id, origin, refused, alone }: Entry): Rejection | undefined {
    this.#sessionId = id;
    this.#isAlone = alone === true;
    if (refused !== undefined) return rejectSession(STAGE, origin, id, refused.reason, refused.detail);
    if (!this.#ended.has(id)) return undefined;
    return rejectSession(STAGE, origin, id, 'session-reopened', 'the session with this id had already ended');
  }
}

function create({ ended = new SessionIds() }: ValidateOptions): Handlers {
  const validator = new Validator(ended);
  return {
    entry: (entry) => validator.entry(entry),
    fate: (fate) => validator.fate(fate),
    'session-end': (end) => validator.end(end),
  };
}

export const validate: Stage<ValidateOptions> = {
  name: 'validate',
  summary: 'Checks that a session has one id and strictly increasing timestamps; else rejects it.',
  options: { ended: { describe: 'Ids of sessions that have ended', default: undefined } },
  takes: 'entry',
  create,
};
