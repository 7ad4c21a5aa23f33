import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { LINE_FILES, WORK_FILES } from '../../../src/dataset/layout.ts';
import { type LineFileName, parseLine } from '../../../src/dataset/parse-line.ts';
import { build } from '../../../src/job/build.ts';
import { temporaryFolder } from '../../support/folder.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples/logs');

it('every line of a dataset parses as a line of its file and of no other', async () => {
  const out = join(temporaryFolder(), 'out');
  await build({ inputs: [EXAMPLES], out, workers: 1 });
  for (const file of Object.values(LINE_FILES)) {
    const lines = readFileSync(join(out, file), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      expect(parseLine(file, line)).toEqual(JSON.parse(line));
      expect(parseLine(file, Buffer.from(line))).toEqual(JSON.parse(line));
      for (const other of Object.values(LINE_FILES))
        if (other !== file) expect(parseLine(other, line), other).toBeUndefined();
    }
  }
});

it('the lines of a staging folder are parsed too', () => {
  expect(parseLine(WORK_FILES.fingerprints, '"1:2:3:4"')).toBe('1:2:3:4');
  expect(parseLine(WORK_FILES.fingerprints, '12')).toBeUndefined();
  const listed = { name: 'a', input: 0, sizeBytes: 3 };
  expect(parseLine(WORK_FILES.listing, JSON.stringify(listed))).toEqual(listed);
});

it.each([
  ['', LINE_FILES.sources],
  ['{"source":"a"', LINE_FILES.sources],
  ['null', LINE_FILES.sources],
  ['[]', LINE_FILES.sources],
  ['{"source":"a","status":"read","lines":"4","fates":{}}', LINE_FILES.sources],
  ['{"source":"a","status":"read","lines":4,"fates":null}', LINE_FILES.sources],
  ['{"name":"a","input":0}', WORK_FILES.listing],
] satisfies [string, LineFileName][])('%j is not a line of %s', (line, file) => {
  expect(parseLine(file, line)).toBeUndefined();
});
