/** Questions about a parsed JSON value. A wrong type is `undefined`, so that a comparison with what it should be fails. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** An exact whole number, 0 or more. */
export function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** The members of an object of counts; undefined when it is none, or when a member is no count. */
export function asCounts(value: unknown): ReadonlyMap<string, number> | undefined {
  const members = Object.entries(asObject(value) ?? { missing: undefined });
  return members.every(([, n]) => asCount(n) !== undefined)
    ? new Map(members as [string, number][])
    : undefined;
}
