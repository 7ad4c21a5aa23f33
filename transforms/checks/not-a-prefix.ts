/**
 * Is each entry the beginning of the conversation that is written? Only that conversation becomes a record, so the
 * replies of other entries are lost: those for a title, of a sub-agent, of the turns before a compaction or an edit.
 */
import type { Entry, Message } from '../model/element.ts';
import { createEntryLog, type Place, placesOf } from '../model/entry-log.ts';
import { hasSameBytes, type Path, pathOf } from '../model/path-hashes.ts';
import { supersedes } from '../model/supersedes.ts';
import { type EntryCheck, type EntryWatch, type Found, NO_PLACED, type PlacedFound } from './check.ts';

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
  /** Number of the other entry in the session, from 0. */
  readonly other: number;
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
  #bestNumber = 0;
  /** Path of the best entry when it was hashed last. */
  #path: Path | undefined;

  add(entry: Entry): void {
    const number = this.#lengths.length;
    const best = this.#best;
    const read = pathMessages(entry);
    const isBest = supersedes(entry, best);
    if (best !== undefined) this.#compare(pathMessages(best), read, isBest);
    if (isBest) {
      this.#best = entry;
      this.#bestNumber = number;
    }
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
  #compare(best: readonly Message[], read: readonly Message[], isBest: boolean): void {
    if (isBest ? isBeginning(best, read) : isBeginning(read, best)) return;
    const before = pathOf(best, this.#path);
    const path = pathOf(read, before);
    this.#path = isBest ? path : before;
    const parting = before.hashes.findIndex((hash, i) => hash !== path.hashes[i]);
    const at = parting < 0 ? best.length : parting;
    if (isBest) this.#partFrom(at, before);
    else if (at < read.length) this.#part(this.#lengths.length, at, this.#bestNumber, path);
  }

  /** Notes the entries that are the beginning of the best one before, but not of the new one. */
  #partFrom(at: number, before: Path): void {
    const other = this.#lengths.length;
    for (let length = at + 1; length <= before.hashes.length; length++) {
      for (const number of this.#beginnings.get(length) ?? []) this.#part(number, at, other, before, length);
      this.#beginnings.delete(length);
    }
  }

  #part(number: number, at: number, other: number, { hashes }: Path, length: number = hashes.length): void {
    this.#parted.set(number, { at, other, end: hashes[length - 1] as string });
  }

  findings(): readonly PlacedFound[] {
    if (this.#best === undefined || this.#parted.size === 0) return NO_PLACED;
    const { hashes } = pathOf(pathMessages(this.#best), this.#path);
    const places = [...placesOf(this.#log.take())];
    return [...this.#parted]
      .filter(([number, { end }]) => hashes[(this.#lengths[number] as number) - 1] !== end)
      .sort(([a], [b]) => a - b)
      .map(([number, { at, other }]) => {
        const isReply = at === (this.#lengths[number] as number) - 1 && !this.#unanswered.has(number);
        const { line } = places[other] as Place;
        return { ...notAPrefix({ at, isReply, line }), place: places[number] as Place };
      });
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
