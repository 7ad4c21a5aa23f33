/** Reads the line files of a dataset, and the places of records in the lines of its sessions. */
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';
import { readManifest } from '../dataset/manifest.ts';
import { type LineFileName, type LineTypes, lineIn } from '../dataset/parse-line.ts';
import { resolveDataset } from '../dataset/recover.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import { ioError, TurnmillError } from '../errors.ts';
import { streamOwnFile } from '../own-file.ts';
import type { Location } from '../record/output.ts';

/**
 * Calls `take` with each line of a file of a dataset.
 * @throws TurnmillError `no-input` if there is no dataset, `invalid-dataset` for another line
 */
export async function eachLineOf<F extends LineFileName>(
  out: string,
  file: F,
  take: (line: LineTypes[F]) => void,
): Promise<void> {
  const root = resolveDataset(out);
  readManifest(root);
  const path = join(root, file);
  let fault: unknown;
  try {
    await pipeline(streamOwnFile(path), split2(), async (lines: AsyncIterable<string>) => {
      try {
        for await (const text of lines) take(lineIn(file, text, path));
      } catch (error) {
        fault = error; // the pipeline may reject with an AbortError instead
        throw error;
      }
    });
  } catch (error) {
    const cause = fault ?? error;
    if (cause instanceof TurnmillError) throw cause;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw ioError('read', path, error);
    throw new TurnmillError('no-input', `no dataset found at ${out}`, { subject: out, cause: error });
  }
}

export function placesOf(session: SessionLine): readonly Location[] {
  return (session.records ?? [session]).flatMap(({ shard, line }) =>
    typeof shard === 'string' && typeof line === 'number' ? [{ shard, line }] : [],
  );
}

/** Sources are compared by the end of their paths, because these may be relative to any folder. */
export function sameEnd(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

/** Returns the lines whose source agrees with a name, in which it may be relative to another folder, in most of its length. */
export function closest<L extends { readonly source: string }>(
  lines: readonly L[],
  name: string,
): readonly L[] {
  const exact = lines.filter(({ source }) => source === name);
  if (exact.length > 0) return exact;
  const shared = ({ source }: L): number => Math.min(source.length, name.length);
  const longest = lines.reduce((most, line) => Math.max(most, shared(line)), 0);
  return lines.filter((line) => shared(line) === longest);
}
