/**
 * What a micro bench measures: one primitive over bytes or texts that are in memory, so that a change of one shows before it
 * drowns in a whole run.
 */

/** One thing that is run again and again. */
export interface MicroCase {
  readonly name: string;
  /** What one call handles, for GB/s; undefined where bytes say nothing. */
  readonly bytes?: number;
  /** How many things one call handles, for ns each. */
  readonly items: number;
  /** Returns something that depends on all of the work, so that none of it can be left out. */
  run(): number | Promise<number>;
}
