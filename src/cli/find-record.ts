/** Where in a dataset the record of a session stands: looked up in its ledger. */
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
  /** With several formats: a record each. */
  readonly records?: readonly Pick<SessionLine, 'shard' | 'line'>[];
}

/**
 * The places of the records of that session. The source is known by the end of its path: a file may have been named from
 * anywhere. More than one when the ledger cannot tell them apart.
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
      throw new TurnmillError('invalid-dataset', `${path} is damaged`, { subject: path });
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
