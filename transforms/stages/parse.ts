/**
 * Stage: line -> entry, through a dialect. Blank lines get their fate here, bad ones are rejected with their position,
 * and for grouped input the session ends where its id changes.
 */

import type { Dialect, DialectReader, LineObjects, ReadElement } from '../dialects/dialect.ts';
import { dialects } from '../dialects/index.ts';
import { rejectObject } from '../dialects/line-objects.ts';
import { createCountingScanner, elementsIn, MAX_ELEMENTS, mayExceed, mostInAll } from '../json/elements.ts';
import { knownText } from '../json/known-text.ts';
import { walkMembers } from '../json/members.ts';
import { ANY_NUMBER, createPlainScanner, MAX_DEPTH, type Scanner, skipBlanks } from '../json/scanner.ts';
import { createScanner, SCANNERS, type ScannerName } from '../json/scanners.ts';
import type { Entry, Fate, Line, Origin, Repair, SessionEnd, StreamElement } from '../model/element.ts';
import { perObject } from '../model/per-message.ts';
import { type LineReason, rejectLine } from '../model/rejection.ts';
import type { Handlers, OptionSpecs, Stage } from '../stage.ts';
import { isNotJson, readBareNumbers } from './bare-numbers.ts';

export interface ParseOptions {
  readonly dialect: string;
  readonly sessionBy: 'file' | 'id';
  readonly scanner: ScannerName;
  readonly userTurn: string | undefined;
  readonly maxDepth: number;
  /** Undefined: any number. */
  readonly maxMessages: number | undefined;
  /** Of any one array or object, and of the objects of a line. */
  readonly maxElements: number;
  /** Dialects beside the built-in ones, asked before them. */
  readonly dialects?: readonly Dialect[];
}

const STAGE = 'parse';

const options: OptionSpecs<ParseOptions> = {
  dialect: {
    describe: 'Read the log in this dialect; auto looks at the first entry of each source',
    default: 'auto',
    choices: ['auto', ...dialects.map((dialect) => dialect.name)],
  },
  sessionBy: {
    describe:
      'Treat each file as a session, or each run of entries with the same id; an id that comes back is rejected',
    default: 'file',
    choices: ['file', 'id'],
  },
  scanner: {
    describe: 'Validate new text with WebAssembly where possible (auto), or without; the result is the same',
    default: 'auto',
    choices: SCANNERS,
  },
  userTurn: {
    describe:
      'Put this user message before each response that was logged without its request (dialect anthropic)',
    default: undefined,
  },
  maxDepth: {
    describe: 'Reject a line that nests deeper',
    default: MAX_DEPTH,
  },
  maxMessages: {
    describe: 'Reject an entry with more messages, its reply included',
    default: undefined,
  },
  maxElements: {
    describe: 'Reject a line with more objects, or with more elements in one array or object',
    default: MAX_ELEMENTS,
  },
  dialects: { describe: 'Dialects beside the built-in ones, asked before them', default: [] },
};

const OPEN_OBJECT = 0x7b;

/** Those that know almost anything: asked last, in this order, when no other dialect knows the entry. */
const ASKED_LAST = ['messages', 'exchange'];
const place = ({ name }: Dialect): number => ASKED_LAST.indexOf(name);
const asked = dialects.toSorted((a, b) => place(a) - place(b));
const native = asked.at(-1) as Dialect;

/** The dialect of a source whose first entry is in `line`; undefined when the line holds none. */
export function detectDialect(
  line: Uint8Array,
  scanner: Scanner = createPlainScanner(),
  more: readonly Dialect[] = [],
): Dialect | undefined {
  const first = skipBlanks(line, 0);
  if (line[first] !== OPEN_OBJECT) return undefined;
  const members = new Map<string, Uint8Array>();
  const end = walkMembers(line, first, scanner, (start, keyEnd, value) => {
    const valueEnd = scanner.value(line, value, 1);
    if (valueEnd >= 0) members.set(knownText(line, start, keyEnd), line.subarray(value, valueEnd));
    return valueEnd;
  });
  if (end < 0) return undefined;
  const detects = (dialect: Dialect): boolean => dialect.detect(members);
  return more.find(detects) ?? asked.find(detects);
}

function create(given: ParseOptions): Handlers {
  const { dialect: wanted, sessionBy, scanner, userTurn, maxDepth, maxMessages, maxElements } = given;
  const { dialects: more = [] } = given;
  const known = [...more, ...dialects];
  const readers = new Map<string, DialectReader>();
  const ownScanner = createCountingScanner(createScanner(scanner, maxDepth), maxElements);
  const fixed = known.find((dialect) => dialect.name === wanted);
  if (fixed === undefined && wanted !== 'auto') throw new RangeError(`unknown dialect '${wanted}'`);
  let reader: DialectReader | undefined; // of the current source
  let currentId: string | undefined; // of the current session
  let currentAlone = false; // is it a session of one entry?
  let bareNumbers = false; // has the current line NaN or Infinity in values that are not read?

  function readerOf({ name, create }: Dialect): DialectReader {
    const made = readers.get(name) ?? create(ownScanner, { userTurn });
    readers.set(name, made);
    made.forget();
    return made;
  }

  /** A line without an entry is rejected by the native dialect, and the next one is asked. */
  function readerFor({ bytes, made }: Line): DialectReader {
    const named = fixed ?? known.find(({ name }) => name === made?.dialect);
    const dialect = named ?? detectDialect(bytes, ownScanner, more);
    if (dialect === undefined) return readerOf(native);
    reader = readerOf(dialect);
    return reader;
  }

  const readStrictly = (line: Line): LineObjects => (reader ?? readerFor(line)).read(line);

  function read(line: Line): LineObjects {
    bareNumbers = false;
    const made = readStrictly(line);
    if (!isNotJson(made)) return made;
    // as a whole: the words are in their places again when the next object would be read
    const again = readBareNumbers(STAGE, line, (one) => [...readStrictly(one)]);
    bareNumbers = again !== undefined && !isNotJson(again);
    return again ?? made;
  }

  /** Why an entry of the line is not taken, though it could be read. */
  function excessOf(entry: Entry, mayBeCrowded: boolean): readonly [LineReason, string] | undefined {
    const count = messagesOf(entry);
    if (maxMessages !== undefined && count > maxMessages)
      return ['too-many-messages', `${count} messages, over the limit of ${maxMessages}`];
    if (!mayBeCrowded || elementsOfEntry(entry) <= mostInAll(maxElements)) return undefined;
    const all = `messages, tools and reply have more than ${mostInAll(maxElements)} elements in all`;
    return ['too-many-elements', all];
  }

  function bounded(line: Line, element: ReadElement, isOnly: boolean): ReadElement {
    const mayBeCrowded = mayExceed(element.origin.length, mostInAll(maxElements));
    if (element.kind !== 'entry' || (maxMessages === undefined && !mayBeCrowded)) return element;
    const excess = excessOf(element, mayBeCrowded);
    if (excess === undefined) return element;
    const [reason, detail] = excess;
    return isOnly
      ? rejectLine(STAGE, line, reason, detail)
      : rejectObject(line, element.origin, reason, detail, -1);
  }

  /** Does the session that is open end before this entry? */
  function parts({ sessionId, alone }: Entry): boolean {
    if (currentId === undefined) return false;
    return currentAlone || alone === true || (sessionBy === 'id' && sessionId !== currentId);
  }

  function goOn({ sessionId, alone }: Entry): void {
    currentId = sessionId;
    currentAlone = alone === true;
  }

  function* separate(element: ReadElement): Generator<StreamElement> {
    if (element.kind === 'entry') {
      if (parts(element)) yield endBefore(element.origin);
      goOn(element);
    }
    if (element.kind === 'entry') yield* repairsOf(element);
    yield element;
  }

  function* several(line: Line, made: LineObjects): Generator<StreamElement> {
    if (made.length > 1)
      yield { kind: 'repair', repair: 'split-objects', origin: line.origin, count: made.length - 1 };
    if (bareNumbers) yield { kind: 'repair', repair: 'bare-nan', origin: line.origin, count: 1 };
    for (const element of made) yield* separate(bounded(line, element, made.length === 1));
  }

  return {
    line(line) {
      if (skipBlanks(line.bytes, 0) >= line.bytes.length) return [blank(line)];
      const made = read(line);
      if (made.length > 1) return several(line, made);
      const [one] = made as readonly [ReadElement];
      const only = bounded(line, one, true);
      if (only.kind !== 'entry' || only.repairs !== undefined || bareNumbers || parts(only))
        return several(line, [only]);
      goOn(only);
      return [only];
    },
    'session-end'(end) {
      if (end.last) reader = currentId = undefined;
      return [end];
    },
  };
}

const messagesOf = ({ messages, reply }: Entry): number => messages.length + (reply === undefined ? 0 : 1);

const repairsOf = ({ repairs = [], origin }: Entry): readonly Repair[] =>
  repairs.map((repair) => ({ kind: 'repair', repair, origin, count: 1 }));

/** In a message or a tool, at all levels. */
const elementsWithin = perObject(({ bytes }: { readonly bytes: Uint8Array }) =>
  elementsIn(bytes, 0, bytes.length, ANY_NUMBER),
);

/** The elements that all messages and tools of an entry hold. */
function elementsOfEntry({ messages, tools, reply }: Entry): number {
  let count = reply === undefined ? 0 : elementsWithin(reply);
  for (const message of messages) count += elementsWithin(message);
  for (const tool of tools) count += elementsWithin(tool);
  return count;
}

const blank = (line: Line): Fate => ({ kind: 'fate', fate: 'blank', origin: line.origin });

const endBefore = (origin: Origin): SessionEnd => ({
  kind: 'session-end',
  origin: { ...origin, length: 0 },
  last: false,
});

export const parse: Stage<ParseOptions> = {
  name: STAGE,
  summary: 'Reads each line as a logged request/response pair, or rejects it with its position.',
  options,
  create,
};
