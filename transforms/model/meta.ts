/**
 * Metadata of a conversation. The list of names is closed, so that nothing personal slips into a dataset: no paths,
 * branches, user names or keys. Records contain none of it without `--meta`.
 */

/** docs/dialect-details.md explains each of them. */
export type MetaName =
  | 'source_id'
  | 'harness'
  | 'model'
  | 'usage'
  | 'cost'
  | 'reward'
  | 'finish'
  | 'parent'
  | 'copied'
  | 'started_at'
  | 'tags';

export const META_NAMES: readonly MetaName[] = [
  ...(['source_id', 'harness', 'model', 'usage', 'cost', 'reward', 'finish'] as const),
  ...(['parent', 'copied', 'started_at', 'tags'] as const),
];

const PATH = /^(?:[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|file:)/;

/** A home folder, or a path after a blank or a mark such as the one in `cwd=/srv`. */
const PATH_INSIDE = /[/\\](?:home|Users|root)[/\\]|[\s=:,;(](?:~?[/\\]|[A-Za-z]:\\)[\w.]/;

/** Is a text the path of a file? It is then not used as an id, because it may name a person. */
export const isPath = (text: string): boolean => PATH.test(text);

/** Is a text a path, or is one in it? */
export const holdsPath = (text: string): boolean => isPath(text) || PATH_INSIDE.test(text);

/** JSON text on one line, by name. */
export type Meta = ReadonlyMap<MetaName, Uint8Array>;
