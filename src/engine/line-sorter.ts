/**
 * Sorts the lines of a source by session and time in bounded memory: an external merge sort. Lines are collected up to a
 * limit, then written to a file in order, and at the end these runs are merged. Equal keys keep the order of the source,
 * so that the result does not depend on the limit.
 */
import { crc32 } from 'node:zlib';
import type { StreamElement } from '../../transforms/model/element.ts';
import { notAsWritten } from '../dataset/fs-faults.ts';
import type { UnlinkedFile } from '../dataset/unlinked-file.ts';
import { SourceFault } from '../errors.ts';
import {
  compareKeys,
  elementOf,
  HEADER_BYTES,
  payloadOf,
  type Row,
  SortedRows,
  type SortKey,
} from './sorted-rows.ts';

const FIRST_BYTES = 256 * 1024;
/** Bytes that are read from, or written to, a run at once. A longer line is read and written directly. */
const WINDOW_BYTES = 64 * 1024;
/** More runs are merged into one: each needs a window. */
const MAX_RUNS = 512;
/** Lines from this length on are read again, if the source can be: a system call takes as long as copying it. */
const READ_FROM_BYTES = 1024;
const NO_BYTES = new Uint8Array(0);
const NO_ROWS = new SortedRows(NO_BYTES);

/** Returns memory for a line; valid until the next call. */
export type RoomFor = (bytes: number) => Uint8Array;

/** Fills `room` with the bytes at a position of the source. @returns how many there are */
export type ReadAt = (position: number, room: Uint8Array) => number;

/** A sorted part of the file. */
interface Run {
  readonly start: number;
  readonly end: number;
}

export interface LineSorterOptions {
  /** Name of the source. */
  readonly source: string;
  /** Bytes that are held in memory. */
  readonly maxBytes: number;
  /** Reads a source that can be read again. */
  readonly readAt?: ReadAt | undefined;
  /** Creates the file for lines beyond that. */
  readonly openFile: () => UnlinkedFile;
}

export class LineSorter {
  readonly #options: LineSorterOptions;
  #rows = NO_ROWS;
  #used = 0;
  /** Where each row in memory begins. */
  #starts: number[] = [];
  #file: UnlinkedFile | undefined;
  #runs: Run[] = [];

  constructor(options: LineSorterOptions) {
    this.#options = options;
  }

  /** Adds a line, or another element without bytes. */
  add(element: StreamElement, key: SortKey): void {
    const isRead = this.#options.readAt !== undefined && element.kind === 'line';
    const payload = isRead && element.bytes.length >= READ_FROM_BYTES ? NO_BYTES : payloadOf(element);
    const length = HEADER_BYTES + payload.length;
    if (this.#used > 0 && this.#used + length > this.#options.maxBytes) this.#spill();
    if (this.#used + length > this.#rows.bytes.length) this.#grow(this.#used + length);
    this.#rows.write(this.#used, element, key, payload);
    this.#starts.push(this.#used);
    this.#used += length;
    // a giant line does not stay in memory
    if (length > this.#options.maxBytes) this.#spill();
  }

  /** Yields all elements in order, and frees them. @param roomFor memory for the line that is yielded */
  *sorted(roomFor: RoomFor): Generator<StreamElement> {
    if (this.#runs.length === 0) {
      for (const start of this.#inOrder()) {
        const row = this.#rows.read(start);
        const from = start + HEADER_BYTES;
        yield this.#elementOf(row, roomFor, (bytes) =>
          bytes.set(this.#rows.bytes.subarray(from, from + row.bytes)),
        );
      }
    } else {
      this.#spill();
      this.#rows = NO_ROWS;
      for (const run of this.#merged()) {
        const { row } = run;
        yield this.#elementOf(row, roomFor, (bytes) => run.payload(bytes));
        run.next();
      }
    }
    this.close();
  }

  /** @param payload fills in the bytes of the row */
  #elementOf(row: Row, roomFor: RoomFor, payload: (bytes: Uint8Array) => void): StreamElement {
    const { source, readAt } = this.#options;
    const isThere = row.bytes > 0 || row.length === 0 || readAt === undefined;
    const bytes = roomFor(isThere ? row.bytes : row.length);
    if (isThere) payload(bytes);
    else if (!fillFrom(readAt, row.offset, bytes))
      throw new SourceFault('changed-while-read', `it ended before byte ${row.offset + row.length}`);
    return elementOf(row, source, bytes);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#rows = NO_ROWS;
    this.#used = 0;
    this.#starts = [];
    this.#runs = [];
  }

  #inOrder(): readonly number[] {
    const rows = this.#rows;
    return this.#starts.sort((a, b) => rows.compare(a, b) || a - b);
  }

  #grow(needed: number): void {
    const { bytes } = this.#rows;
    const doubled = Math.min(Math.max(FIRST_BYTES, bytes.length * 2), this.#options.maxBytes);
    const grown = new Uint8Array(Buffer.allocUnsafeSlow(Math.max(doubled, needed)).buffer);
    grown.set(bytes.subarray(0, this.#used));
    this.#rows = new SortedRows(grown);
  }

  /** Writes the rows in memory as a run. */
  #spill(): void {
    if (this.#used === 0) return;
    this.#file ??= this.#options.openFile();
    const writer = new RunWriter(this.#file);
    for (const start of this.#inOrder()) writer.append(this.#rows.sealed(start));
    this.#runs.push(writer.end());
    this.#starts = [];
    this.#used = 0;
    if (this.#rows.bytes.length > this.#options.maxBytes) this.#rows = NO_ROWS;
    if (this.#runs.length === MAX_RUNS) this.#mergeRuns();
  }

  /** Replaces the runs by a single one, in another file, so that the disk space of the first file is freed. */
  #mergeRuns(): void {
    const before = this.#file as UnlinkedFile;
    const next = this.#options.openFile();
    const writer = new RunWriter(next);
    let memory = NO_BYTES;
    for (const run of this.#merged()) {
      const length = HEADER_BYTES + run.row.bytes;
      if (memory.length < length) memory = new Uint8Array(length);
      run.copy(memory.subarray(0, length));
      writer.append(memory.subarray(0, length));
    }
    this.#runs = [writer.end()];
    this.#file = next;
    before.close();
  }

  /** Yields the run with the next row; the caller has to take it. */
  *#merged(): Generator<RunReader> {
    const file = this.#file as UnlinkedFile;
    const heap = new RunHeap(this.#runs.map((run, i) => new RunReader(file, run, i)));
    for (let first = heap.first; first !== undefined; first = heap.first) {
      yield first;
      heap.settle();
    }
  }
}

/** @returns false if the source is shorter */
function fillFrom(readAt: ReadAt, position: number, into: Uint8Array): boolean {
  for (let filled = 0; filled < into.length; ) {
    const count = readAt(position + filled, into.subarray(filled));
    if (count === 0) return false;
    filled += count;
  }
  return true;
}

/** Appends rows to a file in pieces of useful size. */
class RunWriter {
  readonly #file: UnlinkedFile;
  readonly #start: number;
  readonly #window = new Uint8Array(WINDOW_BYTES);
  #used = 0;

  constructor(file: UnlinkedFile) {
    this.#file = file;
    this.#start = file.bytes;
  }

  append(bytes: Uint8Array): void {
    if (this.#used + bytes.length > WINDOW_BYTES) this.#flush();
    if (bytes.length > WINDOW_BYTES) {
      this.#file.append(bytes);
      return;
    }
    this.#window.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  end(): Run {
    this.#flush();
    return { start: this.#start, end: this.#file.bytes };
  }

  #flush(): void {
    if (this.#used > 0) this.#file.append(this.#window.subarray(0, this.#used));
    this.#used = 0;
  }
}

/** Reads the rows of a run one after the other. */
class RunReader {
  /** Number of the run: rows with the same key come in the order of the runs. */
  readonly number: number;
  readonly #file: UnlinkedFile;
  /** Where the bytes after the window are in the file. */
  #position: number;
  readonly #end: number;
  readonly #window: SortedRows;
  /** The unread bytes of the window. */
  #from = 0;
  #to = 0;
  #row: Row | undefined;
  /** Whether the unread bytes begin with the header of the row. */
  #isAtHeader = false;

  constructor(file: UnlinkedFile, { start, end }: Run, number: number) {
    this.#file = file;
    this.#position = start;
    this.#end = end;
    this.number = number;
    this.#window = new SortedRows(new Uint8Array(Math.min(WINDOW_BYTES, end - start)));
    this.next();
  }

  get isOver(): boolean {
    return this.#row === undefined;
  }

  get row(): Row {
    return this.#row as Row;
  }

  /** Whether its row comes before that of another run. */
  isBefore(other: RunReader): boolean {
    const order = compareKeys(this.row, other.row);
    return order === 0 ? this.number < other.number : order < 0;
  }

  /** Reads the bytes of the row. Then call `next`. */
  payload(into: Uint8Array): void {
    this.#skipHeader();
    this.#fill(into);
    if (crc32(into) !== this.row.crc32) throw notAsWritten(this.#file.path);
  }

  /** Takes the row as it is in the file. */
  copy(into: Uint8Array): void {
    this.#fill(into);
    this.#isAtHeader = false;
    this.next();
  }

  /** Goes to the next row. The bytes of this one, if it has any, must have been read. */
  next(): void {
    if (this.#isAtHeader) this.#skipHeader();
    this.#isAtHeader = true;
    if (this.#to - this.#from < HEADER_BYTES) this.#refill();
    this.#row = this.#to === this.#from ? undefined : this.#window.read(this.#from);
  }

  #skipHeader(): void {
    this.#from += HEADER_BYTES;
    this.#isAtHeader = false;
  }

  /** Reads as many bytes as fit in the window after the unread ones. */
  #refill(): void {
    const { bytes } = this.#window;
    bytes.copyWithin(0, this.#from, this.#to);
    this.#to -= this.#from;
    this.#from = 0;
    const count = Math.min(bytes.length - this.#to, this.#end - this.#position);
    this.#file.read(this.#position, bytes.subarray(this.#to, this.#to + count));
    this.#to += count;
    this.#position += count;
  }

  /** Moves the next bytes to `into`. */
  #fill(into: Uint8Array): void {
    const had = Math.min(into.length, this.#to - this.#from);
    into.set(this.#window.bytes.subarray(this.#from, this.#from + had));
    this.#from += had;
    const missing = into.subarray(had);
    if (missing.length >= WINDOW_BYTES) {
      this.#file.read(this.#position, missing);
      this.#position += missing.length;
    } else if (missing.length > 0) {
      this.#refill();
      missing.set(this.#window.bytes.subarray(0, missing.length));
      this.#from = missing.length;
    }
  }
}

/** Runs that are not over, the one with the first row on top: a binary heap. */
class RunHeap {
  readonly #runs: RunReader[];

  constructor(runs: readonly RunReader[]) {
    this.#runs = runs.filter(({ isOver }) => !isOver);
    for (let i = this.#runs.length >> 1; i >= 0; i--) this.#sink(i);
  }

  get first(): RunReader | undefined {
    return this.#runs[0];
  }

  /** Restores the order after the first row was taken. */
  settle(): void {
    const runs = this.#runs;
    if (runs[0]?.isOver === true) {
      const last = runs.pop() as RunReader;
      if (runs.length > 0) runs[0] = last;
    }
    this.#sink(0);
  }

  #sink(from: number): void {
    const runs = this.#runs;
    for (let at = from; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < runs.length && (runs[child] as RunReader).isBefore(runs[least] as RunReader))
          least = child;
      if (least === at) return;
      [runs[at], runs[least]] = [runs[least] as RunReader, runs[at] as RunReader];
      at = least;
    }
  }
}
