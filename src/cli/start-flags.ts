/**
 * Flags of V8 that apply from the first module on, to the whole process: only the command sets them. V8 takes code from a
 * cache only under the flags that it was made with, so threads, which start during a run, need the same ones
 * (docs/contributing/decisions/0020-compile-later.md).
 */
import { setFlagsFromString } from 'node:v8';

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
const LONG_RUN_FLAGS: Readonly<Record<string, readonly string[]>> = { 20: [budget(LONG_RUN_BUDGET_BYTES)] };

/** How the heap grows at first; `BoundedHeap` changes both during a run. By default, V8 chooses the first. */
export const START_GROWTH = ['--heap-growing-percent=150', '--semi-space-growth-factor=2'] as const;
/** Gives threads, and contexts created from now on, a function `gc`. */
const EXPOSE_GC = '--expose-gc';

const [major = ''] = process.versions.node.split('.');

/**
 * Makes V8 compile functions later and inline less: compiling takes a third of the CPU time of a run of one second. In a
 * run that takes longer, it compiles them sooner.
 */
export function setStartFlags(): void {
  for (const flag of [...(COMPILER_FLAGS[major] ?? []), ...START_GROWTH, EXPOSE_GC]) setFlagsFromString(flag);
}

/** Makes V8 compile functions sooner once the process has run for some time. */
export function compileSoonerLater(): void {
  setTimeout(() => LONG_RUN_FLAGS[major]?.forEach(setFlagsFromString), LONG_RUN_MS).unref();
}
