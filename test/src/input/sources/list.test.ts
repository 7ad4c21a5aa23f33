import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listSources } from '../../../../src/input/sources/list.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const put = (folder: string, ...names: string[]): void => {
  for (const name of names) writeFileSync(join(folder, name), 'x');
};

it('lists logs below a folder in bytewise order and counts other files', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'b/c'), { recursive: true });
  put(
    folder,
    'b.jsonl',
    'a.ndjson',
    'Z.json.gz',
    'notes.txt',
    'b/c/x.jsonl',
    '｡.jsonl',
    '😀.jsonl',
    '-rf.jsonl',
  );
  const { sources, passedOver, extensions, skipped } = listSources([folder]);
  const names = ['-rf.jsonl', 'Z.json.gz', 'a.ndjson', 'b.jsonl', 'b/c/x.jsonl', '｡.jsonl', '😀.jsonl'];
  expect([...sources].map(({ name }) => name)).toEqual(names);
  expect([passedOver, extensions]).toEqual([{ excluded: 1 }, { '.txt': 1 }]);
  expect(skipped).toEqual([{ name: 'notes.txt', input: 0, reason: 'excluded' }]);
});

it('lists archives and cassettes, whose rejection gives advice, and exports of CloudWatch', () => {
  const folder = temporaryFolder();
  put(folder, 'run.eval', '000000.gz', 'archive.gz', 'config.yaml', 'a.jsonl.xz', 'a.log.1.bz2', 'notes.xz');
  writeFileSync(join(folder, 'tape.yaml'), '---\ninteractions:\n- request:\n');
  writeFileSync(join(folder, 'tape.yml'), 'interactions:\n- request:\n');
  const { sources, extensions } = listSources([folder]);
  expect([...sources].map(({ name }) => name)).toEqual([
    '000000.gz',
    'a.jsonl.xz',
    'a.log.1.bz2',
    'run.eval',
    'tape.yaml',
    'tape.yml',
  ]);
  expect(extensions).toEqual({ '.gz': 1, '.xz': 1, '.yaml': 1 });
});

it('keeps the bytes of a name that is not UTF-8', () => {
  const folder = temporaryFolder();
  const bytes = Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xff]), Buffer.from('.jsonl')]);
  writeFileSync(bytes, 'x');
  const [source] = listSources([folder]).sources;
  expect(source?.name).toBe('a\ufffd.jsonl');
  expect(Buffer.from(source?.nameBase64 ?? '', 'base64')).toEqual(bytes.subarray(folder.length + 1));
  expect(Buffer.from(source?.path ?? '', 'latin1')).toEqual(bytes);
});

it('skips links and lists each file once', () => {
  const folder = temporaryFolder();
  put(folder, 'a.jsonl', 'c.jsonl');
  linkSync(join(folder, 'a.jsonl'), join(folder, 'b.jsonl'));
  symlinkSync('a.jsonl', join(folder, 'link.jsonl'));
  expect(listSources([folder]).skipped).toMatchObject([
    { name: 'b.jsonl', reason: 'duplicate-inode' },
    { name: 'link.jsonl', reason: 'symlink' },
  ]);
  const again = listSources([folder, join(folder, 'c.jsonl')]);
  expect(again.sources).toHaveLength(2);
  expect(again.skipped).toContainEqual({ name: 'c.jsonl', input: 1, reason: 'duplicate-inode' });
});

it('lists standard input as a source and names a missing input', () => {
  expect([...listSources(['-']).sources]).toEqual([{ name: '-', path: undefined, sizeBytes: 0, input: 0 }]);
  expect(() => listSources(['/not/there'])).toThrow('/not/there not found');
  expect(() => listSources(['/dev/null'])).toThrow('is not a regular file');
});
