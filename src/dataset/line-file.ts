/**
 * A file of lines: shards, ledger, quarantine, reports. It gathers lines up to 256 KiB; a larger line goes straight to
 * the system. Before the commit, its counts and its checksum are compared with what is read back.
 */
import { type AppendFile, createAppendFile } from './append-file.ts';
import { createByteBuffer, MOST_UTF8_BYTES } from './byte-buffer.ts';

const BUFFER_BYTES = 256 * 1024;
/**
 * Text gathers up to this length before it is encoded: encoding short lines one by one would cost a native call each.
 */
const TEXT_UNITS = 8 * 1024;
export const NEWLINE: Uint8Array = Uint8Array.of(0x0a);
const NOTHING = new Uint8Array(0);

/** Size, lines and hash of a file as counted by its writer; `lines` only for files of lines. */
export interface WrittenFile {
  /** Path as the writer got it. */
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
  /** Appends the bytes and a newline; copies what it keeps. */
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

/** An uncompressed file of lines. */
export interface PlainLineFile extends LineFile {
  /** Appends the text in UTF-8 and a newline. */
  writeText(line: string): void;
}

/** Creates the file, which must not exist. `mode` is narrowed by the umask. */
export function createLineFile(path: string, options: { mode?: number } = {}): PlainLineFile {
  return lineFileOver(createAppendFile(path, options));
}

/** Writes lines to a file that was just created. */
export function lineFileOver(file: AppendFile): PlainLineFile {
  const { path } = file;
  const gathered = createByteBuffer();
  let lines = 0;
  /** Text that follows the lines in `gathered`. */
  let text = '';

  function flush(): void {
    encode();
    if (gathered.length === 0) return;
    file.write(gathered.bytes());
    gathered.clear();
  }

  function encode(): void {
    if (text === '') return;
    const lines = text;
    text = '';
    const most = lines.length * MOST_UTF8_BYTES;
    if (gathered.length + most > BUFFER_BYTES) flush();
    gathered.appendText(lines);
  }

  function write(line: Uint8Array): void {
    encode();
    if (gathered.length + line.length + 1 > BUFFER_BYTES) flush();
    if (line.length + 1 > BUFFER_BYTES) file.write(line);
    else gathered.append(line);
    gathered.append(NEWLINE);
    lines += 1;
  }

  return {
    path,
    get bytes() {
      encode();
      return file.bytes + gathered.length;
    },
    get crc32() {
      return file.crc32;
    },
    get lines() {
      return lines;
    },
    write,
    writeText(line) {
      if (line.length > TEXT_UNITS) return write(Buffer.from(line));
      text += `${line}\n`;
      lines += 1;
      if (text.length > TEXT_UNITS) encode();
    },
    flush,
    sync() {
      flush();
      file.sync();
    },
    checkpoint() {
      flush();
      file.sync();
      return NOTHING;
    },
    park() {
      flush();
      gathered.release();
      file.park();
    },
    close() {
      flush();
      gathered.release();
      file.close();
    },
    abandon() {
      text = '';
      gathered.release();
      file.abandon();
    },
  };
}
