/**
 * Compares an output tree with the oracle's: same kinds, number text, key order and decoded strings. Where the oracle's node has its source
 * bytes, the output must have those bytes (with a CR written as a space). Returns the first difference as a path and both sides.
 */
import type { Tree } from './tree.ts';

export type Difference = { readonly path: string; readonly expected: string; readonly actual: string };

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}... (${text.length} characters)` : text;
}

function show(tree: Tree | undefined): string {
  if (tree === undefined) return '(nothing)';
  if (tree.kind === 'string') return shorten(JSON.stringify(tree.value));
  if (tree.kind === 'array') return `array of ${tree.items.length}`;
  if (tree.kind === 'object') return shorten(`object ${JSON.stringify(tree.members.map((m) => m.key))}`);
  return tree.text;
}

function differs(path: string, expected: Tree | undefined, actual: Tree | undefined): Difference {
  return { path, expected: show(expected), actual: show(actual) };
}

function inShape(path: string, expected: Tree, actual: Tree): Difference | undefined {
  if (expected.kind === 'array' && actual.kind === 'array') {
    for (let i = 0; i < Math.min(expected.items.length, actual.items.length); i++) {
      const found = compareTrees(`${path}[${i}]`, expected.items[i], actual.items[i]);
      if (found !== undefined) return found;
    }
    return expected.items.length === actual.items.length ? undefined : differs(path, expected, actual);
  }
  if (expected.kind === 'object' && actual.kind === 'object') {
    const keys = (tree: typeof expected): string => JSON.stringify(tree.members.map((m) => m.key));
    if (keys(expected) !== keys(actual)) return differs(path, expected, actual);
    for (const [i, member] of expected.members.entries()) {
      const found = compareTrees(`${path}.${member.key}`, member.value, actual.members[i]?.value);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (expected.kind === 'string' && actual.kind === 'string') {
    return expected.value === actual.value ? undefined : differs(path, expected, actual);
  }
  const same = expected.kind === actual.kind && show(expected) === show(actual);
  return same ? undefined : differs(path, expected, actual);
}

/** The first difference, or undefined if the trees agree. */
export function compareTrees(
  path: string,
  expected: Tree | undefined,
  actual: Tree | undefined,
): Difference | undefined {
  if (expected === undefined || actual === undefined) {
    return expected === actual ? undefined : differs(path, expected, actual);
  }
  const found = inShape(path, expected, actual);
  if (found !== undefined || expected.raw === undefined) return found;
  const bytes = expected.raw.replaceAll('\r', ' ');
  if (bytes === actual.raw) return undefined;
  const got = actual.raw ?? '';
  let at = 0;
  while (at < bytes.length && bytes.charAt(at) === got.charAt(at)) at++;
  return {
    path: `${path} (bytes, from character ${at})`,
    expected: shorten(bytes.slice(Math.max(0, at - 20))),
    actual: shorten(got.slice(Math.max(0, at - 20))),
  };
}
