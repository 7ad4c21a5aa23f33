/**
 * Collects the distinct tool definitions of a session's entries, in order, and all definitions without a name. Those of
 * entries after the snapshot count only if a later entry becomes the snapshot.
 */

import type { ToolCounts, ToolDefinition } from './element.ts';
import { HashedSet } from './hashed-set.ts';

/** The definitions of a name that has several. */
interface Seen {
  readonly few: Uint8Array[];
  others: HashedSet | undefined;
}

/** Number of definitions of a name that are compared byte by byte; the others are compared by hash. */
const FEW = 8;

export class ToolUnion {
  /** Most names have a single definition, which is stored without a `Seen`. */
  #byName = new Map<string, Uint8Array | Seen>();
  #distinct: ToolDefinition[] = [];
  #last: readonly ToolDefinition[] | undefined;
  #lastNameless: readonly ToolDefinition[] = [];
  #seen = 0;
  #committedSeen = 0;
  #committedKept = 0;

  /** Adds the definitions of the next entry. Takes almost no time for the same array as before. */
  add(definitions: readonly ToolDefinition[]): void {
    this.#seen += definitions.length;
    const isRepeated = definitions === this.#last;
    if (!isRepeated) {
      this.#last = definitions;
      this.#lastNameless = definitions.filter(({ name }) => name === undefined);
    }
    const added = isRepeated
      ? this.#lastNameless
      : definitions.filter((definition) => this.#isNew(definition));
    // push(...added) overflows the stack at 100,000
    for (const definition of added) this.#distinct.push(definition);
  }

  /** Makes the entry that was added last the snapshot. */
  commit(): void {
    this.#committedSeen = this.#seen;
    this.#committedKept = this.#distinct.length;
  }

  /** The distinct definitions up to and including the snapshot; two may have the same name. */
  definitions(): readonly ToolDefinition[] {
    return this.#distinct.slice(0, this.#committedKept);
  }

  counts(): ToolCounts {
    const [seen, kept] = [this.#committedSeen, this.#committedKept];
    return { seen, kept, duplicateSame: seen - kept, duplicateConflict: 0 };
  }

  reset(): void {
    this.#byName = new Map();
    this.#distinct = [];
    this.#last = undefined;
    this.#seen = this.#committedSeen = this.#committedKept = 0;
  }

  #isNew({ name, bytes }: ToolDefinition): boolean {
    if (name === undefined) return true;
    const known = this.#byName.get(name);
    if (known === undefined) {
      this.#byName.set(name, bytes);
      return true;
    }
    const seen: Seen = known instanceof Uint8Array ? { few: [known], others: undefined } : known;
    if (seen !== known) this.#byName.set(name, seen);
    const { few } = seen;
    for (const one of few) if (Buffer.compare(one, bytes) === 0) return false;
    if (few.length < FEW) {
      few.push(bytes);
      return true;
    }
    seen.others ??= new HashedSet();
    return seen.others.add(bytes);
  }
}
