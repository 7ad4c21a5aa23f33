/** The library never changes the process of its caller: only the command sets V8 flags, signal handlers and the exit status. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { entry, writeLog } from './cli/small-logs.ts';

const LIBRARY = resolve(import.meta.dirname, '../../dist/src/index.js');
const SOURCES = resolve(import.meta.dirname, '../../src');

/** Imports and runs the library in a separate process, in which all functions that change the process only record their calls. */
const PROBE = `
import v8 from 'node:v8';
import { syncBuiltinESMExports } from 'node:module';
const calls = [];
v8.setFlagsFromString = (flag) => { calls.push('flag ' + flag); };
process.exit = (status) => { calls.push('exit ' + status); };
syncBuiltinESMExports();
const before = process.eventNames().length;
const added = [];
process.on('newListener', (name) => added.push(String(name)));
const [library, log, out, sabotage] = process.argv.slice(1);
const { build, check } = await import(library);
if (sabotage === 'flag') (await import('node:v8')).setFlagsFromString('--expose-gc');
if (sabotage === 'listener') process.on('SIGTERM', () => {});
const summary = await build({ inputs: [log], out, workers: 2 });
await check({ inputs: [log], workers: 1 });
console.log(JSON.stringify({ calls, added, gc: typeof globalThis.gc, exitCode: process.exitCode, records: summary.sums.records }));
`;

function probe(sabotage: string): unknown {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  for (const [i, name] of ['a', 'b', 'c'].entries())
    writeLog(logs, `${name}.jsonl`, [entry({ id: `s${i}` })]);
  const args = ['--input-type=module', '-e', PROBE, LIBRARY, logs, join(folder, 'out'), sabotage];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('importing and running the library sets no V8 flag, adds no listener to the process and does not end it', () => {
  expect(probe('none')).toEqual({ calls: [], added: [], gc: 'undefined', records: 3 });
});

test.each([
  ['flag', { calls: ['flag --expose-gc'], added: [] }],
  ['listener', { calls: [], added: ['SIGTERM'] }],
])('the probe notices a %s', (sabotage, expected) => {
  expect(probe(sabotage)).toMatchObject(expected);
});

test('only src/cli and src/start-flags.ts mention V8 flags, signals and process.exit', () => {
  const touching = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .filter((path) =>
      /setFlagsFromString|process\.(?:on|once|addListener|exit|exitCode|kill)\b/.test(
        readFileSync(join(SOURCES, path), 'utf8'),
      ),
    )
    .filter((path) => !path.startsWith('cli/') && path !== 'start-flags.ts');
  expect(touching).toEqual([]);
});
