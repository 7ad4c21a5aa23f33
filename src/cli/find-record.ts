/** Finds the records of a session in a dataset, through its ledger. */
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';
import { LINE_FILES } from '../dataset/layout.ts';
import { checkManifest } from '../dataset/manifest.ts';
import { parseLine } from '../dataset/parse-line.ts';
import { resolveDataset } from '../dataset/recover.ts';
import type { SessionLine } from '../dataset/schema.ts';
import { ioError, TurnmillError } from '../errors.ts';
import { streamOwnFile } from '../own-file.ts';

export interface RecordPlace {
  readonly shard: string;
  readonly line: number;
}

/**
 * The places of the records of a session. Sources are compared by the end of their paths, because they may be relative to any
 * folder; when the ledger has several matches, all are returned.
 */
export async function findRecords(
  out: string,
  source: string,
  session: string,
): Promise<readonly RecordPlace[]> {
  const root = resolveDataset(out);
  checkManifest(root);
  const path = join(root, LINE_FILES.sessions);
  const found: RecordPlace[] = [];
  try {
    await pipeline(streamOwnFile(path), split2(), async (lines: AsyncIterable<string>) => {
      for await (const text of lines) {
        const written = sessionIn(text, path);
        const { id, source: name, records = [written] } = written;
        if (id !== session || !sameEnd(name, source)) continue;
        for (const { shard, line } of records) {
          if (typeof shard === 'string' && typeof line === 'number') found.push({ shard, line });
        }
      }
    });
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw ioError('read', path, error);
    throw new TurnmillError('no-input', `no dataset found at ${out}`, { subject: out, cause: error });
  }
  return found;
}

function sessionIn(text: string, path: string): SessionLine {
  const line = parseLine(LINE_FILES.sessions, text);
  if (line !== undefined) return line;
  const message = `${path} has a line that is not a session: the dataset is damaged`;
  throw new TurnmillError('invalid-dataset', message, { subject: path });
}

function sameEnd(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}
