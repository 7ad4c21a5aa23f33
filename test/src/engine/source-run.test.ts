/** One source after the other, as far as reading goes without waiting. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BatchBuilder } from '../../../src/engine/batch.ts';
import { UNWATCHED } from '../../../src/engine/instrument.ts';
import { SourceRun } from '../../../src/engine/source-run.ts';
import type { TaskSource } from '../../../src/engine/task.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import type { Outcome } from '../../../src/ledger/result.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sessionLines } from '../../support/plain-logs.ts';

interface Made {
  readonly run: SourceRun;
  readonly batch: BatchBuilder;
  readonly sources: readonly TaskSource[];
  /** Reads a source to its end and returns its results. */
  results(source: TaskSource): Promise<readonly Outcome[]>;
}

function runOver(logs: Readonly<Record<string, string>>, given: Partial<Settings> = {}): Made {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(logs)) writeFileSync(join(folder, name), text);
  const settings = resolveSettings({ inputs: [folder], out: undefined, ...given });
  const batch = new BatchBuilder();
  const run = new SourceRun({ settings, watch: UNWATCHED, signal: undefined, memory: undefined, batch });
  const sources = listSources([folder], settings.follow).sources.map((ref, index) => ({ index, ref }));
  return {
    ...{ run, batch, sources },
    async results(source) {
      run.begin(source);
      for (let pause = run.read(); pause !== 'over'; pause = run.read()) if (pause !== 'batch') await pause;
      return batch.take().outcomes;
    },
  };
}

const log = (id: string, entries = 2): string =>
  `${sessionLines(id, { entries, messageChars: 40, seed: 1 }).join('\n')}\n`;

it('begins and ends each source, with its sessions between', async () => {
  const { sources, results } = runOver(
    { 'a.jsonl': log('a'), 'b.jsonl': '', 'c.jsonl': 'torn' },
    { integrity: false },
  );
  const found = [];
  for (const source of sources) found.push(await results(source));
  expect(found.map((all) => all.map(({ kind }) => kind))).toEqual([
    ['source-begin', 'row', 'session', 'source'],
    ['source-begin', 'source'],
    ['source-begin', 'rejected-line', 'session', 'source'],
  ]);
  expect(found.map((all) => all.at(-1))).toMatchObject([
    ...[
      { source: 0, status: 'read', lines: 2 },
      { source: 1, status: 'empty', lines: 0 },
    ],
    { source: 2, status: 'read', fates: [['rejected:invalid-json', 1]] },
  ]);
});

it('pauses when a batch is due, and counts every byte once', async () => {
  const { run, batch, sources } = runOver({ 'a.jsonl': 'torn\n'.repeat(100_000) });
  run.begin(sources[0] as TaskSource);
  let [batches, bytes] = [0, 0];
  for (let pause = run.read(); pause !== 'over'; pause = run.read()) {
    if (pause !== 'batch') {
      await pause;
      continue;
    }
    batches++;
    bytes += batch.take().readBytes;
  }
  expect(batches).toBeGreaterThan(3);
  expect(bytes + batch.take().readBytes).toBe(500_000);
});

it('a source that cannot be opened is rejected, and the next one is read', async () => {
  const { sources, results } = runOver({ 'a.jsonl': log('a'), 'b.jsonl': log('b') });
  const [first, second] = sources as [TaskSource, TaskSource];
  const gone = { ...first, ref: { ...first.ref, path: `${first.ref.path}.gone` } };
  expect((await results(gone)).at(-1)).toMatchObject({ status: 'rejected', readBytes: 0 });
  expect((await results(second)).map(({ kind }) => kind)).toContain('row');
});

it('a source that has killed three worker threads is rejected unread', async () => {
  const { sources, results } = runOver({ 'a.jsonl': log('a') });
  const deadly = { ...(sources[0] as TaskSource), deaths: ['out of memory', 'exit', 'exit'] };
  expect(await results(deadly)).toMatchObject([
    { kind: 'source-begin' },
    { status: 'rejected', rejection: { reason: 'worker-crash' } },
  ]);
});

it('stops at the limit of sessions', async () => {
  const { run, sources, results } = runOver({ 'a.jsonl': log('a'), 'b.jsonl': log('b') }, { limit: 1 });
  expect(run.isLimited).toBe(false);
  expect((await results(sources[0] as TaskSource)).filter(({ kind }) => kind === 'session')).toHaveLength(1);
  expect(run.isLimited).toBe(true);
});
