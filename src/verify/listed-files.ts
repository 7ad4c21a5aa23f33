/** Is every file of the manifest there, a plain file, with its bytes and its hash? Says which ones can be read on. */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ioError, TurnmillError } from '../errors.ts';
import { streamOwnFile } from '../own-file.ts';
import type { ListedFile } from './manifest-file.ts';
import type { Problems } from './problems.ts';

const CHUNK_BYTES = 1024 * 1024;

/** The paths that are plain files, whatever they hold. Throws `io` or `permission` when one cannot be read. */
export async function checkListedFiles(
  root: string,
  files: readonly ListedFile[],
  problems: Problems,
): Promise<ReadonlySet<string>> {
  const readable = new Set<string>();
  for (const file of files) {
    const kind = kindOf(join(root, file.path));
    if (kind !== 'file') {
      problems.add(file.path, `expected a file of ${file.bytes} bytes, found ${kind}`);
      continue;
    }
    readable.add(file.path);
    const { bytes, sha256 } = await measure(join(root, file.path));
    problems.equal(file.path, undefined, 'bytes', file.bytes, bytes);
    problems.equal(file.path, undefined, 'sha256', file.sha256, sha256);
  }
  return readable;
}

function kindOf(path: string): 'file' | 'nothing' | 'no plain file' {
  try {
    return lstatSync(path).isFile() ? 'file' : 'no plain file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw ioError('read', path, error);
  }
}

async function measure(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  try {
    const source = streamOwnFile(path, { highWaterMark: CHUNK_BYTES });
    await pipeline(source, hash);
    return { bytes: source.bytesRead, sha256: hash.digest('hex') };
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    throw ioError('read', path, error);
  }
}
