/**
 * The random number generator of the benchmarks: sfc32, seeded from a list of numbers and names. A session is seeded with nothing but
 * (seed, kind, session number), so its bytes do not depend on the sessions before it or on the destination.
 */

/** A random number generator that gives the same numbers for the same seed on every machine. */
export interface Random {
  /** Uniform in [0, 1). */
  unit(): number;
  /** A uniform integer from `low` to `high`, inclusive. */
  integer(low: number, high: number): number;
  /** A log-uniform integer from `low` to `high`: values between 1 and 10 are as likely as values between 10 and 100. */
  logUniform(low: number, high: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** One element of a non-empty list. */
  pick<T>(list: readonly T[]): T;
}

/** Computes FNV-1a over the text, starting from `state`. */
const mixText = (state: number, text: string): number => {
  let hash = state;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
};

/** Creates the generator for a seed such as `[1, 'main', 17]`. */
export const seededRandom = (parts: readonly (number | string)[]): Random => {
  const text = parts.join('/');
  let a = mixText(0x811c9dc5, text);
  let b = mixText(a, `${text}b`);
  let c = mixText(b, `${text}c`);
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) next();
  const unit = (): number => next() / 0x1_0000_0000;
  return {
    unit,
    integer: (low, high) => low + Math.floor(unit() * (high - low + 1)),
    logUniform: (low, high) => Math.floor(low * (high / low) ** unit()),
    chance: (probability) => unit() < probability,
    pick: <T>(list: readonly T[]): T => {
      const chosen = list[Math.floor(unit() * list.length)];
      if (chosen === undefined) throw new RangeError('cannot pick from an empty list');
      return chosen;
    },
  };
};
