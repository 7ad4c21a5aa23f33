/** Flags of V8 apply to the whole process, so each test starts a new one. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const DIST = resolve(import.meta.dirname, '../../dist/src');
const url = (path: string): string => JSON.stringify(pathToFileURL(join(DIST, path)).href);

const HEAD = `
import { cachedDataVersionTag } from 'node:v8';
import * as flags from ${url('start-flags.js')};
import { BoundedHeap } from ${url('cli/node.js')};
const tag = cachedDataVersionTag; // V8 takes code from a cache only if this is the same
`;

const BEGUN = `
const heap = new BoundedHeap();
flags.setStartFlags();
heap.begin(false);`;

/** Runs a module and returns what the expression at its end gives. */
function inProcess(body: string, expression: string): unknown {
  const code = `${HEAD}${body}\nconsole.log(JSON.stringify(${expression}));`;
  const args = ['--input-type=module', '-e', code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('a thread begins under the default flags of V8 and gets those that were set', () => {
  const body = `
const before = tag();
flags.setStartFlags();
const set = tag();
const taken = flags.takeFlagsBack();
const back = tag();
flags.setFlags(taken);`;
  expect(inProcess(body, '[set !== before, back === before, tag() === set]')).toEqual([true, true, true]);
});

test('a process that sets no flags has none to take back', () => {
  expect(inProcess('const before = tag();', '[typeof flags.takeFlagsBack(), tag() === before]')).toEqual([
    'undefined',
    true,
  ]);
});

test('a heap that was held stays held when a thread has set the flags of the start', () => {
  const body = `${BEGUN}
heap.hold();
const held = tag();
flags.setFlags(flags.takeFlagsBack());
const grows = tag();
heap.restore();`;
  expect(inProcess(body, '[grows !== held, tag() === held]')).toEqual([true, true]);
});

test('a heap that was not held keeps growing as at the start', () => {
  const body = `${BEGUN}
const start = tag();
heap.restore();`;
  expect(inProcess(body, 'tag() === start')).toBe(true);
});

test('a long run compiles sooner, also once a thread has set the flags of the start', () => {
  const body = `${BEGUN}
const short = tag();
heap.begin(true);
const long = tag();
flags.setFlags(flags.takeFlagsBack());
const begun = tag();
heap.restore();
const hasFlags = process.versions.node.startsWith('20.');`;
  const expression = '[(long !== short) === hasFlags, begun === short, tag() === long]';
  expect(inProcess(body, expression)).toEqual([true, true, true]);
});

test('garbage can be collected while a thread begins', () => {
  const body = `
flags.setStartFlags();
flags.exposeGarbageCollector();
flags.takeFlagsBack();
const before = process.memoryUsage().heapUsed;
let garbage = Array.from({ length: 1e6 }, (_, i) => ({ i }));
const full = process.memoryUsage().heapUsed;
garbage = undefined;
globalThis.gc();`;
  expect(inProcess(body, 'full - process.memoryUsage().heapUsed > 0.5 * (full - before)')).toBe(true);
});
