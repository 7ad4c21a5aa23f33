/**
 * The text of a record as turnmill must write it: source bytes where a node has them (a CR as a space); any layout elsewhere, because the
 * comparison reads trees.
 */
import type { Tree } from './tree.ts';
import { dumpString } from './write-python.ts';

export function recordText(tree: Tree): string {
  if (tree.raw !== undefined) return tree.raw.replaceAll('\r', ' ');
  switch (tree.kind) {
    case 'string':
      return dumpString(tree.value);
    case 'array':
      return `[${tree.items.map(recordText).join(',')}]`;
    case 'object':
      return `{${tree.members.map((m) => `${dumpString(m.key)}:${recordText(m.value)}`).join(',')}}`;
    default:
      return tree.text;
  }
}
