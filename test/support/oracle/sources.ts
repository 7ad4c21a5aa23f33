/**
 * The sources of a folder: every regular *.jsonl or *.ndjson, plain or .gz, at any depth, in bytewise order of relative paths. A gzip that
 * does not decode gives no bytes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export type Source = { readonly path: string; readonly bytes: Buffer | undefined };

const NAME = /\.(?:jsonl|ndjson)(?:\.gz)?$/;

function pathsBelow(root: string, below: string, isWanted: (name: string) => boolean): readonly string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return pathsBelow(root, path, isWanted);
    return entry.isFile() && isWanted(entry.name) ? [path] : [];
  });
}

const bytewise = (paths: readonly string[]): string[] =>
  [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** The files that are not named like logs. */
export function excludedFiles(root: string): readonly string[] {
  return bytewise(pathsBelow(root, '', (name) => !NAME.test(name)));
}

function decoded(path: string, bytes: Buffer): Buffer | undefined {
  if (!path.endsWith('.gz')) return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

export function readSources(root: string): readonly Source[] {
  return bytewise(pathsBelow(root, '', (name) => NAME.test(name))).map((path) => ({
    path,
    bytes: decoded(path, readFileSync(join(root, path))),
  }));
}
