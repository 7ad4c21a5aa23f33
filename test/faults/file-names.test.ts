/** Logs with odd names: every name is read, and recorded exactly. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entry } from '../src/cli/small-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { buildPlace, place, sumsOf } from '../support/log-folder.ts';

const NAMES: readonly (string | Buffer)[] = [
  'new\nline',
  'tab\t',
  '-rf',
  '--rm',
  `quote"'\``,
  '\u001b[31mred\u001b[0m',
  Buffer.from([0xff, 0xfe, 0x80]),
  Buffer.from([0x61, 0xc3]),
  'x'.repeat(249),
  '%s%n%x',
  '{{name}}',
  '$(id)',
  '😀',
  'trailing ',
  ' leading',
  'a\\b',
  '\u202egpj',
  '\u009b1m',
  '*',
];

test('F087 files with any name are read, the name is recorded exactly, and printed harmlessly', async () => {
  const at = place();
  for (const [i, name] of NAMES.entries()) {
    const path = Buffer.concat([Buffer.from(`${at.logs}/`), Buffer.from(name), Buffer.from('.jsonl')]);
    writeFileSync(path, `${entry({ id: `s${i}` })}\n{\n`);
  }
  const { status, stderr, sums } = await buildPlace(at);
  expect([status, sums.records]).toEqual([3, NAMES.length + 1]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
  expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  const named = readFileSync(join(at.out, 'ledger/sources.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ source, source_b64 }) =>
      Buffer.from(source_b64 ?? source, source_b64 ? 'base64' : 'utf8').toString('hex'),
    );
  for (const name of NAMES)
    expect(named).toContain(Buffer.concat([Buffer.from(name), Buffer.from('.jsonl')]).toString('hex'));
});

test('F092 names that differ only in case or composition are different names', async () => {
  const at = place();
  const names = ['Plan', 'plan', 'caf\u00e9', 'cafe\u0301'];
  for (const name of names) writeFileSync(join(at.logs, `${name}.jsonl`), entry({ id: name }));
  const run = await turnmill(['build', at.logs, '--out', at.out, '--group-by', 'scenario']);
  expect([run.status, sumsOf(at.out).records]).toEqual([0, names.length + 1]);
  const { shards } = JSON.parse(readFileSync(join(at.out, 'manifest.json'), 'utf8')) as {
    shards: { path: string; group: string }[];
  };
  expect(shards.map(({ group }) => group).sort()).toEqual([...names, 'good'].sort());
  expect(new Set(shards.map(({ path }) => path)).size).toBe(names.length + 1);
});
