/**
 * The part: the one encoding of results. Worker threads post parts, results that wait in a spool file are parts, and so is
 * what one machine hands to another. A part is a header, a JSON text with one object per result, and the byte fields of the
 * results (records, raw lines, places of entries) in their order, each as it is.
 *
 *     magic "TMP1" | text bytes u32 | field bytes u64 | CRC-32 of text and fields u32 | text | fields
 */
import { crc32 } from 'node:zlib';
import { TurnmillError } from '../errors.ts';
import type {
  FindingOutcome,
  Outcome,
  RejectedLine,
  RowOutcome,
  SessionReport,
  SourceBegin,
  SourceReport,
} from './result.ts';

/** Ends in the version. A reader of another version refuses the part. */
const MAGIC = Buffer.from('TMP1', 'latin1');
export const PART_HEADER_BYTES = 20;
const TEXT_LENGTH_AT = 4;
const FIELDS_LENGTH_AT = 8;
const CHECKSUM_AT = 16;
/** A longer field is a piece of its own. */
const LARGE_BYTES = 64 * 1024;

/** Lengths of the two halves of a part, from its header. */
export interface PartLengths {
  readonly text: number;
  readonly fields: number;
}

/**
 * Encodes results as one part.
 * @returns its pieces in order: header and text first, then the byte fields themselves, not copied. A pipe or file takes them
 *   one after the other; a message to another thread may transfer them.
 */
export function encodePart(results: readonly Outcome[]): readonly Uint8Array[] {
  const fields: Uint8Array[] = [];
  const text = Buffer.from(JSON.stringify(results.map((result) => withoutBytes(result, fields))));
  const fieldBytes = fields.reduce((sum, { length }) => sum + length, 0);
  const header = Buffer.alloc(PART_HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt32LE(text.length, TEXT_LENGTH_AT);
  header.writeBigUInt64LE(BigInt(fieldBytes), FIELDS_LENGTH_AT);
  header.writeUInt32LE(checksumOf([text, ...fields]), CHECKSUM_AT);
  return [Buffer.concat([header, text]), ...fields];
}

/**
 * Joins neighbours among the pieces of a part, so that they are few. A field of 64 KiB or more stays as it is: a giant record
 * is not copied. Every joined piece owns its `ArrayBuffer`.
 */
export function joinSmall(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let begin = 0;
  for (let at = 0; at <= pieces.length; at++) {
    const piece = pieces[at];
    if (piece !== undefined && piece.length < LARGE_BYTES) continue;
    if (at > begin) joined.push(concatenated(pieces.slice(begin, at)));
    if (piece !== undefined) joined.push(piece);
    begin = at + 1;
  }
  return joined;
}

/** Not `Buffer.concat`: its small results lie in a pool that other buffers share. */
function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * Reads the header of a part.
 * @throws TurnmillError `invalid-dataset` when it is not the header of a part of this version
 */
export function readPartHeader(header: Uint8Array): PartLengths {
  const view = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  if (view.length < PART_HEADER_BYTES || !view.subarray(0, MAGIC.length).equals(MAGIC))
    throw damaged('does not begin with the header of version 1');
  return {
    text: view.readUInt32LE(TEXT_LENGTH_AT),
    fields: Number(view.readBigUInt64LE(FIELDS_LENGTH_AT)),
  };
}

/**
 * Decodes a part. The byte fields of its results are views of the pieces.
 * @param pieces as `encodePart` returned them, or the whole part as one piece
 * @throws TurnmillError `invalid-dataset` when it is cut, or not what was written
 */
export function decodePart(pieces: readonly Uint8Array[]): Outcome[] {
  const [first = new Uint8Array(0), ...others] = pieces;
  const lengths = readPartHeader(first);
  const textEnd = PART_HEADER_BYTES + lengths.text;
  const text = first.subarray(PART_HEADER_BYTES, textEnd);
  const rest = [first.subarray(textEnd), ...others];
  const fieldBytes = rest.reduce((sum, piece) => sum + piece.length, 0);
  if (text.length !== lengths.text || fieldBytes !== lengths.fields)
    throw damaged(`has ${text.length + fieldBytes} of ${lengths.text + lengths.fields} bytes`);
  const checksum = Buffer.from(first.buffer, first.byteOffset).readUInt32LE(CHECKSUM_AT);
  if (checksumOf([text, ...rest]) !== checksum) throw damaged('does not match its checksum');
  const plain = JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString()) as Plain[];
  const fields = new Fields(rest);
  return plain.map((result) => withBytes(result, fields));
}

/** Hands out the byte fields of a part in their order. */
class Fields {
  readonly #pieces: readonly Uint8Array[];
  #piece = 0;
  #at = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces.filter(({ length }) => length > 0);
  }

  /** A field never spans pieces: it is one of them, or lies in the one piece that holds the whole part. */
  take(length: unknown): Uint8Array {
    if (!Number.isSafeInteger(length) || (length as number) < 0)
      throw damaged('has a field without a length');
    return this.#next(length as number);
  }

  #next(length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    const piece = this.#pieces[this.#piece];
    if (piece === undefined || this.#at + length > piece.length) throw damaged('has a field that is cut');
    const field = piece.subarray(this.#at, this.#at + length);
    this.#at += length;
    if (this.#at === piece.length) {
      this.#piece += 1;
      this.#at = 0;
    }
    return field;
  }
}

/** A result as its JSON text holds it: each byte field is its length. */
type Plain = Record<string, unknown> & { readonly kind: Outcome['kind'] };

/** Paths of the byte fields of a type, members joined by dots. Bytes in an array have no path: that does not compile. */
type BytePath<T> = T extends Uint8Array
  ? ''
  : T extends readonly (infer E)[]
    ? [BytePath<E>] extends [never]
      ? never
      : 'bytes in an array'
    : T extends object
      ? { [K in keyof T & string]: Joined<K, BytePath<NonNullable<T[K]>>> }[keyof T & string]
      : never;
type Joined<K extends string, P extends string> = P extends '' ? K : `${K}.${P}`;

type BytesOf<R> = Readonly<Record<string & BytePath<R>, true>>;

/** Every byte field of every kind of result. One that is missing here does not compile. */
const BYTE_FIELDS = {
  'source-begin': {} satisfies BytesOf<SourceBegin>,
  row: { bytes: true } satisfies BytesOf<RowOutcome>,
  'rejected-line': { raw: true } satisfies BytesOf<RejectedLine>,
  session: { 'entryLog.packed': true, 'rejection.log.packed': true } satisfies BytesOf<SessionReport>,
  finding: {} satisfies BytesOf<FindingOutcome>,
  source: {} satisfies BytesOf<SourceReport>,
} satisfies Record<Outcome['kind'], object>;
const PATHS = new Map<string, readonly (readonly string[])[]>(
  Object.entries(BYTE_FIELDS).map(([kind, fields]) => [
    kind,
    Object.keys(fields).map((path) => path.split('.')),
  ]),
);

/** Puts the byte fields into `fields`; `withBytes` takes them in the same order. */
function withoutBytes(result: Outcome, fields: Uint8Array[]): object {
  let plain: object = result;
  for (const path of PATHS.get(result.kind) ?? []) plain = withLength(plain, path, 0, fields);
  return plain;
}

/** A copy of the object with the length of a field in its place. The object itself when it has no such field. */
function withLength(holder: object, path: readonly string[], at: number, fields: Uint8Array[]): object {
  const key = path[at] as string;
  const value = (holder as Record<string, unknown>)[key];
  if (value === undefined) return holder;
  if (at < path.length - 1) return { ...holder, [key]: withLength(value as object, path, at + 1, fields) };
  fields.push(value as Uint8Array);
  return { ...holder, [key]: (value as Uint8Array).length };
}

/** @param plain fresh out of the text: the fields are put into it */
function withBytes(plain: Plain, fields: Fields): Outcome {
  for (const path of PATHS.get(plain.kind) ?? []) putField(plain, path, fields);
  return plain as unknown as Outcome;
}

function putField(plain: Plain, path: readonly string[], fields: Fields): void {
  let holder: Record<string, unknown> | undefined = plain;
  for (const key of path.slice(0, -1)) holder = holder?.[key] as typeof holder;
  const key = path.at(-1) as string;
  if (holder?.[key] !== undefined) holder[key] = fields.take(holder[key]);
}

function checksumOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => crc32(piece, sum), 0);
}

function damaged(why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `a part ${why}: it was damaged or written by another version`);
}
