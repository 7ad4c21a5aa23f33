/** Follows a growing log: each line is an entry, of which only the messages after those of the previous one are sent. */
import { closeSync, openSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Entry } from '../../transforms/model/element.ts';
import { defaultsOf, type Handlers, step } from '../../transforms/stage.ts';
import { parse } from '../../transforms/stages/parse.ts';
import type { FollowedEntry } from './app/types.ts';
import { EventTail, holdsEvents } from './event-log.ts';
import { freshMembers, rejectedEntry, textsOf, timeMember } from './followed-entry.ts';
import { type IndexedLine, LineIndex } from './line-index.ts';

const PAGE = 64;

/** The state of one page that follows a log. */
export interface LogTail {
  /**
   * Starts with the current state of the log: `take` yields its last entries, at most `most`. @returns the number of the
   * first one
   */
  begin(most: number): number;
  /** Yields the entries that are new since the last call. */
  take(): Generator<FollowedEntry>;
  /** Returns some of the entries before the first one. */
  earlier(from: number, count: number): readonly FollowedEntry[];
  /** Time that one check of the log takes. */
  readonly foldMs?: number;
}

export class FollowedLog {
  readonly path: string;
  readonly name: string;
  #index: LineIndex;
  #tail: LogTail | undefined;

  constructor(path: string) {
    closeSync(openSync(path, 'r')); // throws the system's error if the file cannot be read
    this.path = path;
    this.name = basename(path);
    this.#index = new LineIndex(path);
  }

  get lines(): number {
    return this.#index.lines;
  }

  /** Whether its lines are events that form conversations; undefined while there are too few to decide. */
  get holdsEvents(): boolean | undefined {
    return holdsEvents(this.#index);
  }

  /** Checks for new lines. Returns whether the file has been replaced or cut, so that it is read from the beginning. */
  refresh(): boolean {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (now !== undefined && now.ino !== this.#index.inode) {
      this.#index.close();
      this.#index = new LineIndex(this.path);
      return true;
    }
    return this.#index.grow() === 'replaced';
  }

  tail(): LogTail {
    const { name } = this;
    this.#tail =
      this.holdsEvents === true ? new EventTail(this.#index, name) : new LineTail(this.#index, name);
    return this.#tail;
  }

  /** Returns entries before those that the last page was sent first. */
  earlier(from: number, count: number): readonly FollowedEntry[] {
    return this.#tail?.earlier(from, count) ?? [];
  }

  close(): void {
    this.#index.close();
  }
}

class LineTail implements LogTail {
  readonly #index: LineIndex;
  readonly #source: string;
  readonly #reader: EntryReader;
  #read = 0;

  constructor(index: LineIndex, source: string) {
    this.#index = index;
    this.#source = source;
    this.#reader = new EntryReader(source);
  }

  begin(most: number): number {
    this.#read = Math.max(0, this.#index.lines - most);
    readBefore(this.#reader, this.#index, this.#read);
    return this.#read;
  }

  *take(): Generator<FollowedEntry> {
    const to = this.#index.lines;
    const from = this.#read;
    this.#read = to;
    yield* entriesOf(this.#reader, this.#index, from, to);
  }

  earlier(from: number, count: number): readonly FollowedEntry[] {
    const reader = new EntryReader(this.#source);
    readBefore(reader, this.#index, from);
    return [...entriesOf(reader, this.#index, from, Math.min(this.#index.lines, from + count))];
  }
}

/**
 * Reads the first line, which decides the dialect, and the line before `from`, whose messages the next one repeats.
 */
function readBefore(reader: EntryReader, index: LineIndex, from: number): void {
  if (from > 1) for (const line of index.page(0, 1)) reader.read(line, 1);
  if (from > 0) for (const line of index.page(from - 1, 1)) reader.read(line, from);
}

function* entriesOf(
  reader: EntryReader,
  index: LineIndex,
  from: number,
  to: number,
): Generator<FollowedEntry> {
  for (const [at, page] of index.pages(PAGE, from, to))
    for (const [i, line] of page.entries()) yield* reader.read(line, at + i + 1);
}

/** Reads lines as entries, in order. */
class EntryReader {
  readonly #source: string;
  readonly #handlers: Handlers = parse.create(defaultsOf(parse.options));
  #before: readonly string[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  read({ offset, bytes, content }: IndexedLine, line: number): readonly FollowedEntry[] {
    const origin = { source: this.#source, line, offset, length: bytes };
    const entries: FollowedEntry[] = [];
    for (const element of step(this.#handlers, { kind: 'line', origin, bytes: content })) {
      if (element.kind === 'entry') entries.push({ ...this.#entry(element), part: entries.length });
      else if (element.kind === 'rejection')
        entries.push({ ...rejectedEntry(element), part: entries.length });
    }
    return entries;
  }

  #entry(entry: Entry): FollowedEntry {
    const texts = textsOf(entry);
    const shared = sharedBy(this.#before, texts);
    this.#before = texts;
    const { line, length } = entry.origin;
    return {
      ...{ line, bytes: length, messages: texts.length, shared },
      ...freshMembers(texts.slice(shared)),
      ...timeMember(entry),
    };
  }
}

/**
 * Returns the number of leading messages with unchanged content. An entry with fewer messages than the previous one
 * repeats nothing.
 */
function sharedBy(before: readonly string[], now: readonly string[]): number {
  if (now.length < before.length) return 0;
  const differs = now.findIndex((text, i) => text !== before[i]);
  return differs < 0 ? now.length : differs;
}
