import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_FILES, type FileChoice, leftOutBy } from '../../../../src/input/sources/chosen-files.ts';
import { listSources } from '../../../../src/input/sources/list.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const PATHS = ['a.jsonl', 'b.log', 'x/a.jsonl', 'x/y/c.jsonl', 'x/.hidden.jsonl', 'é.jsonl'];

const chosen = (choice: Partial<FileChoice>): readonly string[] => {
  const whyLeftOut = leftOutBy({ ...ALL_FILES, ...choice });
  return PATHS.filter((path) => whyLeftOut(Buffer.from(path).toString('latin1'), 0) === undefined);
};

describe('patterns', () => {
  it.each<[what: string, choice: Partial<FileChoice>, expected: readonly string[]]>([
    ['none', {}, PATHS],
    ['a name at any depth', { include: ['a.jsonl'] }, ['a.jsonl', 'x/a.jsonl']],
    ['a path', { include: ['x/*.jsonl'] }, ['x/a.jsonl', 'x/.hidden.jsonl']],
    ['folders at any depth', { include: ['x/**'] }, ['x/a.jsonl', 'x/y/c.jsonl', 'x/.hidden.jsonl']],
    [
      'several',
      { include: ['*.log', '?.jsonl'] },
      ['a.jsonl', 'b.log', 'x/a.jsonl', 'x/y/c.jsonl', 'é.jsonl'],
    ],
    ['what to leave out', { exclude: ['*.log', 'x/**'] }, ['a.jsonl', 'é.jsonl']],
    ['both', { include: ['*.jsonl'], exclude: ['**/c*', '.*'] }, ['a.jsonl', 'x/a.jsonl', 'é.jsonl']],
  ])('%s', (_, choice, expected) => {
    expect(chosen(choice)).toEqual(expected);
  });
});

it('a file that was changed at that time is read, an earlier one is not', () => {
  const whyLeftOut = leftOutBy({ ...ALL_FILES, since: 1000 });
  const reasons = [999, 1000, 1000n].map((time) => whyLeftOut('a', time));
  expect(reasons).toEqual(['too-old', undefined, undefined]);
});

it('files in folders are passed over, a file that is named is read', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'x'));
  for (const name of ['old.jsonl', 'new.jsonl', 'x/new.jsonl', 'x/new.log'])
    writeFileSync(join(folder, name), 'x');
  utimesSync(join(folder, 'old.jsonl'), 1, 1);
  const choice = leftOutBy({ include: [], exclude: ['*.log'], since: 2000 });
  const { sources, passedOver, skipped, extensions } = listSources([folder], 'none', undefined, choice);
  expect([...sources].map(({ name }) => name)).toEqual(['new.jsonl', 'x/new.jsonl']);
  expect(passedOver).toEqual({ 'excluded-by-option': 1, 'too-old': 1 });
  expect(extensions).toEqual({ '.jsonl': 1, '.log': 1 });
  expect(skipped).toEqual([
    { name: 'old.jsonl', input: 0, reason: 'too-old' },
    { name: 'x/new.log', input: 0, reason: 'excluded-by-option' },
  ]);
  const named = listSources([join(folder, 'old.jsonl')], 'none', undefined, choice);
  expect(named.sources).toHaveLength(1);
});
