/**
 * The tools of a conversation: the union over the entries up to the snapshot. The first definition of a name wins, a nameless one is kept
 * each time, and `function` objects are flattened.
 */
import type { Entry } from './entry.ts';
import { get, getString, type ObjectTree } from './tree.ts';

export type Tool = { readonly name: string | undefined; readonly emitted: ObjectTree };

function toTool(definition: ObjectTree): Tool {
  const fn = get(definition, 'function');
  const name = getString(fn, 'name') || getString(definition, 'name') || undefined;
  return { name, emitted: fn?.kind === 'object' ? fn : definition };
}

export function uniteTools(entries: readonly Entry[]): readonly Tool[] {
  const seen = new Set<string>();
  return entries
    .flatMap((entry) => entry.tools.map(toTool))
    .filter(({ name }) => {
      if (name === undefined) return true;
      if (seen.has(name)) return false;
      seen.add(name);
      return true;
    });
}
