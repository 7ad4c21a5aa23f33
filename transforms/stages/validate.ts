/**
 * Stage: checks ids and order. A session must have one id, and its timestamps, if any, must not go back; otherwise
 * rejects the whole session. If all conversations of a session are written, calls may overlap, and an id may return. Also
 * collects the places of the session's entries, so that every line gets its fate.
 */

import { FOLD_SELECTIONS, type FoldSelect } from '../dialects/dialect.ts';
import type { Entry, EntryLog, Fate, Origin, Rejection, SessionEnd } from '../model/element.ts';
import { createEntryLog, placesOf } from '../model/entry-log.ts';
import { rejectSession } from '../model/rejection.ts';
import { SessionIds } from '../model/session-ids.ts';
import type { Handlers, Stage } from '../stage.ts';

export interface ValidateOptions {
  /** Ids of sessions of the source that have ended. Shared with the shortcut, which reads some of them. */
  readonly ended?: SessionIds | undefined;
  /** Whether an entry must be later than the one before it, not only as late. False by default. */
  readonly strictTime?: boolean | undefined;
  /** With `leaves`, neither the times nor ids that return are checked. */
  readonly select?: FoldSelect | undefined;
}

const STAGE = 'validate';
/** Ids of a rejected source are counted up to this number. */
const MAX_COUNTED = 100_000;

class Validator {
  readonly #ended: SessionIds;
  readonly #isStrict: boolean;
  readonly #mayOverlap: boolean;
  readonly #log = createEntryLog();
  #sessionId: string | undefined;
  #droppedId: string | undefined;
  /** Latest timestamp of the session so far. */
  #latest: bigint | undefined;
  #isRejected = false;
  /** The first entry with another id, if there was no other violation before; its rejection tells how many ids there are. */
  #stranger: Origin | undefined;
  /** The ids of such a source. */
  readonly #ids = new SessionIds();
  /** Whether the session is a single entry with `alone`. */
  #isAlone = false;
  /** Places of the lines of an entry with several. */
  #lines: EntryLog | undefined;
  /** Whether it was folded from events. */
  #isFolded = false;

  constructor(ended: SessionIds, isStrict: boolean, mayOverlap: boolean) {
    this.#ended = ended;
    this.#isStrict = isStrict;
    this.#mayOverlap = mayOverlap;
  }

  entry(entry: Entry): readonly (Entry | Rejection)[] {
    if (entry.lines === undefined) this.#log.add(entry.origin);
    else if (entry.alone === true) this.#lines = entry.lines;
    else for (const place of placesOf(entry.lines)) this.#log.add(place);
    this.#isFolded = entry.lines !== undefined && entry.isGathered !== true;
    if (this.#stranger !== undefined) this.#count(entry.sessionId);
    if (this.#isRejected) return [];
    const found = this.#violation(entry);
    this.#latest = entry.timestamp ?? this.#latest;
    if (found === undefined) return [entry];
    this.#isRejected = true;
    return found === 'stranger' ? [] : [found];
  }

  fate(fate: Fate): readonly Fate[] {
    this.#droppedId ??= fate.sessionId;
    return [fate];
  }

  end(end: SessionEnd): readonly (SessionEnd | Rejection)[] {
    const rejection = this.#rejectStrangers();
    const ended = this.#end(end);
    return rejection === undefined ? [ended] : [rejection, ended];
  }

  #end({ kind, origin, last, dialect }: SessionEnd): SessionEnd {
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
      ? { kind, origin, last, alone, isFolded, dialect, sessionId, entries }
      : { kind, origin, last, dialect, sessionId, entries };
  }

  #count(sessionId: string): void {
    if (this.#ids.size < MAX_COUNTED) this.#ids.add(sessionId);
  }

  /** Rejects a source with several ids at its end, when their number is known. */
  #rejectStrangers(): Rejection | undefined {
    const origin = this.#stranger;
    if (origin === undefined) return undefined;
    const { size } = this.#ids;
    const count = size < MAX_COUNTED ? size : `at least ${size}`;
    const detail = `the source seems to hold ${count} sessions: read it with --session-by id`;
    this.#stranger = undefined;
    this.#ids.clear();
    return rejectSession(STAGE, origin, this.#sessionId as string, 'session-id-mismatch', detail);
  }

  #violation(entry: Entry): Rejection | 'stranger' | undefined {
    const { sessionId: id, timestamp, origin } = entry;
    if (this.#sessionId === undefined) return this.#begin(entry);
    if (id !== this.#sessionId) {
      this.#stranger = origin;
      this.#count(this.#sessionId);
      this.#count(id);
      return 'stranger';
    }
    if (this.#mayOverlap) return undefined;
    const latest = this.#latest;
    if (timestamp === undefined || latest === undefined || timestamp > latest) return undefined;
    if (timestamp === latest && !this.#isStrict) return undefined;
    const detail = this.#isStrict ? 'not later than the entry before it' : 'earlier than the entry before it';
    return rejectSession(STAGE, origin, id, 'timestamp-not-increasing', detail);
  }

  /** Checks the first entry of a session. */
  #begin({ sessionId: id, origin, refused, alone }: Entry): Rejection | undefined {
    this.#sessionId = id;
    this.#isAlone = alone === true;
    if (refused !== undefined) return rejectSession(STAGE, origin, id, refused.reason, refused.detail);
    if (this.#mayOverlap || !this.#ended.has(id)) return undefined;
    return rejectSession(STAGE, origin, id, 'session-reopened', 'the session with this id had already ended');
  }
}

function create({ ended = new SessionIds(), strictTime = false, select }: ValidateOptions): Handlers {
  const validator = new Validator(ended, strictTime, select === 'leaves');
  return {
    entry: (entry) => validator.entry(entry),
    fate: (fate) => validator.fate(fate),
    'session-end': (end) => validator.end(end),
  };
}

export const validate: Stage<ValidateOptions> = {
  name: 'validate',
  summary: 'Checks that a session has one id and timestamps that do not go back; else rejects it.',
  options: {
    ended: { describe: 'Ids of sessions that have ended', default: undefined },
    strictTime: {
      describe: 'Also reject a session in which two entries have the same time',
      default: false,
    },
    select: {
      describe: 'Which conversations of a session are written: with leaves, calls may overlap',
      default: undefined,
      choices: FOLD_SELECTIONS,
    },
  },
  takes: 'entry',
  create,
};
