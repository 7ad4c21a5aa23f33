import type { JsonStyle } from './json-style.ts';
import type { Random } from './random.ts';
import type { CorpusShape } from './shapes.ts';
import type { TextPools } from './text-pool.ts';

/** Everything needed to write the messages of a session. */
export interface Voice {
  readonly style: JsonStyle;
  readonly pools: TextPools;
  readonly shape: CorpusShape;
  readonly random: Random;
  readonly toolSet: number;
}
