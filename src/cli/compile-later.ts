/** V8 compiles what runs often, in threads beside: a third of the CPU time of a run of a second. */
import { setFlagsFromString } from 'node:v8';

/** Of bytecode that a function has run before it is compiled; V8's own value is 67,584. */
const BUDGET_BYTES = 200_000;
/** Of bytecode of other functions that is compiled into one; V8's own value is 920. */
const INLINED_BYTES = 150;

const inlineLess = `--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`;
/**
 * By the major version of Node. V8 tells of a flag that it does not know on standard error, so only versions that were tried
 * get any; those after 20 count invocations, not bytes.
 */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  20: [`--interrupt-budget=${BUDGET_BYTES}`, inlineLess],
  22: [inlineLess],
  24: [inlineLess],
  26: [inlineLess],
};

/**
 * Functions are compiled when they have run three times as much as V8 would wait for, and little of what they call is compiled
 * into them: less is compiled for nothing, and less of it again. For the whole process, so only the command asks for it
 * (docs/decisions/0020-compile-later.md).
 */
export function compileLater(): void {
  const [major = ''] = process.versions.node.split('.');
  FLAGS[major]?.forEach(setFlagsFromString);
}
