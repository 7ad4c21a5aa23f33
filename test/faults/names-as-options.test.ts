// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they must stay unexpanded
/**
 * F118, F119: file names that look like options of a child program stay names, and files of the working folder that look like configuration
 * are ignored.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { entryLine } from '../support/build-logs.ts';
import { COMMAND } from '../support/command.ts';
import { turnmillHere } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';

const NAMES = [
  '--rm.jsonl',
  '-o x.jsonl',
  '--help.jsonl',
  '-.jsonl',
  '--output-dir-flat=x.jsonl',
  '$(touch pwned).jsonl',
  '`id`;.jsonl',
];

faultTest('F118', 'names that look like options are names, also for zstd', { needs: ['zstd'] }, async () => {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  for (const [i, name] of NAMES.entries()) {
    writeFileSync(join(logs, name), entryLine({ id: `p${i}` }));
    const { stdout } = spawnSync('zstd', ['-c'], { input: entryLine({ id: `z${i}` }) });
    writeFileSync(join(logs, `${name}.zst`), stdout);
  }
  const before = readdirSync(logs).sort();
  for (const [out, args] of [
    ['folder', [logs]],
    ['files', ['--', ...before.map((name) => join(logs, name))]],
  ] as const) {
    const command = [COMMAND, 'build', '--out', join(folder, out), ...args];
    const { status, stderr } = spawnSync(process.execPath, command, { cwd: logs, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.stringContaining(`${2 * NAMES.length} records`)]);
  }
  const bare = [COMMAND, 'check', '--', ...before];
  expect(spawnSync(process.execPath, bare, { cwd: logs }).status).toBe(0);
  expect(readdirSync(logs).sort()).toEqual(before);
});

faultTest('F119', 'no file of the working folder is run or read as configuration', {}, async () => {
  const folder = temporaryFolder();
  const touch = `require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'pwned'))}, '')`;
  const names = [
    'turnmill.config.js',
    'turnmill.config.cjs',
    '.turnmillrc.js',
    '.turnmillrc',
    'package.json',
    '.npmrc',
    '.env',
    'node_modules/pino/index.js',
  ];
  mkdirSync(join(folder, 'node_modules/pino'), { recursive: true });
  for (const name of names)
    writeFileSync(
      join(folder, name),
      name.endsWith('js') ? touch : '{"turnmill":{"limit":1}}\nTURNMILL_LIMIT=1',
    );
  writeFileSync(join(folder, 'a.jsonl'), entryLine());
  writeFileSync(join(folder, 'b.jsonl'), entryLine());
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [COMMAND, ...args], { cwd: folder, encoding: 'utf8' });
  expect(run('build', '.', '--out', '-').stdout.trim().split('\n')).toHaveLength(2);
  for (const name of ['turnmill.config.js', '.turnmillrc'])
    expect(run('check', '.', '--config', name).status).toBe(78);
  const texts = [
    '{"__proto__":{"limit":1}}',
    '{"constructor":1}',
    '{"limit":"${HOME}"}',
    '{"inputs":"$(id)"}',
    '{"$ref":"x"}',
    '!!js/function "1"',
  ];
  for (const text of texts) {
    writeFileSync(join(folder, 'c.json'), text);
    const { status } = await turnmillHere(['check', folder, '--config', join(folder, 'c.json')]);
    expect([text, status]).toEqual([text, 78]);
  }
  expect(existsSync(join(folder, 'pwned'))).toBe(false);
});
