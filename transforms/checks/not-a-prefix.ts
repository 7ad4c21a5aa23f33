/**
 * Is each entry the beginning of the conversation that is written? Only that conversation becomes a record, so the
 * replies of other entries are lost: those for a title, of a sub-agent, of the turns before a compaction or an edit.
 */
import type { Entry, Message } from '../model/element.ts';
import { createEntryLog, placesOf } from '../model/entry-log.ts';
import { hasSameBytes, type Path, pathOf } from '../model/path-hashes.ts';
import { supersedes } from '../model/supersedes.ts';
import type { EntryCheck, EntryWatch, Found, PlacedFound } from './check.ts';

/** Where an entry differs from another one that should continue it, or that it should continue. */
export interface PathParting {
  /** Index of the first message that differs. The reply comes after the messages. */
  readonly at: number;
  readonly isReply: boolean;
  /** Line of the other entry. */
  readonly line: number;
}

export function notAPrefix({ at, isReply, line }: PathParting): Found {
  const part = isReply ? 'its reply' : `messages[${at}]`;
  const message = `differs from line ${line} at ${part}: the entry is not the beginning of the conversation that is written`;
  return { rule: 'not-a-prefix', severity: 'WARNING', message };
}

const NOTHING: readonly Found[] = [];

/** An entry that is not the beginning of another one. */
interface Parted {
  readonly at: number;
  /** Line of the other entry. */
  readonly line: number;
  /** Hash of its whole path. */
  readonly end: string;
}

const pathMessages = ({ messages, reply }: Entry): readonly Message[] =>
  reply === undefined ? messages : [...messages, reply];

const isBeginning = (shorter: readonly Message[], longer: readonly Message[]): boolean =>
  shorter.every((message, i) => hasSameBytes(message, longer[i]));

class Session {
  readonly #log = createEntryLog();
  /** Number of messages of each entry, with its reply. */
  readonly #lengths: number[] = [];
  /** Numbers of the entries without a reply. */
  readonly #unanswered = new Set<number>();
  /** By number of the entry. */
  readonly #parted = new Map<number, Parted>();
  /** Numbers of the other entries, by the number of messages. */
  readonly #beginnings = new Map<number, number[]>();
  /** The entry that would be written if the session ended here. */
  #best: Entry | undefined;
  /** Path of the best entry when it was hashed last. */
  #path: Path | undefined;

  add(entry: Entry): void {
    const number = this.#lengths.length;
    const best = this.#best;
    const read = pathMessages(entry);
    const isBest = supersedes(entry, best);
    if (best !== undefined) this.#compare(best, entry, isBest);
    if (isBest) this.#best = entry;
    this.#log.add(entry.origin);
    this.#lengths.push(read.length);
    if (!this.#parted.has(number)) this.#addBeginning(number, read.length);
    if (entry.reply === undefined) this.#unanswered.add(number);
  }

  #addBeginning(number: number, length: number): void {
    const numbers = this.#beginnings.get(length);
    if (numbers === undefined) this.#beginnings.set(length, [number]);
    else numbers.push(number);
  }

  /** Compares the best entry with the one that was read. Paths of the same bytes need no hashes. */
  #compare(bestEntry: Entry, entry: Entry, isBest: boolean): void {
    const [best, read] = [pathMessages(bestEntry), pathMessages(entry)];
    if (isBest ? isBeginning(best, read) : isBeginning(read, best)) return;
    const before = pathOf(best, this.#path);
    const path = pathOf(read, before);
    this.#path = isBest ? path : before;
    const parting = before.hashes.findIndex((hash, i) => hash !== path.hashes[i]);
    const at = parting < 0 ? best.length : parting;
    if (isBest) this.#partFrom(at, before, entry.origin.line);
    else if (at < read.length) this.#part(this.#lengths.length, at, bestEntry.origin.line, path);
  }

  /** Notes the entries that are the beginning of the best one before, but not of the new one. */
  #partFrom(at: number, before: Path, line: number): void {
    for (let length = at + 1; length <= before.hashes.length; length++) {
      for (const number of this.#beginnings.get(length) ?? []) this.#part(number, at, line, before, length);
      this.#beginnings.delete(length);
    }
  }

  #part(number: number, at: number, line: number, { hashes }: Path, length: number = hashes.length): void {
    this.#parted.set(number, { at, line, end: hashes[length - 1] as string });
  }

  /** Made one by one, because a session may have millions of entries. */
  *findings(): Generator<PlacedFound> {
    if (this.#best === undefined || this.#parted.size === 0) return;
    const { hashes } = pathOf(pathMessages(this.#best), this.#path);
    let number = -1;
    for (const place of placesOf(this.#log.take())) {
      const parted = this.#parted.get(++number);
      const last = (this.#lengths[number] as number) - 1;
      if (parted === undefined || hashes[last] === parted.end) continue;
      const isReply = parted.at === last && !this.#unanswered.has(number);
      yield { ...notAPrefix({ ...parted, isReply }), place };
    }
  }
}

function create(): EntryWatch {
  let session = new Session();
  return {
    entry(entry): readonly Found[] {
      if (entry.alone !== true) session.add(entry);
      return NOTHING;
    },
    sessionEnd() {
      const found = session.findings();
      session = new Session();
      return found;
    },
  };
}

const notAPrefixCheck: EntryCheck = {
  name: 'not-a-prefix',
  summary:
    'Entries that are not the beginning of the conversation that is written: side calls, compaction, edits.',
  rules: ['not-a-prefix'],
  on: 'entry',
  ofLast: true,
  create,
};

export default notAPrefixCheck;
