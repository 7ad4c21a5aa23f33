/**
 * Follows an event log: its lines are folded into conversations, and the page is sent their new messages. An event may
 * change the result of earlier ones, so the log is folded again each time it has grown.
 */
import { isGathered } from '../../transforms/dialects/pairs/pair-reader.ts';
import type { Entry, Message, StreamElement } from '../../transforms/model/element.ts';
import { defaultsOf, step } from '../../transforms/stage.ts';
import { detectDialect } from '../../transforms/stages/choose-dialect.ts';
import { parse } from '../../transforms/stages/parse.ts';
import type { FollowedEntry } from './app/types.ts';
import { allMessages, freshMembers, rejectedEntry, textOf, timeMember } from './followed-entry.ts';
import type { LineIndex } from './line-index.ts';

const PAGE = 64;
/** Number of lines that are enough to recognise the dialect. */
const MAX_PROBED_LINES = 65;

/** Returns whether a log consists of events that form conversations; undefined if it has too few lines to decide. */
export function holdsEvents(index: LineIndex): boolean | undefined {
  for (const { content } of index.page(0, MAX_PROBED_LINES)) {
    const dialect = detectDialect(content);
    if (dialect !== undefined) return isGathered(dialect) || dialect.create().holds === true;
  }
  return index.lines >= MAX_PROBED_LINES ? false : undefined;
}

interface Folded {
  readonly conversations: readonly Entry[];
  readonly rejected: readonly FollowedEntry[];
}

function fold(index: LineIndex, source: string): Folded {
  const handlers = parse.create(defaultsOf(parse.options));
  const conversations: Entry[] = [];
  const rejected: FollowedEntry[] = [];
  const take = (element: StreamElement): void => {
    for (const output of step(handlers, element)) {
      if (output.kind === 'entry') conversations.push(output);
      else if (output.kind === 'rejection') rejected.push(rejectedEntry(output));
    }
  };
  for (const [at, page] of index.pages(PAGE))
    for (const [i, { offset, bytes, content }] of page.entries())
      take({
        kind: 'line',
        origin: { source, line: at + i + 1, offset, length: bytes },
        bytes: content,
      });
  const origin = { source, line: index.lines, offset: 0, length: 0 };
  take({ kind: 'session-end', origin, last: true });
  return { conversations, rejected };
}

/** A message of a conversation. */
interface Place {
  readonly entry: Entry;
  readonly at: number;
}

/** The state of one page that follows an event log. */
export class EventTail {
  readonly #index: LineIndex;
  readonly #source: string;
  #sent: ReadonlyMap<string, readonly Message[]> = new Map();
  #lines = 0;
  #folded: (Folded & { readonly lines: number }) | undefined;
  /** Messages before those that `begin` left for `take`, in the order of their conversations. */
  #earlier: readonly Place[] = [];
  /** Time that folding the log takes: one that takes long is checked less often. */
  foldMs = 0;

  constructor(index: LineIndex, source: string) {
    this.#index = index;
    this.#source = source;
  }

  /**
   * Starts with the current state of the log: `take` returns its last messages, at most `most`. @returns the number of
   * messages before them
   */
  begin(most: number): number {
    const { conversations } = this.#fold();
    const all = conversations.flatMap((entry) => allMessages(entry).map((_, at): Place => ({ entry, at })));
    this.#earlier = all.slice(0, Math.max(0, all.length - most));
    const counts = new Map<Entry, number>();
    for (const { entry, at } of this.#earlier) counts.set(entry, at + 1);
    this.#sent = new Map(
      conversations.map((entry) => [entry.sessionId, allMessages(entry).slice(0, counts.get(entry) ?? 0)]),
    );
    return this.#earlier.length;
  }

  /** Yields the messages that are new since the last call. */
  *take(): Generator<FollowedEntry> {
    const before = this.#lines;
    if (this.#index.lines === before) return;
    const { conversations, rejected } = this.#fold();
    this.#lines = this.#index.lines;
    const sent = this.#sent;
    this.#sent = new Map(conversations.map((entry) => [entry.sessionId, allMessages(entry)]));
    yield* rejected.filter(({ line }) => line > before);
    for (const entry of conversations) {
      const was = sent.get(entry.sessionId) ?? [];
      const all = allMessages(entry);
      const shared = sharedBy(was, all);
      if (shared < Math.max(was.length, all.length)) yield this.#part(entry, shared, all.length);
    }
  }

  /** Returns some of the messages before those of the first `take`. */
  earlier(from: number, count: number): readonly FollowedEntry[] {
    const entries: FollowedEntry[] = [];
    const places = this.#earlier.slice(from, from + count);
    for (let i = 0; i < places.length; ) {
      const { entry, at } = places[i] as Place;
      let end = i;
      while (places[end]?.entry === entry) end += 1;
      entries.push(this.#part(entry, at, at + end - i));
      i = end;
    }
    return entries;
  }

  #fold(): Folded {
    const { lines } = this.#index;
    if (this.#folded?.lines === lines) return this.#folded;
    const started = performance.now();
    this.#folded = { lines, ...fold(this.#index, this.#source) };
    this.foldMs = performance.now() - started;
    return this.#folded;
  }

  #part(entry: Entry, from: number, to: number): FollowedEntry {
    const all = allMessages(entry);
    return {
      ...{ conversation: entry.sessionId, line: this.#index.lines, bytes: 0 },
      ...{ messages: all.length, shared: from },
      ...freshMembers(all.slice(from, to).map(textOf)),
      ...timeMember(entry),
    };
  }
}

/** Returns the number of leading messages whose bytes are unchanged. */
function sharedBy(before: readonly Message[], now: readonly Message[]): number {
  const differs = now.findIndex((message, i) => {
    const was = before[i];
    return was === undefined || Buffer.compare(was.bytes, message.bytes) !== 0;
  });
  return differs < 0 ? now.length : differs;
}
