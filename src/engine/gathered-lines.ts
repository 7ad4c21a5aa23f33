/**
 * Gathers the lines of a source by session (`--session-by id`): holds them until the source ends, and then yields each
 * session as a whole, in the order of the first entries, its lines by time. The stages then read sessions that follow
 * each other. Dialects that gather or fold lines by themselves get them as they come.
 */
import { rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Dialect } from '../../transforms/dialects/dialect.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import { copyOf } from '../../transforms/json/keep.ts';
import { createScanner } from '../../transforms/json/wasm-scanner.ts';
import type { Line, StreamElement } from '../../transforms/model/element.ts';
import { IdTable } from '../../transforms/model/id-table.ts';
import { DialectChooser } from '../../transforms/stages/choose-dialect.ts';
import { WORK_FILES } from '../dataset/layout.ts';
import { UnlinkedFile } from '../dataset/unlinked-file.ts';
import { io } from '../errors.ts';
import { SHORTCUT_DIALECT } from '../ledger/source-ledger.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { createTemporaryFolder, removeLeftovers } from '../temporary-folder.ts';
import { LineSorter, type ReadAt, type RoomFor } from './line-sorter.ts';
import { type KeyedPart, type SessionKey, SessionKeys } from './session-keys.ts';
import type { SortKey } from './sorted-rows.ts';

/** Bytes of lines that are held in memory. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Lines that may wait for one that shows the dialect; later ones are not gathered. */
const MAX_WAITING_LINES = 64;
const MAX_WAITING_BYTES = 256 * 1024;
const NANOS = 1_000_000_000n;

export class GatheredLines {
  readonly #settings: TaskSettings;
  readonly #maxBytes: number;
  /** By the dialect of the source. */
  readonly #keys = new Map<string, SessionKeys>();

  // state of the current source
  #source = '';
  #readAt: ReadAt | undefined;
  /** Undefined once the dialect of the source is known. */
  #chooser: DialectChooser | undefined;
  /** The lines so far, until then. */
  #waiting: Line[] = [];
  #waitingBytes = 0;
  /** Undefined if the lines of the source are not gathered, or it is not known yet whether they are. */
  #reads: SessionKeys | undefined;
  #sorter: LineSorter | undefined;
  readonly #sessions = new SessionTimes();
  /** The session of the last entry. */
  #session = 0;

  constructor(settings: TaskSettings, maxBytes: number = MAX_HELD_BYTES) {
    this.#settings = settings;
    this.#maxBytes = maxBytes;
  }

  /** Starts a source. @param readAt reads it at a position; then long lines are not kept, but read again */
  begin(source: string, readAt?: ReadAt): void {
    const { dialect, maxDepth, maxElements, plugIns } = this.#settings;
    this.forget();
    this.#source = source;
    this.#readAt = readAt;
    const named = [...plugIns.dialects, ...dialects].find(({ name }) => name === dialect);
    if (named !== undefined) this.#choose(named);
    else this.#chooser = new DialectChooser(createScanner(maxDepth, maxElements), plugIns.dialects);
  }

  /** Holds lines that are gathered. @returns the elements that are not */
  *take(elements: Iterable<StreamElement>): Generator<StreamElement> {
    for (const element of elements) {
      if (this.#chooser !== undefined) yield* this.#takeFirst(element, this.#chooser);
      else if (this.#reads === undefined) yield element;
      else yield* this.#hold(element, this.#reads);
    }
  }

  /**
   * Ends the source. Yields the lines that were held; `take` passes them.
   * @param roomFor memory for a line; valid until the next one
   */
  *rest(roomFor: RoomFor): Generator<StreamElement> {
    const waiting = this.#takeWaiting();
    this.#chooser = this.#reads = undefined;
    yield* waiting;
    if (this.#sorter !== undefined) yield* this.#sorter.sorted(roomFor);
    this.forget();
  }

  /** Drops everything that is held. */
  forget(): void {
    this.#sorter?.close();
    this.#chooser = this.#reads = this.#sorter = undefined;
    this.#takeWaiting();
    this.#sessions.clear();
    this.#session = 0;
  }

  /** Takes an element of a source whose dialect is not known yet. */
  *#takeFirst(element: StreamElement, chooser: DialectChooser): Generator<StreamElement> {
    if (element.kind !== 'line') {
      yield element;
      return;
    }
    const named = dialects.find(({ name }) => name === element.created?.dialect);
    const found = named ?? chooser.choose(element);
    if (found === 'held' || found === undefined) {
      this.#waiting.push({ ...element, bytes: copyOf(element.bytes) });
      this.#waitingBytes += element.bytes.length;
      const isFull = this.#waiting.length > MAX_WAITING_LINES || this.#waitingBytes > MAX_WAITING_BYTES;
      if (isFull) yield* this.#takeWaiting();
      return;
    }
    this.#chooser = undefined;
    if (found !== 'unknown') this.#choose(found);
    yield* this.take([...this.#takeWaiting(), element]);
  }

  #takeWaiting(): readonly Line[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return waiting;
  }

  #choose(dialect: Dialect): void {
    if (!this.#isRead(dialect)) return;
    const { name } = dialect;
    this.#reads = this.#keys.get(name) ?? new SessionKeys(this.#settings, name);
    this.#keys.set(name, this.#reads);
    const openFile = (): UnlinkedFile => openWorkFile(this.#settings.workFolder);
    const [source, maxBytes, readAt] = [this.#source, this.#maxBytes, this.#readAt];
    this.#sorter = new LineSorter({ source, maxBytes, readAt, openFile });
  }

  /** Whether each line of a dialect is an entry. Only `exchange` is such a built-in dialect; the others gather or fold lines. */
  #isRead(dialect: Dialect): boolean {
    if (dialect.name === SHORTCUT_DIALECT) return true;
    return this.#settings.plugIns.dialects.includes(dialect) && dialect.create().holds !== true;
  }

  /** Holds an element; yields it if the framing created its bytes, which differ from those of the source. */
  *#hold(element: StreamElement, keys: SessionKeys): Generator<StreamElement> {
    if (element.kind !== 'line') this.#add(element, undefined);
    else if (element.created !== undefined) yield element;
    else {
      const parts = keys.partsOf(element);
      if (parts.length === 1) this.#add(element, parts[0]?.key);
      else yield* this.#split(element, parts);
    }
  }

  /** Holds the parts of a line as lines. */
  *#split(line: Line, parts: readonly KeyedPart[]): Generator<StreamElement> {
    const { bytes, origin } = line;
    yield { kind: 'repair', repair: 'split-objects', origin, count: parts.length - 1 };
    for (const [i, { start, key }] of parts.entries()) {
      const end = parts[i + 1]?.start;
      const part = bytes.subarray(start, end);
      const place = { ...origin, offset: origin.offset + start, length: part.length };
      const { isOpen: _open, ...inside } = line;
      this.#add({ ...(end === undefined ? line : inside), origin: place, bytes: part }, key);
    }
  }

  /** @param key undefined for an element without an entry, which stays after the last entry before it */
  #add(element: StreamElement, key: SessionKey | undefined): void {
    if (key !== undefined) this.#session = this.#sessions.see(key);
    this.#sorter?.add(element, this.#sessions.keyOf(this.#session));
  }
}

/** The numbers of the sessions of a source, and the time of the last entry of each. */
class SessionTimes {
  readonly #ids = new IdTable();
  #seconds = new Float64Array(0);
  #nanos = new Int32Array(0);

  /** Notes an entry. Without a time it has that of the entry before it. @returns the number of its session */
  see({ sessionId, timestamp }: SessionKey): number {
    const known = this.#ids.size;
    const session = this.#ids.add(sessionId);
    if (session >= this.#seconds.length) this.#grow(session + 1);
    if (session === known) this.#seconds[session] = Number.NEGATIVE_INFINITY;
    if (timestamp !== undefined) {
      this.#seconds[session] = Number(timestamp / NANOS);
      this.#nanos[session] = Number(timestamp % NANOS);
    }
    return session;
  }

  keyOf(session: number): SortKey {
    const seconds = this.#seconds[session] ?? Number.NEGATIVE_INFINITY;
    return { session, seconds, nanos: this.#nanos[session] ?? 0 };
  }

  clear(): void {
    this.#ids.clear();
    this.#seconds = new Float64Array(0);
    this.#nanos = new Int32Array(0);
  }

  #grow(needed: number): void {
    const length = Math.max(needed, 1024, Math.ceil(this.#seconds.length * 1.5));
    const [seconds, nanos] = [new Float64Array(length), new Int32Array(length)];
    seconds.set(this.#seconds);
    nanos.set(this.#nanos);
    this.#seconds = seconds;
    this.#nanos = nanos;
  }
}

/** Creates a file for held lines. @param folder that of the run; undefined for a private temporary one */
function openWorkFile(folder: string | undefined): UnlinkedFile {
  if (folder !== undefined) return new UnlinkedFile(join(folder, `${WORK_FILES.gathered}-${threadId}`));
  removeLeftovers();
  const path = join(temporaryFolder(), 'lines');
  try {
    return new UnlinkedFile(path);
  } finally {
    rmdirSync(dirname(path)); // the file in it has no name any more
  }
}

const temporaryFolder = (): string => io('make', 'a temporary folder', () => createTemporaryFolder('gather'));
