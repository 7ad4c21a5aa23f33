/**
 * Medians and paired ratios. No mean: one disturbed run on a shared machine would carry it away.
 */

/** The middle value and the extremes; undefined without values. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export const spreadOf = (values: readonly number[]): Spread | undefined => {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (low === undefined || high === undefined || upper === undefined || lower === undefined) {
    return undefined;
  }
  return { median: (lower + upper) / 2, low, high };
};

/** The ratios of runs of the same round; undefined where nothing can be divided. */
export const pairedRatio = (values: readonly number[], references: readonly number[]): Spread | undefined => {
  const ratios: number[] = [];
  for (const [round, value] of values.entries()) {
    const reference = references[round];
    if (reference !== undefined && reference > 0) ratios.push(value / reference);
  }
  return spreadOf(ratios);
};
