/** Exports the stages of a build. docs/architecture.md shows their order. */
export { cleanup } from './stages/cleanup.ts';
export { format } from './stages/format.ts';
export { limitParts } from './stages/limit-parts.ts';
export { parse } from './stages/parse.ts';
export { reasoning } from './stages/reasoning.ts';
export { snapshotSelect } from './stages/snapshot-select.ts';
export { supply } from './stages/supply.ts';
export { toolDedupe } from './stages/tool-dedupe.ts';
export { validate } from './stages/validate.ts';
