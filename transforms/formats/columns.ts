/**
 * Columns of a format's records, for loaders with typed columns (Arrow). A loader that guesses types from its first block
 * refuses or changes records that differ from it, so the dataset's card names them. A value whose type differs between
 * records is JSON.
 */
import type { ArrowSafe } from './arrow-safe.ts';

/** `turns` is a list of objects with the texts `from` and `value`; a `json-list` may have any elements. */
export type ColumnType = 'text' | 'boolean' | 'json' | 'json-list' | 'turns';

/** Types by name of the column. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** Returns the columns of records with `messages` and `tools`. @param byDefault whether tools are a text by default */
export function chatColumns(
  byDefault: boolean,
  more: Columns = {},
): (options: Partial<ArrowSafe>) => Columns {
  return ({ arrowSafe = byDefault }) => ({
    messages: 'json-list',
    tools: arrowSafe ? 'text' : 'json-list',
    ...more,
  });
}
