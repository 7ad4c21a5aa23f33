/** V8 compiles what runs often, in threads beside: a third of the CPU time of a run of a second. */
import { setFlagsFromString } from 'node:v8';

/** Of bytecode that a function has run before it is compiled; V8's own value is 67,584. */
const BUDGET_BYTES = 300_000;

/**
 * Functions are compiled when they have run four times as much as V8 would wait for: less is compiled for nothing. Long runs,
 * which compile the same in the end, do not notice (bench/RESULTS.md, main).
 */
export function compileLater(): void {
  setFlagsFromString(`--interrupt-budget=${BUDGET_BYTES}`);
}
