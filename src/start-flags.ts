/**
 * Flags of V8 that apply from the first module on, to the whole process: only the command sets them. V8 takes code from a
 * cache only under the flags that it was made with (docs/contributing/decisions/0020-compile-later.md): that of the
 * program's chunks under these, that of Node's own modules under V8's defaults. So a thread begins under the defaults,
 * and sets these before it loads a chunk.
 */

// Modules that every run loads: imported before a flag is set, in threads too, their code comes from Node's cache.
import 'node:child_process';
import 'node:crypto';
import 'node:fs/promises';
import 'node:net';
import 'node:os';
import 'node:timers/promises';
import 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import 'node:worker_threads';

/** A flag as it is set here, and by default. */
type Flag = readonly [set: string, byDefault: string];

/** Bytes of bytecode that a function executes before V8 compiles it. */
const budget = (bytes: number): string => `--interrupt-budget=${bytes}`;
const compileLater: Flag = [budget(200_000), budget(67_584)];
/** In a long run: a function that ran this much will run much more. */
const SOONER = budget(30_000);
const LONG_RUN_MS = 2000;
/** Most bytes of bytecode that V8 inlines into a function. */
const inlined = (bytes: number): string => `--max-inlined-bytecode-size-cumulative=${bytes}`;
const inlineLess: Flag = [inlined(150), inlined(920)];
/** V8 discards code that is not used for some time: a long run would leave little in the cache. */
const keepCode: Flag = ['--no-flush-bytecode', '--flush-bytecode'];
/**
 * Flags by the major version of Node. V8 warns on standard error about flags that it does not know, so only versions
 * that were tested are listed. After version 20, V8 counts invocations instead of bytes.
 */
const COMPILER_FLAGS: Readonly<Record<string, readonly Flag[]>> = {
  20: [compileLater, inlineLess, keepCode],
  22: [inlineLess, keepCode],
  24: [inlineLess, keepCode],
  26: [inlineLess, keepCode],
};
/** How the heap grows at first; `BoundedHeap` changes both during a run. */
const GROWTH_FLAGS: readonly Flag[] = [
  ['--heap-growing-percent=150', '--heap-growing-percent=0'],
  ['--semi-space-growth-factor=2', '--semi-space-growth-factor=2'],
];

const setOf = (flags: readonly Flag[]): readonly string[] => flags.map(([set]) => set);
export const START_GROWTH: readonly string[] = setOf(GROWTH_FLAGS);

const [major = ''] = process.versions.node.split('.');
const FLAGS = [...(COMPILER_FLAGS[major] ?? []), ...GROWTH_FLAGS];
let areSet = false;
let isLongRun = false;

/** Makes V8 compile functions later and inline less: compiling takes a third of the CPU time of a run of one second. */
export function setStartFlags(): void {
  setFlags(setOf(FLAGS));
  areSet = true;
}

export function setFlags(flags: readonly string[]): void {
  flags.forEach(setFlagsFromString);
}

/** Makes V8 compile functions sooner, for a run of several seconds. */
export function compileSooner(): void {
  isLongRun = true;
  if (FLAGS.includes(compileLater)) setFlagsFromString(SOONER);
}

/** Makes V8 compile functions sooner once the process has run for some time. */
export function compileSoonerLater(): void {
  setTimeout(compileSooner, LONG_RUN_MS).unref();
}

/** Sets what a thread has set back, if V8 compiled sooner before it began. */
export function keepCompilingSooner(): void {
  if (isLongRun) compileSooner();
}

/**
 * Sets V8's defaults until a new thread has begun: under other flags it compiles Node's own modules, which takes 50 ms.
 * @returns the flags that the thread has to set then; undefined if none were set, as in a program that uses the library
 */
export function takeFlagsBack(): readonly string[] | undefined {
  if (!areSet) return undefined;
  setFlags(FLAGS.map(([, byDefault]) => byDefault));
  return setOf(FLAGS);
}

/**
 * Makes `globalThis.gc` available on this thread. The engine calls it after a giant line, whose bytes are outside V8's
 * heap and exist three times: in a slab, in messages and in a record.
 */
export function exposeGarbageCollector(): void {
  let collect: (() => void) | undefined;
  // On demand: few runs have a giant line, and the context takes milliseconds. Only contexts created under the flag have it.
  globalThis.gc ??= (() => {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as () => void;
    }
    collect();
  }) as unknown as NodeJS.GCFunction;
}
