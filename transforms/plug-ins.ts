/**
 * Plug-ins of a run, besides the built-in dialects, formats and stages. They change nothing globally: a run extends the
 * lists.
 */
import type { Dialect } from './dialects/dialect.ts';
import type { Format } from './formats/format.ts';
import type { Stage } from './stage.ts';

/** A stage and the built-in one that it follows. */
export interface PlacedStage extends Stage {
  /** Name of a built-in stage: `cleanup`, `snapshot-select`, ... */
  readonly after: string;
}

export interface PlugIns {
  readonly dialects: readonly Dialect[];
  readonly formats: readonly Format[];
  readonly stages: readonly PlacedStage[];
}
