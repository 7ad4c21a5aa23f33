/**
 * All examples and golden logs, changed so that lines are rejected in every order: `verify` accepts the dataset, and each quarantine record
 * has the hash of the bytes that it names.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../src/job/build.ts';
import { verifyDataset } from '../../src/verify/verify-dataset.ts';
import { dialectLogs } from '../support/dialect-logs.ts';
import { temporaryFolder } from '../support/folder.ts';

const linesOf = (bytes: Uint8Array): readonly string[] =>
  Buffer.from(bytes)
    .toString()
    .split('\n')
    .filter((line) => line !== '');
const DAMAGED = '{"timestamp":,}';

const CHANGES: Readonly<Record<string, (lines: readonly string[]) => readonly string[]>> = {
  'with a damaged line at the end': (lines) => [...lines, DAMAGED],
  backwards: (lines) => lines.toReversed(),
  'backwards, with damaged lines between': (lines) => lines.toReversed().flatMap((line) => [line, DAMAGED]),
  'without the first line': (lines) => [...lines.slice(1), DAMAGED],
};

interface Quarantined {
  readonly source: { readonly uri: string };
  readonly raw_sha256?: string;
  readonly raw_ref?: { readonly offset: number; readonly length: number };
}

it.each(Object.entries(CHANGES))('%s', async (_name, change) => {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  for (const [path, { bytes }] of Object.entries(dialectLogs())) {
    if (!path.endsWith('.jsonl')) continue;
    mkdirSync(dirname(join(logs, path)), { recursive: true });
    writeFileSync(join(logs, path), `${change(linesOf(bytes)).join('\n')}\n`);
  }
  await build({ inputs: [logs], out, workers: 1 });
  expect((await verifyDataset(out)).problems).toEqual([]);
  const records = linesOf(readFileSync(join(out, 'quarantine/rejected.jsonl'))).map(
    (line) => JSON.parse(line) as Quarantined,
  );
  expect(records.length).toBeGreaterThan(20);
  const wrong = records.filter(({ source, raw_sha256, raw_ref }) => {
    if (raw_ref === undefined || statSync(join(logs, source.uri)).isDirectory()) return false;
    const bytes = readFileSync(join(logs, source.uri)).subarray(
      raw_ref.offset,
      raw_ref.offset + raw_ref.length,
    );
    return createHash('sha256').update(bytes).digest('hex') !== raw_sha256;
  });
  expect(wrong).toEqual([]);
});
