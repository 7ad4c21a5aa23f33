import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stages } from '../../../transforms/chain.ts';
import { checks } from '../../../transforms/checks/index.ts';
import { dialects } from '../../../transforms/dialects/index.ts';
import { sessionReasons } from '../../../transforms/formats/format-rules.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { LINE_REASONS } from '../../../transforms/model/reasons.ts';
import { rules } from '../../../transforms/rules/index.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';

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
  'nothing-read',
  'little-read',
  'unknown-dialect',
  'vanished',
  'unsupported-compression',
  'encoding-utf16',
  'not-json-lines',
  'internal-error',
  'worker-crash',
];
const PLUG_INS = `export default [
  { name: 'desk', summary: 'Written by desks.', marks: ['desk'], detect: () => false, read: () => undefined },
  { name: 'quiet', summary: 'Written by nobody.', detect: () => false, read: () => undefined },
  { name: 'count', summary: 'Counts.', options: { withRoles: { describe: 'Add roles', default: false } }, encode: () => undefined },
  { name: 'no-secrets', summary: 'Drops secrets.', after: 'cleanup', create: () => ({}) },
];`;

test.each<[string, readonly string[]]>([
  ['stages', names(stages)],
  ['dialects', names(dialects)],
  ['rules', names(rules)],
  ['checks', names(checks)],
  ['formats', names(formats)],
  ['reasons', [...Object.keys(LINE_REASONS), ...Object.keys(sessionReasons), ...SOURCE_REASONS]],
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

test.each<[args: readonly string[], added: readonly string[]]>([
  [
    ['dialects'],
    ['desk         Written by desks.', '             known by: desk', 'quiet        Written by nobody.'],
  ],
  [['formats'], ['count                   Counts.']],
  [
    ['list'],
    [
      '  desk         Written by desks.',
      '  count                   Counts.',
      '                          --with-roles  Add roles; default false',
      '  no-secrets           Drops secrets.',
    ],
  ],
])('%j --plugin FILE adds what the plug-in has', async (args, added) => {
  const plugin = join(temporaryFolder(), 'plug.mjs');
  writeFileSync(plugin, PLUG_INS);
  const before = (await turnmill(args)).stdout.toString().split('\n');
  const { status, stdout, stderr } = await turnmill([...args, '--plugin', plugin]);
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout.toString().split('\n');
  const isNew = (line: string): boolean => !before.includes(line);
  expect(lines.filter(isNew)).toEqual(expect.arrayContaining([...added]));
  expect(lines.filter((line) => !isNew(line))).toEqual(before);
});
