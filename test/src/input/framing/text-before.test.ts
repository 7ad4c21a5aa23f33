import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../../../src/index.ts';
import { textBefore } from '../../../../src/input/framing/shape.ts';
import { verifyDataset } from '../../../../src/verify/verify-dataset.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const DOCUMENT = readFileSync(resolve(import.meta.dirname, '../../../goldens/opencode/logs/session.json'));

it.each([
  ['Exporting session: ses_1', 24],
  ['> loading\nloaded.\n', 18],
  ['* ', 2],
  ['', 0],
  ['  \n', 0],
  ['12 ', 0],
  ['true ', 0],
  ['"text" ', 0],
  ['a [x] ', 0],
  ['<html>', 0],
  ['x'.repeat(300), 0],
])('the text before a document: %j', (text, length) => {
  expect(textBefore(Buffer.from(`${text}{"a":1}`))).toBe(length);
  expect(textBefore(Buffer.from(`${text}[\n{`))).toBe(length);
  expect(textBefore(Buffer.from(`${text} in {braces}`))).toBe(0);
});

async function built(name: string, text: string | Uint8Array) {
  const folder = temporaryFolder();
  const [input, out] = [join(folder, name), join(folder, 'out')];
  writeFileSync(input, text);
  const result = await build({ inputs: [input], out, groupBy: 'none', workers: 1 });
  expect(await verifyDataset(out)).toMatchObject({ problems: [] });
  const sums = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  return { fates: sums.fates, repairs: sums.repairs, records: sums.records, result };
}

it('a document after a text is read, with a repair', async () => {
  const plain = await built('s.json', DOCUMENT);
  const after = await built('s.json', Buffer.concat([Buffer.from('Exporting session: ses_1'), DOCUMENT]));
  expect([plain.fates, plain.repairs]).toEqual([{ snapshot: 1 }, {}]);
  expect([after.fates, after.records]).toEqual([plain.fates, plain.records]);
  expect(after.repairs).toEqual({ 'text-prefix': 1 });
});

it('prose is rejected, with the position of its error', async () => {
  const prose = await built('s.json', 'Read this: [1, 2] and {"a": 1} are JSON.');
  expect(prose.fates).toEqual({ 'rejected:invalid-json': 1 });
  expect(prose.repairs).toEqual({});
});
