/**
 * Sets up Node and V8 for the command. Flags apply to the whole process, so only the command sets them. The library
 * does not touch its caller's process; it takes a `HeapControl`, and uses the global `gc` if there is one.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { HeapControl } from '../job/hooks.ts';
import { compileSooner, keepCompilingSooner, START_GROWTH } from '../start-flags.ts';

/**
 * Keeps V8's young generation small: the viewer reads a whole dataset line by line, and short-lived garbage would
 * otherwise triple its memory.
 */
export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--max-semi-space-size=2');
}

/** Both halves of the young generation. */
const YOUNG_BYTES = 16 * 1024 * 1024;
/** While the old generation is smaller than this, V8 lets it grow as at the start before collecting it. */
const OLD_BYTES = 24 * 1024 * 1024;
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

  begin(isLong: boolean): void {
    START_GROWTH.forEach(setFlagsFromString);
    if (isLong) compileSooner();
    this.#isYoungHeld = false;
    this.#isOldHeld = false;
    this.#old = this.#collections = 0;
  }

  check(): void {
    if (this.#isYoungHeld && this.#isOldHeld) return;
    let old = 0;
    for (const { space_name, space_size, space_used_size } of getHeapSpaceStatistics()) {
      if (space_name !== 'new_space') old += space_used_size;
      else if (space_size >= YOUNG_BYTES) this.#holdYoung();
    }
    if (old < this.#old * COLLECTED) this.#collections++;
    this.#old = old;
    if (old >= OLD_BYTES || this.#collections >= MAX_QUICK_COLLECTIONS) this.#holdOld();
  }

  hold(): void {
    this.#holdYoung();
    this.#holdOld();
  }

  restore(): void {
    keepCompilingSooner();
    if (this.#isYoungHeld) this.#holdYoung();
    if (this.#isOldHeld) this.#holdOld();
  }

  #holdYoung(): void {
    this.#isYoungHeld = true;
    setFlagsFromString('--semi-space-growth-factor=1');
  }

  #holdOld(): void {
    this.#isOldHeld = true;
    setFlagsFromString(`--heap-growing-percent=${LESS_GROWTH_PERCENT}`);
  }
}
