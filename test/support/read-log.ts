/** Reads in-memory logs as a run reads its sources, up to the results that the ledger counts. */
import { runTask } from '../../src/engine/run-task.ts';
import type { TaskSource } from '../../src/engine/task.ts';
import type { SourceRef } from '../../src/input/sources/source.ts';
import type { Result } from '../../src/ledger/result.ts';
import { type PartialSettings, resolveSettings } from '../../src/settings/settings.ts';

export interface NamedLog {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Yields the results of one log after another. */
export async function* readLogs(
  logs: Iterable<NamedLog>,
  overrides: Omit<PartialSettings, 'inputs'> = {},
): AsyncGenerator<readonly Result[]> {
  const settings = resolveSettings({ ...overrides, inputs: ['-'] });
  let results: Result[] = [];
  for await (const batch of runTask(sourcesOf(logs), settings)) {
    for (const result of batch.results) {
      results.push(result);
      if (result.kind !== 'source') continue;
      yield results;
      results = [];
    }
  }
}

function* sourcesOf(logs: Iterable<NamedLog>): Generator<TaskSource> {
  let index = 0;
  for (const { name, bytes } of logs) {
    const stream = (async function* () {
      yield Buffer.from(bytes);
    })();
    const ref: SourceRef = { name, input: 0, path: undefined, stream, sizeBytes: bytes.length };
    yield { index: index++, ref };
  }
}
