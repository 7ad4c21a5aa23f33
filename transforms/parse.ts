/**
 * Stage: line -> entry, through a dialect. Blank lines get their fate here, bad ones are rejected with their position,
 * and for grouped input the session ends where its id changes (conversion.md §2, §8).
 */
import type { Dialect, DialectReader } from './dialects/dialect.ts';
import { dialects } from './dialects/index.ts';
import type { Entry, Fate, Line, Origin, Rejection, SessionEnd, StreamElement } from './element.ts';
import { skipBlanks } from './json/scanner.ts';
import { createScanner, SCANNERS, type ScannerName } from './json/scanners.ts';
import type { Handlers, OptionSpecs, Stage } from './stage.ts';

export interface ParseOptions {
  readonly dialect: string;
  readonly sessionBy: 'file' | 'id';
  readonly scanner: ScannerName;
}

const options: OptionSpecs<ParseOptions> = {
  dialect: {
    describe: 'How the log is read; auto looks at the first entry of each source',
    default: 'auto',
    choices: ['auto', ...dialects.map((dialect) => dialect.name)],
  },
  sessionBy: {
    describe: 'A session is a source, or a run of entries with the same id',
    default: 'file',
    choices: ['file', 'id'],
  },
  scanner: {
    describe: 'How new text is validated: auto takes WebAssembly where it can; the result is the same',
    default: 'auto',
    choices: SCANNERS,
  },
};

/** The dialect of a source whose first line is `line`: the first one that knows it, else the native one. */
export function detectDialect(line: Uint8Array): Dialect {
  return dialects.find((dialect) => dialect.detect(line)) ?? (dialects[0] as Dialect);
}

function create({ dialect: wanted, sessionBy, scanner }: ParseOptions): Handlers {
  const readers = new Map<string, DialectReader>();
  const fixed = dialects.find((dialect) => dialect.name === wanted);
  if (fixed === undefined && wanted !== 'auto') throw new RangeError(`there is no dialect '${wanted}'`);
  let reader: DialectReader | undefined; // of the current source
  let currentId: string | undefined; // of the current session, for sessionBy: id

  function readerFor(line: Uint8Array): DialectReader {
    const { name, create } = fixed ?? detectDialect(line);
    const known = readers.get(name) ?? create(createScanner(scanner));
    readers.set(name, known);
    known.forget();
    return known;
  }

  function* separate(element: Entry | Rejection): Generator<StreamElement> {
    if (element.kind === 'entry') {
      if (currentId !== undefined && currentId !== element.sessionId) yield endBefore(element.origin);
      currentId = element.sessionId;
    }
    yield element;
  }

  function* several(line: Line, made: readonly (Entry | Rejection)[]): Generator<StreamElement> {
    if (made.length > 1) {
      yield { kind: 'repair', repair: 'split-objects', origin: line.origin, count: made.length - 1 };
    }
    if (sessionBy === 'file') yield* made;
    else for (const element of made) yield* separate(element);
  }

  return {
    line(line) {
      if (skipBlanks(line.bytes, 0) >= line.bytes.length) return [blank(line)];
      reader ??= readerFor(line.bytes);
      const made = reader.read(line);
      if (made.length === 1 && sessionBy === 'file') return made;
      return several(line, made);
    },
    'session-end'(end) {
      if (end.last) reader = currentId = undefined;
      return [end];
    },
  };
}

const blank = (line: Line): Fate => ({ kind: 'fate', fate: 'blank', origin: line.origin });

const endBefore = (origin: Origin): SessionEnd => ({
  kind: 'session-end',
  origin: { ...origin, length: 0 },
  last: false,
});

export const parse: Stage<ParseOptions> = {
  name: 'parse',
  summary: 'Reads each line as a logged request/response pair, or rejects it with its position.',
  options,
  create,
};
