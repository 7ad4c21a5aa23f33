/** Finds the records of a session in a dataset, through its ledger. */
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';
import { checkManifest } from '../dataset/manifest.ts';
import { resolveDataset } from '../dataset/recover.ts';
import { ioError, TurnmillError } from '../errors.ts';
import { streamOwnFile } from '../own-file.ts';

export interface RecordPlace {
  readonly shard: string;
  readonly line: number;
}

interface SessionLine {
  readonly id?: unknown;
  readonly source?: unknown;
  readonly shard?: unknown;
  readonly line?: unknown;
  /** One record per format, if there are several. */
  readonly records?: readonly Pick<SessionLine, 'shard' | 'line'>[];
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
  const path = join(root, 'ledger', 'sessions.jsonl');
  const found: RecordPlace[] = [];
  try {
    await pipeline(streamOwnFile(path), split2(parseLine), async (lines: AsyncIterable<SessionLine>) => {
      for await (const written of lines) {
        const { id, source: name, records = [written] } = written;
        if (id !== session || typeof name !== 'string' || !sameEnd(name, source)) continue;
        for (const { shard, line } of records) {
          if (typeof shard === 'string' && typeof line === 'number') found.push({ shard, line });
        }
      }
    });
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new TurnmillError(
        'invalid-dataset',
        `${path} has a line that is not JSON: the dataset is damaged`,
        { subject: path },
      );
    if (error instanceof TurnmillError) throw error;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw ioError('read', path, error);
    throw new TurnmillError('no-input', `no dataset found at ${out}`, { subject: out, cause: error });
  }
  return found;
}

const parseLine = (line: string): SessionLine | undefined =>
  line === '' ? undefined : (JSON.parse(line) as SessionLine);

function sameEnd(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}
