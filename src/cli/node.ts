/**
 * Sets up Node and V8 for the command. Flags hold for the whole process, so only the command sets them: the library
 * leaves the process of its caller alone, and takes a `HeapControl` and, if there is one, a global `gc`.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HeapControl } from '../job/hooks.ts';

/** The supported versions, as in `engines` of package.json, for the error message. */
export const SUPPORTED = '20.19 or a later 20, 22.12 or a later 22, 24 or later';

/** @param version as in `process.versions.node` */
export function supportsNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 20) return minor >= 19;
  if (major === 22) return minor >= 12;
  return major >= 24;
}

/** Bytecode that a function executes before V8 compiles it; V8's default is 67,584. */
const BUDGET_BYTES = 200_000;
/** Most bytecode of callees that V8 inlines into a function; V8's default is 920. */
const INLINED_BYTES = 150;

const inlineLess = `--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`;
/**
 * By the major version of Node. V8 complains on standard error about flags that it does not know, so only versions that
 * were tried have any. Versions after 20 count invocations instead of bytes.
 */
const COMPILER_FLAGS: Readonly<Record<string, readonly string[]>> = {
  20: [`--interrupt-budget=${BUDGET_BYTES}`, inlineLess],
  22: [inlineLess],
  24: [inlineLess],
  26: [inlineLess],
};

/**
 * Makes V8 compile functions later and inline less: compiling takes a third of the CPU time of a run of one second
 * (docs/decisions/0020-compile-later.md).
 */
export function compileLater(): void {
  const [major = ''] = process.versions.node.split('.');
  COMPILER_FLAGS[major]?.forEach(setFlagsFromString);
}

/**
 * Keeps V8 from growing the space of young objects: the viewer reads a whole dataset line by line, and would take three times the
 * memory for garbage of a few milliseconds.
 */
export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--max-semi-space-size=2');
}

/**
 * Makes `globalThis.gc` available, here and in worker threads that start from now on. The engine calls it after a giant line,
 * which is outside V8's heap and held three times: as slab, as messages and as record.
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

const YOUNG_BYTES = 8 * 1024 * 1024;
const OLD_GROWTH_PERCENT = 80;

/**
 * Keeps V8's heap small: by default it uses more memory to collect less often. V8 reads both flags whenever a space is
 * about to grow. The young generation would grow to three times 16 MB, which against 8 MB saves a tenth of the CPU time
 * on small files for 10 to 25 MB more memory; the old generation to several times its live data, for up to a tenth of
 * the CPU time.
 */
export class BoundedHeap implements HeapControl {
  #held = false;

  begin(): void {
    this.#held = false;
    setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
    setFlagsFromString('--semi-space-growth-factor=2');
  }

  check(): void {
    if (this.#held) return;
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (space !== undefined && space.space_size >= YOUNG_BYTES) this.hold();
  }

  hold(): void {
    this.#held = true;
    setFlagsFromString('--semi-space-growth-factor=1');
  }
}
