/** A file that is written at once and is on the disk when the call returns: the manifest, run.json, a report. */
import { TurnmillError } from '../errors.ts';
import { createAppendFile } from './append-file.ts';
import { readTextIfAny } from './fs-calls.ts';
import type { WrittenFile } from './line-file.ts';

/** Makes the file, which must not exist, writes, syncs and closes it. */
export function writeWholeFile(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number } = {},
): WrittenFile {
  return writePieces(path, [content], options);
}

function writePieces(
  path: string,
  pieces: Iterable<string | Uint8Array>,
  options: { mode?: number } = {},
): WrittenFile {
  const file = createAppendFile(path, options);
  try {
    for (const piece of pieces)
      file.write(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
    file.sync();
    file.close();
  } finally {
    file.abandon();
  }
  return { path, bytes: file.bytes };
}

/**
 * The same, read back at once: for what no manifest lists, run.json and the manifest itself (F025).
 * @param pieces are gone through twice
 */
export function writeCheckedFile(
  path: string,
  pieces: Iterable<string>,
  options: { mode?: number } = {},
): void {
  writePieces(path, pieces, options);
  const found = readTextIfAny(path) ?? '';
  const wrong = new TurnmillError('io', `${path} is not what was written`, { subject: path });
  let same = 0; // characters
  for (const piece of pieces) {
    if (!found.startsWith(piece, same)) throw wrong;
    same += piece.length;
  }
  if (same < found.length) throw wrong;
}

/** Readable JSON: two spaces, a final newline, keys in the order given. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
