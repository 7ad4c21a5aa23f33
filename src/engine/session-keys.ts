/**
 * Reads the session and the time of a line, so that lines can be gathered by session before they are read. A line that
 * is certain to be one entry of the dialect `exchange` is read up to these two members; any other line is parsed.
 */

import { OPEN_OBJECT } from '../../transforms/json/bytes.ts';
import { isKey, textAt, walkMembers } from '../../transforms/json/members.ts';
import type { Scanner } from '../../transforms/json/scanner.ts';
import { encode } from '../../transforms/json/utf8.ts';
import { createScanner } from '../../transforms/json/wasm-scanner.ts';
import type { Entry, Line } from '../../transforms/model/element.ts';
import { timeIn } from '../../transforms/model/timestamp.ts';
import { type Handlers, step } from '../../transforms/stage.ts';
import { SHORTCUT_DIALECT } from '../ledger/source-ledger.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { createParse } from './chain.ts';

export type SessionKey = Pick<Entry, 'sessionId' | 'timestamp'>;

/** A part of a line whose entries are of one session. */
export interface KeyedPart {
  /** Index of its first byte in the line. */
  readonly start: number;
  /** Undefined if it has no entry. */
  readonly key: SessionKey | undefined;
}

const ID = 'session_id';
const ID_KEY = encode(`"${ID}"`);
/** The end of the key. It begins with a rare character, for which the search of V8 is ten times as fast. */
const ID_END = encode('_id"');
const { indexOf } = Buffer.prototype;

export class SessionKeys {
  readonly #scanner: Scanner;
  /** Parses lines one by one. */
  readonly #parse: Handlers;
  readonly #isPlain: boolean;

  // about the line that is read
  #sessionId: string | undefined;
  #timestamp: bigint | undefined;
  #afterId = 0;

  /** @param dialect name of the dialect of the source */
  constructor(settings: TaskSettings, dialect: string) {
    const { maxDepth, maxElements } = settings;
    this.#scanner = createScanner(maxDepth, maxElements);
    this.#parse = createParse(settings, 'run', { dialect, opens: () => undefined });
    this.#isPlain = dialect === SHORTCUT_DIALECT;
  }

  /** The parts of a line, at least one; those after the first one begin with an entry of another session. */
  partsOf(line: Line): readonly KeyedPart[] {
    const key = this.#isPlain ? this.#plainKey(line.bytes) : undefined;
    return key === undefined ? this.#parsed(line) : [{ start: 0, key }];
  }

  /** The key of a line with a single entry; undefined if that is not certain. */
  #plainKey(bytes: Uint8Array): SessionKey | undefined {
    if (bytes[0] !== OPEN_OBJECT) return undefined;
    this.#sessionId = this.#timestamp = undefined;
    walkMembers(bytes, 0, this.#scanner, this.#inLine);
    const [sessionId, timestamp] = [this.#sessionId as string | undefined, this.#timestamp];
    if (!sessionId || timestamp === undefined) return undefined;
    // another one may be of another entry on the line, after a lost or torn line end
    return hasId(bytes, this.#afterId) ? undefined : { sessionId, timestamp };
  }

  /** Ends the walk once both members were read. */
  readonly #inLine = (start: number, end: number, value: number, bytes: Uint8Array): number => {
    const after = this.#scanner.value(bytes, value, 1);
    if (after < 0) return -1;
    if (isKey(bytes, start, end, ID)) {
      this.#sessionId = textAt(bytes, value, after);
      this.#afterId = end;
    } else if (isKey(bytes, start, end, 'timestamp')) this.#timestamp = timeIn(bytes, value, after);
    return this.#sessionId === undefined || this.#timestamp === undefined ? after : -1;
  };

  #parsed(line: Line): readonly KeyedPart[] {
    const { source, line: number, offset, length } = line.origin;
    const parts: KeyedPart[] = [{ start: 0, key: undefined }];
    const see = (entry: Entry): void => {
      const { sessionId, timestamp, origin } = entry;
      const last = parts.at(-1) as KeyedPart;
      if (last.key === undefined)
        parts[parts.length - 1] = { start: last.start, key: { sessionId, timestamp } };
      else if (last.key.sessionId !== sessionId)
        parts.push({ start: origin.offset - offset, key: { sessionId, timestamp } });
    };
    for (const element of step(this.#parse, line)) if (element.kind === 'entry') see(element);
    const end = { source, line: number, offset: offset + length, length: 0 };
    for (const element of step(this.#parse, { kind: 'session-end', origin: end, last: true }))
      if (element.kind === 'entry') see(element);
    return parts;
  }
}

/** Does the key `session_id` occur at or after `from`, in any object? */
function hasId(bytes: Uint8Array, from: number): boolean {
  const before = ID_KEY.length - ID_END.length;
  for (let at = indexOf.call(bytes, ID_END, from); at >= 0; at = indexOf.call(bytes, ID_END, at + 1)) {
    const start = at - before;
    if (start >= from && ID_KEY.every((byte, i) => bytes[start + i] === byte)) return true;
  }
  return false;
}
