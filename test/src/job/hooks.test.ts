/** Hooks of a run, as a program gives them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../../src/job/build.ts';
import type { Result } from '../../../src/ledger/result.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

it('a hook for results may return anything, such as the length that `push` returns', async () => {
  const folder = temporaryFolder();
  const [logs, out, plain] = ['logs', 'out', 'plain'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const id of ['a', 'b']) writeLog(logs, `${id}.jsonl`, [entry({ id })]);
  await build({ inputs: [logs], out: plain, workers: 1 });
  const results: Result[] = [];
  await build({ inputs: [logs], out, workers: 1 }, { onResult: (result) => results.push(result) });
  expect(results.filter(({ kind }) => kind === 'source')).toHaveLength(2);
  expect(results.filter(({ kind }) => kind === 'record')).toHaveLength(2);
  expect(hashesOf(out)).toEqual(hashesOf(plain));
});
