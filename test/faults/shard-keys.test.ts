/**
 * F100, F102, F103: ids and scenarios as file names. Whatever a log says, its shard is a regular file in data/ with a portable name, no two
 * shards share a name, and the original name is only in the manifest.
 */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { buildLogs, entryLine } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

const HOSTILE = [
  ...[
    '../../etc/x',
    '/abs',
    'a/../../b',
    '..',
    '.',
    ' ',
    'a\0b',
    'x'.repeat(300),
    'y'.repeat(100_000),
    'a\nb',
    'CON',
    'NUL.txt',
    'aux.',
  ],
  ...[
    'dot.',
    'space ',
    'a:b',
    '\\\\host\\x',
    '~',
    '$(id)',
    '-rf',
    'A',
    'a',
    'é',
    'e\u0301',
    'manifest.json',
    '_SUCCESS',
    '.hidden',
  ],
  ...[
    '\u202ea',
    '%2e%2e%2f',
    'a|b',
    'a*b?',
    '"a"',
    "'a'",
    '\ud83d\ude00',
    'con',
    'data',
    '0',
    'toString',
    '__proto__',
    'conversations',
  ],
];
const SAFE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,150}\.jsonl$/;

interface Listed {
  readonly shards: readonly { readonly path: string; readonly group: string; readonly records: number }[];
}

const manifestOf = (out: string): Listed => JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));

/** A log line with the escape of a lone surrogate. */
const lone = (id: string): string => entryLine({ id: '@' }).replace('"@"', () => `"${id}"`);

describe('F100 ids as names of shards', () => {
  faultTest('F100', 'every hostile id has its own shard in data/', {}, async () => {
    const halves = ['\\ud800', '\\ud801', '\\udc00x', '\\ufffd'];
    const log = [...HOSTILE.map((id) => entryLine({ id })), ...halves.map(lone)].join('\n');
    const { out, status } = await buildLogs({ stdin: log }, ['--group-by', 'scenario']);
    expect(status).toBe(0);
    const { shards } = manifestOf(out);
    expect(shards.map(({ records }) => records)).toEqual(shards.map(() => 1));
    expect(shards).toHaveLength(HOSTILE.length + halves.length);
    expect(new Set(shards.map(({ path }) => path.toLowerCase())).size).toBe(shards.length);
    for (const { path } of shards) {
      expect(path.slice('data/'.length)).toMatch(SAFE);
      expect(realpathSync(join(out, path))).toBe(join(realpathSync(out), path));
    }
    expect(readdirSync(join(out, 'data')).sort()).toEqual(
      shards.map(({ path }) => path.slice('data/'.length)).sort(),
    );
    expect(readdirSync(join(out, '..')).sort()).toEqual(['logs', 'out']);
    const csv = readFileSync(join(out, 'reports/tool-usage.csv'), 'utf8');
    for (const half of halves) expect(csv).toContain(`\n,${half.replace('\\ufffd', '\ufffd')},1,`);
    for (const id of ['../../etc/x', 'a\nb', 'A', 'a', 'é', 'e\u0301'])
      expect(shards.map(({ group }) => group)).toContain(id);
  });

  faultTest('F100', 'an invalid id rejects its line', {}, async () => {
    const log = [undefined, null, 1, true, {}, [], '']
      .map((id) => entryLine({ id: id === undefined ? { x: 1 } : id }))
      .join('\n');
    const { sums } = await buildLogs({ stdin: log });
    expect(sums.fates).toEqual({ 'rejected:bad-session-id': 7 });
  });

  faultTest('F100', 'ids from names of files and folders', {}, async () => {
    const names = HOSTILE.filter(
      (name) => name.length < 200 && !/[/\0]/.test(name) && name !== '.' && name !== '..',
    );
    const files = Object.fromEntries(names.map((name) => [`${name}/${name}.jsonl`, entryLine({ id: name })]));
    const { out, status, sums } = await buildLogs({ files }, ['--group-by', 'scenario']);
    expect([status, sums.records]).toEqual([0, names.length]);
    const paths = manifestOf(out).shards.map(({ path }) => path);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(names.length);
  });
});

describe('F103 very many groups', () => {
  const keys = (count: number) => async (): Promise<void> => {
    const lines = Array.from({ length: 2 * count }, (_, i) =>
      entryLine({ id: `group${(i * 7919) % count}x${i < count ? 'a' : 'b'}`, at: 1 }),
    );
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    const { status, stderr } = await turnmill(
      ['build', '-', '--out', out, '--group-by', 'scenario'],
      lines.join('\n'),
    );
    expect(status, stderr).toBe(0);
    const { shards } = manifestOf(out);
    expect([shards.length, new Set(shards.map(({ path }) => path)).size]).toEqual([2 * count, 2 * count]);
    expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
  };

  faultTest('F103', '300 shards', {}, keys(150));
  faultTest('F103', '20,000 shards', { long: true }, keys(10_000));
});
