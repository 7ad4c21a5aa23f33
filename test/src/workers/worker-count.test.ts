import { describe, expect, it } from 'vitest';
import type { SourceRef } from '../../../src/input/sources/source.ts';
import { workerCount } from '../../../src/workers/worker-count.ts';

const MEBIBYTE = 1024 * 1024;
const source = (name: string, mebibytes: number): SourceRef => ({
  name,
  input: 0,
  path: `/logs/${name}`,
  sizeBytes: mebibytes * MEBIBYTE,
});
const standardInput: SourceRef = { name: '-', input: 0, path: undefined, sizeBytes: 0 };

const BY_WORK = { workers: undefined, limit: undefined };

describe('workerCount', () => {
  it.each([
    ['nothing', [], 1],
    ['a small log', [source('a.jsonl', 1)], 1],
    ['one GiB', [source('a.jsonl', 512), source('b.jsonl', 512)], 3],
    ['80 MiB, compressed', [source('a.jsonl.gz', 80)], 2],
    ['ten thousand small logs', Array.from({ length: 10_000 }, (_, i) => source(`${i}.jsonl`, 0)), 5],
    ['more than the cores can take', [source('a.jsonl', 100_000)], 8],
    ['standard input', [standardInput], 1],
  ])('defaults to %s', (_what, sources, workers) => {
    expect(workerCount(sources, BY_WORK, 8)).toBe(workers);
  });

  it('is the requested number', () => {
    expect(workerCount([source('a.jsonl', 1)], { ...BY_WORK, workers: 4 }, 2)).toBe(4);
  });

  it('is one with a limit of sessions, whatever was requested', () => {
    expect(workerCount([source('a.jsonl', 1)], { workers: 4, limit: 10 })).toBe(1);
  });

  it('is one for standard input, whatever was requested', () => {
    expect(workerCount([standardInput], { ...BY_WORK, workers: 4 })).toBe(1);
  });
});
