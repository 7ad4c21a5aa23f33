import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SourceRef } from '../../../src/input/sources/source.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { chooseWorkers } from '../../../src/workers/worker-count.ts';
import { temporaryFolder } from '../../support/folder.ts';

const MEBIBYTE = 1024 * 1024;
const source = (name: string, mebibytes: number): SourceRef => ({
  name,
  input: 0,
  path: `/logs/${name}`,
  sizeBytes: mebibytes * MEBIBYTE,
});
/** Logs of some KiB each. */
const small = (count: number, kibibytes: number): readonly SourceRef[] =>
  Array.from({ length: count }, (_, i) => source(`${i}.jsonl`, kibibytes / 1024));
const standardInput: SourceRef = { name: '-', input: 0, path: undefined, sizeBytes: 0 };

const BY_WORK = { workers: undefined, limit: undefined };

describe('chooseWorkers', () => {
  it.each([
    ['nothing', [], 1],
    ['a small log', [source('a.jsonl', 1)], 1],
    ['one GiB', [source('a.jsonl', 512), source('b.jsonl', 512)], 3],
    ['80 MiB, compressed', [source('a.jsonl.gz', 80)], 2],
    ['ten thousand small logs', small(10_000, 10), 2],
    ['ten thousand logs of a line each', small(10_000, 2), 1],
    ['a hundred thousand logs of a line each', small(100_000, 2), 4],
    ['more than the cores can take', [source('a.jsonl', 100_000)], 8],
    ['standard input', [standardInput], 1],
  ])('defaults to %s', (_what, sources, workers) => {
    expect(chooseWorkers(sources, BY_WORK, 8).count).toBe(workers);
  });

  it('is the requested number', () => {
    expect(chooseWorkers([source('a.jsonl', 1)], { ...BY_WORK, workers: 4 }, 2)).toEqual({
      count: 4,
      reason: 'as asked',
      isLong: false,
    });
  });

  it.each([
    ['three GiB', [source('a.jsonl', 3071)], BY_WORK, false],
    ['more', [source('a.jsonl', 3073)], BY_WORK, true],
    ['more, with a number of workers', [source('a.jsonl', 3073)], { ...BY_WORK, workers: 1 }, true],
    ['more, with a limit of sessions', [source('a.jsonl', 3073)], { ...BY_WORK, limit: 1 }, false],
    ['standard input', [standardInput], BY_WORK, false],
  ])('tells whether a run is long: %s', (_what, sources, settings, isLong) => {
    expect(chooseWorkers(sources, settings, 2).isLong).toBe(isLong);
  });

  it('is one with a limit of sessions, whatever was requested', () => {
    expect(chooseWorkers([source('a.jsonl', 1)], { workers: 4, limit: 10 }).count).toBe(1);
  });

  it('is one for standard input, whatever was requested', () => {
    expect(chooseWorkers([standardInput], { ...BY_WORK, workers: 4 }).count).toBe(1);
  });

  /** Writes logs of 20 MB into one folder each; only their heads are read. */
  function logs(...heads: readonly string[]): readonly SourceRef[] {
    const folder = temporaryFolder();
    return heads.map((head, at) => {
      const path = join(folder, String(at), 'a.jsonl');
      mkdirSync(dirname(path));
      writeFileSync(path, head);
      return { name: `${at}/a.jsonl`, input: 0, path, sizeBytes: 20e6 };
    });
  }
  const EXCHANGE = '{"timestamp":"2026-01-13T09:00:00Z","request":{"messages":[]},"response":{}}\n';
  const EVENT = '{"type":"user","uuid":"a","message":{"role":"user","content":"hi"}}\n';

  it.each([
    ['plain exchanges', [EXCHANGE, EXCHANGE], 1],
    ['event logs', [EVENT, EVENT], 2],
    ['each folder by its first log', [EXCHANGE, EVENT], 1],
    ['empty logs like event logs', ['', ''], 2],
    ['the last folder that was looked at, after sixteen', [...Array(16).fill(EXCHANGE), EVENT, EVENT], 1],
  ] as const)('counts %s', (_what, heads, workers) => {
    expect(chooseWorkers(logs(...heads), BY_WORK, 8).count).toBe(workers);
  });

  it('is one with functions of a program, whatever was requested', () => {
    const plugIns = { files: [], hasObjects: true } as unknown as Settings['plugIns'];
    for (const workers of [undefined, 4])
      expect(chooseWorkers([source('a.jsonl', 4096)], { ...BY_WORK, workers, plugIns })).toEqual({
        count: 1,
        reason: 'functions do not cross threads',
        isLong: true,
      });
  });

  it('looks at no log if the number is given and the run is short anyway', () => {
    const unread = {
      ...source('a.jsonl', 10),
      get parts(): never {
        throw new Error('looked at');
      },
    };
    expect(chooseWorkers([unread as SourceRef], { ...BY_WORK, workers: 1 }).isLong).toBe(false);
  });

  it('is one for a merge, which reads no logs', () => {
    expect(chooseWorkers([], BY_WORK, 8)).toEqual({ count: 1, reason: 'nothing to read', isLong: false });
  });

  it('says how it counted', () => {
    expect(chooseWorkers(logs(EVENT), BY_WORK, 8).reason).toBe(
      'work to share like 229 MiB of plain exchanges, with 384 MiB a worker and 8 cores',
    );
  });
});
