/**
 * Values that were read from a dataset. The schema defines the members, but verify has to check their types. A value of
 * another type becomes `undefined`, so that comparisons with the expected value fail.
 */

import { ifPossible } from '../errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** An object that should be a `T`: it has the members of `T`, but with any type. */
export type Untrusted<T> = { readonly [Name in keyof T]?: unknown };

/** A line of a file, counted from 1, that should be a `T`. */
export interface LineOf<T> {
  readonly line: number;
  readonly value: Untrusted<T>;
}

/** Returns the value of a text; undefined if it is not JSON. */
export const parsedJson = (text: string): unknown => ifPossible(() => JSON.parse(text));

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** Returns the items of a list as objects; none if the value is not a list. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((item) => asObject(item) ?? {}) : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the value if it is an exact whole number that is not negative. */
export function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** Returns the members of an object of counts; undefined if it is not an object, or if a member is not a count. */
export function asCounts(value: unknown): ReadonlyMap<string, number> | undefined {
  const members = Object.entries(asObject(value) ?? { missing: undefined });
  return members.every(([, n]) => asCount(n) !== undefined)
    ? new Map(members as [string, number][])
    : undefined;
}
