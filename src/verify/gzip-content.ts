/** The content of a .gz file for the second reader: all its members, by node:zlib, and nothing behind them. */
import { statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { streamOwnFile } from '../own-file.ts';
import { decoded } from './decoded.ts';

/** @throws an error with a code `Z_...` when the data is damaged, or when other bytes follow it */
export async function* gzipContent(path: string, chunkBytes: number): AsyncGenerator<Buffer> {
  const { size } = statSync(path);
  const members = createGunzip({ chunkSize: chunkBytes });
  yield* decoded(streamOwnFile(path, { highWaterMark: chunkBytes }), members);
  // node:zlib passes over NULs behind the last member, and over all that follows them
  if (members.bytesWritten !== size)
    throw Object.assign(new Error('other bytes after its end'), { code: 'Z_BEHIND' });
}
