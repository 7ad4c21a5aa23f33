/** Sums over the lines: by name, by source, and for the whole dataset. */
import type { SourceLine } from '../dataset/schema/ledger.ts';
import { asCount, asObject, type Untrusted } from './untrusted.ts';

export type Counts = Map<string, number>;

export function add(counts: Counts, name: string, n = 1): void {
  if (n !== 0) counts.set(name, (counts.get(name) ?? 0) + n);
}

export function addAll(counts: Counts, more: ReadonlyMap<string, number>): void {
  for (const [name, n] of more) add(counts, name, n);
}

export function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const n of counts.values()) sum += n;
  return sum;
}

/** Sums over all lines of ledger, quarantine and reports, for the comparison with the manifest. */
export class Totals {
  sources = 0;
  sessions = 0;
  lines = 0;
  bytes = 0;
  errors = 0;
  warnings = 0;
  readonly status: Counts = new Map();
  readonly skipped: Counts = new Map();
  /** Files that were skipped because of their names, by extension, as far as they are listed. */
  readonly extensions: Counts = new Map();
  readonly fates: Counts = new Map();
  readonly repairs: Counts = new Map();
  /** Bytes by part: `bom`, `lines`, `terminators`, `rest`. */
  readonly parts: Counts = new Map();
  readonly sessionFates: Counts = new Map();
  readonly tools: Counts = new Map();
  readonly rewrites: Counts = new Map();
  readonly findings: Counts = new Map();
  /** Written sessions by group. */
  readonly groups: Counts = new Map();
  /** Sessions that one format refused and another one wrote, by `FORMAT REASON`. */
  readonly recordRejections: Counts = new Map();
  /** Contained sessions that a format would have written, by its name. */
  readonly contained: Counts = new Map();
  /** Sessions with records in a format, by its name. */
  readonly writers: Counts = new Map();
  /** Answers in the records of a format, by its name: all, context, and those that are trained. */
  readonly answers: Map<string, Counts> = new Map();

  /** Counts the answers of a record. */
  addAnswers(format: string, answers: number, context: number): void {
    const counts = this.answers.get(format) ?? new Map();
    this.answers.set(format, counts);
    add(counts, 'answers', answers);
    add(counts, 'context', context);
    add(counts, 'trained', answers - context);
  }
}

/** A place in a source, as a line states it. */
export interface Place {
  readonly line: unknown;
  readonly start: unknown;
  readonly end: unknown;
}

/** Conditions on consecutive places of a kind. */
interface PlaceRules {
  readonly leastBytes?: number;
  readonly mayOverlap?: boolean;
}

/** Sums over the lines about one source, and its size according to ledger/sources.jsonl. */
export class SourceTally {
  /** Bytes after decompression. Infinity if the line does not state them, so that every place is inside. */
  readonly bytes: number;
  /** Physical lines: a line of several objects counts once. Infinity if unknown. */
  readonly lines: number;
  readonly size: unknown;
  /** Number of gzip members, including one that was not read to its end; undefined if it is not gzip. */
  readonly members: number | undefined;
  /** Fates according to the sessions: snapshot, superseded, truncated, and entries of rejected sessions by reason. */
  readonly fates: Counts = new Map();
  /** Quarantine records by `scope:reason`, and `record:FORMAT REASON`. */
  readonly quarantine: Counts = new Map();
  /** Entries of rejected sessions by reason: the quarantine has a record for each. */
  readonly rejectedEntries: Counts = new Map();
  /** Records that a format refused, by `FORMAT REASON`: the quarantine has a record for each. */
  readonly recordRejections: Counts = new Map();
  /** Least offset of the next place, by kind: snapshots, rejected lines, rejected entries. */
  readonly #next: Counts = new Map();
  /** Where the last place begins, by kind. */
  readonly #start: Counts = new Map();
  /** Session of the last place, by kind. */
  readonly #session = new Map<string, unknown>();
  /** Whether a line has several objects, or an object several calls: each is rejected at the place of the object. */
  readonly #hasSeveral: boolean;
  /** Whether lines were gathered by session and ordered by time, so that places may go back. */
  readonly isGathered: boolean;
  /** Whether kept bytes may have placeholders. */
  readonly isRedacted: boolean;

  constructor(
    { status, bytes, lines, framed, size, compression, packed }: Untrusted<SourceLine>,
    isGathered: boolean = false,
    isRedacted: boolean = false,
  ) {
    this.isGathered = isGathered;
    this.isRedacted = isRedacted;
    const unfinished = status === 'read' ? 0 : 1; // the member in which reading stopped
    this.bytes = asCount(bytes) ?? Infinity;
    this.lines = asCount(framed) ?? Infinity;
    this.#hasSeveral = (asCount(lines) ?? 0) > this.lines;
    this.size = size;
    this.members =
      compression === 'gzip' ? (asCount(asObject(packed)?.members) ?? Infinity) + unfinished : undefined;
  }

  /** Starts anew with the places of another session: sessions that were folded from events interleave, or share a document. */
  enterSession(kind: string, session: unknown): void {
    if (session !== this.#session.get(kind)) this.#next.delete(kind);
    this.#session.set(kind, session);
  }

  /**
   * Takes a place, which must be inside the source and follow the previous one of the same kind.
   * @param leastBytes least length of the place
   * @param mayOverlap whether it may begin before the previous one ends
   * @returns if the place is wrong, a description of the expected one
   */
  take(
    kind: string,
    place: Place,
    { leastBytes = 0, mayOverlap = false }: PlaceRules = {},
  ): string | undefined {
    const line = asCount(place.line) ?? Number.NaN;
    const start = asCount(place.start) ?? Number.NaN;
    const end = asCount(place.end) ?? Number.NaN;
    const next = mayOverlap || this.isGathered ? 0 : (this.#next.get(kind) ?? 0);
    if (!(line >= 1 && start <= end)) return 'a line, a start and an end';
    if (line > this.lines) return `a line up to ${this.lines}`;
    if (end > this.bytes) return `an end up to byte ${this.bytes}`;
    const isSame = this.#hasSeveral && start === this.#start.get(kind) && end === next;
    if (start < next && !isSame) return `a start from byte ${next} on`;
    this.#next.set(kind, Math.max(end, start + leastBytes));
    this.#start.set(kind, start);
    return undefined;
  }
}
