/**
 * The oracle's lossless JSON tree, so that a comparison sees number text, key order and duplicate keys. A node from a source keeps its
 * exact text in `raw`; a node created by a rule has none. Independent of transforms/ and src/ on purpose: nothing here may import from
 * there.
 */
export type Member = { readonly key: string; readonly value: Tree };
export type StringTree = { readonly kind: 'string'; readonly value: string; readonly raw?: string };
/** `bare`: the word NaN, Infinity or -Infinity, read as a zero. */
export type NumberTree = {
  readonly kind: 'number';
  readonly text: string;
  readonly raw?: string;
  readonly bare?: true;
};
export type LiteralTree = {
  readonly kind: 'literal';
  readonly text: 'true' | 'false' | 'null';
  readonly raw?: string;
};
export type ArrayTree = { readonly kind: 'array'; readonly items: readonly Tree[]; readonly raw?: string };
export type ObjectTree = {
  readonly kind: 'object';
  readonly members: readonly Member[];
  readonly raw?: string;
};
export type Tree = StringTree | NumberTree | LiteralTree | ArrayTree | ObjectTree;

/** Does it contain a bare NaN or Infinity? */
export function hasBareNumber(tree: Tree): boolean {
  if (tree.kind === 'number') return tree.bare === true;
  if (tree.kind === 'array') return tree.items.some(hasBareNumber);
  return tree.kind === 'object' && tree.members.some(({ value }) => hasBareNumber(value));
}

/** The effective member: the last one with this decoded key. */
export function get(tree: Tree | undefined, key: string): Tree | undefined {
  if (tree?.kind !== 'object') return undefined;
  return tree.members.findLast((m) => m.key === key)?.value;
}

/** The effective member if it is a string. */
export function getString(tree: Tree | undefined, key: string): string | undefined {
  const value = get(tree, key);
  return value?.kind === 'string' ? value.value : undefined;
}

export function isNull(tree: Tree | undefined): boolean {
  return tree?.kind === 'literal' && tree.text === 'null';
}

export function absentOrNull(tree: Tree | undefined): boolean {
  return tree === undefined || isNull(tree);
}

export function str(value: string): StringTree {
  return { kind: 'string', value };
}

export function arr(items: readonly Tree[]): ArrayTree {
  return { kind: 'array', items };
}

export function obj(members: readonly Member[]): ObjectTree {
  return { kind: 'object', members };
}

/** Copies the tree with a new value for the effective (last) member of this key; earlier duplicates stay. */
export function replaced(tree: ObjectTree, key: string, value: Tree): ObjectTree {
  const at = tree.members.findLastIndex((m) => m.key === key);
  return obj(tree.members.map((m, i) => (i === at ? { key, value } : m)));
}
