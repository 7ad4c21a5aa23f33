/** A file that is written in one piece and is on the disk when the call returns: the manifest, run.json, a report. */
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
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const file = createAppendFile(path, options);
  try {
    file.write(bytes);
    file.sync();
    file.close();
  } finally {
    file.abandon();
  }
  return { path, bytes: bytes.length };
}

/** The same, read back at once: for what no manifest lists, run.json and the manifest itself (F025). */
export function writeCheckedFile(path: string, text: string): void {
  writeWholeFile(path, text);
  if (readTextIfAny(path) === text) return;
  throw new TurnmillError('io', `${path} is not what was written`, { subject: path });
}

/** Readable JSON: two spaces, a final newline, keys in the order given. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
