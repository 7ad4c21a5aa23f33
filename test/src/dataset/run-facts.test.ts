import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFingerprints, writeRunFacts } from '../../../src/dataset/run-facts.ts';
import { readWrittenText, writeWholeFile } from '../../../src/dataset/whole-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

function written(
  lines: string | undefined,
  damage: (proofs: string) => void = () => undefined,
): { root: string; text: string } {
  const root = temporaryFolder();
  const proofs = join(root, 'proofs.jsonl');
  const file = lines === undefined ? undefined : writeWholeFile(proofs, lines);
  damage(proofs);
  writeRunFacts(root, { host: 'h', inputs: ['a'] }, file);
  return { root, text: readFileSync(join(root, 'run.json'), 'utf8') };
}

describe('run.json', () => {
  test.each([
    ['no proofs', undefined, { host: 'h', inputs: ['a'] }],
    ['none', '', { host: 'h', inputs: ['a'], proofs: [] }],
    ['one', '"x"\n', { host: 'h', inputs: ['a'], proofs: ['x'] }],
    ['an empty one', '"x"\n""\n', { host: 'h', inputs: ['a'], proofs: ['x', ''] }],
  ])('with %s is formatted like every JSON file of a dataset', (_what, lines, expected) => {
    expect(written(lines).text).toBe(`${JSON.stringify(expected, undefined, 2)}\n`);
  });

  test('with enough files to be written in pieces', () => {
    const proofs = Array.from({ length: 30_000 }, (_, i) => `${i}:${'p'.repeat(i % 60)}`);
    const { root, text } = written(proofs.map((proof) => `${JSON.stringify(proof)}\n`).join(''));
    expect(readFingerprints(root)).toEqual(proofs);
    expect(text).toBe(`${JSON.stringify({ host: 'h', inputs: ['a'], proofs }, undefined, 2)}\n`);
  });

  test.each([
    ['lost its end', (text: string) => text.slice(0, -1)],
    ['is another text of JSON', (text) => text.replace('x', 'y')],
    ['is longer', (text) => `${text}"z"\n`],
    ['has a byte that is not UTF-8', (text) => Buffer.from(text).with(1, 0xf8)],
  ] satisfies [string, (text: string) => string | Uint8Array][])(
    'is not written when a file %s after it was written',
    (_what, changed) => {
      const damage = (proofs: string): void => writeFileSync(proofs, changed(readFileSync(proofs, 'utf8')));
      expect(() => written('"x"\n"y"\n', damage)).toThrow(expect.objectContaining({ code: 'io' }));
    },
  );
});

describe('a file that is read back', () => {
  test.each([
    ['lacks its end', 'ab'],
    ['lacks its beginning', 'cd'],
    ['has more', 'abcde'],
    ['is empty', ''],
    ['differs in a character', 'abcx'],
  ])('is an error if it %s', (_what, kept) => {
    const file = writeWholeFile(join(temporaryFolder(), 'file'), 'abcd');
    expect(readWrittenText(file)).toBe('abcd');
    writeFileSync(file.path, kept);
    expect(() => readWrittenText(file)).toThrow(expect.objectContaining({ code: 'io', subject: file.path }));
  });
});
