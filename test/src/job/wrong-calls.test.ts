/** Calls of the library with something else than it takes: a caller without types gets an error that names it. */
import { expect, it } from 'vitest';
import { build, check } from '../../../src/job/build.ts';
import { merge } from '../../../src/job/merge.ts';
import { read } from '../../../src/job/read.ts';
import { temporaryFolder } from '../../support/folder.ts';

const nothing = undefined as never;

it.each<[call: string, run: () => Promise<unknown>, message: string]>([
  ['build()', () => build(nothing), 'build() takes an object with a list of inputs'],
  ['build({})', () => build({} as never), 'build() takes an object with a list of inputs'],
  ['check()', () => check(nothing), 'build() takes an object with a list of inputs'],
  ['merge()', () => merge(nothing), 'merge() takes an object with a list of datasets and out'],
  ['merge({})', () => merge({} as never), 'merge() takes an object with a list of datasets and out'],
  ['merge to 3', () => merge({ datasets: ['a'], out: 3 as never }), 'out must be the path of a folder'],
])('%s says what it takes', async (_call, run, message) => {
  await expect(run()).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
});

it('read() of a folder says that it reads files', async () => {
  const folder = temporaryFolder();
  await expect(read(folder).toArray()).rejects.toThrow(`${folder} is a folder; read() reads a file`);
});
