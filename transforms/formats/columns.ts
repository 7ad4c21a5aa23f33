/**
 * Columns of a format's records, for loaders with typed columns (Arrow). A loader that guesses types from its first block
 * refuses or changes records that differ from it, so the dataset's card names them. A value whose type differs between
 * records is JSON. The types of some columns depend on the records (src/record/observed-columns.ts).
 */
import type { ArrowSafe } from './arrow-safe.ts';

/**
 * - `text`: a text that never looks like a time, which the loader would rewrite; `free-text` is any other.
 * - `json-list`: a list of any objects. A `plain-list` is one only if loaders without a JSON type cannot read its objects.
 * - `turns`: a list of objects with the texts `from` and `value`.
 */
export type ColumnType = 'text' | 'free-text' | 'boolean' | 'json' | 'json-list' | 'plain-list' | 'turns';

/** Types by name of the column. */
export type Columns = Readonly<Record<string, ColumnType>>;

/**
 * Returns the columns of records with `messages` and `tools`. With `--arrow-safe`, messages are plain objects for loaders
 * without a JSON type, except in a format that has the option by default.
 * @param byDefault whether tools are a text by default
 */
export function chatColumns(
  byDefault: boolean,
  more: Columns = {},
): (options: Partial<ArrowSafe>) => Columns {
  return ({ arrowSafe = byDefault }) => ({
    messages: arrowSafe && !byDefault ? 'plain-list' : 'json-list',
    tools: arrowSafe ? 'text' : 'json-list',
    ...more,
  });
}
