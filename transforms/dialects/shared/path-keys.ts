/** The keys that a dialect reads, as a tree: built from the paths in its `DialectSpec`. */
import type { DialectSpec } from '../dialect-spec.ts';

export interface PathKey {
  /** How to read the value. */
  as: 'messages' | 'tools' | 'value';
  /** The keys to read inside the value, if that is an object. */
  readonly inner: Map<string, PathKey>;
  /** Number of the last object that had this key. */
  seenIn: number;
  /** Where its value begins in that object. */
  at: number;
}

/** Returns the top-level keys. */
export function pathKeys({
  messages,
  tools,
  keys = [],
}: Pick<DialectSpec, 'messages' | 'tools' | 'keys'>): ReadonlyMap<string, PathKey> {
  const top = new Map<string, PathKey>();
  const add = (path: readonly string[], as: PathKey['as']): void => {
    let level = top;
    for (const [i, key] of path.entries()) {
      const known: PathKey = level.get(key) ?? { as: 'value', inner: new Map(), seenIn: 0, at: -1 };
      if (i === path.length - 1) known.as = as;
      level.set(key, known);
      level = known.inner;
    }
  };
  for (const key of keys) add([key], 'value');
  if (messages !== undefined) add(messages.split('.'), 'messages');
  if (tools !== undefined) add(tools.split('.'), 'tools');
  return top;
}

/** The key at the end of a path. */
export function keyAt(keys: ReadonlyMap<string, PathKey>, path: string | undefined): PathKey | undefined {
  let level = keys;
  let key: PathKey | undefined;
  for (const name of path?.split('.') ?? []) {
    key = level.get(name);
    level = key?.inner ?? new Map();
  }
  return key;
}
