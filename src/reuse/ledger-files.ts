/**
 * Reads the ledger, the findings and the quarantine of a previous run source by source. Each file has its lines in the
 * order of the sources, so it is read once, from the start.
 */
import { LINE_FILES, PATHS } from '../dataset/layout.ts';
import type { SessionLine, SourceLine } from '../dataset/schema/ledger.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import type { FindingLine } from '../dataset/schema/reports.ts';
import type { SourceKey, Sources } from '../input/sources/source.ts';
import { compareSources } from '../input/sources/source-table.ts';
import { losesNothing } from '../ledger/ledger.ts';
import { damaged } from './checked-lines.ts';
import type { PreviousRun } from './previous-run.ts';

/** A session, with the path of its conversation if the run compared them. */
export interface PathedSession extends SessionLine {
  readonly path?: Uint8Array;
}

export class LedgerFiles {
  readonly sources: SourceCursor<SourceLine>;
  readonly sessions: SourceCursor<PathedSession>;
  readonly quarantine: SourceCursor<QuarantineLine>;
  readonly findings: SourceCursor<FindingLine>;

  /** @param hasPaths whether the run compared its records */
  constructor(run: PreviousRun, hasPaths = false) {
    const sources = new Lookahead(run.lines(LINE_FILES.sources));
    const quarantine = new Lookahead(run.lines(LINE_FILES.quarantine));
    // sources that were skipped come first in both files
    for (let first = sources.peek(); first?.status === 'skipped'; first = sources.peek()) {
      sources.take();
      if (!losesNothing(first.reason ?? '')) quarantine.take();
    }
    this.sources = new SourceCursor(sources, keyOf);
    this.quarantine = new SourceCursor(quarantine, keyOfQuarantine);
    const sessions = hasPaths ? sessionsWithPaths(run) : run.lines(LINE_FILES.sessions);
    this.sessions = new SourceCursor(new Lookahead<PathedSession>(sessions), keyOf);
    this.findings = new SourceCursor(new Lookahead(run.lines(LINE_FILES.findings)), keyOf);
  }

  /** Skips to the lines of this source in every file. Call it in the order of the sources. */
  seek(key: SourceKey): void {
    for (const cursor of this.#cursors) cursor.seek(key);
  }

  /** Releases the descriptors and the memory of all files. */
  end(): void {
    for (const cursor of this.#cursors) cursor.end();
  }

  get #cursors(): readonly Pick<SourceCursor<unknown>, 'seek' | 'end'>[] {
    return [this.sources, this.sessions, this.quarantine, this.findings];
  }
}

/** The lines of one source after the other. */
export class SourceCursor<Line> {
  readonly #lines: Lookahead<Line>;
  readonly #keyOf: (line: Line) => SourceKey;
  #current: SourceKey | undefined;

  constructor(lines: Lookahead<Line>, keyOf: (line: Line) => SourceKey) {
    this.#lines = lines;
    this.#keyOf = keyOf;
  }

  /** Skips to the lines of this source. */
  seek(key: SourceKey): void {
    this.#current = key;
    const isBefore = (line: Line | undefined): boolean =>
      line !== undefined && compareSources(this.#keyOf(line), key) < 0;
    while (isBefore(this.#lines.peek())) this.#lines.take();
  }

  /** Returns the next line of the source without taking it. */
  peek(): Line | undefined {
    const line = this.#lines.peek();
    if (line === undefined || this.#current === undefined) return undefined;
    return compareSources(this.#keyOf(line), this.#current) === 0 ? line : undefined;
  }

  take(): Line | undefined {
    return this.peek() === undefined ? undefined : this.#lines.take();
  }

  end(): void {
    this.#lines.end();
  }
}

/** Finds keys in sources; both have the same order. */
export class SourceFinder {
  readonly #sources: Sources;
  #at = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Returns the index of the source with this key, which does not precede those that were looked for before. */
  indexOf(key: SourceKey): number | undefined {
    let ref = this.#sources.at(this.#at);
    while (ref !== undefined && compareSources(ref, key) < 0) ref = this.#sources.at(++this.#at);
    return ref === undefined || compareSources(ref, key) > 0 ? undefined : this.#at;
  }
}

/** An iterator whose next item can be peeked at. */
export class Lookahead<Item> {
  readonly #items: Iterator<Item, undefined>;
  #next: Item | undefined;

  constructor(items: Iterator<Item, undefined>) {
    this.#items = items;
  }

  peek(): Item | undefined {
    this.#next ??= this.#items.next().value;
    return this.#next;
  }

  take(): Item | undefined {
    const item = this.peek();
    this.#next = undefined;
    return item;
  }

  /** Ends the iterator. */
  end(): void {
    this.#next = undefined;
    this.#items.return?.();
  }
}

/** Whether a session has a path, if the run compared its records. */
export const isCompared = ({ fate }: SessionLine): boolean => fate === 'written' || fate === 'contained';

/** Yields the sessions in order, with copies of their paths. */
export function* sessionsWithPaths(run: PreviousRun): Generator<PathedSession, undefined> {
  const paths = run.paths();
  for (const line of run.lines(LINE_FILES.sessions)) {
    if (!isCompared(line)) yield line;
    else {
      const { value: path } = paths.next();
      if (path === undefined) throw damaged(run.pathOf(PATHS), 'does not have a path for each session');
      yield { ...line, path: path.slice() };
    }
  }
  if (paths.next().done !== true) throw damaged(run.pathOf(PATHS), 'has paths of no session');
}

interface SourceRead extends SourceKey {
  /** Whether any of its lines were rejected. */
  readonly hasRejections: boolean;
  /** Whether it was rejected without a rejected line. */
  readonly isLost: boolean;
}

/** Yields the sources that were read, in order. */
export function* sourcesRead(run: PreviousRun): Generator<SourceRead> {
  for (const line of run.lines(LINE_FILES.sources)) {
    if (line.status === 'skipped') continue;
    const hasRejections = Object.keys(line.fates).some((fate) => fate.startsWith('rejected:'));
    yield { ...keyOf(line), hasRejections, isLost: line.status === 'rejected' && !hasRejections };
  }
}

/** Yields the sources that were skipped, and why. */
export function* sourcesSkipped(
  run: PreviousRun,
): Generator<SourceKey & { readonly reason: string | undefined }> {
  for (const line of run.lines(LINE_FILES.sources)) {
    if (line.status !== 'skipped') break;
    yield { ...keyOf(line), reason: line.reason };
  }
}

type NamesSource = Pick<SourceLine, 'source' | 'source_b64' | 'input'>;

export function keyOf({ source, source_b64, input = 0 }: NamesSource): SourceKey {
  return { name: source, input, ...(source_b64 !== undefined && { nameBase64: source_b64 }) };
}

function keyOfQuarantine({ source: { uri, uri_b64, input } }: QuarantineLine): SourceKey {
  return keyOf({ source: uri, source_b64: uri_b64, input });
}
