/** Counts messages by role and calls by tool. */

/** Plain data, because it is posted to another thread. */
export interface RecordShape {
  /** Number of messages by role. */
  readonly roles: Readonly<Record<string, number>>;
  /** Number of calls by the name of the tool; `?` for a call without a name. */
  readonly calls: Readonly<Record<string, number>>;
}

const MAX_NAME = 120;
export const NO_NAME = '?';
/** The only name that cannot be set by assignment. */
const PROTOTYPE = '__proto__';
const OWN_ONE = { value: 1, writable: true, enumerable: true, configurable: true } as const;
/** Shortens a long name by cutting out its middle. */
export function shortName(name: string, most: number = MAX_NAME): string {
  if (name.length <= most) return name;
  const half = (most - 1) >> 1;
  return `${name.slice(0, half).replace(/[\ud800-\udbff]$/, '')}…${name.slice(-half).replace(/^[\udc00-\udfff]/, '')}`;
}

export class ShapeCounter {
  readonly #roles: Record<string, number> = {};
  readonly #calls: Record<string, number> = {};

  message(role: string): void {
    count(this.#roles, role);
  }

  call(name: string | undefined): void {
    count(this.#calls, name);
  }

  take(): RecordShape {
    return { roles: this.#roles, calls: this.#calls };
  }
}

/** Counts in a plain object: counting in a Map and then converting it takes longer. */
function count(counts: Record<string, number>, name: string | undefined): void {
  const key = name ? shortName(name) : NO_NAME;
  const known: unknown = counts[key];
  if (typeof known === 'number')
    counts[key] = known + 1; // inherited members, like `constructor`, are not numbers
  else if (key === PROTOTYPE) Object.defineProperty(counts, key, OWN_ONE);
  else counts[key] = 1;
}
