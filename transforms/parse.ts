/**
 * Stage: line -> entry, through a dialect. Blank lines get their fate here, bad ones are rejected with their position,
 * and for grouped input the session ends where its id changes (conversion.md §2, §8).
 */
import { isNotJson, readBareNumbers } from './bare-numbers.ts';
import type { Dialect, DialectReader } from './dialects/dialect.ts';
import { dialects } from './dialects/index.ts';
import { rejectObject } from './dialects/line-objects.ts';
import type { Entry, Fate, Line, Origin, Rejection, SessionEnd, StreamElement } from './element.ts';
import { knownText } from './json/known-text.ts';
import { walkMembers } from './json/members.ts';
import { createPlainScanner, MAX_DEPTH, type Scanner, skipBlanks } from './json/scanner.ts';
import { createScanner, SCANNERS, type ScannerName } from './json/scanners.ts';
import { rejectLine } from './rejection.ts';
import type { Handlers, OptionSpecs, Stage } from './stage.ts';

export interface ParseOptions {
  readonly dialect: string;
  readonly sessionBy: 'file' | 'id';
  readonly scanner: ScannerName;
  readonly userTurn: string | undefined;
  readonly maxDepth: number;
  /** Undefined: any number. */
  readonly maxMessages: number | undefined;
}

const STAGE = 'parse';

const options: OptionSpecs<ParseOptions> = {
  dialect: {
    describe: 'How the log is read; auto looks at the first entry of each source',
    default: 'auto',
    choices: ['auto', ...dialects.map((dialect) => dialect.name)],
  },
  sessionBy: {
    describe:
      'A session is a source, or a run of entries with the same id; one whose id comes back is rejected',
    default: 'file',
    choices: ['file', 'id'],
  },
  scanner: {
    describe: 'How new text is validated: auto takes WebAssembly where it can; the result is the same',
    default: 'auto',
    choices: SCANNERS,
  },
  userTurn: {
    describe:
      'What the user said before each response that was logged without its request (dialect anthropic)',
    default: undefined,
  },
  maxDepth: {
    describe: 'A line that nests deeper is rejected',
    default: MAX_DEPTH,
  },
  maxMessages: {
    describe: 'An entry of more messages is rejected, its reply counted',
    default: undefined,
  },
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
): Dialect | undefined {
  const first = skipBlanks(line, 0);
  if (line[first] !== OPEN_OBJECT) return undefined;
  const members = new Map<string, Uint8Array>();
  const end = walkMembers(line, first, scanner, (start, keyEnd, value) => {
    const valueEnd = scanner.value(line, value, 1);
    if (valueEnd >= 0) members.set(knownText(line, start, keyEnd), line.subarray(value, valueEnd));
    return valueEnd;
  });
  return end < 0 ? undefined : asked.find((dialect) => dialect.detect(members));
}

function create(given: ParseOptions): Handlers {
  const { dialect: wanted, sessionBy, scanner, userTurn, maxDepth, maxMessages } = given;
  const readers = new Map<string, DialectReader>();
  const ownScanner = createScanner(scanner, maxDepth);
  const fixed = dialects.find((dialect) => dialect.name === wanted);
  if (fixed === undefined && wanted !== 'auto') throw new RangeError(`there is no dialect '${wanted}'`);
  let reader: DialectReader | undefined; // of the current source
  let currentId: string | undefined; // of the current session
  let currentAlone = false; // is it a session of one entry?
  let bareNumbers = false; // has the current line NaN or Infinity in values that are not read?

  function readerOf({ name, create }: Dialect): DialectReader {
    const known = readers.get(name) ?? create(ownScanner, { userTurn });
    readers.set(name, known);
    known.forget();
    return known;
  }

  /** A line without an entry is rejected by the native dialect, and the next one is asked. */
  function readerFor({ bytes, made }: Line): DialectReader {
    const known = fixed ?? dialects.find(({ name }) => name === made?.dialect);
    const dialect = known ?? detectDialect(bytes, ownScanner);
    if (dialect === undefined) return readerOf(native);
    reader = readerOf(dialect);
    return reader;
  }

  const readStrictly = (line: Line): readonly (Entry | Rejection)[] => (reader ?? readerFor(line)).read(line);

  function read(line: Line): readonly (Entry | Rejection)[] {
    const made = readStrictly(line);
    if (!isNotJson(made)) return made;
    const again = readBareNumbers(STAGE, line, readStrictly);
    bareNumbers = again !== undefined && !isNotJson(again);
    return again ?? made;
  }

  /** What was read of a line, without the entries of too many messages. */
  function bounded(line: Line): readonly (Entry | Rejection)[] {
    bareNumbers = false;
    const made = read(line);
    if (maxMessages === undefined) return made;
    return made.map((element) => {
      const count = element.kind === 'entry' ? messagesOf(element) : 0;
      if (count <= maxMessages) return element;
      const detail = `${count} messages, the limit is ${maxMessages}`;
      return made.length === 1
        ? rejectLine(STAGE, line, 'too-many-messages', detail)
        : rejectObject(line, element.origin, 'too-many-messages', detail, -1);
    });
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

  function* separate(element: Entry | Rejection): Generator<StreamElement> {
    if (element.kind === 'entry') {
      if (parts(element)) yield endBefore(element.origin);
      goOn(element);
    }
    yield element;
  }

  function* several(line: Line, made: readonly (Entry | Rejection)[]): Generator<StreamElement> {
    if (made.length > 1) {
      yield { kind: 'repair', repair: 'split-objects', origin: line.origin, count: made.length - 1 };
    }
    if (bareNumbers) yield { kind: 'repair', repair: 'bare-nan', origin: line.origin, count: 1 };
    for (const element of made) yield* separate(element);
  }

  return {
    line(line) {
      if (skipBlanks(line.bytes, 0) >= line.bytes.length) return [blank(line)];
      const made = bounded(line);
      const only = made.length === 1 ? made[0] : undefined;
      if (only?.kind !== 'entry' || bareNumbers || parts(only)) return several(line, made);
      goOn(only);
      return made;
    },
    'session-end'(end) {
      if (end.last) reader = currentId = undefined;
      return [end];
    },
  };
}

const messagesOf = ({ messages, reply }: Entry): number => messages.length + (reply === undefined ? 0 : 1);

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
