/** The type of `--split`, and whether a run keeps the paths of its conversations for a decision at its end. */
import { plural } from '../sizes.ts';
import type { Refuse, ValueType } from './option.ts';

/** The share of each split, by its name. They add up to 1. */
export type SplitShares = Readonly<Record<string, number>>;

/** Names a folder of the dataset; loaders take it for the name of a split. */
const NAME = /^[a-z][a-z0-9_]{0,39}$/;
/** Loaders refuse it as the name of a split. */
const ALL = 'all';
/** The sum of decimal shares such as 0.7, 0.2 and 0.1 may differ from 1 by this much. */
const ROUNDING = 1e-9;

/** `NAME=SHARE,...`; in JSON an object. */
export const splitShares: ValueType<SplitShares> = {
  placeholder: 'NAME=SHARE,...',
  fromTexts: ([value = ''], refuse) =>
    sharesOf(
      value.split(',').map((pair) => pairIn(pair, refuse)),
      refuse,
    ),
  fromJson,
  check: fromJson,
};

function fromJson(value: unknown, refuse: Refuse): SplitShares {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('must be an object of shares by name, such as {"train": 0.9, "test": 0.1}');
  return sharesOf(Object.entries(value), refuse);
}

function pairIn(pair: string, refuse: Refuse): readonly [string, unknown] {
  const at = pair.indexOf('=');
  if (at < 0) return refuse(`'${pair}' is not NAME=SHARE, such as train=0.9`);
  const digits = pair.slice(at + 1);
  return [pair.slice(0, at), /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(digits) ? Number(digits) : digits];
}

function sharesOf(pairs: readonly (readonly [string, unknown])[], refuse: Refuse): SplitShares {
  const shares = new Map<string, number>();
  for (const [name, share] of pairs) {
    if (name === '') refuse('a split needs a name, such as train=0.9');
    if (!NAME.test(name))
      refuse(
        `'${name}' is not the name of a split: write a letter, then letters, digits and _, in lower case`,
      );
    if (name === ALL) refuse(`'${ALL}' means all splits in load_dataset: choose another name`);
    if (shares.has(name)) refuse(`${name} appears twice`);
    if (typeof share !== 'number' || !(share > 0 && share <= 1))
      return refuse(`the share of ${name} must be a number above 0 and up to 1, not '${String(share)}'`);
    shares.set(name, share);
  }
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  if (Math.abs(sum - 1) > ROUNDING)
    refuse(`the shares add up to ${Number(sum.toFixed(9))}, not to 1: change them, or name a further split`);
  return Object.fromEntries(shares);
}

/** Returns whether the paths of all conversations are kept, because something is decided by them at the end. */
export function keepsPaths({
  copies,
  split,
}: {
  readonly copies?: unknown;
  readonly split?: unknown;
}): boolean {
  return copies !== undefined || split !== undefined;
}

/** Says how many groups an update put into another split. */
export const movedText = (groups: number): string =>
  `${plural(groups, 'group')} of sessions moved to another split`;
