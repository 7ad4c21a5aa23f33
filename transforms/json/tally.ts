/** Counts the bytes that this thread recognised by comparing, for a profile: whoever wants a part of them takes differences. */
export const tally: { comparedBytes: number } = { comparedBytes: 0 };
