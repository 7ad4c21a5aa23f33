/** Handwritten results, results of real runs, and an output that keeps everything in memory. */
import { build } from '../../src/job/build.ts';
import type {
  RecordResult,
  RejectedLine,
  Result,
  SessionReport,
  SourceBegin,
  SourceReport,
} from '../../src/ledger/result.ts';
import { type HeldParts, MemoryParts } from '../../src/record/held-parts.ts';
import type { Destination, Location } from '../../src/record/output.ts';
import type { WrittenPath } from '../../src/record/path-writer.ts';
import { resolveSettings, type Settings } from '../../src/settings/settings.ts';

export const begin = (source: number, more: Partial<SourceBegin> = {}): SourceBegin => ({
  ...{ kind: 'source-begin', source, provisional: true },
  ...more,
});

export const record = (text: string, more: Partial<RecordResult> = {}): RecordResult => ({
  ...{ kind: 'record', group: 'g', format: 'chat', bytes: Buffer.from(text) },
  ...more,
});

/** The end of a written session with one entry. */
export const session = (sessionId: string, more: Partial<SessionReport> = {}): SessionReport => ({
  ...{ kind: 'session', sessionId, fate: 'written', entries: 1, superseded: 0, truncated: 0, changes: [] },
  ...more,
});

export const rejectedLine = (line: number, more: Partial<RejectedLine> = {}): RejectedLine => ({
  ...{ kind: 'rejected-line', reason: 'invalid-json', stage: 'parse', detail: 'not JSON' },
  ...{ line, offset: 10 * line, length: 5, sha256: 'ab' },
  ...more,
});

const NO_FRAMING: SourceReport['framing'] = {
  ...{ bytes: 0, bomBytes: 0, lineBytes: 0, terminatorBytes: 0, lines: 0, crlf: 0, noFinalNewline: false },
};

/** The end of a source, with a line for each fate. */
export const end = (
  source: number,
  fates: SourceReport['fates'] = [],
  more: Partial<SourceReport> = {},
): SourceReport => {
  const lines = fates.reduce((sum, [, n]) => sum + n, 0);
  const framing = { ...NO_FRAMING, lines, bytes: 10 * lines, lineBytes: 10 * lines };
  return {
    ...{ kind: 'source', source, status: 'read', compression: 'none', readBytes: framing.bytes },
    ...{ framing, lines, fates, repairs: [] },
    ...more,
  };
};

/** Returns the results of a run, with copies of their bytes, and its settings. */
export async function resultsOf(
  request: Partial<Settings> & Pick<Settings, 'inputs' | 'out'>,
): Promise<{ readonly results: readonly Result[]; readonly settings: Settings }> {
  const results: Result[] = [];
  await build(
    { workers: 1, ...request },
    { onResult: (result) => void results.push(structuredClone(result)) },
  );
  return { results, settings: resolveSettings({ workers: 1, ...request }) };
}

/** Keeps the written data in memory; a record's shard is named after its group and format. */
export class MemoryOutput implements Destination {
  readonly streams: boolean;
  readonly discards = false;
  readonly root = undefined;
  readonly records: string[] = [];
  readonly files = new Map<string, unknown[]>();
  readonly paths: object[] = [];
  readonly checkpoints: number[] = [];
  /** Number of open files. */
  openFiles = 0;

  constructor(streams = false) {
    this.streams = streams;
  }

  record({ group, format, bytes }: RecordResult): Location {
    this.records.push(Buffer.from(bytes).toString());
    return { shard: `${format}/${group}`, line: this.records.length };
  }

  line(file: string, json: string, count = 1): void {
    const lines = json.split('\n');
    if (lines.length !== count) throw new Error(`${lines.length} lines, not ${count}`);
    this.files.set(file, [...this.linesOf(file), ...lines.map((line): unknown => JSON.parse(line))]);
  }

  path({ hashes, formats, place }: WrittenPath): void {
    const at = place && `${place.shard}:${place.line}`;
    this.paths.push({ formats, hashes: Buffer.from(hashes).toString('hex'), at });
  }

  linesOf(file: string): readonly unknown[] {
    return this.files.get(file) ?? [];
  }

  text(): void {
    throw new Error('no reports here');
  }

  openHeldParts(): HeldParts {
    const parts = new MemoryParts();
    this.openFiles++;
    return {
      write: (results) => parts.write(results),
      read: () => parts.read(),
      close: () => {
        this.openFiles--;
        parts.close();
      },
    };
  }

  async commit(): Promise<undefined> {
    return undefined;
  }

  checkpoint(sources: number): void {
    this.checkpoints.push(sources);
  }

  leave(): boolean {
    return false;
  }

  discard(): void {
    // nothing to remove
  }
}
