/**
 * A seeded random source (mulberry32, no Math.random) that counts every oddity it was asked for, so that a test can prove that each oddity
 * occurred.
 */
export type Tally = Map<string, number>;

export type Dice = {
  /** 0 <= n < below */
  readonly int: (below: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
  /** A named oddity: the heat of the session scales its probability, and its hits are counted. */
  readonly odd: (name: string, probability: number) => boolean;
  /** One of several named variants, all equally likely, each counted. */
  readonly variant: <T>(name: string, variants: Readonly<Record<string, () => T>>) => T;
  /** The same dice with another heat: 0 is a calm session, 1 an odd one. */
  readonly heated: (heat: number) => Dice;
};

function mulberry32(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function withHeat(next: () => number, tally: Tally, heat: number): Dice {
  const int = (below: number): number => Math.floor(next() * below);
  const count = (name: string, by: number): void => {
    tally.set(name, (tally.get(name) ?? 0) + by);
  };
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(items.length)] ?? items[0],
    odd: (name, probability) => {
      const hit = next() < probability * heat;
      count(name, hit ? 1 : 0);
      return hit;
    },
    variant: (name, variants) => {
      const names = Object.keys(variants);
      const chosen = names[int(names.length)] ?? '';
      for (const each of names) count(`${name}: ${each}`, each === chosen ? 1 : 0);
      const make = variants[chosen];
      if (make === undefined) throw new Error(`no variants: ${name}`);
      return make();
    },
    heated: (other) => withHeat(next, tally, other),
  };
}

export function createDice(seed: number, tally: Tally): Dice {
  return withHeat(mulberry32(seed), tally, 1);
}
