/** V8 compiles what runs often, in threads beside: a third of the CPU time of a run of a second. */
import { setFlagsFromString } from 'node:v8';

/** Of bytecode that a function has run before it is compiled; V8's own value is 67,584. */
const BUDGET_BYTES = 200_000;
/** Of bytecode of other functions that is compiled into one; V8's own value is 920. */
const INLINED_BYTES = 150;

/**
 * Functions are compiled when they have run three times as much as V8 would wait for, and each by itself more than as a part of
 * those that call it: less is compiled for nothing, and less of it again. Long runs do not notice (bench/RESULTS.md, main).
 */
export function compileLater(): void {
  setFlagsFromString(`--interrupt-budget=${BUDGET_BYTES}`);
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`);
}
