/**
 * Sets up Node and V8 for the command. Flags apply to the whole process, so only the command sets them. The library
 * does not touch its caller's process; it takes a `HeapControl`, and uses the global `gc` if there is one.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HeapControl } from '../job/hooks.ts';

/** Bytes of bytecode that a function executes before V8 compiles it; V8's default is 67,584. */
const BUDGET_BYTES = 200_000;
/** The same in a long run: a function that ran this much will run much more. */
const LONG_RUN_BUDGET_BYTES = 30_000;
const LONG_RUN_MS = 2000;
/** Most bytes of bytecode that V8 inlines into a function; V8's default is 920. */
const INLINED_BYTES = 150;

const inlineLess = `--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`;
const budget = (bytes: number): string => `--interrupt-budget=${bytes}`;
/**
 * Flags by the major version of Node. V8 warns on standard error about flags that it does not know, so only versions
 * that were tested are listed. After version 20, V8 counts invocations instead of bytes.
 */
const COMPILER_FLAGS: Readonly<Record<string, readonly string[]>> = {
  20: [budget(BUDGET_BYTES), inlineLess],
  22: [inlineLess],
  24: [inlineLess],
  26: [inlineLess],
};
const LONG_RUN_FLAGS: Readonly<Record<string, readonly string[]>> = { 20: [budget(LONG_RUN_BUDGET_BYTES)] };

/**
 * Makes V8 compile functions later and inline less: compiling takes a third of the CPU time of a run of one second. In a
 * run that takes longer, it compiles them sooner (docs/contributing/decisions/0020-compile-later.md).
 */
export function compileLater(): void {
  const [major = ''] = process.versions.node.split('.');
  COMPILER_FLAGS[major]?.forEach(setFlagsFromString);
  setTimeout(() => LONG_RUN_FLAGS[major]?.forEach(setFlagsFromString), LONG_RUN_MS).unref();
}

/**
 * Keeps V8's young generation small: the viewer reads a whole dataset line by line, and short-lived garbage would
 * otherwise triple its memory.
 */
export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--max-semi-space-size=2');
}

/**
 * Makes `globalThis.gc` available, here and in worker threads that start from now on. The engine calls it after a giant
 * line, whose bytes are outside V8's heap and exist three times: in a slab, in messages and in a record.
 */
export function exposeGarbageCollector(): void {
  setFlagsFromString('--expose-gc'); // applies to contexts created from now on
  let collect: (() => void) | undefined;
  // Created on demand: a context takes milliseconds, and few runs have a giant line.
  globalThis.gc ??= (() => {
    collect ??= runInNewContext('gc') as () => void;
    collect();
  }) as unknown as NodeJS.GCFunction;
}

/** Both halves of the young generation. */
const YOUNG_BYTES = 16 * 1024 * 1024;
/** While the old generation is smaller than this, V8 lets it grow by `GROWTH_PERCENT` of its live data before collecting it. */
const OLD_BYTES = 24 * 1024 * 1024;
const GROWTH_PERCENT = 150;
/** The growth once it is larger, or was collected this often: a run that long has time for it. */
const LESS_GROWTH_PERCENT = 50;
const MAX_QUICK_COLLECTIONS = 8;
/** A generation that is smaller than this part of what it was was collected. */
const COLLECTED = 0.75;

/**
 * Keeps V8's heap small: by default, V8 uses more memory to collect garbage less often. It reads both flags whenever a
 * space is about to grow. By default the young generation grows to three times 16 MB: compared with 16 MB in all, that
 * saves a tenth of the CPU time on small files and takes 10 to 25 MB more. The old generation has 10 MB of live data in
 * most runs: with a growth of 50 % it is collected two to three times as often as with 150 %, which costs 3 to 10 % of
 * the CPU time.
 */
export class BoundedHeap implements HeapControl {
  #isYoungHeld = false;
  #isOldHeld = false;
  /** Bytes of the old generation at the last check. */
  #old = 0;
  #collections = 0;

  begin(): void {
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
    setFlagsFromString('--semi-space-growth-factor=2');
    this.#isYoungHeld = false;
    this.#isOldHeld = false;
    this.#old = this.#collections = 0;
  }

  check(): void {
    if (this.#isYoungHeld && this.#isOldHeld) return;
    let old = 0;
    for (const { space_name, space_size, space_used_size } of getHeapSpaceStatistics()) {
      if (space_name !== 'new_space') old += space_used_size;
      else if (!this.#isYoungHeld && space_size >= YOUNG_BYTES) this.hold();
    }
    if (old < this.#old * COLLECTED) this.#collections++;
    this.#old = old;
    if (this.#isOldHeld || (old < OLD_BYTES && this.#collections < MAX_QUICK_COLLECTIONS)) return;
    this.#isOldHeld = true;
    setFlagsFromString(`--heap-growing-percent=${LESS_GROWTH_PERCENT}`);
  }

  hold(): void {
    this.#isYoungHeld = true;
    setFlagsFromString('--semi-space-growth-factor=1');
  }
}
