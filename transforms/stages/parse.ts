/**
 * Stage: line -> entry, by a dialect. Blank lines get their fate, bad lines are rejected with the position of the
 * error, and unless each file is a session, a session ends where the id changes.
 */

import {
  type Dialect,
  type DialectReader,
  FOLD_SELECTIONS,
  type FoldSelect,
  type LineObjects,
  MAX_BRANCHES,
  MAX_CONVERSATION_BYTES,
  type ReadElement,
  type ReadingOptions,
} from '../dialects/dialect.ts';
import { dialects } from '../dialects/index.ts';
import { isGathered, isPairDialect, PairReader } from '../dialects/pairs/pair-reader.ts';
import { TAKEN } from '../dialects/shared/line-objects.ts';
import { MAX_ELEMENTS } from '../json/elements.ts';
import { MAX_DEPTH, type Scanner, skipBlanks } from '../json/scanner.ts';
import { createScanner } from '../json/wasm-scanner.ts';
import type {
  Entry,
  Fate,
  Line,
  Origin,
  Rejection,
  Repair,
  SessionEnd,
  StreamElement,
} from '../model/element.ts';
import type { Handlers, OptionSpecs, Stage } from '../stage.ts';
import { type BareReading, isNotJson, readApart, readBareNumbers, wholeReading } from './bare-numbers.ts';
import { checkDialects, DialectChooser, native, rejectUnread } from './choose-dialect.ts';
import { AUTO, listCleaner } from './cleanup.ts';
import { EntryLimits } from './entry-limits.ts';
import { withIgnoredOptions } from './ignored-options.ts';
import { ShippedLines } from './shipped-lines.ts';
import { isHalfTime, timePrefix, withoutPrefix } from './time-prefix.ts';
import { type Pieces, TornLines } from './torn-line.ts';
import { beforePadding, unfinishedAt, withoutHalf } from './unfinished-line.ts';

/** A source whose beginning the shortcut (transforms/shortcut/) has read. It may continue where the next session begins. */
export interface BegunSource {
  /** The dialect that the shortcut found. */
  readonly dialect: string;
  /** Called with the session id of each entry; undefined if the shortcut must not continue. */
  opens(sessionId: string | undefined): void;
}

export interface ParseOptions {
  readonly dialect: string;
  readonly sessionBy: 'file' | 'run';
  readonly userTurn: string | undefined;
  readonly maxDepth: number;
  /** Undefined for no limit. */
  readonly maxMessages: number | undefined;
  /** Limit for the elements of one array or object, and for the objects of a line. */
  readonly maxElements: number;
  /** Limit for the bytes of all open conversations of an event log. */
  readonly maxConversation: number;
  /** Limit for the branches of a session that are written. */
  readonly maxBranches: number;
  readonly strictTime?: boolean;
  readonly select: FoldSelect | undefined;
  readonly cleanup?: readonly string[];
  readonly keepSealed: boolean;
  readonly keepsMeta: boolean;
  /** Dialects of plug-ins, which are tried before the built-in ones. */
  readonly dialects?: readonly Dialect[];
  readonly begun?: BegunSource | undefined;
}

const STAGE = 'parse';

const options: OptionSpecs<ParseOptions> = {
  dialect: {
    describe: 'Read the log in this dialect; auto looks at the first entry of each source',
    default: 'auto',
  },
  sessionBy: {
    describe:
      'Treat each file as a session, or each run of entries with the same id; an id that returns later is rejected',
    default: 'file',
    choices: ['file', 'run'],
  },
  userTurn: {
    describe:
      'Add this user message before each response that was logged without its request (dialect anthropic)',
    default: undefined,
    takes: 'text',
  },
  maxDepth: {
    describe: 'Reject a line that nests deeper than N levels',
    default: MAX_DEPTH,
  },
  maxMessages: {
    describe: 'Reject an entry with more than N messages, including its reply',
    default: undefined,
    takes: 'number',
  },
  maxElements: {
    describe: 'Reject a line with more than N objects, or with more than N elements in one array or object',
    default: MAX_ELEMENTS,
  },
  maxConversation: {
    describe: 'Reject a conversation of an event log when the open ones hold more than SIZE',
    default: MAX_CONVERSATION_BYTES,
  },
  maxBranches: {
    describe:
      'Write at most N branches of a session, the last state included; lines that are only in others are rejected',
    default: MAX_BRANCHES,
  },
  select: {
    describe:
      'Write all conversations of a session, including abandoned branches and histories that a compaction replaced (leaves), or only the last one',
    default: undefined,
    choices: FOLD_SELECTIONS,
  },
  strictTime: { describe: 'Continue a call only with one that is later', default: false },
  cleanup: { describe: 'Compare calls as these cleanup rules leave them', default: [AUTO] },
  keepSealed: { describe: 'Keep reasoning that only its provider can read', default: false },
  keepsMeta: { describe: 'Keep the metadata of logs, not only the model', default: true },
  dialects: { describe: 'Dialects besides the built-in ones, which take precedence', default: [] },
  begun: { describe: 'Sources whose beginning was read by the shortcut', default: undefined },
};

/** Reads the lines of the sources, one source after the other. */
class Parser {
  readonly #begun: BegunSource | undefined;
  readonly #sessionBy: ParseOptions['sessionBy'];
  readonly #reading: ReadingOptions;
  readonly #limits: EntryLimits;
  readonly #ownScanner: Scanner;
  readonly #known: readonly Dialect[];
  /** The dialect that the user named. */
  readonly #fixed: Dialect | undefined;
  /** The dialect that the shortcut found at the beginning of the source. */
  readonly #found: Dialect | undefined;
  readonly #chooser: DialectChooser;
  readonly #torn: TornLines;
  readonly #readers = new Map<string, DialectReader>();

  // state of the current source
  #reader: DialectReader | undefined;
  /** The reader's dialect. */
  #dialect: Dialect | undefined;
  /** Whether the source was rejected because no dialect recognises it. */
  #isUnknown = false;
  #currentId: string | undefined;
  /** Whether the current session is a single entry with `alone`. */
  #currentAlone = false;
  /** Whether the current source gave an entry. */
  #hasRead = false;
  /** Rejects the current source if it gives no entry, because an object in it was not read. */
  #unread: Rejection | undefined;
  /** Whether lines of the current source begin with a time. */
  #hasTimes = false;
  /** Whether the current line has NaN or Infinity in values that are not read. */
  #bareNumbers = false;
  /** Whether it has them in values that are read. */
  #isSpoiled = false;

  constructor({ dialect, maxDepth, dialects: more = [], begun, ...options }: ParseOptions) {
    const { cleanup = [AUTO] } = options;
    checkDialects(more);
    this.#begun = begun;
    this.#sessionBy = options.sessionBy;
    this.#reading = { ...options, cleaned: listCleaner(cleanup) };
    this.#limits = new EntryLimits(options);
    this.#ownScanner = createScanner(maxDepth, options.maxElements);
    this.#known = [...more, ...dialects];
    this.#fixed = this.#known.find(({ name }) => name === dialect);
    this.#found = this.#known.find(({ name }) => name === begun?.dialect);
    if (this.#fixed === undefined && dialect !== 'auto') throw new RangeError(`unknown dialect '${dialect}'`);
    this.#chooser = new DialectChooser(this.#ownScanner, more);
    this.#torn = new TornLines(this.#ownScanner, more);
  }

  line(line: Line): Iterable<StreamElement> {
    const prefix = timePrefix(line);
    if (prefix === 0) return this.#line(line);
    this.#hasTimes = true;
    return withoutPrefix(line, prefix, (one) => this.#line(one));
  }

  #line(line: Line): Iterable<StreamElement> {
    if (skipBlanks(line.bytes, 0) >= line.bytes.length) return [blank(line)];
    const half = line.isOpen === true ? this.#halfAt(line) : -1;
    if (half >= 0) return withoutHalf(line, half, (whole) => this.#line(whole));
    const by = this.#readerFor(line);
    if (by === 'held') return [];
    if (by === 'unknown') return this.#refuseSource(line);
    return this.#readBy(line, by);
  }

  /** Where half of an object begins with which the source ends; -1 if it does not end so. */
  #halfAt(line: Line): number {
    if (this.#hasTimes && isHalfTime(beforePadding(line.bytes))) return 0;
    return unfinishedAt(line, this.#ownScanner, this.#dialect ?? this.#found);
  }

  #readBy(line: Line, by: DialectReader): Iterable<StreamElement> {
    if (this.#chooser.holds) return this.#withHeld(line, by);
    const objects = this.#read(line, by);
    if (objects === TAKEN && !this.#bareNumbers) return [];
    if (objects.length !== 1 || !Array.isArray(objects)) return this.#several(line, objects);
    const [one] = objects as unknown as readonly [ReadElement];
    const only = this.#limits.bounded(line, one, true);
    const pieces = only.kind === 'rejection' ? this.#piecesOf(line, only) : undefined;
    if (pieces !== undefined) return this.#readPieces(pieces);
    if (only.kind === 'fate' && only.unread === undefined && !this.#bareNumbers) return [only];
    if (only.kind !== 'entry' || only.repairs !== undefined || this.#bareNumbers || this.#endsBefore(only))
      return this.#several(line, [only]);
    const noted = this.#hasRead ? only : withIgnoredOptions(only, this.#dialect, this.#reading);
    this.#continueWith(only);
    return [noted];
  }

  #piecesOf(line: Line, rejection: Rejection): Pieces | undefined {
    return this.#isSpoiled ? undefined : this.#torn.piecesOf(line, rejection, this.#dialect);
  }

  /** Reads the whole objects of a torn line and rejects its fragments. */
  *#readPieces({ pieces, repairs }: Pieces): Generator<StreamElement> {
    yield* repairs;
    for (const { line, isWhole } of pieces) {
      if (isWhole || line.isOpen === true) yield* this.#line(line);
      else yield* this.#several(line, this.#read(line, this.#reader ?? this.#readerOf(native)));
    }
  }

  /** Ends the session; at the end of the source also yields what is still held. */
  sessionEnd(end: SessionEnd): Iterable<StreamElement> {
    if (!end.last) {
      this.#currentId = undefined;
      return [end];
    }
    const isHeld = this.#reader?.holds === true || this.#chooser.holds || this.#unread !== undefined;
    return isHeld ? this.#endWithRest(end) : [this.#endSource(end)];
  }

  #readerOf({ name, create }: Dialect): DialectReader {
    const reader = this.#readers.get(name) ?? create(this.#ownScanner, this.#reading);
    this.#readers.set(name, reader);
    reader.forget();
    return reader;
  }

  /** Creates a reader for sources with pairs of several APIs, which it recognises pair by pair. */
  #pairReader({ name }: Dialect): DialectReader {
    const others = this.#known.filter(isPairDialect).map((one) => [one.name, this.#readerOf(one)] as const);
    return new PairReader(name, new Map(others), this.#reading);
  }

  /** The reader of the source. Until the dialect is known, lines without an object are rejected by `native`. */
  #readerFor(line: Line, mayHold = true): DialectReader | 'held' | 'unknown' {
    if (this.#reader !== undefined) return this.#reader;
    if (this.#isUnknown) return 'unknown';
    const named = this.#fixed ?? this.#known.find(({ name }) => name === line.created?.dialect);
    const chosen = named ?? this.#found ?? this.#chooser.choose(line, mayHold);
    if (chosen === 'held' || chosen === 'unknown') return chosen;
    return chosen === undefined ? this.#readerOf(native) : this.#readAs(chosen, named !== undefined);
  }

  /** Reads the source as a dialect. @param isNamed whether the user, or the file, has named it */
  #readAs(dialect: Dialect, isNamed: boolean): DialectReader {
    const readsPairs = isPairDialect(dialect) && (!isNamed || isGathered(dialect));
    this.#reader = readsPairs ? this.#pairReader(dialect) : this.#readerOf(dialect);
    this.#dialect = dialect;
    return this.#reader;
  }

  #read(line: Line, by: DialectReader): LineObjects {
    this.#bareNumbers = this.#isSpoiled = false;
    const objects = by.read(line);
    if (!isNotJson(objects)) return objects;
    // all objects are read here, because the words are restored when this returns
    const again = readBareNumbers(STAGE, line, () => this.#bareReading(line));
    if (again === undefined) return objects;
    const { elements, length } = again;
    this.#bareNumbers = !isNotJson(elements);
    this.#isSpoiled = !this.#bareNumbers;
    const reader = this.#reader ?? by; // this line may have been the first to show the dialect
    const taken = reader.folds === true ? elements : (reader.gather?.(elements) ?? elements);
    return { length, [Symbol.iterator]: () => taken[Symbol.iterator]() };
  }

  /** Returns how to read a line whose NaN and Infinity were replaced. If the dialect folds lines, `apart` reads it as a log of one line. */
  #bareReading(line: Line): BareReading {
    const reader = this.#readerFor(line, false);
    const dialect = this.#dialect;
    if (typeof reader === 'string' || reader.folds !== true || dialect === undefined)
      return { apart: (one) => readApart(one, typeof reader === 'string' ? undefined : reader) };
    return {
      apart: (one) => {
        const alone = dialect.create(this.#ownScanner, this.#reading);
        const { elements, length } = wholeReading(alone.read(one));
        return { elements: [...elements, ...(alone.end?.() ?? [])], length };
      },
      take: (one) => wholeReading(reader.read(one)),
    };
  }

  #endsBefore({ sessionId, alone }: Entry): boolean {
    if (this.#currentId === undefined) return false;
    if (this.#currentAlone || alone === true) return true;
    return this.#sessionBy === 'run' && sessionId !== this.#currentId;
  }

  #continueWith({ sessionId, alone }: Entry): void {
    this.#hasRead = true;
    this.#currentId = sessionId;
    this.#currentAlone = alone === true;
    this.#begun?.opens(this.#currentAlone || this.#reader?.strays === true ? undefined : sessionId);
  }

  *#separate(element: ReadElement): Generator<StreamElement> {
    const noted = this.#hasRead ? element : withIgnoredOptions(element, this.#dialect, this.#reading);
    if (element.kind === 'entry') {
      if (this.#endsBefore(element)) yield endBefore(element.origin);
      this.#continueWith(element);
      yield* repairsOf(element);
    }
    yield noted;
  }

  *#several(line: Line, objects: LineObjects): Generator<StreamElement> {
    if (objects.length > 1)
      yield { kind: 'repair', repair: 'split-objects', origin: line.origin, count: objects.length - 1 };
    if (this.#bareNumbers) yield { kind: 'repair', repair: 'bare-nan', origin: line.origin, count: 1 };
    for (const element of objects) {
      const unread = element.kind === 'fate' ? (element.unread ?? []) : [];
      if (unread.length > 0 && !this.#hasRead) this.#unread ??= rejectUnread(line, unread);
      yield* this.#separate(this.#limits.bounded(line, element, objects.length === 1));
    }
  }

  /** Ends the source: rejects it if it is still unknown, or yields what the reader holds. */
  *#rest(): Generator<StreamElement> {
    const { holds, last } = this.#chooser;
    if (this.#reader === undefined && holds)
      yield* last === undefined ? this.#refuseSource() : this.#withHeld(undefined, this.#readAs(last, false));
    for (const element of this.#reader?.end?.() ?? [])
      yield* this.#separate(element.kind === 'entry' ? this.#limits.boundedFold(element) : element);
  }

  /** Rejects the source and all its lines, because no dialect recognises it. */
  *#refuseSource(line?: Line): Generator<StreamElement> {
    this.#isUnknown = true;
    yield* this.#chooser.refuse(line);
  }

  *#endWithRest(end: SessionEnd): Generator<StreamElement> {
    yield* this.#rest();
    if (this.#unread !== undefined && !this.#hasRead && this.#begun === undefined) yield this.#unread;
    yield this.#endSource(end);
  }

  #endSource({ kind, origin, last }: SessionEnd): SessionEnd {
    const end = { kind, origin, last, dialect: this.#dialect?.name };
    this.#reader = this.#currentId = this.#dialect = this.#unread = undefined;
    this.#isUnknown = this.#hasRead = this.#hasTimes = false;
    return end;
  }

  /** Reads the held lines once the source's dialect is known, and then a line, if there is one. */
  *#withHeld(line: Line | undefined, by: DialectReader): Generator<StreamElement> {
    for (const held of this.#chooser.take()) yield* this.#readBy(held, by);
    if (line !== undefined) yield* this.#readBy(line, by);
  }
}

function create(options: ParseOptions): Handlers {
  const lines = new ShippedLines(options, new Parser(options));
  return { line: (line) => lines.line(line), 'session-end': (end) => lines.sessionEnd(end) };
}

const repairsOf = ({ repairs = [], origin }: Entry): readonly Repair[] =>
  repairs.map((repair) => ({ kind: 'repair', repair, origin, count: 1 }));

const blank = (line: Line): Fate => ({ kind: 'fate', fate: 'blank', origin: line.origin });

/** Ends a session directly before an element. */
export const endBefore = (origin: Origin): SessionEnd => ({
  kind: 'session-end',
  origin: { ...origin, length: 0 },
  last: false,
});

export const parse: Stage<ParseOptions> = {
  name: STAGE,
  summary: 'Reads each line in the dialect of its source, or rejects it with the position of the error.',
  options,
  takes: 'line',
  create,
};
