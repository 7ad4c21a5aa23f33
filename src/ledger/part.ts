/**
 * The part: the single encoding for results that leave a thread, a process or a machine. Worker threads post parts;
 * checkpoints and results that are held in a file are parts too. A part consists of a header, a JSON text with one
 * object per item, and the byte fields of the items (records, raw lines, places of entries), unchanged and in order.
 * It has no checksum: files of parts have their own.
 *
 * magic "TMP3" | text bytes u32 | field bytes u64 | text | fields
 */
import { TurnmillError } from '../errors.ts';
import type { Result } from './result.ts';

/** Ends with the version; code of another version rejects the part. */
const MAGIC = Buffer.from('TMP3', 'latin1');
export const PART_HEADER_BYTES = 16;
const TEXT_LENGTH_AT = 4;
const FIELDS_LENGTH_AT = 8;
/** Fields of at least this length become separate pieces. */
const LARGE_BYTES = 64 * 1024;

/** Lengths of the two halves of a part, from its header. */
export interface PartLengths {
  readonly text: number;
  readonly fields: number;
}

/** An item of a part: plain data with a kind. */
export interface PartItem {
  readonly kind: string;
}

/** Encodes and decodes items: plain data, except for the byte fields that the constructor is passed. */
export class PartCodec<Item extends PartItem> {
  /** Paths of the byte fields, by kind. */
  readonly #paths: ReadonlyMap<string, readonly (readonly string[])[]>;

  /** @param fields all byte fields of all kinds; omitting one does not compile */
  constructor(fields: ByteFields<Item>) {
    const kinds = Object.entries(fields as Readonly<Record<string, object>>);
    this.#paths = new Map(
      kinds.map(([kind, paths]) => [kind, Object.keys(paths).map((path) => path.split('.'))]),
    );
  }

  /**
   * Encodes items as one part.
   * @returns its pieces in order: header and text first, then the byte fields themselves, not copied. They can be
   *   written to a file one after the other, or transferred in a message to another thread.
   */
  encode(items: readonly Item[]): readonly Uint8Array[] {
    const fields: Uint8Array[] = [];
    const text = Buffer.from(JSON.stringify(items.map((item) => this.#withoutBytes(item, fields))));
    const fieldBytes = fields.reduce((sum, { length }) => sum + length, 0);
    const header = Buffer.alloc(PART_HEADER_BYTES);
    MAGIC.copy(header);
    header.writeUInt32LE(text.length, TEXT_LENGTH_AT);
    header.writeBigUInt64LE(BigInt(fieldBytes), FIELDS_LENGTH_AT);
    return [Buffer.concat([header, text]), ...fields];
  }

  /**
   * Decodes a part. The byte fields of its items are views of the pieces.
   * @param pieces as `encode` returned them, or the whole part as one piece
   * @throws TurnmillError `invalid-dataset` if the part is truncated, or has items of another kind
   */
  decode(pieces: readonly Uint8Array[]): Item[] {
    const [first = new Uint8Array(0), ...others] = pieces;
    const lengths = readPartHeader(first);
    const textEnd = PART_HEADER_BYTES + lengths.text;
    const text = first.subarray(PART_HEADER_BYTES, textEnd);
    const rest = [first.subarray(textEnd), ...others];
    const fieldBytes = rest.reduce((sum, piece) => sum + piece.length, 0);
    if (text.length !== lengths.text || fieldBytes !== lengths.fields)
      throw damaged(`has ${text.length + fieldBytes} of ${lengths.text + lengths.fields} bytes`);
    const plain = JSON.parse(
      Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString(),
    ) as PlainItem[];
    const fields = new Fields(rest);
    return plain.map((item) => this.#withBytes(item, fields));
  }

  /** Moves the byte fields into `fields`; `#withBytes` takes them in the same order. */
  #withoutBytes(item: Item, fields: Uint8Array[]): object {
    let plain: object = item;
    for (const path of this.#paths.get(item.kind) ?? []) plain = withLength(plain, path, 0, fields);
    return plain;
  }

  /** @param plain newly parsed, so it may be changed */
  #withBytes(plain: PlainItem, fields: Fields): Item {
    const paths = this.#paths.get(plain.kind);
    if (paths === undefined) throw damaged(`holds items of the kind ${JSON.stringify(plain.kind)}`);
    for (const path of paths) putField(plain, path, fields);
    return plain as PartItem as Item;
  }
}

/**
 * Joins small neighbouring pieces of a part, so that there are fewer of them. A field of 64 KiB or more stays separate,
 * so that a giant record is not copied. Every joined piece owns its `ArrayBuffer`.
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

/** Concatenates pieces into a separate allocation; small results of `Buffer.concat` share a pool. */
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
 * @throws TurnmillError `invalid-dataset` if it is not the header of a part of this version
 */
export function readPartHeader(header: Uint8Array): PartLengths {
  const view = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  if (view.length < PART_HEADER_BYTES || !view.subarray(0, MAGIC.length).equals(MAGIC))
    throw damaged('does not begin with the header of version 3');
  return {
    text: view.readUInt32LE(TEXT_LENGTH_AT),
    fields: Number(view.readBigUInt64LE(FIELDS_LENGTH_AT)),
  };
}

/** Returns the byte fields of a part one after the other. */
class Fields {
  readonly #pieces: readonly Uint8Array[];
  #piece = 0;
  #at = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces.filter(({ length }) => length > 0);
  }

  /** Returns the next field, which never spans pieces: it is one of them, or a slice of the single piece of a whole part. */
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

/** An item as in its JSON text, with the length in place of each byte field. */
type PlainItem = Record<string, unknown> & PartItem;

/** Paths of the byte fields of a type, with dots between members. A type with bytes in an array does not compile. */
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

type BytesOf<T> = Readonly<Record<string & BytePath<T>, true>>;

/** The byte fields of each kind of item. */
type ByteFields<Item extends PartItem> = {
  readonly [Kind in Item['kind']]: BytesOf<Extract<Item, { readonly kind: Kind }>>;
};

export const RESULT_BYTES: ByteFields<Result> = {
  'source-begin': {},
  record: { bytes: true },
  'rejected-line': { raw: true },
  session: { path: true, 'entryLog.packed': true, 'rejection.log.packed': true },
  finding: {},
  source: {},
};

const codec = new PartCodec<Result>(RESULT_BYTES);

/** Encodes results as one part. See `PartCodec`. */
export function encodePart(results: readonly Result[]): readonly Uint8Array[] {
  return codec.encode(results);
}

/** Decodes a part of results. See `PartCodec`. */
export function decodePart(pieces: readonly Uint8Array[]): Result[] {
  return codec.decode(pieces);
}

/** Returns a copy of the object with the field replaced by its length, or the object itself if it lacks the field. */
function withLength(holder: object, path: readonly string[], at: number, fields: Uint8Array[]): object {
  const key = path[at] as string;
  const value = (holder as Record<string, unknown>)[key];
  if (value === undefined) return holder;
  if (at < path.length - 1) return { ...holder, [key]: withLength(value as object, path, at + 1, fields) };
  fields.push(value as Uint8Array);
  return { ...holder, [key]: (value as Uint8Array).length };
}

function putField(plain: PlainItem, path: readonly string[], fields: Fields): void {
  let holder: Record<string, unknown> | undefined = plain;
  for (const key of path.slice(0, -1)) holder = holder?.[key] as typeof holder;
  const key = path.at(-1) as string;
  if (holder?.[key] !== undefined) holder[key] = fields.take(holder[key]);
}

function damaged(why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `a part ${why}: it was damaged or written by another version`);
}
