/** F168: verify finds damage to the files of a dataset and names the file. */
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LONG } from '../../support/long.ts';
import { type Copy, smallDataset } from './small-dataset.ts';

const FILES = [
  'data/2026-01-13-00000.jsonl.gz',
  'data/2026-01-14-00000.jsonl.gz',
  'ledger/sessions.jsonl',
  'ledger/sources.jsonl',
  'quarantine/rejected.jsonl',
  'reports/integrity.jsonl',
  'reports/summary.json',
  'reports/tool-usage.csv',
];
const SHARDS = FILES.slice(0, 2) as [string, string];
const STEPS = LONG ? 25 : 5;
/** Bytes between two flips. */
const MANIFEST_STEP = LONG ? 1 : 61;

const packed = smallDataset({ compress: 'gzip', quarantineContent: 'raw' });

/** Files named in the problems, or the manifest if it cannot be read. */
async function named(copy: Copy): Promise<string[]> {
  try {
    return (await copy.verify()).problems.map(({ file }) => file);
  } catch (error) {
    expect(error).toMatchObject({ name: 'TurnmillError', code: 'invalid-dataset' });
    return ['manifest.json'];
  }
}

function flip(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] as number) ^ 1;
  return flipped;
}

describe.each(FILES)('F168 %s', (file) => {
  test('with a flipped bit anywhere is found', async () => {
    const copy = packed.copy();
    const bytes = copy.read(file);
    for (let i = 0; i < STEPS; i += 1) {
      const at = Math.floor((bytes.length - 1) * (i / (STEPS - 1)));
      copy.write(file, flip(bytes, at));
      expect(await named(copy), `byte ${at}`).toContain(file);
    }
  });

  test('with a byte less, a byte more or no bytes is found', async () => {
    const copy = packed.copy();
    const bytes = copy.read(file);
    const middle = bytes.length >> 1;
    const changed = [
      bytes.subarray(1),
      bytes.subarray(0, -1),
      Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + 1)]),
      Buffer.concat([bytes, Buffer.from('\n')]),
      Buffer.concat([bytes, Buffer.from([0])]),
      Buffer.alloc(0),
    ];
    for (const now of changed) {
      copy.write(file, now);
      expect(await named(copy)).toContain(file);
    }
  });

  test('is found when it is missing, a folder or a link', async () => {
    const copy = packed.copy();
    const path = join(copy.path, file);
    renameSync(path, join(packed.root, 'moved'));
    expect(await named(copy)).toContain(file);
    symlinkSync(join(packed.root, 'moved'), path);
    expect(await named(copy)).toContain(file);
    rmSync(path);
    mkdirSync(path);
    expect(await named(copy)).toContain(file);
  });
});

describe('F168 finds', () => {
  test('two swapped shards', async () => {
    const copy = packed.copy();
    const [a, b] = [copy.read(SHARDS[0]), copy.read(SHARDS[1])];
    copy.write(SHARDS[0], b);
    copy.write(SHARDS[1], a);
    expect(await named(copy)).toEqual(expect.arrayContaining([...SHARDS]));
  });

  test.each(['data/extra.jsonl', 'notes.txt', 'ledger/.hidden', 'quarantine/x'])(
    'a foreign file %s',
    async (file) => {
      const copy = packed.copy();
      copy.write(file, '');
      expect(await named(copy)).toEqual([file]);
    },
  );

  test('a foreign folder at the top or below', async () => {
    const copy = packed.copy();
    mkdirSync(join(copy.path, 'more'));
    mkdirSync(join(copy.path, 'data/more'));
    expect((await named(copy)).sort()).toEqual(['data/more', 'more']);
  });

  test('a folder replaced by a link', async () => {
    const copy = packed.copy();
    renameSync(join(copy.path, 'ledger'), join(packed.root, 'elsewhere'));
    symlinkSync(join(packed.root, 'elsewhere'), join(copy.path, 'ledger'));
    await expect(copy.verify()).rejects.toMatchObject({
      code: 'invalid-dataset',
      message: expect.stringContaining('names files in ledger/, which is a symbolic link'),
    });
  });

  test.each(['', '[]', '{'])('run.json that is %j', async (text) => {
    const copy = packed.copy();
    copy.write('run.json', text);
    expect(await named(copy)).toEqual(['run.json']);
  });
});

describe('F168 finds in manifest.json', () => {
  test('a flipped bit anywhere except in the version of turnmill', async () => {
    const copy = packed.copy();
    const bytes = copy.read('manifest.json');
    const version = bytes.indexOf('"version"') + '"version": "'.length;
    for (let at = 0; at < bytes.length; at += MANIFEST_STEP) {
      if (at >= version && bytes.indexOf('"', version) > at) continue;
      copy.write('manifest.json', flip(bytes, at));
      expect(await named(copy), `byte ${at}: ${bytes.subarray(at - 10, at + 10)}`).not.toEqual([]);
    }
  });

  test('any count that is one too high', async () => {
    const copy = packed.copy();
    const bytes = copy.read('manifest.json').toString();
    for (const { index, 0: digits } of bytes.matchAll(/(?<=": )\d+/g)) {
      const more = String(Number(digits) + 1);
      copy.write('manifest.json', bytes.slice(0, index) + more + bytes.slice(index + digits.length));
      expect(await named(copy), `at ${bytes.slice(index - 30, index + 3)}`).not.toEqual([]);
    }
  });
});
