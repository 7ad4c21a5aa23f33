import { expect, test } from 'vitest';
import { checks } from '../../../transforms/checks/index.ts';
import { dialects } from '../../../transforms/dialects/index.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { LINE_REASONS, SESSION_REASONS } from '../../../transforms/model/rejection.ts';
import { rules } from '../../../transforms/rules/index.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';

const names = (all: readonly { readonly name: string }[]): readonly string[] => all.map(({ name }) => name);

const SOURCE_REASONS = [
  'unreadable',
  'changed-while-read',
  'corrupt-gzip',
  'corrupt-zstd',
  'trailing-data',
  'decompression-limit',
  'not-regular',
  'preference-pairs',
  'known-but-unread',
  'unknown-dialect',
  'vanished',
  'unsupported-compression',
  'encoding-utf16',
  'not-json-lines',
  'worker-crash',
];
const STAGES = [
  'parse',
  'cleanup',
  'validate',
  'check-entries',
  'snapshot-select',
  'limit-parts',
  'supply',
  'tool-dedupe',
  'reasoning',
  'check-conversations',
  'format',
  'check-records',
  'check-consumers',
];

test.each<[string, readonly string[]]>([
  ['stages', STAGES],
  ['dialects', names(dialects)],
  ['rules', names(rules)],
  ['checks', names(checks)],
  ['formats', names(formats)],
  ['reasons', [...Object.keys(LINE_REASONS), ...Object.keys(SESSION_REASONS), ...SOURCE_REASONS]],
])('list %s', async (group, expected) => {
  const json = await turnmill(['list', group, '--json']);
  const items = json.stdout
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(items.map(({ name }) => name)).toEqual(expected);
  expect(items.every((item) => item.group === group && item.summary.length > 10)).toBe(true);
  const shown = await turnmill(['list', group]);
  expect([shown.status, shown.stderr]).toEqual([0, '']);
  for (const name of expected) expect(shown.stdout.toString()).toContain(`  ${name} `);
});

test('list shows everything, with the options of the stages', async () => {
  const text = (await turnmill(['list'])).stdout.toString();
  for (const part of ['stages', 'dialects', 'rules', 'checks', 'formats', 'reasons'])
    expect(text).toMatch(new RegExp(`^${part}$`, 'm'));
  expect(text).toContain('--group-by  ');
  expect(text).toContain('--on-finding  ');
});

test('formats: one line each', async () => {
  const { status, stdout } = await turnmill(['formats']);
  const lines = stdout.toString().trimEnd().split('\n');
  expect([status, lines.map((line) => line.split(/ {2,}/))]).toEqual([
    0,
    formats.map(({ name, summary }) => [name, summary]),
  ]);
});
