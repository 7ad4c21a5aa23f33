/** `FILE:LINE`, and the source that it means. */
import { statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { ioError, TurnmillError } from '../errors.ts';
import type { SourceRef } from '../input/sources/source.ts';

export interface LineAddress {
  readonly file: string;
  readonly line: number;
}

const ADDRESS = /^(.+):(\d{1,15})$/s;

/** Throws `usage`. */
export function parseAddress(text: string): LineAddress {
  const [, file, digits] = ADDRESS.exec(text) ?? [];
  const line = Number(digits);
  if (file !== undefined && line >= 1) return { file, line };
  throw new TurnmillError('usage', `'${text}' is not FILE:LINE, such as logs/a.jsonl:7; lines count from 1`);
}

/**
 * The source as a run over `root` would name it: its name decides its group. Without a root, a file by itself.
 * @throws TurnmillError `no-input`
 */
export function sourceAt(file: string, root: string | undefined): SourceRef {
  if (file === '-') return { name: '-', input: 0, path: undefined, sizeBytes: 0 };
  const path = root === undefined || isFile(file) ? file : join(root, file);
  const below = root === undefined ? '' : relative(root, path);
  const outside = below === '' || below.startsWith(`..${sep}`) || isAbsolute(below);
  if (root !== undefined && outside) throw new TurnmillError('usage', `${path} is not below --root ${root}`);
  if (!isFile(path)) throw new TurnmillError('no-input', `file ${path} not found`, { subject: path });
  const name = outside ? basename(path) : below.split(sep).join('/');
  return { name, input: 0, path: Buffer.from(path).toString('latin1'), sizeBytes: 0 };
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw ioError('read', path, error);
  }
}
