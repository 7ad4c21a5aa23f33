/**
 * Plug-ins of a run, which extend the lists of built-in dialects, formats and stages for that run only.
 */
import type { Dialect } from './dialects/dialect.ts';
import type { Format } from './formats/format.ts';
import type { Stage } from './stage.ts';

/** A stage with its place in the chain. */
export interface PlacedStage extends Stage {
  /** Name of the built-in stage that it follows: `cleanup`, `snapshot-select`, ... */
  readonly after: string;
}

export interface PlugIns {
  readonly dialects: readonly Dialect[];
  readonly formats: readonly Format[];
  readonly stages: readonly PlacedStage[];
}
