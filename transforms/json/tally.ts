/** Counts the bytes that this thread recognised by comparing, for a profile. Take differences to measure a part. */
export const tally: { comparedBytes: number } = { comparedBytes: 0 };
