/** A file that is written in one piece and is on the disk when the call returns: the manifest, run.json, a report. */
import { createAppendFile } from './append-file.ts';
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

/** Readable JSON: two spaces, a final newline, keys in the order given. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
