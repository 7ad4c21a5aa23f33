/** Bytes that this thread recognised by comparing, for the profile. Never reset: subtract an earlier value. */
export const tally: { comparedBytes: number } = { comparedBytes: 0 };
