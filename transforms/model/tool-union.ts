/**
 * Collects the tool definitions of a session's entries in order, each distinct one once; definitions without a name are
 * kept every time. Definitions after the snapshot only count if a later snapshot is chosen.
 */

import type { ToolCounts, ToolDefinition } from './element.ts';
import { HashedSet } from './hashed-set.ts';

export interface ToolUnion {
  /** Adds the definitions of the next entry. Passing the same array again costs next to nothing. */
  add(definitions: readonly ToolDefinition[]): void;
  /** Makes the entry added last the current snapshot. */
  commit(): void;
  /** The distinct definitions up to and including the snapshot. Two may still share a name. */
  definitions(): readonly ToolDefinition[];
  counts(): ToolCounts;
  reset(): void;
}

/** Several definitions of one name. Beyond a few, they are compared by hash. */
interface Seen {
  readonly few: Uint8Array[];
  others: HashedSet | undefined;
}

/** Definitions of one name that are compared directly. */
const FEW = 8;

export function createToolUnion(): ToolUnion {
  const byName = new Map<string, Uint8Array | Seen>(); // nearly always a single definition
  let distinct: ToolDefinition[] = [];
  let last: readonly ToolDefinition[] | undefined;
  let lastNameless: readonly ToolDefinition[] = [];
  let seen = 0;
  let committedSeen = 0;
  let committedKept = 0;

  function isNew(definition: ToolDefinition): boolean {
    const { name, bytes } = definition;
    if (name === undefined) return true;
    const known = byName.get(name);
    if (known === undefined) {
      byName.set(name, bytes);
      return true;
    }
    const seen: Seen = known instanceof Uint8Array ? { few: [known], others: undefined } : known;
    if (seen !== known) byName.set(name, seen);
    const { few } = seen;
    for (const one of few) if (Buffer.compare(one, bytes) === 0) return false;
    if (few.length < FEW) {
      few.push(bytes);
      return true;
    }
    seen.others ??= new HashedSet();
    return seen.others.add(bytes);
  }

  return {
    add(definitions) {
      seen += definitions.length;
      const again = definitions === last;
      if (!again) {
        last = definitions;
        lastNameless = definitions.filter((definition) => definition.name === undefined);
      }
      // added one by one: spreading a hundred thousand definitions would overflow the stack
      for (const definition of again ? lastNameless : definitions.filter(isNew)) distinct.push(definition);
    },
    commit() {
      committedSeen = seen;
      committedKept = distinct.length;
    },
    definitions: () => distinct.slice(0, committedKept),
    counts: () => ({
      seen: committedSeen,
      kept: committedKept,
      duplicateSame: committedSeen - committedKept,
      duplicateConflict: 0,
    }),
    reset() {
      byName.clear();
      distinct = [];
      last = undefined;
      seen = committedSeen = committedKept = 0;
    },
  };
}
