/** Writes a file in one go and syncs it before the call returns: the manifest, run.json, a report. */
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { type AppendFile, createAppendFile } from './append-file.ts';
import { readBytesIfAny, rename, syncDirectory, unlinkIfAny } from './fs-calls.ts';
import { notAsWritten } from './fs-faults.ts';
import type { WrittenFile } from './line-file.ts';

/** Creates the file, which must not exist, then writes, syncs and closes it. */
export function writeWholeFile(path: string, content: string | Uint8Array, mode?: number): WrittenFile {
  return fillFile(createAppendFile(path, mode), [content]);
}

/** Writes all of a new file, then syncs and closes it. */
export function fillFile(file: AppendFile, pieces: Iterable<string | Uint8Array>): WrittenFile {
  try {
    for (const piece of pieces)
      file.write(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
    file.sync();
    file.close();
  } finally {
    file.abandon();
  }
  return { path: file.path, bytes: file.bytes, crc32: file.crc32 };
}

/**
 * Writes a file and reads it back, for files that no manifest lists (run.json, the manifest itself, a checkpoint).
 * @throws TurnmillError `io` if the file differs from what was written
 */
export function writeCheckedFile(path: string, pieces: Iterable<string | Uint8Array>, mode?: number): void {
  readWritten(fillFile(createAppendFile(path, mode), pieces));
}

/** Writes a file and renames it to `path`, so that a kill leaves either the file that was there or the new one, complete. */
export function replaceWholeFile(path: string, pieces: Iterable<string | Uint8Array>, mode?: number): void {
  const fresh = `${path}.new`;
  unlinkIfAny(fresh);
  writeCheckedFile(fresh, pieces, mode);
  rename(fresh, path);
  syncDirectory(dirname(path));
}

/**
 * Reads the text of a file that this run wrote.
 * @throws TurnmillError `io` if the file differs from what was written
 */
export function readWrittenText(file: WrittenFile): string {
  return readWritten(file).toString('utf8');
}

function readWritten({ path, bytes, crc32: checksum }: WrittenFile): Buffer {
  const content = readBytesIfAny(path);
  if (content === undefined || content.length !== bytes || crc32(content) !== checksum)
    throw notAsWritten(path);
  return content;
}

/** Formats readable JSON: two spaces, a final newline, keys in the order of the object. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
