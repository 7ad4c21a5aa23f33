/** The stages, in pipeline order. */
export { cleanup } from './cleanup.ts';
export { format } from './format.ts';
export { parse } from './parse.ts';
export { reasoning } from './reasoning.ts';
export { snapshotSelect } from './snapshot-select.ts';
export { toolDedupe } from './tool-dedupe.ts';
export { validate } from './validate.ts';
