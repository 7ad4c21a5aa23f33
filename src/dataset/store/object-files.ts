/** The files of a dataset in a store. Each is gathered into local files of the size of a part, uploaded when full. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from '../../crc32.ts';
import type { Upload, Uploads } from '../../object-store/uploads.ts';
import type { ObjectPlace } from '../../object-store/url.ts';
import { type AppendFile, createAppendFile } from '../append-file.ts';
import { WORK } from '../layout.ts';
import type { DatasetFiles } from './files.ts';

const OWNER_ONLY = 0o600;

export class ObjectFiles implements DatasetFiles {
  readonly #uploads: Uploads;
  /** Where the store keeps the version; its key ends in `/`. */
  readonly #version: ObjectPlace;
  readonly #folder: string;
  readonly #partBytes: number;
  readonly #files: ObjectFile[] = [];

  /** @param folder local folder for the parts */
  constructor(uploads: Uploads, version: ObjectPlace, folder: string, partBytes: number) {
    this.#uploads = uploads;
    this.#version = version;
    this.#folder = folder;
    this.#partBytes = partBytes;
  }

  /** Files created so far, except the working files of the run. */
  get objects(): readonly ObjectFile[] {
    return this.#files;
  }

  create(path: string): AppendFile {
    if (path.startsWith(`${WORK}/`)) return createAppendFile(join(this.#folder, path), OWNER_ONLY);
    const { bucket, key } = this.#version;
    const upload = this.#uploads.begin({ bucket, key: `${key}${path}` });
    const parts = join(this.#folder, WORK, `part-${this.#files.length}`);
    const file = new ObjectFile({ path, parts, upload, uploads: this.#uploads, partBytes: this.#partBytes });
    this.#files.push(file);
    return file;
  }
}

interface ObjectFileParts {
  readonly path: string;
  /** Path of the local files of its parts, without the part number. */
  readonly parts: string;
  readonly upload: Upload;
  readonly uploads: Uploads;
  readonly partBytes: number;
}

export class ObjectFile implements AppendFile {
  readonly path: string;
  readonly #options: ObjectFileParts;
  readonly #hash = createHash('sha256');
  #sha256: string | undefined;
  #part: AppendFile | undefined;
  #parts = 0;
  bytes = 0;
  crc32 = 0;

  constructor(parts: ObjectFileParts) {
    this.path = parts.path;
    this.#options = parts;
  }

  /** SHA-256 of all bytes written. */
  get sha256(): string {
    this.#sha256 ??= this.#hash.digest('hex');
    return this.#sha256;
  }

  write(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.crc32 = crc32(bytes, this.crc32);
    this.bytes += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      // a full part is uploaded only once another byte follows: until then it may be the last one
      if (this.#part?.bytes === this.#options.partBytes) this.#send(false);
      this.#part ??= this.#next();
      const piece = bytes.subarray(at, at + this.#options.partBytes - this.#part.bytes);
      this.#part.write(piece);
      at += piece.length;
    }
  }

  park(): void {
    this.#part?.park();
  }

  /** Does nothing: only the objects in the store matter at the commit. */
  sync(): void {}

  close(): void {
    if (this.#sha256 !== undefined) return;
    this.#part ??= this.#next();
    this.#send(true);
    this.#sha256 = this.#hash.digest('hex');
  }

  abandon(): void {
    this.#part?.abandon();
  }

  #next(): AppendFile {
    return createAppendFile(`${this.#options.parts}-${this.#parts++}`, OWNER_ONLY);
  }

  #send(isLast: boolean): void {
    const part = this.#part as AppendFile;
    this.#part = undefined;
    part.close();
    this.#options.uploads.add(this.#options.upload, part, part.bytes, isLast);
  }
}
