/** V8 compiles what runs often, in threads beside: a third of the CPU time of a run of a second. */
import { setFlagsFromString } from 'node:v8';

/** Of bytecode that a function has run before it is compiled; V8's own value is 67,584. */
const BUDGET_BYTES = 200_000;
/** Of bytecode of other functions that is compiled into one; V8's own value is 920. */
const INLINED_BYTES = 150;

/**
 * Functions are compiled when they have run three times as much as V8 would wait for, and little of what they call is compiled
 * into them: less is compiled for nothing, and less of it again. For the whole process, so only the command asks for it
 * (docs/decisions/0052-compile-later.md).
 */
export function compileLater(): void {
  setFlagsFromString(`--interrupt-budget=${BUDGET_BYTES}`);
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`);
}
