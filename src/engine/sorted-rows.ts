/** The rows that LineSorter sorts: the key and the place of a line in a header of fixed size, then its bytes. */
import { crc32 } from 'node:zlib';
import type { Line, Origin, StreamElement } from '../../transforms/model/element.ts';

/** The members by which rows are sorted, from the first to the last. */
export interface SortKey {
  /** Number of the session, in the order of the first entries. */
  readonly session: number;
  /** Whole seconds since 1970, and the rest in nanoseconds. */
  readonly seconds: number;
  readonly nanos: number;
}

/** The header of a row. */
export interface Row extends SortKey {
  readonly line: number;
  readonly offset: number;
  /** Length of the line in its source. */
  readonly length: number;
  readonly flags: number;
  /** Length of the bytes after the header, and their checksum. */
  readonly bytes: number;
  readonly crc32: number;
}

const SESSION = 0;
const SECONDS = 8;
const LINE = 16;
const OFFSET = 24;
const NANOS = 32;
const LENGTH = 36;
const BYTES = 40;
const CRC32 = 44;
const FLAGS = 48;
export const HEADER_BYTES = 52;

const IS_OPEN = 1;
const BEGINS_LIST = 2;
/** The row is not a line: its bytes are the element as JSON. */
const OTHER = 4;

/** Memory with rows. */
export class SortedRows {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Writes a row at `at`, where there is room. */
  write(at: number, element: StreamElement, { session, seconds, nanos }: SortKey, payload: Uint8Array): void {
    const view = this.#view;
    const { line, offset, length } = element.origin;
    view.setFloat64(at + SESSION, session);
    view.setFloat64(at + SECONDS, seconds);
    view.setFloat64(at + LINE, line);
    view.setFloat64(at + OFFSET, offset);
    view.setInt32(at + NANOS, nanos);
    view.setUint32(at + LENGTH, length);
    view.setUint32(at + BYTES, payload.length);
    view.setUint32(at + FLAGS, element.kind === 'line' ? flagsOf(element) : OTHER);
    this.bytes.set(payload, at + HEADER_BYTES);
  }

  /** The bytes of the row at `at`, with the checksum that only a row in a file needs. */
  sealed(at: number): Uint8Array {
    const row = this.bytes.subarray(at, at + HEADER_BYTES + this.#view.getUint32(at + BYTES));
    this.#view.setUint32(at + CRC32, crc32(row.subarray(HEADER_BYTES)));
    return row;
  }

  read(at: number): Row {
    const view = this.#view;
    return {
      session: view.getFloat64(at + SESSION),
      seconds: view.getFloat64(at + SECONDS),
      nanos: view.getInt32(at + NANOS),
      line: view.getFloat64(at + LINE),
      offset: view.getFloat64(at + OFFSET),
      length: view.getUint32(at + LENGTH),
      flags: view.getUint32(at + FLAGS),
      bytes: view.getUint32(at + BYTES),
      crc32: view.getUint32(at + CRC32),
    };
  }

  /** Compares the keys of two rows: below 0 if the first one comes first, 0 if they are equal. */
  compare(a: number, b: number): number {
    const view = this.#view;
    return (
      view.getFloat64(a + SESSION) - view.getFloat64(b + SESSION) ||
      difference(view.getFloat64(a + SECONDS), view.getFloat64(b + SECONDS)) ||
      view.getInt32(a + NANOS) - view.getInt32(b + NANOS)
    );
  }
}

/** Compares two keys, as `compare` does. */
export const compareKeys = (a: SortKey, b: SortKey): number =>
  a.session - b.session || difference(a.seconds, b.seconds) || a.nanos - b.nanos;

/** The order of two numbers that may be infinite. */
const difference = (a: number, b: number): number => (a === b ? 0 : a - b);

const flagsOf = ({ isOpen, beginsList }: Line): number =>
  (isOpen === true ? IS_OPEN : 0) | (beginsList === true ? BEGINS_LIST : 0);

/** The bytes of the row of an element. */
export const payloadOf = (element: StreamElement): Uint8Array =>
  element.kind === 'line' ? element.bytes : Buffer.from(JSON.stringify(element));

/** The element of a row. @param bytes those after its header */
export function elementOf(row: Row, source: string, bytes: Uint8Array): StreamElement {
  const { flags, line, offset, length } = row;
  if ((flags & OTHER) !== 0) return JSON.parse(Buffer.from(bytes).toString()) as StreamElement;
  const origin: Origin = { source, line, offset, length };
  if (flags === 0) return { kind: 'line', origin, bytes };
  return {
    ...{ kind: 'line', origin, bytes },
    ...((flags & IS_OPEN) !== 0 && { isOpen: true }),
    ...((flags & BEGINS_LIST) !== 0 && { beginsList: true }),
  };
}
