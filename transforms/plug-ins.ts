/**
 * Plug-ins of a run, which extend the lists of built-in dialects, formats and stages for that run only.
 */
import type { Dialect } from './dialects/dialect.ts';
import type { Format } from './formats/format.ts';
import type { PlacedStage } from './stage.ts';

export interface PlugIns {
  readonly dialects: readonly Dialect[];
  readonly formats: readonly Format[];
  readonly stages: readonly PlacedStage[];
}
