/**
 * Flags of V8 that apply from the first module on, to the whole process: only the command sets them. V8 takes code from a
 * cache only under the flags that it was made with (docs/contributing/decisions/0020-compile-later.md): that of the
 * program's chunks under these, that of Node's own modules under V8's defaults. So a thread begins under the defaults,
 * and sets these before it loads a chunk.
 */

// Those that every run loads, so that they come from Node's cache, in threads too.
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

/** Bytes of bytecode that a function executes before V8 compiles it; V8's default is 67,584. */
const BUDGET_BYTES = 200_000;
/** The same in a long run: a function that ran this much will run much more. */
const LONG_RUN_BUDGET_BYTES = 30_000;
const LONG_RUN_MS = 2000;
/** Most bytes of bytecode that V8 inlines into a function; V8's default is 920. */
const INLINED_BYTES = 150;

const inlineLess = `--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`;
/** V8 discards code that is not used for some time: a long run would leave little in the cache. */
const keepCode = '--no-flush-bytecode';
const budget = (bytes: number): string => `--interrupt-budget=${bytes}`;
/**
 * Flags by the major version of Node. V8 warns on standard error about flags that it does not know, so only versions
 * that were tested are listed. After version 20, V8 counts invocations instead of bytes.
 */
const COMPILER_FLAGS: Readonly<Record<string, readonly string[]>> = {
  20: [budget(BUDGET_BYTES), inlineLess, keepCode],
  22: [inlineLess, keepCode],
  24: [inlineLess, keepCode],
  26: [inlineLess, keepCode],
};
const inlining = '--max-inlined-bytecode-size-cumulative=920';
const common = [inlining, '--flush-bytecode', '--heap-growing-percent=0'];
/** V8's defaults of all flags that are set here. */
const DEFAULTS: Readonly<Record<string, readonly string[]>> = {
  20: ['--interrupt-budget=67584', ...common],
  22: common,
  24: common,
  26: common,
};
const LONG_RUN_FLAGS: Readonly<Record<string, readonly string[]>> = { 20: [budget(LONG_RUN_BUDGET_BYTES)] };

/** How the heap grows at first; `BoundedHeap` changes both during a run. By default, V8 chooses the first. */
export const START_GROWTH = ['--heap-growing-percent=150', '--semi-space-growth-factor=2'] as const;

const [major = ''] = process.versions.node.split('.');
const START_FLAGS = [...(COMPILER_FLAGS[major] ?? []), ...START_GROWTH];
let areSet = false;
let compilesSooner = false;

/** Makes V8 compile functions later and inline less: compiling takes a third of the CPU time of a run of one second. */
export function setStartFlags(): void {
  setFlags(START_FLAGS);
  areSet = true;
}

export function setFlags(flags: readonly string[]): void {
  flags.forEach(setFlagsFromString);
}

/** Makes V8 compile functions sooner, for a run of several seconds. */
export function compileSooner(): void {
  compilesSooner = true;
  setFlags(LONG_RUN_FLAGS[major] ?? []);
}

/** Does so once the process has run for some time. */
export function compileSoonerLater(): void {
  setTimeout(compileSooner, LONG_RUN_MS).unref();
}

/** Does so again if it was done before a thread set the flags of the start. */
export function keepCompilingSooner(): void {
  if (compilesSooner) compileSooner();
}

/**
 * Sets V8's defaults until a new thread has begun: under other flags it compiles Node's own modules, which takes 50 ms.
 * @returns the flags that the thread has to set then; none if no flags were set
 */
export function takeFlagsBack(): readonly string[] {
  if (!areSet) return [];
  setFlags(DEFAULTS[major] ?? []);
  return START_FLAGS;
}

/**
 * Makes `globalThis.gc` available on this thread. The engine calls it after a giant line, whose bytes are outside V8's
 * heap and exist three times: in a slab, in messages and in a record.
 */
export function exposeGarbageCollector(): void {
  let collect: (() => void) | undefined;
  // Created on demand: a context takes milliseconds, and few runs have a giant line. Contexts created under the flag have it.
  globalThis.gc ??= (() => {
    if (collect === undefined) setFlagsFromString('--expose-gc');
    collect ??= runInNewContext('gc') as () => void;
    collect();
  }) as unknown as NodeJS.GCFunction;
}
