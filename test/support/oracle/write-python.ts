/**
 * JSON text in the layout of Python's json.dumps(ensure_ascii=False), from a tree that keeps number text, key order and duplicate keys.
 * Where Python would write invalid UTF-8, a lone surrogate stays an escape.
 */
import type { Tree } from './tree.ts';

const SHORT = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\f', '\\f'],
  ['\b', '\\b'],
]);

export function dumpString(value: string): string {
  let out = '"';
  for (const ch of value) {
    const unit = ch.charCodeAt(0);
    const short = SHORT.get(ch);
    const lone = ch.length === 1 && unit >= 0xd800 && unit <= 0xdfff;
    if (short !== undefined) out += short;
    else if (unit < 0x20 || lone) out += `\\u${unit.toString(16).padStart(4, '0')}`;
    else out += ch;
  }
  return `${out}"`;
}

export function dump(tree: Tree): string {
  switch (tree.kind) {
    case 'string':
      return dumpString(tree.value);
    case 'array':
      return `[${tree.items.map(dump).join(', ')}]`;
    case 'object':
      return `{${tree.members.map((m) => `${dumpString(m.key)}: ${dump(m.value)}`).join(', ')}}`;
    default:
      return tree.text;
  }
}
