import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readProofs, writeRunFacts } from '../../../src/sinks/run-facts.ts';
import { writeCheckedFile } from '../../../src/sinks/whole-file.ts';
import { temporaryFolder } from '../../support/folder.ts';

function written(lines: string | undefined): { root: string; text: string } {
  const root = temporaryFolder();
  const proofs = join(root, 'proofs.jsonl');
  if (lines !== undefined) writeFileSync(proofs, lines);
  writeRunFacts(root, { host: 'h', inputs: ['a'] }, lines === undefined ? undefined : proofs);
  return { root, text: readFileSync(join(root, 'run.json'), 'utf8') };
}

describe('run.json', () => {
  test.each([
    ['no proofs', undefined, { host: 'h', inputs: ['a'] }],
    ['none', '', { host: 'h', inputs: ['a'], proofs: [] }],
    ['one', '"x"\n', { host: 'h', inputs: ['a'], proofs: ['x'] }],
    ['an empty one', '"x"\n""\n', { host: 'h', inputs: ['a'], proofs: ['x', ''] }],
  ])('with %s, printed as all JSON of ours', (_what, lines, expected) => {
    expect(written(lines).text).toBe(`${JSON.stringify(expected, undefined, 2)}\n`);
  });

  test('with so many that they are written in pieces', () => {
    const proofs = Array.from({ length: 30_000 }, (_, i) => `${i}:${'p'.repeat(i % 60)}`);
    const { root, text } = written(proofs.map((proof) => `${JSON.stringify(proof)}\n`).join(''));
    expect(readProofs(root)).toEqual(proofs);
    expect(text).toBe(`${JSON.stringify({ host: 'h', inputs: ['a'], proofs }, undefined, 2)}\n`);
  });

  test('is not made of a file that is not what was written', () => {
    expect(() => written('"x"\n"y\n')).toThrow(expect.objectContaining({ code: 'io' }));
  });
});

describe('a file that is read back', () => {
  /** Pieces that are others when they are gone through again: as if the disk had kept `written`. */
  const changing = (...rounds: readonly (readonly string[])[]): Iterable<string> => {
    let round = 0;
    return { [Symbol.iterator]: () => (rounds[round++] ?? [])[Symbol.iterator]() };
  };

  test.each([
    ['lacks its last piece', ['ab'], ['ab', 'cd']],
    ['lacks its first piece', ['cd'], ['ab', 'cd']],
    ['has a piece more', ['ab', 'cd'], ['ab']],
    ['is empty', [], ['ab']],
    ['differs in a character', ['ab', 'cx'], ['ab', 'cd']],
  ])('and %s is an error', (_what, kept, meant) => {
    const path = join(temporaryFolder(), 'file');
    expect(() => writeCheckedFile(path, changing(kept, meant))).toThrow(
      expect.objectContaining({ code: 'io' }),
    );
  });
});
