/**
 * The numbers of tools of a shard's records, in their order, as a sum and a fold: the shard gives one tally, the
 * sessions that point to it give another, and neither has to be kept record by record.
 */
export interface ToolTally {
  sum: number;
  /** Differs when the same numbers come in another order. */
  fold: number;
}

export function createToolTally(): ToolTally {
  return { sum: 0, fold: 0 };
}

export function addTools(tally: ToolTally, tools: number): void {
  tally.sum += tools;
  tally.fold = (Math.imul(tally.fold, 31) + tools) | 0;
}
