/**
 * The sources of a run, as columns of numbers and one buffer of names. An object for each source would take ten times
 * the memory, and a run may have a million; objects are created on demand.
 */
import type { BigIntStats } from 'node:fs';
import type { SourceKey, SourceRef, Sources } from './source.ts';

/** A folder of files. Paths are bytes, as Latin-1 characters. */
export interface FolderPlace {
  readonly input: number;
  readonly path: string;
  /** Path below the input; undefined for the input itself. */
  readonly relative: string | undefined;
}

/** The facts about a file that are kept. */
type FileFacts = Pick<BigIntStats, 'size' | 'ctimeNs' | 'dev' | 'ino'>;

const FIRST_ROWS = 64;
const FIRST_BYTES = 4096;
/** Folder number of a source that was not found in a folder. */
const NO_FOLDER = 0xffff_ffff;

export class SourceTable implements Sources {
  readonly #folders: FolderPlace[] = [];
  /** Device of each folder's files. */
  readonly #devices: bigint[] = [];
  /** Sources that were not found in a folder, by row. */
  readonly #singles = new Map<number, SourceRef>();
  /** Names within folders, one after the other; for single sources, the paths below their inputs. */
  #names = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #ends = new Float64Array(FIRST_ROWS);
  #folderOf = new Uint32Array(FIRST_ROWS);
  #sizes = new Float64Array(FIRST_ROWS);
  #ctimes = new BigInt64Array(FIRST_ROWS);
  #inodes = new BigUint64Array(FIRST_ROWS);
  #rows = 0;
  /** Rows in the order of the sources. */
  #order = new Uint32Array(0);
  #lastIndex = -1;
  #last: SourceRef | undefined;

  get length(): number {
    return this.#order.length;
  }

  /** Returns the source with this index; consecutive calls with the same index return the same object. */
  at(index: number): SourceRef | undefined {
    if (index !== this.#lastIndex) {
      const row = this.#order[index];
      this.#last = row === undefined ? undefined : this.#sourceIn(row);
      this.#lastIndex = index;
    }
    return this.#last;
  }

  *[Symbol.iterator](): Generator<SourceRef, undefined> {
    for (const row of this.#order) yield this.#sourceIn(row);
  }

  /** Adds a file of a folder; call `sort` once all are added. @returns its row */
  addFile(folder: FolderPlace, name: string, stats: FileFacts): number {
    const at = this.#folderAt(folder, stats.dev);
    const row = this.#add(name, at);
    this.#sizes[row] = Number(stats.size);
    this.#ctimes[row] = stats.ctimeNs;
    this.#inodes[row] = stats.ino;
    return row;
  }

  /** Adds a source that was not found in a folder. @returns its row */
  addSingle(source: SourceRef): number {
    const row = this.#add(bytesOf(source), NO_FOLDER);
    this.#singles.set(row, source);
    return row;
  }

  /** Sorts bytewise by path below the input, then by input, and keeps the rows for which `keeps` returns true. */
  sort(keeps: (row: number) => boolean): void {
    const rows = Array.from({ length: this.#rows }, (_, row) => row);
    rows.sort((a, b) => this.#compare(a, b));
    this.#order = Uint32Array.from(rows.filter(keeps));
    this.#lastIndex = -1;
  }

  namedAt(row: number): SourceKey {
    const single = this.#singles.get(row);
    if (single === undefined) return { ...nameOf(this.#relativeOf(row)), input: this.#placeOf(row).input };
    const { name, nameBase64, input } = single;
    return { name, ...(nameBase64 !== undefined && { nameBase64 }), input };
  }

  /** Returns a text that is the same for all rows of one file or object, and only for these. */
  fileAt(row: number): string {
    const single = this.#singles.get(row);
    if (single?.etag !== undefined) return `${single.path}`;
    const dev = single === undefined ? this.#devices[this.#folderOf[row] as number] : single.dev;
    return `${dev}:${single === undefined ? this.#inodes[row] : single.ino}`;
  }

  #add(name: string, folder: number): number {
    const row = this.#rows++;
    const start = row === 0 ? 0 : (this.#ends[row - 1] as number);
    const end = start + name.length;
    if (row === this.#ends.length) this.#growRows();
    if (end > this.#names.length) this.#growNames(end);
    this.#names.write(name, start, 'latin1');
    this.#ends[row] = end;
    this.#folderOf[row] = folder;
    return row;
  }

  /** Files of a folder are added one after the other. A file that is mounted over one of them has another device. */
  #folderAt(folder: FolderPlace, device: bigint): number {
    const last = this.#folders.length - 1;
    if (this.#folders[last] === folder && this.#devices[last] === device) return last;
    this.#devices.push(device);
    return this.#folders.push(folder) - 1;
  }

  #growRows(): void {
    const rows = this.#ends.length * 2;
    this.#ends = grown(this.#ends, new Float64Array(rows));
    this.#folderOf = grown(this.#folderOf, new Uint32Array(rows));
    this.#sizes = grown(this.#sizes, new Float64Array(rows));
    this.#ctimes = grown(this.#ctimes, new BigInt64Array(rows));
    this.#inodes = grown(this.#inodes, new BigUint64Array(rows));
  }

  #growNames(needed: number): void {
    this.#names = grown(this.#names, Buffer.allocUnsafeSlow(Math.max(needed, this.#names.length * 2)));
  }

  #startOf(row: number): number {
    return row === 0 ? 0 : (this.#ends[row - 1] as number);
  }

  #placeOf(row: number): FolderPlace {
    return this.#folders[this.#folderOf[row] as number] as FolderPlace;
  }

  #nameOf(row: number): string {
    return this.#names.toString('latin1', this.#startOf(row), this.#ends[row]);
  }

  /** Returns the path of a row's folder below the input. */
  #belowOf(row: number): string | undefined {
    return this.#folderOf[row] === NO_FOLDER ? undefined : this.#placeOf(row).relative;
  }

  /** Returns the path of a row's source below the input. */
  #relativeOf(row: number): string {
    const name = this.#nameOf(row);
    const below = this.#belowOf(row);
    return below === undefined ? name : `${below}/${name}`;
  }

  #inputOf(row: number): number {
    return this.#singles.get(row)?.input ?? this.#placeOf(row).input;
  }

  #sourceIn(row: number): SourceRef {
    const single = this.#singles.get(row);
    if (single !== undefined) return single;
    const place = this.#placeOf(row);
    const file = this.#nameOf(row);
    const { name, nameBase64 } = nameOf(place.relative === undefined ? file : `${place.relative}/${file}`);
    const path = `${place.path}/${file}`;
    const { input } = place;
    const sizeBytes = this.#sizes[row] as number;
    const ctimeNs = this.#ctimes[row] as bigint;
    const dev = this.#devices[this.#folderOf[row] as number] as bigint;
    const ino = this.#inodes[row] as bigint;
    return nameBase64 === undefined
      ? { name, input, path, sizeBytes, ctimeNs, dev, ino }
      : { name, nameBase64, input, path, sizeBytes, ctimeNs, dev, ino };
  }

  #compare(a: number, b: number): number {
    if (this.#folderOf[a] === this.#folderOf[b] && this.#folderOf[a] !== NO_FOLDER)
      return this.#compareNames(a, b);
    const byFolder = this.#compareFolders(a, b);
    if (byFolder !== 0) return byFolder;
    const [left, right] = [this.#relativeOf(a), this.#relativeOf(b)];
    if (left === right) return this.#inputOf(a) - this.#inputOf(b);
    return left < right ? -1 : 1;
  }

  /** Returns 0 if the names in the folders decide. */
  #compareFolders(a: number, b: number): number {
    const left = this.#belowOf(a);
    const right = this.#belowOf(b);
    if (left === undefined || right === undefined || left.startsWith(right) || right.startsWith(left))
      return 0;
    return left < right ? -1 : 1;
  }

  #compareNames(a: number, b: number): number {
    const names = this.#names;
    const [endOfA, endOfB] = [this.#ends[a] as number, this.#ends[b] as number];
    for (let p = this.#startOf(a), q = this.#startOf(b); p < endOfA && q < endOfB; p++, q++)
      if (names[p] !== names[q]) return (names[p] as number) - (names[q] as number);
    return endOfA - this.#startOf(a) - (endOfB - this.#startOf(b));
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Compares sources by the bytes of their names, even if these are not UTF-8. */
export function compareSources(a: SourceKey, b: SourceKey): number {
  if (a.name === b.name && a.nameBase64 === b.nameBase64) return a.input - b.input;
  const left = bytesOf(a);
  const right = bytesOf(b);
  if (left === right) return a.input - b.input;
  return left < right ? -1 : 1;
}

/** Returns the bytes of a name as Latin-1 characters. */
export function bytesOf({ name, nameBase64 }: Omit<SourceKey, 'input'>): string {
  return nameBase64 === undefined ? latin1(name) : Buffer.from(nameBase64, 'base64').toString('latin1');
}

/** Other characters take more bytes than code units. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Returns a path for the file system. @param path its bytes as Latin-1 characters */
export const systemPath = (path: string): string | Buffer =>
  isAscii(path) ? path : Buffer.from(path, 'latin1');

/** Returns the UTF-8 bytes of a text as Latin-1 characters. */
export const latin1 = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'));

/** Returns the name of a source, from the bytes of its path below the input. */
export function nameOf(relative: string): { name: string; nameBase64?: string } {
  if (isAscii(relative)) return { name: relative };
  const bytes = Buffer.from(relative, 'latin1');
  const name = bytes.toString('utf8');
  return Buffer.from(name).equals(bytes) ? { name } : { name, nameBase64: bytes.toString('base64') };
}
