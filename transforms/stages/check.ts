/**
 * The three stages that run the checks. A finding comes directly before the element that it is about; the element
 * passes unchanged.
 */
import type { Check, Found, PlacedFound, RejectedLines } from '../checks/check.ts';
import { checks } from '../checks/index.ts';
import { FOLD_SELECTIONS, type FoldSelect } from '../dialects/dialect.ts';
import type {
  Conversation,
  EntryLog,
  Fate,
  Finding,
  Origin,
  Rejection,
  SessionEnd,
  StreamElement,
  WrittenRecord,
} from '../model/element.ts';
import { placesOf } from '../model/entry-log.ts';
import type { Handlers, Stage } from '../stage.ts';
import { UNFINISHED_LINE } from './unfinished-line.ts';

type CheckOn<On extends Check['on']> = Extract<Check, { on: On }>;

function checksOn<On extends Check['on']>(on: On): readonly CheckOn<On>[] {
  return checks.filter((check): check is CheckOn<On> => check.on === on);
}

/** The members of an element that are copied to its findings. */
interface Subject {
  readonly origin: Origin;
  readonly sessionId?: string | undefined;
}

function findingOf({ origin, sessionId }: Subject, found: Found): Finding {
  return { kind: 'finding', sessionId, origin, ...found };
}

function placedFinding({ origin, sessionId }: Subject, { place, ...found }: PlacedFound): Finding {
  return findingOf({ origin: { source: origin.source, ...place }, sessionId }, found);
}

const textOf = ({ rule, message }: Found): string => `${rule} ${message}`;

function reported<T extends StreamElement & Subject>(
  element: T,
  results: readonly Iterable<Found>[],
): readonly (Finding | T)[] {
  const elements: (Finding | T)[] = [];
  for (const result of results) for (const found of result) elements.push(findingOf(element, found));
  elements.push(element);
  return elements;
}

export interface EntryOptions {
  /** With `leaves`, an entry need not belong to the conversation of the others. */
  readonly select?: FoldSelect | undefined;
}

/** Runs after validate: checks the entries of a session, in order. */
export const checkEntries: Stage<EntryOptions> = {
  name: 'check-entries',
  summary:
    'Reports entries without a reply, and entries that do not belong to the conversation of the session.',
  options: {
    select: {
      describe:
        'Which conversations of a session are written: with leaves, entries need not continue each other',
      default: undefined,
      choices: FOLD_SELECTIONS,
    },
  },
  takes: 'entry',
  create({ select }): Handlers {
    const watches = checksOn('entry')
      .filter(({ ofLast }) => ofLast !== true || select !== 'leaves')
      .map((check) => check.create());
    let isRejected = false;
    return {
      entry: (entry) =>
        reported(
          entry,
          watches.map((watch) => watch.entry(entry)),
        ),
      rejection(rejection) {
        if (rejection.scope === 'session') isRejected = true;
        return [rejection];
      },
      *'session-end'(end) {
        const counts = !isRejected;
        isRejected = false;
        for (const watch of watches) {
          const found = watch.sessionEnd();
          if (counts) for (const one of found) yield placedFinding(end, one);
        }
        yield end;
      },
    };
  },
};

const NO_LINES: RejectedLines = { count: 0, last: undefined, inSource: [] };
const MAX_PLACES = 1000;

/** Collects the lines that are rejected. */
class RejectedOfSession {
  #count = 0;
  #last: Origin | undefined;
  #inSource: Origin[] = [];
  #firstLine: number | undefined;

  add({ scope, origin }: Rejection): void {
    if (scope !== 'line') return;
    this.#count++;
    this.#last = origin;
    if (this.#inSource.length < MAX_PLACES) this.#inSource.push(origin);
  }

  /** Returns those of a session that ends, and forgets them, except for those of the source until it ends. */
  take({ last: isLast, isFolded, entries }: SessionEnd): RejectedLines {
    const [count, inSource, firstLine] = [this.#count, this.#inSource, this.#firstLine];
    const taken = inSource.length === 0 ? NO_LINES : { count, last: this.#last, inSource, firstLine };
    this.#count = 0;
    this.#last = undefined;
    if (isFolded === true) this.#begin(entries);
    if (isLast) {
      this.#inSource = [];
      this.#firstLine = undefined;
    }
    return taken;
  }

  #begin(entries: EntryLog | undefined): void {
    const [first] = entries === undefined ? [] : placesOf(entries);
    if (first !== undefined) this.#firstLine = Math.min(first.line, this.#firstLine ?? first.line);
  }
}

/** The last line of a source that is not complete, and the end of the session to which it belongs. */
class UnfinishedTail {
  #line: Origin | undefined;
  #owner: SessionEnd | undefined;
  #ownerAt = -1;

  fate({ fate, origin }: Fate): void {
    if (fate === UNFINISHED_LINE) this.#line = origin;
  }

  /** Takes the end of a session. @returns the session that has the last entry of the source, when the source ends */
  take(end: SessionEnd): { readonly owner: SessionEnd; readonly line: Origin } | undefined {
    const line = this.#line;
    if (line === undefined) return undefined;
    const at = end.fate === 'written' && end.entries !== undefined ? lastOffset(end.entries) : -1;
    if (at > this.#ownerAt) [this.#owner, this.#ownerAt] = [end, at];
    if (!end.last) return undefined;
    const owner = this.#owner ?? end;
    this.#line = this.#owner = undefined;
    this.#ownerAt = -1;
    return { owner, line };
  }
}

function lastOffset(entries: EntryLog): number {
  let last = -1;
  for (const { offset } of placesOf(entries)) last = Math.max(last, offset);
  return last;
}

export interface ConversationOptions {
  readonly endsInCall?: boolean;
}

/** Runs after reasoning: checks conversations, and the ends of sessions. */
export const checkConversations: Stage<ConversationOptions> = {
  name: 'check-conversations',
  summary: 'Reports problems of conversations, and sessions without one.',
  options: {
    endsInCall: {
      describe: 'Whether all records end in a call by design, so that it is not reported as unanswered',
      default: false,
    },
  },
  takes: 'conversation',
  create({ endsInCall = false }): Handlers {
    const onConversation = checksOn('conversation');
    const onSessionEnd = checksOn('session-end');
    const rejected = new RejectedOfSession();
    const tail = new UnfinishedTail();
    const foundAt = (end: SessionEnd, lines: RejectedLines): readonly Finding[] =>
      onSessionEnd.flatMap((check) => Array.from(check.check(end, lines), (found) => findingOf(end, found)));
    return {
      *conversation(conversation) {
        const checked: Conversation = endsInCall
          ? { ...conversation, lacks: [...(conversation.lacks ?? []), 'last-result'] }
          : conversation;
        for (const check of onConversation)
          for (const found of check.check(checked)) yield findingOf(conversation, found);
        yield conversation;
      },
      rejection(rejection) {
        rejected.add(rejection);
        return [rejection];
      },
      'session-end'(end) {
        const lines = rejected.take(end);
        const half = tail.take(end);
        if (half?.owner === end) return [...foundAt(end, { ...lines, unfinished: half.line }), end];
        const before = half === undefined ? [] : foundAt(half.owner, { ...NO_LINES, unfinished: half.line });
        return [...before, ...foundAt(end, lines), end];
      },
      fate(fate) {
        tail.fate(fate);
        return [fate];
      },
    };
  },
};

/** Runs after format: checks the messages as written. Reports a finding once if it applies to several formats. */
export const checkRecords: Stage = {
  name: 'check-records',
  summary: 'Reports records whose calls or results are malformed as written.',
  options: {},
  takes: 'record',
  create(): Handlers {
    const onRecord = checksOn('record');
    let records: WrittenRecord[] = []; // of the current conversation, one per format

    const textsOf = (record: WrittenRecord): readonly string[] =>
      onRecord.flatMap((check) => Array.from(check.check(record), textOf));

    return {
      *record(record) {
        if (records[0]?.conversation !== record.conversation) records = [];
        const isChecked = records.at(-1)?.format === record.format; // a further record of the format has the same messages
        if (!isChecked) {
          const known = records.length === 0 ? undefined : new Set(records.flatMap(textsOf));
          for (const check of onRecord) {
            for (const found of check.check(record))
              if (known?.has(textOf(found)) !== true) yield findingOf(record, found);
          }
          records.push(record);
        }
        yield record;
      },
      'session-end'(end) {
        records = [];
        return [end];
      },
    };
  },
};
