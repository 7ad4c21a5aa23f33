import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LINE_FILES, WORK_FILES } from '../../../src/dataset/layout.ts';
import { readManifest } from '../../../src/dataset/manifest.ts';
import { build } from '../../../src/job/build.ts';
import { checkStagedFiles, cutToCheckpoint, openPreviousDataset } from '../../../src/reuse/previous-run.ts';
import { temporaryFolder } from '../../support/folder.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples/logs');

async function dataset(): Promise<string> {
  const out = join(temporaryFolder(), 'out');
  await build({ inputs: [EXAMPLES], out, workers: 1 });
  return out;
}

describe('a published dataset', () => {
  it('yields the lines of its files by type', async () => {
    const out = await dataset();
    const run = await openPreviousDataset(out, readManifest(out));
    const sources = [...run.lines(LINE_FILES.sources)];
    expect(sources).toHaveLength(13);
    expect(sources[0]).toMatchObject({ status: 'read', compression: 'none' });
    expect([...run.lines(LINE_FILES.sessions)].filter(({ fate }) => fate === 'written')).toHaveLength(11);
    expect(run.shards.map(({ path }) => path)).toEqual(readManifest(out).shards.map(({ path }) => path));
  });

  it('has no files of a staging folder', async () => {
    const out = await dataset();
    const run = await openPreviousDataset(out, readManifest(out));
    expect(() => run.lines(WORK_FILES.listing)).toThrow(/work\/listing\.jsonl is missing/);
  });

  it.each([
    ['is longer', (path: string) => appendFileSync(path, '\n')],
    ['is shorter', (path: string) => truncateSync(path, 10)],
    ['is gone', (path: string) => rmSync(path)],
    ['has another byte', (path: string) => writeFileSync(path, readFileSync(path).fill(' ', 5, 6))],
  ])('is refused when a file %s', async (_what, damage) => {
    const out = await dataset();
    damage(join(out, LINE_FILES.sessions));
    await expect(openPreviousDataset(out, readManifest(out))).rejects.toThrow(
      expect.objectContaining({
        code: 'invalid-dataset',
        message: expect.stringContaining('sessions.jsonl does not match the manifest'),
      }),
    );
  });

  it('is refused before reading when a shard has another size', async () => {
    const out = await dataset();
    const manifest = readManifest(out);
    appendFileSync(join(out, manifest.shards[0]?.path as string), '\n');
    await expect(openPreviousDataset(out, manifest)).rejects.toThrow(/does not match the manifest/);
  });

  it('reports io when a file changes after it was checked', async () => {
    const out = await dataset();
    const run = await openPreviousDataset(out, readManifest(out));
    const path = join(out, LINE_FILES.sessions);
    writeFileSync(path, readFileSync(path).fill(' ', 5, 6));
    expect(() => [...run.lines(LINE_FILES.sessions)]).toThrow(
      expect.objectContaining({ code: 'io', subject: path }),
    );
  });
});

describe('staged files', () => {
  const refuse = (path: string): never => {
    throw new Error(`refused ${path}`);
  };

  /** A staged file whose first bytes are in the checkpoint. */
  function staged(): { root: string; file: { path: string; bytes: number; crc32: number } } {
    const root = temporaryFolder();
    const done = '"1:2:3:4"\n""\n';
    writeFileSync(join(root, 'fingerprints'), `${done}"after the checkpoi`);
    return { root, file: { path: 'fingerprints', bytes: done.length, crc32: crc32(done) } };
  }

  it('are read up to the checkpoint and truncated there', async () => {
    const { root, file } = staged();
    const [checked] = await checkStagedFiles(root, [file], refuse);
    expect(checked).toMatchObject(file);
    expect(checked?.sums.match(0, readFileSync(join(root, file.path)).subarray(0, file.bytes))).toBe(true);
    expect(readFileSync(join(root, file.path)).length).toBeGreaterThan(file.bytes);
    cutToCheckpoint(root, [file]);
    expect(readFileSync(join(root, 'fingerprints')).length).toBe(file.bytes);
  });

  it.each([
    ['shorter', (path: string) => truncateSync(path, 3)],
    ['gone', (path: string) => rmSync(path)],
    ['changed in one byte', (path: string) => writeFileSync(path, readFileSync(path).fill('7', 1, 2))],
  ])('are refused by name when they are %s', async (_what, damage) => {
    const { root, file } = staged();
    damage(join(root, file.path));
    await expect(checkStagedFiles(root, [file], refuse)).rejects.toThrow('refused fingerprints');
  });
});
