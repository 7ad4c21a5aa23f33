/**
 * A file of lines: a shard, or a file of the ledger, the quarantine or the reports. It buffers lines up to 256 KiB and
 * writes a larger line directly. Before the commit, its counts and its checksum are compared with what is read back.
 */
import { type AppendFile, createAppendFile } from './append-file.ts';
import { ByteBuffer, MAX_UTF8_BYTES } from './byte-buffer.ts';

const BUFFER_BYTES = 256 * 1024;
/** Length of text that is gathered before it is encoded: encoding each short line would cost a native call. */
const TEXT_UNITS = 8 * 1024;
export const NEWLINE: Uint8Array = Uint8Array.of(0x0a);
const NOTHING = new Uint8Array(0);

/** Size, lines and hash of a file as counted by its writer; `lines` only for files of lines. */
export interface WrittenFile {
  /** Path as the writer was passed it. */
  readonly path: string;
  readonly bytes: number;
  /** CRC-32 of the bytes handed to the file system. */
  readonly crc32: number;
  readonly lines?: number;
}

export interface LineFile extends WrittenFile {
  /** Bytes written so far, including those still gathered. */
  readonly bytes: number;
  /** CRC-32 of the bytes that were flushed. */
  readonly crc32: number;
  readonly lines: number;
  /** Appends the bytes and a newline; copies what it buffers. */
  write(line: Uint8Array): void;
  flush(): void;
  /** Flushes and syncs. */
  sync(): void;
  /** Syncs what was flushed, and returns the bytes that are still gathered. */
  checkpoint(): Uint8Array;
  /** Flushes, and releases descriptor and memory until the next write. */
  park(): void;
  /** Flushes and closes; does not sync. */
  close(): void;
  /** Closes without flushing, for a run that failed. */
  abandon(): void;
}

export interface PlainLineFile extends LineFile {
  /** Appends the text in UTF-8 and a newline. @param count number of lines that it is, 1 by default */
  writeText(line: string, count?: number): void;
}

/** Creates the file, which must not exist. `mode` is narrowed by the umask. */
export function createLineFile(path: string, mode?: number): PlainLineFile {
  return lineFileOver(createAppendFile(path, mode));
}

/** Returns a line file on top of a file that was just created. */
export function lineFileOver(file: AppendFile): PlainLineFile {
  return new GatheredLines(file, NEWLINE);
}

/** The same for a file of bytes: nothing is appended to what is written. */
export function byteFileOver(file: AppendFile): Omit<LineFile, 'lines'> {
  return new GatheredLines(file, NOTHING);
}

class GatheredLines implements PlainLineFile {
  readonly path: string;
  readonly #file: AppendFile;
  /** Appended to each line. */
  readonly #end: Uint8Array;
  readonly #gathered = new ByteBuffer();
  #lines = 0;
  /** Text that follows the lines in `#gathered`. */
  #text = '';

  constructor(file: AppendFile, end: Uint8Array) {
    this.path = file.path;
    this.#file = file;
    this.#end = end;
  }

  get bytes(): number {
    this.#encode();
    return this.#file.bytes + this.#gathered.length;
  }

  get crc32(): number {
    return this.#file.crc32;
  }

  get lines(): number {
    return this.#lines;
  }

  write(line: Uint8Array): void {
    this.#encode();
    const gathered = this.#gathered;
    if (gathered.length + line.length + 1 > BUFFER_BYTES) this.flush();
    if (line.length + 1 > BUFFER_BYTES) this.#file.write(line);
    else gathered.append(line);
    gathered.append(this.#end);
    this.#lines += 1;
  }

  writeText(line: string, count = 1): void {
    if (line.length > TEXT_UNITS) {
      this.write(Buffer.from(line));
      this.#lines += count - 1;
      return;
    }
    this.#text += `${line}\n`;
    this.#lines += count;
    if (this.#text.length > TEXT_UNITS) this.#encode();
  }

  flush(): void {
    this.#encode();
    if (this.#gathered.length === 0) return;
    this.#file.write(this.#gathered.bytes());
    this.#gathered.clear();
  }

  sync(): void {
    this.flush();
    this.#file.sync();
  }

  checkpoint(): Uint8Array {
    this.sync();
    return NOTHING;
  }

  park(): void {
    this.flush();
    this.#gathered.release();
    this.#file.park();
  }

  close(): void {
    this.flush();
    this.#gathered.release();
    this.#file.close();
  }

  abandon(): void {
    this.#text = '';
    this.#gathered.release();
    this.#file.abandon();
  }

  #encode(): void {
    if (this.#text === '') return;
    const lines = this.#text;
    this.#text = '';
    const most = lines.length * MAX_UTF8_BYTES;
    if (this.#gathered.length + most > BUFFER_BYTES) this.flush();
    this.#gathered.appendText(lines);
  }
}
